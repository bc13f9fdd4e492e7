import assert from 'node:assert/strict'
import type { LightMyRequestResponse } from 'fastify'
import type { Json } from '../service.ts'
import type { Reader } from './readers.ts'
import { type Entry, WORDS, type World } from './world.ts'

/** What a reader gets of a record in one way, as a mark of the table. */
export interface Marking {
  (world: World, reader: Reader): Promise<(entry: Entry) => string | Promise<string>>
  /** Set if it takes a request for each record. */
  readonly isEach?: true
}

export const SHOWN = '✓'
/** Shown without what its password protects. */
export const BLANK = 'b'
/** Not there. */
export const ABSENT = '·'

const MARKS: readonly (readonly [RegExp, string])[] = [
  [/-not-accessible$/, 'na'],
  [/^event-no-longer-available$/, 'tr'],
  [/^event-password-protected$/, 'pw'],
]

/** The mark of an answer: its status, or a short name of its error. */
export function markOf(response: LightMyRequestResponse): string {
  if (response.statusCode < 300) return SHOWN
  const type = String(response.headers['content-type'])
  const code = type.includes('json') ? String(response.json().code) : ''
  return MARKS.find(([pattern]) => pattern.test(code))?.[1] ?? String(response.statusCode)
}

/** One request for each record. */
export function each(mark: (world: World, reader: Reader, entry: Entry) => Promise<string>): Marking {
  return Object.assign(async (world: World, reader: Reader) => (entry: Entry) => mark(world, reader, entry), {
    isEach: true as const,
  })
}

/** A record by itself: an event that is shown has its description. */
export async function markOfRecord(response: LightMyRequestResponse, { kind }: Entry): Promise<string> {
  const mark = markOf(response)
  return mark === SHOWN && kind === 'event' && !response.body.includes(WORDS.description) ? BLANK : mark
}

/** All records of a list at once, by their ids. Its total is that of what it shows. */
export async function listed(response: LightMyRequestResponse, name: string): Promise<(entry: Entry) => string> {
  const mark = markOf(response)
  if (mark !== SHOWN) return () => mark
  const body = response.json()
  const rows: Json[] = Array.isArray(body) ? body : body[name]
  const total = Number(response.headers['x-tec-total'] ?? response.headers['x-wp-total'] ?? body.total)
  assert.equal(total, rows.length, 'the total is not that of what is shown')
  return (entry) => {
    const row = rows.find(({ id }) => id === entry.id)
    if (row === undefined) return ABSENT
    const text = row.description ?? row.content?.rendered ?? ''
    return entry.kind === 'event' && !text.includes(WORDS.description) ? BLANK : SHOWN
  }
}

/** All records of a page, feed or other text at once, by a text that each has in it. */
export function named(
  response: LightMyRequestResponse,
  textOf: (entry: Entry) => string,
  body = response.body,
): (entry: Entry) => string {
  const mark = markOf(response)
  return mark === SHOWN ? (entry) => (body.includes(textOf(entry)) ? SHOWN : ABSENT) : () => mark
}
