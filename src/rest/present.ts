import { toWallClock, type Zone } from '../calendar/zone.ts'
import type { Image } from '../domain/images.ts'
import type { Linked, LinkedKind } from '../domain/linked-records.ts'
import type { Term } from '../domain/terms.ts'
import type { Addresses } from '../http/addresses.ts'
import { encode, inertText } from '../lib/html.ts'
import { type Described, type Fields, storedEntries } from '../schema/field.ts'
import { imageFields } from '../schema/image.ts'
import { byLinkedKind, LINKED_FIELDS } from '../schema/linked.ts'
import { richHtml, safeHtml } from '../schema/value-types.ts'
import { inertLd, linkedLd } from './json-ld.ts'

/** Rows as they appear on the wire. Only declared fields are ever copied, so nothing else can leave the service. */

/** Stored fields of each kind besides name and description. */
const DETAILS = byLinkedKind((kind): [string, Described][] =>
  storedEntries<Fields, string>(LINKED_FIELDS[kind], [kind, 'description']),
)

/** Linked record without empty fields. */
export function linkedRecord(
  kind: LinkedKind,
  { row, image: picture }: Linked,
  { home, host }: Addresses,
  zone: Zone,
): Record<string, unknown> {
  return {
    id: row.id,
    ...recordHead(row, zone),
    url: `${home}/${kind}/${row.slug}/`,
    [kind]: encode(String(row[kind])),
    ...(row.description && { description: row.description }),
    slug: row.slug,
    ...(picture && { image: image(picture, home) }),
    ...details(kind, row),
    ...identity(row.id, host),
  }
}

/** Single linked record, with JSON-LD. */
export function singleLinkedRecord(
  kind: LinkedKind,
  shown: Linked,
  addresses: Addresses,
  zone: Zone,
): Record<string, unknown> {
  return {
    ...linkedRecord(kind, shown, addresses, zone),
    json_ld: inertLd(linkedLd[kind](shown, addresses)),
  }
}

/** Author, status, and the dates of publication and change. */
export function recordHead(
  row: Pick<Linked['row'], 'author' | 'status' | 'date_utc' | 'modified_utc'>,
  zone: Zone,
): Record<string, unknown> {
  return {
    author: String(row.author),
    status: row.status,
    date: toWallClock(row.date_utc, zone),
    date_utc: toWallClock(row.date_utc, 'UTC'),
    modified: toWallClock(row.modified_utc, zone),
    modified_utc: toWallClock(row.modified_utc, 'UTC'),
  }
}

/** Globally unique id of a record. */
export function identity(id: number, host: string): Record<string, unknown> {
  return { global_id: `${host}?id=${id}`, global_id_lineage: [`${host}?id=${id}`] }
}

/** An image with the addresses of its files. */
export function image(
  { id, file, extension, mime, width, height, filesize, sizes, alt }: Image,
  home: string,
): Record<string, unknown> {
  const told = Object.entries(sizes).filter(([name]) => name !== 'card')
  const smaller = told.map(([name, size]) => [
    name,
    {
      url: `${home}/images/${size.file}`,
      width: size.width,
      height: size.height,
      'mime-type': mime,
      filesize: size.filesize,
    },
  ])
  return {
    url: `${home}/images/${file}`,
    id,
    alt: plainValue(imageFields.alt, alt),
    extension,
    width,
    height,
    filesize,
    sizes: Object.fromEntries(smaller),
  }
}

/** A category or tag. */
export function term(row: Term, { home, rest }: Addresses): Record<string, unknown> {
  const collection = `${rest}/${row.kind === 'category' ? 'categories' : 'tags'}`
  const place = row.kind === 'category' ? `events/category/${row.path}` : `tag/${row.slug}`
  return {
    id: row.id,
    name: encode(row.name),
    slug: row.slug,
    description: row.description ?? '',
    ...(row.kind === 'category' && { parent: row.parent }),
    count: row.count,
    url: `${home}/${place}/`,
    urls: { self: `${collection}/${row.id}`, collection, ...(row.parent > 0 && { up: `${collection}/${row.parent}` }) },
  }
}

/** Details of a linked record without empty ones. */
function details(kind: LinkedKind, row: Linked['row']): Record<string, unknown> {
  const shown: Record<string, unknown> = {}
  for (const [name, field] of DETAILS[kind]) {
    const value = name === 'stateprovince' ? row.stateprovince || row.state || row.province : row[name]
    const isEmpty = value === null || value === undefined || value === ''
    if (!isEmpty || field.kind.type === 'boolean') shown[name] = plainValue(field, value)
  }
  return shown
}

/** Column value in a response, by field type: flags are booleans, plain text has `<` escaped. */
export function plainValue({ kind }: Described, value: unknown): unknown {
  if (kind.type === 'boolean') return value === 1
  return typeof value === 'string' && kind !== richHtml && kind !== safeHtml ? inertText(value) : value
}
