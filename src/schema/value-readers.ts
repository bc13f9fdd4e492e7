import { TooNested, wordsOfSafe } from '../lib/html.ts'
import { withLf } from '../lib/line-ends.ts'
import { Refused, type ValueType } from './field.ts'
import { type JsonSchema, Type } from './json-schema.ts'

/** Parts that value types are made of. */

export function kind<V>(
  type: ValueType<V>['type'],
  schema: JsonSchema,
  read: ValueType<V>['read'],
  accepts?: readonly JsonSchema[],
): ValueType<V> {
  return { type, schema, read, ...(accepts && { accepts }) }
}

export const NUMBER = Type.Number()
export const DIGITS = Type.String({ pattern: '^\\s*\\d{1,15}\\s*$' })
export const HAS_ID = Type.Object(
  { id: Type.Union([Type.Integer({ minimum: 1 }), DIGITS]) },
  { additionalProperties: true },
)
/** Items that lists ignore. */
export const NOTHING = Type.Union([Type.Null(), Type.Literal('')])

/** Limits on names, short texts and rich texts, in UTF-16 units. */
export const MAX_NAME = 500
export const MAX_COST = 200
export const MAX_TEXT = 2000
export const MAX_HTML = 100_000
/** Limit on comma-separated text: more than a hundred names need. */
export const MAX_LIST = 100_000
/** Limit on items of an array, including duplicates. */
const MAX_ITEMS = 5000

/** Limit on combining marks in a row: normalization takes quadratic time for long runs. */
const PILE_OF_MARKS = /(?<!\p{M})\p{M}{32}/u

/** Text that can be stored, with LF at the end of its lines. */
export function string(raw: unknown, longest = MAX_TEXT): string {
  return withLf(exactString(raw, longest))
}

/** Text as it was sent: whole characters, none of them U+0000, and not too many. */
export function exactString(raw: unknown, longest = MAX_TEXT): string {
  if (typeof raw !== 'string') throw new Refused('not_text')
  if (raw.length > longest) throw new Refused('too_long', { longest })
  if (raw.includes('\0') || !raw.isWellFormed() || PILE_OF_MARKS.test(raw)) throw new Refused('bad_characters')
  return raw
}

/** HTML that `sanitize` makes safe. */
export function html(raw: unknown, made: (html: string) => string): string {
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
export function stringOrNumber(raw: unknown): string {
  return typeof raw === 'number' ? String(raw) : string(raw)
}

/** Integer of at least `least`, also as a string of digits. */
export function whole(raw: unknown, least: number): number {
  const number = typeof raw === 'string' && /^-?\d{1,15}$/.test(raw.trim()) ? Number(raw) : raw
  if (typeof number !== 'number' || !Number.isSafeInteger(number)) throw new Refused('not_a_whole_number')
  if (number < least) throw new Refused('too_small', { least })
  return number
}

/** Limits on lists: of ids and of slugs, found by one query; of terms, looked up one by one; of records, which may be created. */
export const MAX_IDS = 500
export const MAX_TERMS = 100
export const MAX_SLUGS = 100
export const MAX_LINKS = 50

/** Comma-separated ids. */
export const ID_TEXT = '^[\\s\\d,]*$'
export const IDS = new RegExp(ID_TEXT)

/**
 * The different items of a list, given as comma-separated text or as an array, whose items may be comma-separated text
 * themselves if `isSplit` says so. It stops at the first that is too many.
 */
export function items(raw: unknown, most: number, isSplit: (text: string) => boolean = () => true): unknown[] {
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

/** Whether an id means no record: WordPress and its clients write 0, and `false` as responses do, in forms as a word. */
export function isNone(raw: unknown): boolean {
  return raw === 0 || raw === false || (typeof raw === 'string' && /^\s*(?:0+|false)\s*$/.test(raw))
}

/** `id` of an object that a client read before and sends back; undefined otherwise. */
export function idOf(raw: unknown): unknown {
  return typeof raw === 'object' && raw !== null && 'id' in raw && raw.id !== null && raw.id !== '' ? raw.id : undefined
}
