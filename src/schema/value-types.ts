import { type DateText, isBeyondYears, readDate } from '../calendar/date-text.ts'
import { findZone, type Zone } from '../calendar/zone.ts'
import { plainText, richText, sanitize, withoutTags } from '../lib/html.ts'
import { slugify } from '../lib/slug.ts'
import { Refused, type ValueType } from './field.ts'
import { Type } from './json-schema.ts'
import {
  DIGITS,
  exactString,
  html,
  ID_TEXT,
  items,
  kind,
  MAX_COST,
  MAX_HTML,
  MAX_IDS,
  MAX_LIST,
  MAX_NAME,
  MAX_SLUGS,
  MAX_TEXT,
  NOTHING,
  NUMBER,
  string,
  stringOrNumber,
  whole,
} from './value-readers.ts'

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
export const exact = kind<string>(
  'string',
  Type.String({ maxLength: MAX_TEXT }),
  (raw) => (typeof raw === 'number' ? String(raw) : exactString(raw)),
  [NUMBER],
)

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
