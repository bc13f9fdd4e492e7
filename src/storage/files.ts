import { mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type * as Aws from 'aws4fetch'
import { AppError, storageFull } from '../lib/errors.ts'
import { lazyPackage } from '../lib/lazy.ts'
import { FILE_MODE, FOLDER_MODE, makeFolderPrivate } from './sqlite/private-files.ts'

const aws = lazyPackage<typeof Aws>('aws4fetch')

/** Where files are kept, under keys of letters, digits, dots, dashes and slashes. */
export interface FileStore {
  /** Keeps a file: it is there as a whole, or not at all. No key is used by two at a time. */
  put(key: string, bytes: Buffer, mime: string): Promise<void>
  get(key: string): Promise<Buffer | null>
  /** How many bytes a file has; null if there is none. */
  size(key: string): Promise<number | null>
  /** Removes a file, if there is one. */
  remove(key: string): Promise<void>
}

/** Files in a folder. */
export function folderStore(folder: string): FileStore {
  const path = (key: string) => join(folder, key)
  /** Where it is written: what a crash leaves is removed with the file. */
  const partOf = (key: string) => `${path(key)}.part`
  let isPrivate = false
  return {
    async put(key, bytes) {
      const temporary = partOf(key)
      try {
        if (!isPrivate) makeFolderPrivate(folder)
        isPrivate = true
        const made = await mkdir(dirname(temporary), { recursive: true, mode: FOLDER_MODE })
        await writeWhole(temporary, bytes)
        await rename(temporary, path(key))
        await syncFolders(dirname(temporary), made === undefined ? dirname(temporary) : dirname(made))
      } catch (error) {
        await rm(temporary, { force: true }).catch(() => {})
        throw toldOf(error)
      }
    },
    get: (key) => readFile(path(key)).catch(ifMissing),
    size: (key) => stat(path(key)).then(({ size }) => size, ifMissing),
    async remove(key) {
      await rm(partOf(key), { force: true })
      await rm(path(key), { force: true })
    },
  }
}

/** What the operating system says if there is no room, a quota is used up, or a file may not be so large. */
const NO_ROOM = ['ENOSPC', 'EDQUOT', 'EFBIG']
/** What it says if the disk fails, or may not be written to. */
const UNWRITABLE = ['EIO', 'EROFS']

/** What the client is told of a failed write. */
function toldOf(error: unknown): unknown {
  const code = codeOf(error)
  if (NO_ROOM.includes(code)) return storageFull(error)
  return UNWRITABLE.includes(code) ? away(error) : error
}

function ifMissing(error: unknown): null {
  if (['ENOENT', 'ENOTDIR'].includes(codeOf(error))) return null
  throw error
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? ''
}

async function writeWhole(path: string, bytes: Buffer): Promise<void> {
  const file = await open(path, 'w', FILE_MODE)
  try {
    await file.writeFile(bytes)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** Writes to the disk what lies in a folder, and in those above it up to another: else a new name may be lost with the power. */
async function syncFolders(from: string, to: string): Promise<void> {
  for (let folder = from; ; folder = dirname(folder)) {
    const opened = await open(folder, 'r').catch(() => null)
    // Where folders cannot be opened, such as on Windows, they cannot be synced either.
    await opened?.sync().catch(() => {})
    await opened?.close()
    if (folder === to || folder === dirname(folder)) return
  }
}

export interface S3Options {
  /** The address of the bucket, such as `https://s3.example.org/bucket`. */
  readonly bucket: string
  readonly region: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
}

/** Files in an S3-compatible store. */
export function s3Store({ bucket, region, accessKeyId, secretAccessKey }: S3Options): FileStore {
  const { AwsClient } = aws()
  const client = new AwsClient({ accessKeyId, secretAccessKey, region, service: 's3', retries: 3 })
  const send = async (method: string, key: string, init: RequestInit = {}) => {
    const request = { method, signal: AbortSignal.timeout(30_000), ...init }
    const response = await client.fetch(`${bucket}/${key}`, request).catch((error: unknown) => {
      throw away(error)
    })
    if (response.ok || response.status === 404) return response
    const error = new Error(`the file store answered ${response.status} to ${method} ${key}`)
    if (response.status === 507) throw storageFull(error)
    throw response.status === 429 || response.status >= 500 ? away(error) : error
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
  }
}

/** The store does not answer for now. */
function away(cause: unknown): AppError {
  return new AppError('rest_unavailable', { headers: { 'retry-after': '5' } }, cause)
}
