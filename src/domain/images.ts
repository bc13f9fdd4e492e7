import { AppError, type Problem, type Problems, refuse } from '../lib/errors.ts'
import { fold } from '../lib/fold.ts'
import { FetchRefused, safeFetch } from '../lib/safe-fetch.ts'
import { DescribedImage, fileNameIn, Upload } from '../lib/upload.ts'
import { readFields } from '../schema/field.ts'
import { imageFields, imageListParameters } from '../schema/image.ts'
import { LINKED_KINDS } from '../schema/linked.ts'
import { removeParameters } from '../schema/record.ts'
import type { ImageValue } from '../schema/references.ts'
import type { Tx } from '../storage/dialect.ts'
import * as fileStorage from '../storage/image-files.ts'
import type { ImageRow } from '../storage/images.ts'
import * as storage from '../storage/images.ts'
import { mayEdit, need, rightsOf, visibilityOf } from './access.ts'
import type { OnDamage } from './damage.ts'
import { discard, filesOf, fullFileOf, type ImageFile, keyOf, namesOf, readSizes } from './image-files.ts'
import { earlyFields, nestedRecords } from './payload.ts'
import { discardUnused, findOrCreate, type Prepared, prepare, retryIfFilesGone } from './prepared-images.ts'
import { readingOf } from './records.ts'
import type { Payload, Scope } from './scope.ts'

/** An image of records. */
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

/** Valid names of image files; no other file is ever served. */
const FILE = /^([0-9a-f]{64})(-\d+x\d+)?\.(jpg|png|gif|webp)$/
const MIME: Record<string, string> = { jpg: 'image/jpeg', png: 'image/png', gif: 'image/gif', webp: 'image/webp' }

/** Limit on images that one request may fetch. */
const MAX_FETCHED = 5

export async function list(scope: Scope, query: Payload): Promise<ImagePage> {
  need(rightsOf(scope.user).create)
  const { values, problems } = readFields(imageListParameters, query(), { mode: 'query', reading: readingOf(scope) })
  refuse(problems)
  const { page = 1, per_page: perPage = 10 } = values
  const filter = { search: values.search ? fold(values.search) : null, visibility: visibilityOf(scope.user) }
  const { rows, total } = await scope.db.readMany((tx) => storage.list(tx, filter, perPage, (page - 1) * perPage))
  return { images: rows.map((row) => asImage(row, scope.onDamage)), total, page, perPage }
}

/** The image with a file of this name, with or without extension, as a page of a list. */
export async function findByName(scope: Scope, name: string): Promise<ImagePage> {
  need(rightsOf(scope.user).create)
  const row = await scope.db.read((tx) => storage.findByFile(tx, name.replace(/\.\w+$/, '')))
  const found = row === undefined ? [] : [asImage(row, scope.onDamage)]
  return { images: found, total: found.length, page: 1, perPage: 10 }
}

export async function get(scope: Scope, id: number): Promise<Image> {
  const row = await scope.db.read((tx) => find(tx, id))
  need(rightsOf(scope.user).create)
  return asImage(row)
}

/** Stores an uploaded picture. The same bytes give the same image. */
export async function create(scope: Scope, upload: () => Promise<Upload | Buffer>): Promise<Image> {
  need(rightsOf(scope.user).publish)
  const sent = await upload()
  const file = sent instanceof Upload ? sent : new Upload(sent)
  return retryIfFilesGone(async (anew) => {
    const prepared = await prepare(scope, file, anew)
    if ('problem' in prepared) throw new AppError('rest_invalid_param', { params: { file: prepared } })
    try {
      return asImage(await scope.db.write((tx) => findOrCreate(tx, prepared)))
    } finally {
      await discardUnused(scope, [prepared])
    }
  })
}

/** Changes the alternative text of an image. */
export async function update(scope: Scope, id: number, payload: Payload): Promise<Image> {
  // All records that use it get a new revision.
  return scope.db.writeMany(async (tx) => {
    const row = await find(tx, id, 'remove')
    need(mayChange(scope, row))
    const { values, problems } = readFields(imageFields, payload(), { mode: 'update', reading: readingOf(scope) })
    refuse(problems)
    return asImage(values.alt === undefined ? row : await setAlt(tx, row, values.alt ?? ''))
  })
}

/** Whether a user may change and remove an image: authors their own ones. */
export function mayChange({ user }: Pick<Scope, 'user'>, { author }: Pick<ImageRow, 'author'>): boolean {
  return rightsOf(user).publish && mayEdit(user, { author, status: 'publish', trashed_from: null })
}

async function setAlt(tx: Tx, row: ImageRow, alt: string): Promise<ImageRow> {
  if (row.alt === alt) return row
  const changes = { alt, search: fold(`${alt}\n${row.name}`) }
  await storage.describe(tx, row.id, changes)
  return { ...row, ...changes }
}

/** Removes an image. An image in use needs `force`. */
export async function remove(scope: Scope, id: number, query: Payload): Promise<Image> {
  // All records that use it are updated.
  const row = await scope.db.writeMany(async (tx) => {
    const row = await find(tx, id, 'remove')
    need(mayChange(scope, row))
    const { values, problems } = readFields(removeParameters, query(), { mode: 'query', reading: readingOf(scope) })
    refuse(problems)
    const uses = await storage.countUses(tx, id)
    if (uses > 0 && values.force !== true) throw new AppError('image-in-use', { fill: { uses } })
    await storage.remove(tx, id)
    await fileStorage.addObsolete(tx, namesOf(row), scope.clock())
    return row
  })
  // After the commit. If it fails or is interrupted, the next sweep does it.
  await discard(scope, namesOf(row)).catch(() => {})
  scope.quotas.removed(row.hash)
  return asImage(row)
}

/** Content and type of a file; null if there is no such file. Throws if its length is wrong. */
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

/** Result for each image of a request: a stored picture, or the problem. */
export type Fetched = ReadonlyMap<string | Upload, Prepared | Problem>

/**
 * Fetches the images that a payload refers to by URL, and renders uploaded ones, also of nested venues and organizers.
 * This is slow, so it is done before the transaction. Problems of the payload are reported later. Files without an
 * image row after the work are removed.
 */
export async function withFetchedImages<T>(
  scope: Scope,
  payload: Payload,
  work: (fetched: Fetched) => Promise<T>,
): Promise<T> {
  const named = rightsOf(scope.user).publish ? imagesIn(payload).slice(0, MAX_FETCHED) : []
  return retryIfFilesGone(async (anew) => {
    const fetched = new Map<string | Upload, Prepared | Problem>()
    try {
      for (const image of named) fetched.set(image, await prepareOne(scope, image, anew))
      return await work(fetched)
    } finally {
      await discardUnused(scope, [...fetched.values()])
    }
  })
}

/** Column value for the image of a request, if it has one. Sets its alternative text, if the request has that. */
export async function column(
  tx: Tx,
  scope: Pick<Scope, 'user'>,
  value: ImageValue | undefined,
  fetched: Fetched,
  problems: Problems,
): Promise<{ image?: number | null }> {
  if (value === undefined || value === null) return value === null ? { image: null } : {}
  const found = await resolve(tx, value, fetched)
  if (typeof found !== 'number') {
    problems.image = found
    return {}
  }
  if (value.alt !== undefined) {
    const row = await find(tx, found, 'remove')
    if (row.alt !== value.alt && !mayChange(scope, row)) problems.image_alt = { problem: 'image_of_another' }
    else await setAlt(tx, row, value.alt)
  }
  return { image: found }
}

async function resolve(tx: Tx, value: NonNullable<ImageValue>, fetched: Fetched): Promise<number | Problem> {
  if ('id' in value)
    return (await storage.lock(tx, value.id, 'show')) ? value.id : { problem: 'no_such_image', id: value.id }
  const prepared = fetched.get('upload' in value ? value.upload : value.url)
  if (prepared === undefined) return { problem: 'may_not_fetch' }
  return 'problem' in prepared ? prepared : (await findOrCreate(tx, prepared)).id
}

/** Images of rows, by id. */
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

/** Whether a payload sets the alternative text of its image: all records that use it are then changed. */
export function describesImage(payload: Payload): boolean {
  return earlyFields(payload).image instanceof DescribedImage
}

/** Whether a payload has an image URL or upload. */
export function namesImage(payload: Payload): boolean {
  return imagesIn(payload).length > 0
}

function imagesIn(payload: Payload): (string | Upload)[] {
  const raw = earlyFields(payload)
  const inside = LINKED_KINDS.flatMap((kind) => nestedRecords(raw, kind))
  const named = [raw, ...inside].map(({ image: given }) => {
    const image = given instanceof DescribedImage ? given.image : given
    return typeof image === 'string' ? image.trim() : image
  })
  return [...new Set(named)].filter(
    (image) => image instanceof Upload || (typeof image === 'string' && /^https?:\/\//i.test(image)),
  ) as (string | Upload)[]
}

async function prepareOne(scope: Scope, image: string | Upload, anew: boolean): Promise<Prepared | Problem> {
  if (image instanceof Upload) return prepare(scope, image, anew)
  try {
    return await prepare(scope, new Upload(await safeFetch(image, scope.fetchLimits), fileNameIn(image)), anew)
  } catch (error) {
    if (error instanceof FetchRefused) return { problem: error.problem }
    throw error
  }
}

function asImage(row: ImageRow, onDamage?: OnDamage): Image {
  const sizes = readSizes(row.sizes)
  if (sizes === null) onDamage?.({ kind: 'image', id: row.id, revision: 0, reason: { sizes: { problem: 'not_text' } } })
  return { ...row, file: fullFileOf(row), sizes: sizes ?? {} }
}

async function find(tx: Tx, id: number, to?: 'remove'): Promise<ImageRow> {
  const look = () => (to === undefined ? storage.get(tx, id) : storage.lock(tx, id, to))
  const row = Number.isSafeInteger(id) ? await look() : undefined
  if (row === undefined) throw new AppError('image-not-found')
  return row
}
