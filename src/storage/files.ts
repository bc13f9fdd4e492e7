import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import type * as Aws from 'aws4fetch'
import { AppError, storageFull } from '../lib/errors.ts'
import { lazyPackage } from '../lib/lazy.ts'
import { FILE_MODE, FOLDER_MODE, makeFolderPrivate } from './sqlite/private-files.ts'

const aws = lazyPackage<typeof Aws>('aws4fetch')

/** File storage. Keys consist of letters, digits, dots, dashes and slashes. */
export interface FileStore {
  /** Stores a file atomically. No two callers use the same key at a time. */
  put(key: string, bytes: Buffer, mime: string): Promise<void>
  get(key: string): Promise<Buffer | null>
  /** Size in bytes; null if there is no such file. */
  size(key: string): Promise<number | null>
  /** Removes a file if it exists. */
  remove(key: string): Promise<void>
  /** Keys of all files, unfinished ones included; null if they cannot be listed. */
  list(): Promise<string[]> | null
}

/** Stores files in a folder. */
export function folderStore(folder: string): FileStore {
  const path = (key: string) => join(folder, key)
  /** Temporary file. `remove` deletes one that a crash left behind. */
  const temporaryPath = (key: string) => `${path(key)}.part`
  let isPrivate = false
  return {
    async put(key, bytes) {
      const temporary = temporaryPath(key)
      try {
        if (!isPrivate) makeFolderPrivate(folder)
        isPrivate = true
        const made = await mkdir(dirname(temporary), { recursive: true, mode: FOLDER_MODE })
        await writeAndSync(temporary, bytes)
        await rename(temporary, path(key))
        await syncFolders(dirname(temporary), made === undefined ? dirname(temporary) : dirname(made))
      } catch (error) {
        await rm(temporary, { force: true }).catch(() => {})
        throw clientError(error)
      }
    },
    get: (key) => readFile(path(key)).catch(nullIfMissing),
    size: (key) => stat(path(key)).then(({ size }) => size, nullIfMissing),
    async remove(key) {
      await rm(temporaryPath(key), { force: true })
      await rm(path(key), { force: true })
    },
    list: () => listFolders(folder, ['images', 'held']),
  }
}

async function listFolders(folder: string, names: readonly string[]): Promise<string[]> {
  const keys: string[] = []
  for (const name of names) {
    const found = await readdir(join(folder, name), { recursive: true, withFileTypes: true }).catch(nullIfMissing)
    for (const one of found ?? [])
      if (one.isFile()) keys.push(relative(folder, join(one.parentPath, one.name)).replaceAll(sep, '/'))
  }
  return keys
}

/** Error codes of the system: no space, quota exceeded, file too large. */
const DISK_FULL = ['ENOSPC', 'EDQUOT', 'EFBIG']
/** Error codes of a failing or read-only disk. */
const UNWRITABLE = ['EIO', 'EROFS']

/** Converts a write error to an error for the client. */
function clientError(error: unknown): unknown {
  const code = codeOf(error)
  if (DISK_FULL.includes(code)) return storageFull(error)
  return UNWRITABLE.includes(code) ? storeUnavailable(error) : error
}

function nullIfMissing(error: unknown): null {
  if (['ENOENT', 'ENOTDIR'].includes(codeOf(error))) return null
  throw error
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? ''
}

async function writeAndSync(path: string, bytes: Buffer): Promise<void> {
  const file = await open(path, 'w', FILE_MODE)
  try {
    await file.writeFile(bytes)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** Syncs a folder and its parents up to `to`: otherwise a new file name may be lost in a power failure. */
async function syncFolders(from: string, to: string): Promise<void> {
  for (let folder = from; ; folder = dirname(folder)) {
    const opened = await open(folder, 'r').catch(() => null)
    // Some systems, such as Windows, can neither open nor sync folders.
    await opened?.sync().catch(() => {})
    await opened?.close()
    if (folder === to || folder === dirname(folder)) return
  }
}

export interface S3Options {
  /** URL of the bucket, such as `https://s3.example.org/bucket`. */
  readonly bucket: string
  readonly region: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
}

/** Stores files in an S3-compatible object store. */
export function s3Store({ bucket, region, accessKeyId, secretAccessKey }: S3Options): FileStore {
  const { AwsClient } = aws()
  const client = new AwsClient({ accessKeyId, secretAccessKey, region, service: 's3', retries: 3 })
  const send = async (method: string, key: string, init: RequestInit = {}) => {
    const request = { method, signal: AbortSignal.timeout(30_000), ...init }
    const response = await client.fetch(`${bucket}/${key}`, request).catch((error: unknown) => {
      throw storeUnavailable(error)
    })
    if (response.ok || response.status === 404) return response
    const error = new Error(`the file store answered ${response.status} to ${method} ${key}`)
    if (response.status === 507) throw storageFull(error)
    throw response.status === 429 || response.status >= 500 ? storeUnavailable(error) : error
  }
  return {
    async put(key, bytes, mime) {
      const response = await send('PUT', key, { body: new Uint8Array(bytes), headers: { 'content-type': mime } })
      if (!response.ok) throw new Error(`the file store has no bucket at ${bucket}`)
    },
    async get(key) {
      const response = await send('GET', key)
      return response.ok ? Buffer.from(await response.arrayBuffer()) : null
    },
    async size(key) {
      const { ok, headers } = await send('HEAD', key)
      return ok ? Number(headers.get('content-length')) : null
    },
    async remove(key) {
      await send('DELETE', key)
    },
    list: () => null,
  }
}

/** The store is temporarily unavailable. */
function storeUnavailable(cause: unknown): AppError {
  return new AppError('rest_unavailable', { headers: { 'retry-after': '5' } }, cause)
}
