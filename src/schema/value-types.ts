import { type DateText, isBeyondYears, readDate } from '../calendar/date-text.ts'
import { findZone, type Zone } from '../calendar/zone.ts'
import { plainText, richText, sanitize, TooNested, withoutTags, wordsOfSafe } from '../lib/html.ts'
import { slugify } from '../lib/slug.ts'
import { DescribedImage, Upload } from '../lib/upload.ts'
import { Refused, type ValueType } from './field.ts'
import { type JsonSchema, Type } from './json-schema.ts'

function kind<V>(
  type: ValueType<V>['type'],
  schema: JsonSchema,
  read: ValueType<V>['read'],
  accepts?: readonly JsonSchema[],
): ValueType<V> {
  return { type, schema, read, ...(accepts && { accepts }) }
}

const NUMBER = Type.Number()
const DIGITS = Type.String({ pattern: '^\\s*\\d{1,15}\\s*$' })
const HAS_ID = Type.Object({ id: Type.Union([Type.Integer({ minimum: 1 }), DIGITS]) }, { additionalProperties: true })
/** Items that lists ignore. */
const NOTHING = Type.Union([Type.Null(), Type.Literal('')])

/** Limits on names, short texts and rich texts, in UTF-16 units. */
const MAX_NAME = 500
const MAX_COST = 200
const MAX_TEXT = 2000
const MAX_HTML = 100_000
/** Limit on comma-separated text: more than a hundred names need. */
const MAX_LIST = 100_000
/** Limit on items of an array, including duplicates. */
const MAX_ITEMS = 5000

/** Limit on combining marks in a row: normalization takes quadratic time for long runs. */
const PILE_OF_MARKS = /(?<!\p{M})\p{M}{32}/u

/** Text that can be stored: whole characters, none of them U+0000, and not too many. */
function string(raw: unknown, longest = MAX_TEXT): string {
  if (typeof raw !== 'string') throw new Refused('not_text')
  if (raw.length > longest) throw new Refused('too_long', { longest })
  if (raw.includes('\0') || !raw.isWellFormed() || PILE_OF_MARKS.test(raw)) throw new Refused('bad_characters')
  return raw
}

/** HTML that `sanitize` makes safe. */
function html(raw: unknown, made: (html: string) => string): string {
  const text = string(raw, MAX_HTML)
  try {
    const safe = made(text)
    // Removed tags and entities may have joined combining marks.
    if (/\p{M}/u.test(safe) && PILE_OF_MARKS.test(wordsOfSafe(safe))) throw new Refused('bad_characters')
    return safe
  } catch (error) {
    throw error instanceof TooNested ? new Refused('too_nested') : error
  }
}

/** Text, or a number without quotes, as in postal codes and prices. */
function stringOrNumber(raw: unknown): string {
  return typeof raw === 'number' ? String(raw) : string(raw)
}

/** Integer of at least `least`, also as a string of digits. */
function whole(raw: unknown, least: number): number {
  const number = typeof raw === 'string' && /^-?\d{1,15}$/.test(raw.trim()) ? Number(raw) : raw
  if (typeof number !== 'number' || !Number.isSafeInteger(number)) throw new Refused('not_a_whole_number')
  if (number < least) throw new Refused('too_small', { least })
  return number
}

/** Limits on lists: of ids and of slugs, found by one query; of terms, looked up one by one; of records, which may be created. */
const MAX_IDS = 500
const MAX_TERMS = 100
const MAX_SLUGS = 100
const MAX_LINKS = 50

/** Comma-separated ids. */
const ID_TEXT = '^[\\s\\d,]*$'
const IDS = new RegExp(ID_TEXT)

/**
 * The different items of a list, given as comma-separated text or as an array, whose items may be comma-separated text
 * themselves if `isSplit` says so. It stops at the first that is too many.
 */
function items(raw: unknown, most: number, isSplit: (text: string) => boolean = () => true): unknown[] {
  if (Array.isArray(raw) && raw.length > MAX_ITEMS) throw new Refused('too_many', { most })
  const given = new Set<unknown>()
  let length = 0
  const add = (item: unknown) => {
    if (item === '' || item === null) return
    given.add(item)
    if (given.size > most) throw new Refused('too_many', { most })
  }
  for (const item of Array.isArray(raw) ? raw : [raw]) {
    if (typeof item !== 'string' || (Array.isArray(raw) && !isSplit(item))) add(item)
    else {
      length += item.length
      if (length > MAX_LIST) throw new Refused('too_long', { longest: MAX_LIST })
      for (const piece of item.split(',')) add(piece.trim())
    }
  }
  return [...given]
}

/** Whether an id means no record: WordPress and its clients write 0, and `false` as responses do. */
function isNone(raw: unknown): boolean {
  return raw === 0 || raw === false || (typeof raw === 'string' && /^\s*0+\s*$/.test(raw))
}

/** `id` of an object that a client read before and sends back; undefined otherwise. */
function idOf(raw: unknown): unknown {
  return typeof raw === 'object' && raw !== null && 'id' in raw && raw.id !== null && raw.id !== '' ? raw.id : undefined
}

/** Name or title: tags are stripped, and the rest must not be empty. */
export const name = kind<string>('string', Type.String({ minLength: 1, maxLength: MAX_NAME }), (raw) => {
  const text = plainText(string(raw, MAX_NAME)).trim()
  if (text === '') throw new Refused('empty')
  return text
})

/** Short text without markup, fully decoded, so that it survives a round trip. */
export const text = kind<string>(
  'string',
  Type.String({ maxLength: MAX_TEXT }),
  (raw) => withoutTags(stringOrNumber(raw)).trim(),
  [NUMBER],
)

/** HTML in which plain text becomes paragraphs. */
export const richHtml = kind<string>('string', Type.String({ maxLength: MAX_HTML }), (raw) => html(raw, richText))

/** Sanitized HTML without automatic paragraphs. */
export const safeHtml = kind<string>('string', Type.String({ maxLength: MAX_HTML }), (raw) => html(raw, sanitize))

/** Cost text. It is parsed when shown. */
export const cost = kind<string>(
  'string',
  Type.String({ maxLength: MAX_COST }),
  (raw) => {
    const text = withoutTags(stringOrNumber(raw)).replace(/\s+/g, ' ').trim()
    if (text.length > MAX_COST) throw new Refused('too_long', { longest: MAX_COST })
    return text
  },
  [NUMBER],
)

/** Text that is kept as sent, such as a search or a password. */
export const exact = kind<string>('string', Type.String({ maxLength: MAX_TEXT }), (raw) => stringOrNumber(raw), [
  NUMBER,
])

const FLAGS = new Map<unknown, boolean>([
  ...[true, 1, 'true', '1', 'yes'].map((spelling) => [spelling, true] as const),
  ...[false, 0, 'false', '0', 'no'].map((spelling) => [spelling, false] as const),
])

/** Boolean, in the spellings of forms and query strings. */
export const flag = kind<boolean>(
  'boolean',
  Type.Boolean(),
  (raw) => {
    const value = FLAGS.get(raw)
    if (value === undefined) throw new Refused('not_a_flag')
    return value
  },
  [Type.Enum([...FLAGS.keys()].filter((spelling) => typeof spelling !== 'boolean') as (string | number)[])],
)

/** Integer of at least `least`, clamped to `most`. */
export function integer(least: number, most = Number.MAX_SAFE_INTEGER): ValueType<number> {
  return kind('integer', Type.Integer({ minimum: least }), (raw) => Math.min(whole(raw, least), most), [DIGITS])
}

/** Default limit on the records of a page. */
const MAX_PER_PAGE = 50

/** Number of records of a page, clamped to the limit of the site. */
export const perPage = kind<number>(
  'integer',
  Type.Integer({ minimum: 1 }),
  (raw, { maxPerPage = MAX_PER_PAGE }) => Math.min(whole(raw, 1), maxPerPage),
  [DIGITS],
)

/** A number between two others. */
export function number(least: number, most: number): ValueType<number> {
  return kind(
    'number',
    Type.Number({ minimum: least, maximum: most }),
    (raw) => {
      const value =
        typeof raw === 'string' && /^[+-]?(\d{1,9}(\.\d{0,20})?|\.\d{1,20})$/.test(raw.trim()) ? Number(raw) : raw
      if (typeof value !== 'number' || !Number.isFinite(value)) throw new Refused('not_a_number')
      if (value < least || value > most) throw new Refused('not_between', { least, most })
      return value
    },
    [Type.String({ pattern: '^\\s*[+-]?(\\d+(\\.\\d*)?|\\.\\d+)\\s*$' })],
  )
}

/** A latitude or longitude, to a tenth of a millimetre. */
export function degrees(most: 90 | 180): ValueType<number> {
  const any = number(-most, most)
  return { ...any, read: (raw, reading) => Math.round(any.read(raw, reading) * 1e9) / 1e9 }
}

/** An amount of money, as a decimal number. */
export const amount = kind<string>(
  'string',
  Type.String({ pattern: '^\\s*\\d{1,12}(\\.\\d{1,4})?\\s*$' }),
  (raw) => {
    const text = stringOrNumber(raw).trim()
    if (!/^\d{1,12}(\.\d{1,4})?$/.test(text)) throw new Refused('not_an_amount')
    return text
  },
  [Type.Number({ minimum: 0 })],
)

const CURRENCIES = new Set(Intl.supportedValuesOf('currency'))

/** A currency, by its three-letter code. */
export const currency = kind<string>('string', Type.String({ pattern: '^\\s*[A-Za-z]{3}\\s*$' }), (raw) => {
  const code = string(raw).trim().toUpperCase()
  if (!CURRENCIES.has(code)) throw new Refused('not_a_currency')
  return code
})

/** Id of a record, term or user. */
export const id = integer(1)

/** A list of ids. */
export const ids = kind<number[]>(
  'array',
  Type.Array(Type.Integer({ minimum: 1 }), { maxItems: MAX_IDS }),
  (raw) => items(raw, MAX_IDS).map((item) => whole(item, 1)),
  [
    Type.Integer({ minimum: 1 }),
    Type.String({ pattern: ID_TEXT }),
    Type.Array(Type.Union([Type.Integer({ minimum: 1 }), Type.String({ pattern: ID_TEXT }), NOTHING])),
  ],
)

/** One of some keywords. */
export function oneOf<const W extends string>(...allowed: W[]): ValueType<W> {
  return kind('string', Type.Enum(allowed), (raw) => {
    const word = string(raw) as W
    if (!allowed.includes(word)) throw new Refused('not_one_of', { allowed: allowed.join(', ') })
    return word
  })
}

/** The same in any case, as `DESC` of WordPress clients. */
export function oneOfAnyCase<const W extends string>(...allowed: W[]): ValueType<W> {
  const exact = oneOf(...allowed)
  const others = allowed.flatMap((word) => [word.toUpperCase(), `${word.charAt(0).toUpperCase()}${word.slice(1)}`])
  return {
    ...exact,
    accepts: [Type.Enum(others)],
    read: (raw, reading) => exact.read(typeof raw === 'string' ? raw.toLowerCase() : raw, reading),
  }
}

/** A place in a list: the name of its order, and the sort key of the last record before it. */
export interface Cursor {
  readonly order: string
  readonly key: readonly (string | number)[]
}

/** Limit on the text of a cursor, which contains a title at most. */
const MAX_CURSOR = 6000

/** `next_cursor` of an earlier response. */
export const cursor = kind<Cursor>('string', Type.String({ minLength: 1, maxLength: MAX_CURSOR }), (raw) => {
  const [order, ...key] = parseCursor(string(raw, MAX_CURSOR))
  const isKey = key.every((part) => (typeof part === 'string' ? !part.includes('\0') : Number.isFinite(part)))
  if (typeof order !== 'string' || !isKey) throw new Refused('not_a_cursor')
  return { order, key: key as (string | number)[] }
})

function parseCursor(text: string): unknown[] {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'))
    return Array.isArray(parsed) ? parsed : []
  } catch {
    return []
  }
}

/** Text of a cursor. */
export function writeCursor({ order, key }: Cursor): string {
  return Buffer.from(JSON.stringify([order, ...key])).toString('base64url')
}

/** Keywords, as a list or comma-separated. */
export function someOf<const W extends string>(...allowed: W[]): ValueType<W[]> {
  const one = oneOf(...allowed)
  return kind(
    'string',
    Type.Array(Type.Enum(allowed), { maxItems: allowed.length }),
    (raw) => items(raw, allowed.length).map((item) => one.read(item, { today: '' })),
    [Type.String()],
  )
}

/** Web address (URL). */
export const url = kind<string>(
  'string',
  Type.String({ pattern: '^\\s*[Hh][Tt][Tt][Pp][Ss]?://[^\\s<>"]+\\s*$', maxLength: MAX_TEXT }),
  (raw) => {
    const address = string(raw).trim()
    const parsed = URL.canParse(address) ? new URL(address) : null
    if (parsed === null || !/^https?:$/.test(parsed.protocol) || !/^https?:\/\/[^\s<>"]+$/i.test(address))
      throw new Refused('not_a_url')
    return address
  },
)

/** The address pattern of HTML's e-mail input. */
const EMAIL =
  /^[\w.!#$%&'*+/=?^`{|}~-]{1,64}@[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)+$/i

/** An e-mail address. */
export const email = kind<string>('string', Type.String({ format: 'email', pattern: '@', maxLength: 254 }), (raw) => {
  const address = string(raw).trim()
  if (!EMAIL.test(address) || address.length > 254) throw new Refused('not_an_email')
  return address
})

/** Slug, normalized like slugs from titles. */
export const slug = kind<string>(
  'string',
  Type.String({ minLength: 1, maxLength: MAX_TEXT }),
  (raw) => {
    const cleaned = slugify(stringOrNumber(raw))
    if (cleaned === '') throw new Refused('not_a_slug')
    return cleaned
  },
  [NUMBER],
)

/** Slugs that a list looks up, comma-separated or as an array. They are normalized; one without letters or digits matches nothing. */
export const slugs = kind<string[]>(
  'string',
  Type.String({ maxLength: MAX_LIST }),
  (raw) => [...new Set(items(raw, MAX_SLUGS).map((item) => slugify(stringOrNumber(item))))],
  [NUMBER, Type.Array(Type.String())],
)

/** A date and time in any of the forms that docs/api.md lists. */
export const date = kind<DateText>(
  'string',
  Type.String({ minLength: 1, maxLength: 100 }),
  (raw, reading) => {
    const text = stringOrNumber(raw).trim()
    const found = readDate(text, () => reading.today)
    if (found === null) throw new Refused(isBeyondYears(text, () => reading.today) ? 'out_of_years' : 'not_a_date')
    return found
  },
  [Type.Integer()],
)

/** A time zone: an IANA name or a manual offset. */
export const zone = kind<Zone>('string', Type.String({ minLength: 1, maxLength: MAX_TEXT }), (raw) => {
  const found = findZone(string(raw))
  if (found === null) throw new Refused('not_a_zone')
  return found
})

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
