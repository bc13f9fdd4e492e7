import { randomBytes } from 'node:crypto'
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type * as Aws from 'aws4fetch'
import { later } from '../lib/later.ts'
import { FILE_MODE, FOLDER_MODE, makeFolderPrivate } from './sqlite/private-files.ts'

const aws = later<typeof Aws>('aws4fetch')

/** Where files are kept, under keys of letters, digits, dots, dashes and slashes. */
export interface FileStore {
  /** Keeps a file: it is there as a whole, or not at all. */
  put(key: string, bytes: Buffer, mime: string): Promise<void>
  get(key: string): Promise<Buffer | null>
  /** Removes a file, if there is one. */
  remove(key: string): Promise<void>
}

/** Files in a folder. */
export function folderStore(folder: string): FileStore {
  const path = (key: string) => join(folder, key)
  let isPrivate = false
  return {
    async put(key, bytes) {
      if (!isPrivate) makeFolderPrivate(folder)
      isPrivate = true
      await mkdir(dirname(path(key)), { recursive: true, mode: FOLDER_MODE })
      const temporary = `${path(key)}.${randomBytes(6).toString('hex')}`
      const file = await open(temporary, 'wx', FILE_MODE)
      try {
        await file.writeFile(bytes)
        await file.sync()
      } finally {
        await file.close()
      }
      await rename(temporary, path(key))
    },
    get: (key) =>
      readFile(path(key)).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null
        throw error
      }),
    remove: (key) => rm(path(key), { force: true }),
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
    const response = await client.fetch(`${bucket}/${key}`, { method, signal: AbortSignal.timeout(30_000), ...init })
    if (!response.ok && response.status !== 404)
      throw new Error(`the file store answered ${response.status} to ${method} ${key}`)
    return response
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
    async remove(key) {
      await send('DELETE', key)
    },
  }
}
