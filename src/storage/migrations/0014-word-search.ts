import { CompiledQuery, type Kysely, PostgresAdapter } from 'kysely'
import { amountsOf, textOf, wordsOf } from './0014-words.ts'
import type { Step, Watch } from './steps.ts'

/**
 * Search by words: the words of each event's own texts, those of venues, organizers and terms, and all of them in order.
 * Also the events that are free of charge. All is filled by the code below, as folding is not a matter of SQL.
 */
export const steps: readonly Step[] = [
  {
    sqlite: [
      `drop trigger if exists event_texts_removed`,
      `drop table if exists event_texts`,
      // Words are folded, and consist of letters and digits. Without an index of first letters, a search for one takes
      // ten times as long.
      `create virtual table event_texts using fts5(title, words, content='', contentless_delete=1, detail=column,
        tokenize='ascii', prefix='1')`,
      `create trigger event_texts_removed after delete on events
        begin delete from event_texts where rowid = old.id; end`,
    ],
    postgres: [
      `create table "event_texts" ("event" bigint primary key references "events" ("id") on delete cascade,
        "title" tsvector not null, "words" tsvector not null)`,
      `create index "event_texts_title" on "event_texts" using gin ("title")`,
      `create index "event_texts_words" on "event_texts" using gin ("words")`,
    ],
  },
  `create table if not exists "linked_words" ("word" {text} not null, "kind" {text} not null, "linked" {whole} not null,
    primary key ("word", "kind", "linked"))`,
  `create index if not exists "linked_words_linked" on "linked_words" ("kind", "linked")`,
  `create table if not exists "search_words" ("word" {text} primary key, "reversed" {text} not null)`,
  `create index if not exists "search_words_reversed" on "search_words" ("reversed")`,
  `create table if not exists "free_events" ("event" {whole} primary key references "events" ("id") on delete cascade)`,
]

/** Rows per batch: a few megabytes if their texts are as long as allowed. */
const BATCH = 200
/** Words that may be suggested, in letters. */
const SUGGESTED = /^\p{L}{3,32}$/u

interface EventTexts {
  readonly id: number
  readonly title_search: string
  readonly search: string
  readonly excerpt: string | null
  readonly cost: string | null
  readonly prices: string | null
}

const LINKED = [
  ['venue', `select id, coalesce(venue, '') || ' ' || coalesce(city, '') as text from venues`],
  ['organizer', `select id, organizer as text from organizers`],
  ['term', `select id, name as text from terms`],
] as const

/** Fills the new tables from all rows, in batches. */
export async function fill(db: Kysely<unknown>, watch: Watch): Promise<void> {
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter
  const run = async <Row>(statement: string, ...values: unknown[]): Promise<readonly Row[]> => {
    const numbered = isPostgres ? numberedPlaces(statement) : statement
    return (await db.executeQuery<Row>(CompiledQuery.raw(numbered, values))).rows
  }
  // `string_agg` is named `group_concat` where SQLite is older than 3.44.
  const prices = `(select ${isPostgres ? `string_agg(price, ' ')` : `group_concat(price, ' ')`} from tickets
    where tickets.event = events.id)`
  const [most] = await run<{ last: number | null }>('select max(id) as last from events')
  for (let after = -1; ; ) {
    watch(0, 1, Math.max(0, after) / Number(most?.last || 1))
    const rows = await run<EventTexts>(
      `select id, title_search, search, excerpt, cost, ${prices} as prices from events
        where id > ${after} order by id limit ${BATCH}`,
    )
    const last = rows.at(-1)
    if (last === undefined) break
    const texts = rows.map(({ id, title_search, search, excerpt }) => ({
      id: Number(id),
      title: wordsOf(title_search),
      words: wordsOf(`${search}\n${textOf(excerpt)}`),
    }))
    for (const { id, title, words } of texts) {
      await run(
        isPostgres
          ? `insert into event_texts (event, title, words) values (?, array_to_tsvector(string_to_array(?, ' ')),
              array_to_tsvector(string_to_array(?, ' '))) on conflict do nothing`
          : `insert into event_texts (rowid, title, words) values (?, ?, ?)`,
        id,
        title.join(' '),
        words.join(' '),
      )
    }
    await addWords(
      run,
      isPostgres,
      texts.flatMap(({ words }) => words),
    )
    for (const row of rows.filter(isFree))
      await run(`insert into free_events (event) values (?) on conflict do nothing`, Number(row.id))
    after = Number(last.id)
  }
  for (const [kind, query] of LINKED) await fillLinked(run, isPostgres, kind, query)
}

type Run = <Row>(statement: string, ...values: unknown[]) => Promise<readonly Row[]>

async function fillLinked(run: Run, isPostgres: boolean, kind: string, query: string): Promise<void> {
  for (let after = -1; ; ) {
    const rows = await run<{ id: number; text: string }>(
      `select * from (${query}) as named where id > ${after} order by id limit ${BATCH}`,
    )
    const last = rows.at(-1)
    if (last === undefined) return
    for (const { id, text } of rows) {
      const words = wordsOf(text)
      for (const word of words)
        await run(
          `insert into linked_words (word, kind, linked) values (?, '${kind}', ?) on conflict do nothing`,
          word,
          Number(id),
        )
      await addWords(run, isPostgres, words)
    }
    after = Number(last.id)
  }
}

async function addWords(run: Run, isPostgres: boolean, words: readonly string[]): Promise<void> {
  const suggested = [...new Set(words)].filter((word) => SUGGESTED.test(word)).sort()
  const list = JSON.stringify(suggested.map((word) => [word, [...word].reverse().join('')]))
  await run(
    isPostgres
      ? `insert into search_words (word, reversed) select pair ->> 0, pair ->> 1
          from json_array_elements(cast(? as json)) as given (pair) on conflict do nothing`
      : `insert into search_words (word, reversed) select value ->> 0, value ->> 1 from json_each(?) where true
          on conflict do nothing`,
    list,
  )
}

function isFree({ cost, prices }: EventTexts): boolean {
  const amounts = [...amountsOf(cost), ...(prices ?? '').split(' ').filter((price) => price !== '')]
  return amounts.length > 0 && amounts.every((amount) => !/[1-9]/.test(amount))
}

function numberedPlaces(statement: string): string {
  let count = 0
  return statement.replaceAll('?', () => `$${++count}`)
}
