import { AppError, type Problem, type Problems, refuse } from '../lib/errors.ts'
import { FetchRefused, safeFetch } from '../lib/safe-fetch.ts'
import { Upload } from '../lib/upload.ts'
import { readFields } from '../schema/field.ts'
import { imageListParameters } from '../schema/image.ts'
import { removeParameters } from '../schema/record.ts'
import type * as types from '../schema/value-types.ts'
import type { Tx } from '../storage/dialect.ts'
import * as fileStorage from '../storage/image-files.ts'
import type { ImageRow } from '../storage/images.ts'
import * as storage from '../storage/images.ts'
import { mayEdit, need, rightsOf } from './access.ts'
import type { OnDamage } from './damage.ts'
import { discard, filesOf, type ImageFile, keyOf, namesOf, readSizes, wholeOf } from './image-files.ts'
import { discardUnused, findOrCreate, type Prepared, prepare, whileFilesGo } from './prepared-images.ts'
import { readingOf } from './records.ts'
import type { Payload, Scope } from './scope.ts'

/** An image that records may show. */
export interface Image extends Omit<ImageRow, 'sizes' | 'file_base'> {
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
const MAX_FETCHED = 5

/** How many venues, and organizers, are looked into: an event with more is refused. */
const MAX_INSIDE = 50

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
  const bytes = await upload()
  return whileFilesGo(async (anew) => {
    const prepared = await prepare(scope, bytes, anew)
    if ('problem' in prepared) throw new AppError('rest_invalid_param', { params: { file: prepared } })
    try {
      return asImage(await scope.db.write((tx) => findOrCreate(tx, prepared)))
    } finally {
      await discardUnused(scope, [prepared])
    }
  })
}

/** Removes an image; one that records show only with `force`. */
export async function remove(scope: Scope, id: number, query: Payload): Promise<Image> {
  // All records that show it are looked for, and lose it.
  const row = await scope.db.writeMany(async (tx) => {
    const row = await find(tx, id, 'remove')
    need(
      rightsOf(scope.user).publish &&
        mayEdit(scope.user, { author: row.author, status: 'publish', trashed_from: null }),
    )
    const { values, problems } = readFields(removeParameters, query(), { mode: 'query', reading: readingOf(scope) })
    refuse(problems)
    const uses = await storage.countUses(tx, id)
    if (uses > 0 && values.force !== true) throw new AppError('image-in-use', { fill: { uses } })
    await storage.remove(tx, id)
    await fileStorage.addObsolete(tx, namesOf(row), scope.clock())
    return row
  })
  // After the commit; what fails, or does not come to it, is done by the next sweep.
  await discard(scope, namesOf(row)).catch(() => {})
  scope.quotas.removed(row.hash)
  return asImage(row)
}

/** The bytes of a file, and their type; null when there is none of that name. A file that is not as it was written is a failure. */
export async function file(
  scope: Pick<Scope, 'db' | 'files'>,
  name: string,
): Promise<{ bytes: Buffer; mime: string } | null> {
  const [, base, , extension = ''] = FILE.exec(name) ?? []
  const row = base === undefined ? undefined : await scope.db.read((tx) => storage.findByFile(tx, base))
  const known = row && filesOf(row).find(({ file }) => file === name)
  const bytes = known === undefined ? null : await scope.files.get(keyOf(name))
  if (bytes === null) return null
  if (bytes.length !== known?.filesize)
    throw new Error(`the file ${name} of image ${row?.id} has ${bytes.length} bytes and should have ${known?.filesize}`)
  return { bytes, mime: MIME[extension] ?? 'application/octet-stream' }
}

/** What became of the images that a request names by address or brings as files: a kept picture, or why not. */
export type Fetched = ReadonlyMap<string | Upload, Prepared | Problem>

/**
 * Fetches the images that a payload names by address, and renders those that it brings as files, its own and those of venues
 * and organizers inside it, before the transaction that needs them: it takes long. What is wrong with the payload is told
 * later, in its turn. Files that no image has come to name when the work is done, or has failed, are removed.
 */
export async function withNamed<T>(scope: Scope, payload: Payload, work: (fetched: Fetched) => Promise<T>): Promise<T> {
  const named = rightsOf(scope.user).publish ? imagesIn(payload).slice(0, MAX_FETCHED) : []
  return whileFilesGo(async (anew) => {
    const fetched = new Map<string | Upload, Prepared | Problem>()
    try {
      for (const image of named) fetched.set(image, await prepareOne(scope, image, anew))
      return await work(fetched)
    } finally {
      await discardUnused(scope, [...fetched.values()])
    }
  })
}

/** The column of the image that a request names, if it names one. */
export async function column(
  tx: Tx,
  value: types.ImageValue | undefined,
  fetched: Fetched,
  problems: Problems,
): Promise<{ image?: number | null }> {
  if (value === undefined || value === null) return value === null ? { image: null } : {}
  const found = await resolve(tx, value, fetched)
  if (typeof found === 'number') return { image: found }
  problems.image = found
  return {}
}

async function resolve(tx: Tx, value: NonNullable<types.ImageValue>, fetched: Fetched): Promise<number | Problem> {
  if ('id' in value)
    return (await storage.lock(tx, value.id, 'show')) ? value.id : { problem: 'no_such_image', id: value.id }
  const prepared = fetched.get('upload' in value ? value.upload : value.url)
  if (prepared === undefined) return { problem: 'may_not_fetch' }
  return 'problem' in prepared ? prepared : (await findOrCreate(tx, prepared)).id
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
    .flatMap((part) => (Array.isArray(part) ? part.slice(0, MAX_INSIDE) : part))
    .filter((part) => typeof part === 'object' && part !== null)
  const named = [raw, ...(inside as Record<string, unknown>[])].map(({ image }) =>
    typeof image === 'string' ? image.trim() : image,
  )
  return [...new Set(named)].filter(
    (image) => image instanceof Upload || (typeof image === 'string' && /^https?:\/\//i.test(image)),
  ) as (string | Upload)[]
}

async function prepareOne(scope: Scope, image: string | Upload, anew: boolean): Promise<Prepared | Problem> {
  if (image instanceof Upload) return prepare(scope, image.bytes, anew)
  try {
    return await prepare(scope, await safeFetch(image, scope.fetchLimits), anew)
  } catch (error) {
    if (error instanceof FetchRefused) return { problem: error.problem }
    throw error
  }
}

function asImage(row: ImageRow, onDamage?: OnDamage): Image {
  const sizes = readSizes(row.sizes)
  if (sizes === null) onDamage?.({ kind: 'image', id: row.id, revision: 0, reason: { sizes: { problem: 'not_text' } } })
  return { ...row, file: wholeOf(row), sizes: sizes ?? {} }
}

async function find(tx: Tx, id: number, to?: 'remove'): Promise<ImageRow> {
  const look = () => (to === undefined ? storage.get(tx, id) : storage.lock(tx, id, to))
  const row = Number.isSafeInteger(id) ? await look() : undefined
  if (row === undefined) throw new AppError('image-not-found')
  return row
}
