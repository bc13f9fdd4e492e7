import { type Kysely, sql } from 'kysely'
import { prepared } from '../prepared.ts'
import type { Tables } from '../tables.ts'

/**
 * The index by which SQLite finds the events that contain a text. A text without space in it is contained in a text if it
 * is in one of its words, where a word is whatever stands between two spaces. So there are two indexes: of the words by
 * their parts, of which there are few, as most words come again and again; and of the events by their words, which
 * tells all that have a word in one go. An index of the events by their parts is seven times as large, and takes four
 * times as long to answer. Triggers keep both in step with the events: see migrations/0006-words.ts.
 */

/** The fewest letters that an index of parts can tell. */
const LEAST = 3

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
