import { Refused } from './field.ts'
import { Type } from './json-schema.ts'
import { kind, string } from './value-readers.ts'

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
