import { randomBytes } from 'node:crypto'
import type { Picture } from '../lib/picture.ts'
import * as storage from '../storage/image-files.ts'
import type { ImageRow } from '../storage/images.ts'
import type { JobKind } from './job-run.ts'
import type { Scope } from './scope.ts'

/** File of one rendering of an image. */
export interface ImageFile {
  readonly file: string
  readonly width: number
  readonly height: number
  readonly filesize: number
}

type Store = Pick<Scope, 'db' | 'files' | 'clock'>

/** How long files may exist without an image row, in seconds. A request takes less; a longer one writes them again. */
const GRACE = 900
/** Files per sweep query. */
const BATCH = 100

/** Files of a picture: the full rendering, and smaller ones by name. */
export interface PictureFiles {
  /** File name of the full rendering without extension, and prefix of the others. */
  readonly base: string
  readonly sizes: Record<string, ImageFile>
}

/**
 * Writes the files of a picture under random names that are never reused, so that no file of another upload is ever
 * removed. They are listed as unused until an image row refers to them.
 */
export async function putFiles(store: Store, { extension, mime, full, sizes }: Picture): Promise<PictureFiles> {
  const base = randomBytes(32).toString('hex')
  const contents = new Map([[`${base}.${extension}`, full.bytes]])
  const made: Record<string, ImageFile> = {}
  for (const [name, { bytes, width, height }] of Object.entries(sizes)) {
    const file = `${base}-${width}x${height}.${extension}`
    contents.set(file, bytes)
    made[name] = { file, width, height, filesize: bytes.length }
  }
  const names = [...contents.keys()]
  await store.db.writeWithoutInvalidating((tx) => storage.addPending(tx, names, store.clock()))
  try {
    for (const [name, bytes] of contents) await store.files.put(keyOf(name), bytes, mime)
  } catch (error) {
    await discard(store, names).catch(() => {})
    throw error
  }
  return { base, sizes: made }
}

/** Removes files without an image row. If that fails, the next sweep does it. */
export async function discard(store: Store, files: readonly string[]): Promise<void> {
  if (files.length === 0) return
  const unused = await store.db.writeWithoutInvalidating((tx) => storage.markObsolete(tx, files))
  if (unused.length === 0) return
  for (const file of unused) await store.files.remove(keyOf(file))
  await store.db.writeWithoutInvalidating((tx) => storage.unlist(tx, unused))
}

/** Removes unused files every ten minutes. */
export function sweeping(store: Store): JobKind {
  return { name: 'sweep-unused-files', every: 600, run: () => sweep(store) }
}

/** Removes files that no image came to name, and that were left when something was interrupted. */
export async function sweep(store: Store): Promise<void> {
  for (;;) {
    const files = await store.db.read((tx) => storage.listBefore(tx, store.clock() - GRACE, BATCH))
    await discard(store, files)
    if (files.length < BATCH) return
  }
}

/** Whether all files of an image exist in full length. */
export async function areComplete({ files }: Pick<Scope, 'files'>, all: readonly ImageFile[]): Promise<boolean> {
  for (const { file, filesize } of all) if ((await files.size(keyOf(file))) !== filesize) return false
  return true
}

/** Prefix of the names of files that wait for a decision: see held-files.ts. */
export const HELD = 'held-'

/** Storage key: files of images are in folders by their first letters. Held files are apart from them. */
export function keyOf(file: string): string {
  return file.startsWith(HELD) ? `held/${file}` : `images/${file.slice(0, 2)}/${file}`
}

/** The columns that name the files of an image. */
type FileColumns = Pick<ImageRow, 'hash' | 'file_base' | 'extension' | 'sizes' | 'width' | 'height' | 'filesize'>

export function filesOf(image: FileColumns): ImageFile[] {
  const { width, height, filesize, sizes } = image
  return [{ file: fullFileOf(image), width, height, filesize }, ...Object.values(readSizes(sizes) ?? {})]
}

export function namesOf(image: FileColumns): string[] {
  return filesOf(image).map(({ file }) => file)
}

/** File name of the full rendering. */
export function fullFileOf({ file_base, hash, extension }: Pick<ImageRow, 'file_base' | 'hash' | 'extension'>): string {
  return `${file_base ?? hash}.${extension}`
}

/** Parses the smaller renderings; null if the stored JSON is invalid. */
export function readSizes(json: string): Record<string, ImageFile> | null {
  try {
    const sizes: unknown = JSON.parse(json)
    if (typeof sizes !== 'object' || sizes === null || Array.isArray(sizes)) return null
    return Object.values(sizes).every(isFile) ? (sizes as Record<string, ImageFile>) : null
  } catch {
    return null
  }
}

function isFile(value: unknown): value is ImageFile {
  const { file, width, height, filesize } = (value ?? {}) as Partial<ImageFile>
  return typeof file === 'string' && [width, height, filesize].every((one) => typeof one === 'number')
}
