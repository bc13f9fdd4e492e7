import { type Kysely, sql } from 'kysely'
import type { DerivedIndex } from '../derived-index.ts'
import type { FewWords } from '../few-words.ts'
import type { Lookup } from '../lookup.ts'
import { prepared } from '../prepared.ts'
import type { Tables } from '../tables.ts'
import { eventsWithAny } from './word-lists.ts'

/**
 * Substring index of SQLite. A search term without spaces is contained in a text if it is contained in one of its
 * words, which are separated by white space. So there are two indexes: trigrams of words, of which there are few
 * distinct ones, and events by word. A trigram index on the events themselves is seven times as large and four times as
 * slow. Triggers keep both up to date: see migrations/0006-words.ts.
 */

/** Minimum length that a trigram index can find, in letters. */
const MIN_LETTERS = 3

/** Words per full-text query: events that have several of them are then returned once. */
const WORDS_PER_QUERY = 16

/** Full-text query for events with any of some words. */
const ANY_WORD = sql`group_concat('"' || replace(word, '"', '""') || '"', ' OR ')`

/** Events that have a word with this part. `last` is above 0 if there were several queries. */
const eventsWith = prepared<{ ids: string; last: number | null }, [string, string]>((db, trigrams, piece) => ({
  compile: () =>
    sql<{ ids: string; last: number | null }>`with found as (
        select word, (row_number() over () - 1) / ${sql.lit(WORDS_PER_QUERY)} as part from words
        where id in (select rowid from word_parts where word_parts match ${trigrams}) and instr(word, ${piece}) > 0
      ), asked as (
        select part, ${ANY_WORD} as query from found group by part
      )
      select json_group_array(event_words.rowid) as ids, max(asked.part) as last
      from asked cross join event_words on event_words match asked.query`.compile(db),
}))

const filterByText = prepared<{ ids: string }, [string, string]>((db, ids, part) => ({
  compile: () =>
    sql<{ ids: string }>`select json_group_array(id) as ids from events
      where id in (select value from json_each(${ids})) and instr(search, ${part}) > 0`.compile(db),
}))

/**
 * Number of terms that are looked up in the index, longest first. The matches are then compared with the whole text.
 */
const MAX_TERMS = 4

const SPACE = /[\t\n\r ]/

/** Limits on what a lookup reads: words that may contain a text, the length of each in bytes, and events by the number of words. */
const FEW_WORDS = 256
const SHORT_WORD = 1000
const FEW_EVENTS = 32_768
/** Where no more events exist, one word is looked up without a limit. To stop at one takes a quarter to half of the time. */
const FEW_EVENTS_IN_ALL = 131_072

/** Words with some trigrams; null for a long one, of which only the length is read. */
const WORDS_WITH: Lookup<{ word: string | null }> = {
  build: (db, trigrams) => ({
    compile: () =>
      sql<{
        word: string | null
      }>`select iif(octet_length(words.word) <= ${sql.lit(SHORT_WORD)}, words.word, null) as word
        from word_parts cross join words on words.id = word_parts.rowid
        where word_parts match ${trigrams} limit ${sql.lit(FEW_WORDS)}`.compile(db),
  }),
}

const EVENTS_WITH: Lookup<{ ids: string }> = {
  build: (db, query) => ({
    compile: () =>
      sql<{ ids: string }>`select json_group_array(rowid) as ids from event_words
        where event_words match ${query}`.compile(db),
  }),
}

const FIRST_EVENTS_WITH: Lookup<{ ids: string }> = {
  build: (db, query, most) => ({
    compile: () =>
      sql<{ ids: string }>`select json_group_array(id) as ids from (
          select rowid as id from event_words where event_words match ${query} limit ${most}
        )`.compile(db),
  }),
}

export const fewWords: FewWords = {
  async queryFor(db, part) {
    if (SPACE.test(part) || !isIndexed(part)) return null
    const found = await db.lookUp(WORDS_WITH, edgesOf(part))
    if (found.length >= FEW_WORDS || found.some(({ word }) => word === null)) return null
    const words = found.flatMap(({ word }) => (word?.includes(part) ? [word] : []))
    return words.length > WORDS_PER_QUERY ? null : { text: words.map(quoted).join(' OR '), words }
  },
  async find(db, version, { text, words }, inAll) {
    if (words.length === 0) return []
    const isBounded = words.length > 1 || inAll > FEW_EVENTS_IN_ALL
    const most = isBounded ? Math.floor(FEW_EVENTS / words.length) : Number.POSITIVE_INFINITY
    const ids =
      eventsWithAny(db, version, words, most) ??
      listIn(await (isBounded ? db.lookUp(FIRST_EVENTS_WITH, text, most + 1) : db.lookUp(EVENTS_WITH, text)))
    return ids.length <= most ? ids : null
  },
}

/** Ids of the events that contain a text, case-sensitive; null if the index cannot answer. */
export async function containing(db: Kysely<Tables>, part: string): Promise<number[] | null> {
  const pieces = part.split(SPACE)
  const searchable = [...new Set(pieces)]
    .filter(isIndexed)
    .sort((one, other) => other.length - one.length)
    .slice(0, MAX_TERMS)
  if (searchable.length === 0 || part.includes('\0')) return null
  let found = await withPiece(db, searchable[0] ?? '')
  for (const piece of searchable.slice(1)) {
    const having = new Set(await withPiece(db, piece))
    found = found.filter((id) => having.has(id))
  }
  return pieces.length === 1 ? found : listIn(await filterByText(db, JSON.stringify(found), part))
}

/** Whether the index can find a text. A NUL ends a full-text query. */
function isIndexed(part: string): boolean {
  return [...part].length >= MIN_LETTERS && !part.includes('\0')
}

async function withPiece(db: Kysely<Tables>, piece: string): Promise<number[]> {
  const rows = await eventsWith(db, edgesOf(piece), piece)
  const ids = listIn(rows)
  return rows[0]?.last ? [...new Set(ids)] : ids
}

/** Query for words with the first and the last trigram of a piece. All trigrams, in their order, take twice as long. */
function edgesOf(piece: string): string {
  const letters = [...piece]
  const [first, last] = [letters.slice(0, MIN_LETTERS), letters.slice(-MIN_LETTERS)].map((edge) =>
    quoted(edge.join('')),
  )
  return `${first} AND ${last}`
}

/** Quotes a text for a full-text query. */
function quoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`
}

function listIn([row]: readonly { readonly ids: string }[]): number[] {
  return JSON.parse(row?.ids ?? '[]')
}

/**
 * Events whose words are not in the index. The table is without content, so only the presence of each event is compared,
 * and whether the index has as many words as it should.
 */
export const derivedIndex: DerivedIndex = {
  name: 'parts of words',
  async countWrong(tx) {
    const { rows } = await sql<{ wrong: number }>`select
      (select count(*) from events where id not in (select id from event_words_docsize))
      + (select count(*) from event_words_docsize where id not in (select id from events))
      + (select count(*) from words where id not in (select id from word_parts_docsize))
      + (select count(*) from word_parts_docsize where id not in (select id from words)) as wrong`.execute(tx)
    return Number(rows[0]?.wrong)
  },
  async rebuild(tx) {
    await sql`delete from words`.execute(tx)
    await sql`insert into word_parts (word_parts) values ('delete-all')`.execute(tx)
    await sql`insert into event_words (event_words) values ('delete-all')`.execute(tx)
    // As in migrations/0006-words.ts. A trigger adds the parts of each word.
    await sql`insert into words (word) select value from events, json_each('[' || replace(json_quote(
        replace(replace(replace(replace(search, char(0), ' '), char(9), ' '), char(10), ' '), char(13), ' ')
      ), ' ', '","') || ']') where length(value) >= 3 on conflict do nothing`.execute(tx)
    await sql`insert into event_words (rowid, search) select id, search from events`.execute(tx)
  },
}
