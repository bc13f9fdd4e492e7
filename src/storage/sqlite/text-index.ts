import { type Kysely, sql } from 'kysely'
import { INDEPENDENT, prepared, preparedBy } from '../prepared.ts'
import type { Tables } from '../tables.ts'
import { type EventWords, reversed, type TextIndex } from '../text-index.ts'
import { MARKED_IDS } from './functions.ts'

/** Index of words in SQLite: a full-text table that stores no texts. See migrations/0014-word-search.ts. */

type Row = [id: number, title: string, words: string]

/** Adds some events. */
const add = preparedBy((count: number) =>
  prepared<object, (number | string)[]>(
    (db, ...values) => ({
      compile: () => {
        const rows = Array.from({ length: count }, (_, n) => sql`(${sql.join(values.slice(3 * n, 3 * n + 3))})`)
        return sql<object>`insert into event_texts (rowid, title, words) values ${sql.join(rows)}`.compile(db)
      },
    }),
    INDEPENDENT,
  ),
)
const remove = prepared<object, [number]>((db, id) => ({
  compile: () => sql<object>`delete from event_texts where rowid = ${id}`.compile(db),
}))
const unknown = prepared<{ word: string }, [string]>(
  (db, words) => ({
    compile: () =>
      sql<{ word: string }>`select value as word from json_each(${words})
      where not exists (select 1 from search_words where word = value)`.compile(db),
  }),
  INDEPENDENT,
)
const store = prepared<object, [string]>(
  (db, words) => ({
    compile: () =>
      sql<object>`insert into search_words (word, reversed)
      select value ->> 0, value ->> 1 from json_each(${words}) where true
      on conflict do nothing`.compile(db),
  }),
  INDEPENDENT,
)

const removeUnused = prepared<object, [string]>((db, words) => ({
  compile: () =>
    sql<object>`delete from search_words where word in (select value from json_each(${words}))
      and not exists (select 1 from linked_words where linked_words.word = search_words.word)
      and not exists (select 1 from event_texts where event_texts match '"' || search_words.word || '"')`.compile(db),
}))

/** What waits to be stored. */
interface Waiting {
  readonly events: (EventWords & { readonly isNew: boolean })[]
  /** Words that may be suggested, and those that may not be any more. */
  readonly suggested: Set<string>
  readonly unused: Set<string>
}

/**
 * By transaction. Nearly every statement has a savepoint of its own, at which the index writes what it has gathered. So all
 * events of a transaction are stored at its end, and the words of all are looked up together.
 */
const waiting = new WeakMap<Kysely<Tables>, Waiting>()

/** Limits on events that wait, on words, and on events that are stored by one statement. */
const MAX_WAITING = 500
const MAX_WORDS = 5000
const MAX_ROWS = 40

function waitingIn(tx: Kysely<Tables>): Waiting {
  const known = waiting.get(tx)
  if (known !== undefined) return known
  const made: Waiting = { events: [], suggested: new Set(), unused: new Set() }
  waiting.set(tx, made)
  return made
}

async function settle(tx: Kysely<Tables>): Promise<void> {
  const all = waiting.get(tx)
  if (all === undefined) return
  waiting.delete(tx)
  const { events, suggested, unused } = all
  if (suggested.size > 0) await suggest(tx, [...suggested])
  for (const { id, isNew } of events) if (!isNew) await remove(tx, id)
  // Of an event that was indexed more than once, the last counts.
  const rows = new Map(events.map(({ id, title, words }) => [id, [id, title.join(' '), words.join(' ')] satisfies Row]))
  const left = [...rows.values()]
  while (left.length > 0) {
    const some = left.splice(0, MAX_ROWS)
    await add(some.length)(tx, ...some.flat())
  }
  if (unused.size > 0) await removeUnused(tx, JSON.stringify([...unused]))
}

/** Most words are stored already. They are only looked up: inserting them again takes six times as long. */
async function suggest(tx: Kysely<Tables>, words: readonly string[]): Promise<void> {
  const found = (await unknown(tx, JSON.stringify(words))).map(({ word }) => word).sort()
  if (found.length > 0) await store(tx, JSON.stringify(found.map((word) => [word, reversed(word)])))
}

/** Forgets what still waits in a transaction: a part of it was rolled back. */
export function forget(tx: Kysely<Tables>): void {
  waiting.delete(tx)
}

export const textIndex: TextIndex = {
  async put(tx, texts, isNew) {
    const { events } = waitingIn(tx)
    events.push({ ...texts, isNew })
    if (events.length >= MAX_WAITING) await settle(tx)
  },
  settle,
  having(words, column) {
    const all = words.map((word) => `"${word}" *`).join(' AND ')
    return sql<number>`(select rowid as id from event_texts where event_texts match ${`${column} : (${all})`})`
  },
  async marked(tx, rows, all) {
    // Joined in the thread of the connection: see connection.ts.
    const found = await sql<{
      ids: string
    }>`select ${sql.raw(MARKED_IDS)}(marks, ids, ${all}) as ids from ${rows} as marked`.execute(tx)
    return JSON.parse(found.rows[0]?.ids ?? '[]')
  },
  async suggest(tx, words) {
    const { suggested } = waitingIn(tx)
    for (const word of words) suggested.add(word)
    if (suggested.size >= MAX_WORDS) await settle(tx)
  },
  async forgetUnused(tx, words) {
    const { unused } = waitingIn(tx)
    for (const word of words) unused.add(word)
    if (unused.size >= MAX_WORDS) await settle(tx)
  },
  pairs: (list) => sql`(select value ->> 0 as id, value ->> 1 as marks from json_each(${JSON.stringify(list)}))`,
  async findDiffering(tx, events) {
    if (events.length === 0) return []
    await settle(tx)
    const ids = sql.join(events.map(({ id }) => id))
    const { rows } = await sql<{ id: number; sz: Uint8Array }>`select id, sz from event_texts_docsize
      where id in (${ids})`.execute(tx)
    const counts = new Map(rows.map(({ id, sz }) => [id, String(readVarints(sz))]))
    const differing: number[] = []
    for (const event of events) {
      const isCounted = counts.get(event.id) === String([event.title.length, event.words.length])
      if (!isCounted || !(await hasWords(tx, event))) differing.push(event.id)
    }
    return differing
  },
  each: (list) => sql<string>`(select value from json_each(${JSON.stringify(list)}))`,
}

/** Whether the index has all words of an event. It cannot tell which words an event has. */
async function hasWords(tx: Kysely<Tables>, { id, title, words }: EventWords): Promise<boolean> {
  const asked = [...title.map((word) => `title : "${word}"`), ...words.map((word) => `words : "${word}"`)].join(' AND ')
  if (asked === '') return true
  const { rows } = await sql`select 1 from event_texts where rowid = ${id} and event_texts match ${asked}`.execute(tx)
  return rows.length > 0
}

/** Numbers as SQLite stores them: seven bits in each byte, the highest bit says that another follows. */
function readVarints(bytes: Uint8Array): number[] {
  const numbers: number[] = []
  let number = 0
  for (const byte of bytes) {
    number = number * 128 + (byte & 0x7f)
    if (byte >= 0x80) continue
    numbers.push(number)
    number = 0
  }
  return numbers
}
