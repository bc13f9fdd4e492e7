import { DescribedImage, Upload } from '../lib/upload.ts'
import type { ValueType } from './field.ts'
import { Type } from './json-schema.ts'
import {
  HAS_ID,
  ID_TEXT,
  IDS,
  idOf,
  isNone,
  items,
  kind,
  MAX_LINKS,
  MAX_TERMS,
  NOTHING,
  whole,
} from './value-readers.ts'
import { name, text, url } from './value-types.ts'

/** Values that name other records: images, venues, organizers and terms. */

/** An image: the id of one, the address of one to fetch, or a file; null for none, which a response spells `false` and many clients 0. */
export type ImageValue = (ImageSource & { readonly alt?: string }) | null
type ImageSource = { readonly id: number } | { readonly url: string } | { readonly upload: Upload }
export const image: ValueType<ImageValue> = kind<ImageValue>(
  'string',
  Type.Union([Type.Integer({ minimum: 0 }), Type.String(), Type.Literal(false), HAS_ID]),
  (raw) => {
    if (isNone(Array.isArray(raw) && raw.length === 1 ? raw[0] : raw)) return null
    if (raw instanceof Upload) return { upload: raw }
    if (raw instanceof DescribedImage) {
      const value = image.read(raw.image, { today: '' })
      return value && { ...value, alt: text.read(raw.alt, { today: '' }) }
    }
    const given = idOf(raw) ?? raw
    if (typeof given === 'number' || (typeof given === 'string' && /^\d+$/.test(given.trim())))
      return { id: whole(given, 1) }
    return { url: url.read(given, { today: '' }) }
  },
)

/** Reference to a linked record: an id, or data to find or create one. */
export type LinkValue = { readonly id: number } | { readonly data: Record<string, unknown> }

const LINK = Type.Union([
  Type.Integer({ minimum: 0 }),
  Type.Literal(false),
  Type.Object({}, { additionalProperties: true }),
  Type.String({ pattern: ID_TEXT }),
])

/** Venues or organizers of an event: an id, comma-separated ids, data, data with an id, or a list of these; 0 or false for none. */
export const links = kind<LinkValue[]>(
  'array',
  Type.Union([LINK, Type.Array(Type.Union([LINK, NOTHING]), { maxItems: MAX_LINKS })]),
  (raw) =>
    items(raw, MAX_LINKS)
      .filter((item) => !isNone(item))
      .map(link),
)

function link(raw: unknown): LinkValue {
  const isData = typeof raw === 'object' && raw !== null && !Array.isArray(raw)
  const id = isData ? idOf(raw) : raw
  return id === undefined ? { data: raw as Record<string, unknown> } : { id: whole(id, 1) }
}

/** Reference to a category or tag: id, name, or digits that may be either. */
export type TermValue = { readonly id?: number; readonly name?: string }

const TERM = Type.Union([Type.Integer({ minimum: 1 }), Type.String(), HAS_ID])

/** Categories or tags, by id, slug or name. An item of an array is one name, which may have commas, or ids with commas between them. */
export const terms = kind<TermValue[]>(
  'array',
  Type.Union([Type.Array(Type.Union([TERM, NOTHING]), { maxItems: MAX_TERMS }), TERM]),
  (raw) => items(raw, MAX_TERMS, (text) => IDS.test(text)).map(term),
)

/** Parts of a name with commas as separate references; none if the list would be too long. */
export function termParts(name: string, others: number): TermValue[] {
  const parts = name.split(',').map((part) => part.trim())
  return parts.length < 2 || parts.length + others > MAX_TERMS ? [] : parts.filter((part) => part !== '').map(term)
}

function term(raw: unknown): TermValue {
  const given = idOf(raw) ?? raw
  if (typeof given === 'number') return { id: whole(given, 1) }
  const words = name.read(given, { today: '' })
  return /^\d{1,15}$/.test(words) ? { id: Number(words), name: words } : { name: words }
}
