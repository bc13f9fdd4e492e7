import { type Kysely, type RawBuilder, sql } from 'kysely'
import { prepared } from './prepared.ts'
import type { Tables } from './tables.ts'

/**
 * The index by which SQLite finds the events that contain a text. A text without space in it is contained in a text if it
 * is in one of its words, where a word is whatever stands between two spaces. So there are two indexes: of the words by
 * their parts, of which there are few, as most words come again and again; and of the events by their words, which
 * tells all that have a word in one go. An index of the events by their parts is seven times as large, and takes four
 * times as long to answer.
 */

/** What words are divided by: everything else, even a sign that nobody sees, is of a word. */
const SPACES = ['\0', '\t', '\n', '\r', ' ']

/** The fewest letters that an index of parts can tell. */
const LEAST = 3

/** All ASCII signs that the index would take for a space, were it not told otherwise; of other signs it takes none. */
const SIGNS = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code)).filter(
  (sign) => !SPACES.includes(sign) && !/[a-z0-9]/i.test(sign),
)

/** The words of a text, each as often as it is there; `tables` are those that the text is of. */
function wordsIn(text: RawBuilder<unknown>, tables = sql``): RawBuilder<unknown> {
  let spaced = text
  for (const space of SPACES.slice(0, -1)) spaced = sql`replace(${spaced}, char(${sql.lit(space.charCodeAt(0))}), ' ')`
  // Quoted as a whole and divided then: no space is part of what quoting does.
  return sql`select value from ${tables} json_each('[' || replace(json_quote(${spaced}), ' ', '","') || ']')
    where length(value) >= ${sql.lit(LEAST)}`
}

/** The index that there was before: of the events by all of their three-letter parts. */
export async function createTrigrams(db: Kysely<unknown>): Promise<void> {
  await sql`create virtual table event_words using fts5(search, content='', contentless_delete=1, tokenize='trigram case_sensitive 1')`.execute(
    db,
  )
  await sql`insert into event_words (rowid, search) select id, search from events`.execute(db)
  await sql`create trigger event_words_added after insert on events
    begin insert into event_words (rowid, search) values (new.id, new.search); end`.execute(db)
  await sql`create trigger event_words_changed after update of search on events when new.search <> old.search begin
    delete from event_words where rowid = old.id; insert into event_words (rowid, search) values (new.id, new.search); end`.execute(
    db,
  )
  await sql`create trigger event_words_removed after delete on events
    begin delete from event_words where rowid = old.id; end`.execute(db)
}

/** Makes the index in place of the one before. */
export async function renew(db: Kysely<unknown>): Promise<void> {
  for (const when of ['added', 'changed', 'removed'])
    await sql`drop trigger ${sql.ref(`event_words_${when}`)}`.execute(db)
  await sql`drop table event_words`.execute(db)
  await create(db)
}

async function create(db: Kysely<unknown>): Promise<void> {
  const signs = SIGNS.join('').replaceAll("'", "''")
  const tokenizer = sql.lit(`ascii tokenchars '${signs}'`)
  await sql`create table words (id integer primary key, word text not null unique)`.execute(db)
  await sql`create virtual table word_parts using fts5(word, content='', contentless_delete=1, tokenize='trigram case_sensitive 1')`.execute(
    db,
  )
  await sql`create virtual table event_words using fts5(search, content='', contentless_delete=1, detail=none, tokenize=${tokenizer})`.execute(
    db,
  )
  await sql`create trigger word_added after insert on words
    begin insert into word_parts (rowid, word) values (new.id, new.word); end`.execute(db)
  await sql`create trigger word_removed after delete on words
    begin delete from word_parts where rowid = old.id; end`.execute(db)
  const added = (text: RawBuilder<unknown>) => sql`insert into words (word) ${wordsIn(text)} on conflict do nothing`
  // What nobody has written any more is not to be found anywhere.
  const unused = (still = sql``) => sql`delete from words where word in (${wordsIn(sql`old.search`)} ${still})
    and not exists (select 1 from event_words where event_words match '"' || replace(words.word, '"', '""') || '"')`
  await sql`insert into words (word) ${wordsIn(sql`events.search`, sql`events,`)} on conflict do nothing`.execute(db)
  await sql`insert into event_words (rowid, search) select id, search from events`.execute(db)
  await sql`create trigger event_words_added after insert on events begin
    ${added(sql`new.search`)};
    insert into event_words (rowid, search) values (new.id, new.search); end`.execute(db)
  await sql`create trigger event_words_changed after update of search on events when new.search <> old.search begin
    ${added(sql`new.search`)};
    delete from event_words where rowid = old.id;
    insert into event_words (rowid, search) values (new.id, new.search);
    ${unused(sql`except ${wordsIn(sql`new.search`)}`)}; end`.execute(db)
  await sql`create trigger event_words_removed after delete on events begin
    delete from event_words where rowid = old.id;
    ${unused()}; end`.execute(db)
}

/** How many words are looked for together: the events that have one of them are told once then, and in no time. */
const TOGETHER = 16

const wordsWith = prepared<{ words: string }, [string]>((db, piece) => ({
  compile: () =>
    sql<{ words: string }>`select json_group_array(word) as words from words
      where id in (select rowid from word_parts where word_parts match ${piece})`.compile(db),
}))

const eventsWith = prepared<{ ids: string }, [string]>((db, asked) => ({
  compile: () =>
    sql<{ ids: string }>`select json_group_array(event_words.rowid) as ids
      from json_each(${asked}) as asked cross join event_words on event_words match asked.value`.compile(db),
}))

const amongThem = prepared<{ ids: string }, [string, string]>((db, ids, part) => ({
  compile: () =>
    sql<{ ids: string }>`select json_group_array(id) as ids from events
      where id in (select value from json_each(${ids})) and instr(search, ${part}) > 0`.compile(db),
}))

/** How many pieces of a text the index is asked for, the longest ones: what it finds is compared with the whole text. */
const MOST_PIECES = 4

/** The events that contain a text, to the letter; null if no index can tell. */
export async function containing(db: Kysely<Tables>, part: string): Promise<number[] | null> {
  const pieces = part.split(/[\t\n\r ]/)
  const telling = [...new Set(pieces)]
    .filter((piece) => [...piece].length >= LEAST)
    .sort((one, other) => other.length - one.length)
    .slice(0, MOST_PIECES)
  // A text with the sign at which a question to the index ends cannot be asked for.
  if (telling.length === 0 || part.includes('\0')) return null
  let found = await withPiece(db, telling[0] ?? '')
  for (const piece of telling.slice(1)) {
    const having = new Set(await withPiece(db, piece))
    found = found.filter((id) => having.has(id))
  }
  return pieces.length === 1 ? found : listIn(await amongThem(db, JSON.stringify(found), part))
}

async function withPiece(db: Kysely<Tables>, piece: string): Promise<number[]> {
  const [row] = await wordsWith(db, quoted(piece))
  const words: string[] = JSON.parse(row?.words ?? '[]')
  if (words.length === 0) return []
  const asked: string[] = []
  for (let at = 0; at < words.length; at += TOGETHER) {
    const some = words.slice(at, at + TOGETHER)
    asked.push(some.map(quoted).join(' OR '))
  }
  const ids = listIn(await eventsWith(db, JSON.stringify(asked)))
  return asked.length === 1 ? ids : [...new Set(ids)]
}

/** A text as an index is asked for it. */
function quoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`
}

function listIn([row]: readonly { readonly ids: string }[]): number[] {
  return JSON.parse(row?.ids ?? '[]')
}
