import { sql } from 'kysely'
import { TimeSlice } from '../../lib/time-slices.ts'
import { Marks } from '../marks.ts'
import { prepared } from '../prepared.ts'
import type { TextIndex } from '../text-index.ts'

/** Index of words in PostgreSQL: text vectors without positions, in GIN indexes. See migrations/0014-word-search.ts. */

const put = prepared<object, [number, string, string]>((db, id, title, words) => ({
  compile: () =>
    sql<object>`insert into event_texts (event, title, words) values (${id},
      array_to_tsvector(string_to_array(${title}, ' ')), array_to_tsvector(string_to_array(${words}, ' ')))
      on conflict (event) do update set title = excluded.title, words = excluded.words`.compile(db),
}))
/**
 * Known words are left out: inserting those that others have stored meanwhile would wait for them. Each is looked up by itself. PostgreSQL
 * takes a list in JSON for a hundred words, and would read the whole table if it could join the two.
 */
const suggest = prepared<object, [string]>((db, words) => ({
  compile: () =>
    sql<object>`insert into search_words (word, reversed)
      select word, reverse(word) from json_array_elements_text(cast(${words} as json)) as given (word)
      where (select 1 from search_words as known where known.word = given.word collate "C" limit 1) is null
      on conflict do nothing`.compile(db),
}))

/** Each word is looked up by itself, as above. What another transaction stores meanwhile may lose a suggestion. */
const removeUnused = prepared<object, [string]>((db, words) => ({
  compile: () =>
    sql<object>`delete from search_words
      where word in (select word collate "C" from json_array_elements_text(cast(${words} as json)) as given (word))
      and (select 1 from linked_words where linked_words.word = search_words.word limit 1) is null
      and (select 1 from event_texts where words @@ cast(search_words.word as tsquery) limit 1) is null`.compile(db),
}))

export const textIndex: TextIndex = {
  async put(tx, { id, title, words }) {
    await put.later(tx, id, title.join(' '), words.join(' '))
  },
  async settle() {},
  having(words, column) {
    const all = words.map((word) => `'${word}':*`).join(' & ')
    return sql<number>`(select event as id from event_texts where ${sql.ref(column)} @@ cast(${all} as tsquery))`
  },
  async marked(tx, rows, all) {
    const found = await sql<{ marks: number; ids: string }>`select marks, ids from ${rows} as marked`.execute(tx)
    const events = new Marks()
    const slice = new TimeSlice()
    for (const { marks, ids } of found.rows) {
      if (slice.isOver) await slice.yield()
      events.add(Number(marks), ids)
    }
    return events.having(all)
  },
  /** In order, so that writers of the same words do not wait for each other in a circle. */
  suggest: (tx, words) => suggest.later(tx, JSON.stringify(words.toSorted())),
  forgetUnused: (tx, words) => removeUnused.later(tx, JSON.stringify(words.toSorted())),
  // Arrays, unlike JSON, have a length that the planner knows.
  pairs: (list) =>
    sql`(select id, marks from unnest(cast(${arrayOf(list.map(([id]) => id))} as bigint[]),
      cast(${arrayOf(list.map(([, marks]) => marks))} as integer[])) as given (id, marks))`,
  async findDiffering(tx, events) {
    if (events.length === 0) return []
    const ids = sql.join(events.map(({ id }) => id))
    const { rows } = await sql<{ event: number; title: string[]; words: string[] }>`select event,
      tsvector_to_array(title) as title, tsvector_to_array(words) as words from event_texts
      where event in (${ids})`.execute(tx)
    const stored = new Map(rows.map((row) => [row.event, row]))
    const isSame = (one: readonly string[], other: readonly string[] = []) =>
      one.length === other.length && new Set([...one, ...other]).size === one.length
    return events
      .filter(({ id, title, words }) => {
        const found = stored.get(id)
        return found === undefined || !isSame(title, found.title) || !isSame(words, found.words)
      })
      .map(({ id }) => id)
  },
  each: (list) =>
    sql<string>`(select value collate "C" as value from json_array_elements_text(cast(${JSON.stringify(list)} as json)))`,
}

function arrayOf(numbers: readonly number[]): string {
  return `{${numbers.join()}}`
}
