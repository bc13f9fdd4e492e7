import { AppError, type Problem, type Problems, refuse } from '../lib/errors.ts'
import { type Picture, PictureRefused, readPicture } from '../lib/picture.ts'
import { FetchRefused, safeFetch } from '../lib/safe-fetch.ts'
import { Upload } from '../lib/upload.ts'
import { readFields } from '../schema/field.ts'
import { imageListParameters } from '../schema/image.ts'
import type * as kinds from '../schema/kinds.ts'
import { removeParameters } from '../schema/record.ts'
import type { Tx } from '../storage/dialect.ts'
import type { ImageRow } from '../storage/images.ts'
import * as storage from '../storage/images.ts'
import { mayEdit, need, rightsOf } from './access.ts'
import type { OnDamage } from './damage.ts'
import { readingOf } from './records.ts'
import type { Payload, Scope } from './scope.ts'

/** One rendering of an image, in a file of this name. */
export interface ImageFile {
  readonly file: string
  readonly width: number
  readonly height: number
  readonly filesize: number
}

/** An image that records may show. */
export interface Image extends Omit<ImageRow, 'sizes'> {
  readonly file: string
  readonly sizes: Record<string, ImageFile>
}

export interface ImagePage {
  readonly images: readonly Image[]
  readonly total: number
  readonly page: number
  readonly perPage: number
}

/** Names that files of images can have; nothing else is ever looked for. */
const FILE = /^([0-9a-f]{64})(-\d+x\d+)?\.(jpg|png|gif|webp)$/
const MIME: Record<string, string> = { jpg: 'image/jpeg', png: 'image/png', gif: 'image/gif', webp: 'image/webp' }

/** How many addresses one request may have fetched. */
const MOST_FETCHED = 5

/** How many venues, and organizers, are looked into: an event with more is refused. */
const MOST_INSIDE = 50

export async function list(scope: Scope, query: Payload): Promise<ImagePage> {
  need(rightsOf(scope.user).create)
  const { values, problems } = readFields(imageListParameters, query(), { mode: 'query', reading: readingOf(scope) })
  refuse(problems)
  const { page = 1, per_page: perPage = 10 } = values
  const { rows, total } = await scope.db.readMany((tx) => storage.list(tx, perPage, (page - 1) * perPage))
  return { images: rows.map((row) => asImage(row, scope.onDamage)), total, page, perPage }
}

export async function get(scope: Scope, id: number): Promise<Image> {
  const row = await scope.db.read((tx) => find(tx, id))
  need(rightsOf(scope.user).create)
  return asImage(row)
}

/** Keeps an uploaded picture; the same bytes are the same image. */
export async function create(scope: Scope, upload: () => Promise<Buffer>): Promise<Image> {
  need(rightsOf(scope.user).publish)
  const prepared = await prepare(scope, await upload())
  if ('problem' in prepared) throw new AppError('rest_invalid_param', { params: { file: prepared } })
  return asImage(await scope.db.write((tx) => storage.findOrCreate(tx, prepared)))
}

/** Removes an image; one that records show only with `force`. */
export async function remove(scope: Scope, id: number, query: Payload): Promise<Image> {
  // All records that show it are looked for, and lose it.
  const image = await scope.db.writeMany(async (tx) => {
    const row = await find(tx, id)
    need(
      rightsOf(scope.user).publish &&
        mayEdit(scope.user, { author: row.author, status: 'publish', trashed_from: null }),
    )
    const { values, problems } = readFields(removeParameters, query(), { mode: 'query', reading: readingOf(scope) })
    refuse(problems)
    const uses = await storage.countUses(tx, id)
    if (uses > 0 && values.force !== true) throw new AppError('image-in-use', { fill: { uses } })
    await storage.remove(tx, id)
    return asImage(row)
  })
  // After the commit: a file without an image is only waste, an image without its file would be broken.
  for (const { file } of [image, ...Object.values(image.sizes)]) await scope.files.remove(keyOf(file))
  scope.quotas.removed(image.hash)
  return image
}

/** The bytes of a file, and their type; null when there is none of that name. */
export async function file(scope: Pick<Scope, 'files'>, name: string): Promise<{ bytes: Buffer; mime: string } | null> {
  const [, , , extension = ''] = FILE.exec(name) ?? []
  const bytes = extension === '' ? null : await scope.files.get(keyOf(name))
  return bytes === null ? null : { bytes, mime: MIME[extension] ?? 'application/octet-stream' }
}

/** What became of the images that a request names by address or brings as files: a kept picture, or why not. */
export type Fetched = ReadonlyMap<string | Upload, Omit<ImageRow, 'id'> | Problem>

/**
 * Fetches the images that a payload names by address, and renders those that it brings as files, its own and those of venues
 * and organizers inside it, before the transaction that needs them: it takes long. What is wrong with the payload is told later, in its turn.
 */
export async function fetchNamed(scope: Scope, payload: Payload): Promise<Fetched> {
  const fetched = new Map<string | Upload, Omit<ImageRow, 'id'> | Problem>()
  if (!rightsOf(scope.user).publish) return fetched
  for (const image of imagesIn(payload).slice(0, MOST_FETCHED)) {
    fetched.set(image, image instanceof Upload ? await prepare(scope, image.bytes) : await fetchOne(scope, image))
  }
  return fetched
}

/** The column of the image that a request names, if it names one. */
export async function column(
  tx: Tx,
  value: kinds.ImageValue | undefined,
  fetched: Fetched,
  problems: Problems,
): Promise<{ image?: number | null }> {
  if (value === undefined || value === null) return value === null ? { image: null } : {}
  const found = await resolve(tx, value, fetched)
  if (typeof found === 'number') return { image: found }
  problems.image = found
  return {}
}

async function resolve(tx: Tx, value: NonNullable<kinds.ImageValue>, fetched: Fetched): Promise<number | Problem> {
  if ('id' in value)
    return (await storage.get(tx, value.id)) === undefined ? { problem: 'no_such_image', id: value.id } : value.id
  const prepared = fetched.get('upload' in value ? value.upload : value.url)
  if (prepared === undefined) return { problem: 'may_not_fetch' }
  return 'problem' in prepared ? prepared : (await storage.findOrCreate(tx, prepared)).id
}

/** The images that rows show, by id. */
export async function ofRows(
  tx: Tx,
  rows: readonly { readonly image: number | null }[],
  onDamage?: OnDamage,
): Promise<Map<number, Image>> {
  const found = await storage.getAll(
    tx,
    rows.flatMap((row) => row.image ?? []),
  )
  return new Map([...found].map(([id, row]) => [id, asImage(row, onDamage)]))
}

/** Whether a payload names an image by its address, or brings one. */
export function namesImage(payload: Payload): boolean {
  return imagesIn(payload).length > 0
}

function imagesIn(payload: Payload): (string | Upload)[] {
  let raw: Record<string, unknown>
  try {
    raw = payload()
  } catch (error) {
    if (error instanceof AppError) return []
    throw error
  }
  const inside = [raw.venue, raw.organizer]
    .flatMap((part) => (Array.isArray(part) ? part.slice(0, MOST_INSIDE) : part))
    .filter((part) => typeof part === 'object' && part !== null)
  const named = [raw, ...(inside as Record<string, unknown>[])].map(({ image }) =>
    typeof image === 'string' ? image.trim() : image,
  )
  return [...new Set(named)].filter(
    (image) => image instanceof Upload || (typeof image === 'string' && /^https?:\/\//i.test(image)),
  ) as (string | Upload)[]
}

async function fetchOne(scope: Scope, url: string): Promise<Omit<ImageRow, 'id'> | Problem> {
  try {
    return await prepare(scope, await safeFetch(url, scope.fetchLimits))
  } catch (error) {
    if (error instanceof FetchRefused) return { problem: error.problem }
    throw error
  }
}

/** Renders a picture and keeps its files; the row that names them is made by whoever has the transaction. */
async function prepare(scope: Scope, bytes: Buffer): Promise<Omit<ImageRow, 'id'> | Problem> {
  let picture: Picture
  try {
    picture = await readPicture(bytes)
  } catch (error) {
    if (error instanceof PictureRefused) return { problem: error.problem }
    throw error
  }
  const { hash, extension, mime, full } = picture
  await scope.quotas.countUpload(scope.db, scope.user, { hash, bytes: full.bytes.length })
  const sizes: Record<string, ImageFile> = {}
  await scope.files.put(keyOf(`${hash}.${extension}`), full.bytes, mime)
  for (const [name, { bytes: smaller, width, height }] of Object.entries(picture.sizes)) {
    const file = `${hash}-${width}x${height}.${extension}`
    await scope.files.put(keyOf(file), smaller, mime)
    sizes[name] = { file, width, height, filesize: smaller.length }
  }
  return {
    author: scope.user?.id ?? 0,
    hash,
    extension,
    mime,
    width: full.width,
    height: full.height,
    filesize: full.bytes.length,
    sizes: JSON.stringify(sizes),
    date_utc: scope.clock(),
  }
}

/** Files lie in folders by the first letters of their hash. */
function keyOf(file: string): string {
  return `images/${file.slice(0, 2)}/${file}`
}

function asImage(row: ImageRow, onDamage?: OnDamage): Image {
  const sizes = readSizes(row.sizes)
  if (sizes === null) onDamage?.({ kind: 'image', id: row.id, revision: 0, reason: { sizes: { problem: 'not_text' } } })
  return { ...row, file: `${row.hash}.${row.extension}`, sizes: sizes ?? {} }
}

/** The smaller renderings; null if what is stored of them cannot be read. */
function readSizes(json: string): Image['sizes'] | null {
  try {
    const sizes: unknown = JSON.parse(json)
    if (typeof sizes !== 'object' || sizes === null || Array.isArray(sizes)) return null
    return Object.values(sizes).every(isFile) ? (sizes as Image['sizes']) : null
  } catch {
    return null
  }
}

function isFile(value: unknown): value is ImageFile {
  const { file, width, height, filesize } = (value ?? {}) as Partial<ImageFile>
  return typeof file === 'string' && [width, height, filesize].every((one) => typeof one === 'number')
}

async function find(tx: Tx, id: number): Promise<ImageRow> {
  const row = Number.isSafeInteger(id) ? await storage.get(tx, id) : undefined
  if (row === undefined) throw new AppError('image-not-found')
  return row
}
