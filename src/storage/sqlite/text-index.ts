import { type Kysely, sql } from 'kysely'
import { INDEPENDENT, prepared } from '../prepared.ts'
import type { Tables } from '../tables.ts'
import { type EventWords, reversed, type TextIndex } from '../text-index.ts'
import { MARKED_IDS } from './functions.ts'

/** Index of words in SQLite: a full-text table that stores no texts. See migrations/0014-word-search.ts. */

const add = prepared<object, [number, string, string]>((db, id, title, words) => ({
  compile: () =>
    sql<object>`insert into event_texts (rowid, title, words) values (${id}, ${title}, ${words})`.compile(db),
}))
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

/**
 * What waits to be stored, by transaction. Nearly every statement has a savepoint of its own, at which the index writes
 * what it has gathered. So all events of a transaction are stored at its end.
 */
const waiting = new WeakMap<Kysely<Tables>, (EventWords & { readonly isNew: boolean })[]>()

/** Limit on events that wait. */
const MAX_WAITING = 500

async function settle(tx: Kysely<Tables>): Promise<void> {
  const events = waiting.get(tx)
  if (events === undefined) return
  waiting.delete(tx)
  for (const { id, title, words, isNew } of events) {
    if (!isNew) await remove(tx, id)
    await add(tx, id, title.join(' '), words.join(' '))
  }
}

export const textIndex: TextIndex = {
  async put(tx, texts, isNew) {
    const events = waiting.get(tx) ?? []
    events.push({ ...texts, isNew })
    waiting.set(tx, events)
    if (events.length >= MAX_WAITING) await settle(tx)
  },
  settle,
  forget(tx) {
    waiting.delete(tx)
  },
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
  /** Most words are stored already. They are only looked up: inserting them again takes six times as long. */
  async suggest(tx, words) {
    const found = (await unknown(tx, JSON.stringify(words))).map(({ word }) => word).sort()
    if (found.length > 0) await store(tx, JSON.stringify(found.map((word) => [word, reversed(word)])))
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
