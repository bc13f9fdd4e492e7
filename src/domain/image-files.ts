import { randomBytes } from 'node:crypto'
import type { Picture } from '../lib/picture.ts'
import * as storage from '../storage/image-files.ts'
import type { ImageRow } from '../storage/images.ts'
import type { Scope } from './scope.ts'

/** One rendering of an image, in a file of this name. */
export interface ImageFile {
  readonly file: string
  readonly width: number
  readonly height: number
  readonly filesize: number
}

/** What works on files. */
type Store = Pick<Scope, 'db' | 'files' | 'clock'>

/** How long files may wait for their image, in seconds. A request takes less; one that does not keeps them again. */
const GRACE = 900
/** How many files are swept at once. */
const BATCH = 100

/** The files of a picture: that of the whole, and the smaller renderings by name. */
export interface PictureFiles {
  /** The name of the whole without its extension, and what the others begin with. */
  readonly base: string
  readonly sizes: Record<string, ImageFile>
}

/**
 * Writes the files of a picture, under names that nobody has used and nobody else knows: so no file is ever removed that
 * belongs to another upload. Until an image names them they are listed as unused.
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

/** Removes those of the files that no image names; what fails is done by the next sweep. */
export async function discard(store: Store, files: readonly string[]): Promise<void> {
  if (files.length === 0) return
  const unused = await store.db.writeWithoutInvalidating((tx) => storage.markObsolete(tx, files))
  if (unused.length === 0) return
  for (const file of unused) await store.files.remove(keyOf(file))
  await store.db.writeWithoutInvalidating((tx) => storage.unlist(tx, unused))
}

/** Removes files that no image came to name, and that were left when something was interrupted. */
export async function sweep(store: Store): Promise<void> {
  for (;;) {
    const files = await store.db.read((tx) => storage.listBefore(tx, store.clock() - GRACE, BATCH))
    await discard(store, files)
    if (files.length < BATCH) return
  }
}

/** Whether all files of an image are there, as long as they should be. */
export async function areWhole({ files }: Pick<Scope, 'files'>, all: readonly ImageFile[]): Promise<boolean> {
  for (const { file, filesize } of all) if ((await files.size(keyOf(file))) !== filesize) return false
  return true
}

/** Files lie in folders by the first letters of their names. */
export function keyOf(file: string): string {
  return `images/${file.slice(0, 2)}/${file}`
}

/** All files of an image. */
export function filesOf(image: Omit<ImageRow, 'id'>): ImageFile[] {
  const { width, height, filesize, sizes } = image
  return [{ file: wholeOf(image), width, height, filesize }, ...Object.values(readSizes(sizes) ?? {})]
}

export function namesOf(image: Omit<ImageRow, 'id'>): string[] {
  return filesOf(image).map(({ file }) => file)
}

/** The name of the file that an image as a whole is in. */
export function wholeOf({ file_base, hash, extension }: Omit<ImageRow, 'id'>): string {
  return `${file_base ?? hash}.${extension}`
}

/** The smaller renderings; null if what is stored of them cannot be read. */
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
