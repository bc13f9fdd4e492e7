import { sql } from 'kysely'
import { wordsOfSafe } from '../lib/html.ts'
import { wordsOf } from '../lib/words.ts'
import type { LinkedKind } from '../schema/linked.ts'
import { dialectOf, type Tx } from './dialect.ts'
import { insertLater } from './prepared.ts'
import type { RecordRow } from './records.ts'
import type { EventTable } from './tables.ts'
import { type EventWords, reversed } from './text-index.ts'
import { LAST, type NamedKind } from './word-hits.ts'

/**
 * Index for searches by words (see word-hits.ts). It has the words of an event's own texts. Names of venues, organizers and terms have a small
 * index of their own, so that a new name changes no event.
 */

type EventTexts = Pick<EventTable, 'id' | 'title_search' | 'search' | 'excerpt'>

/** Words that may be suggested. */
const SUGGESTED = /^\p{L}{3,32}$/u

/** Indexes an event. */
export async function indexEvent(tx: Tx, row: EventTexts, isNew: boolean): Promise<void> {
  await indexCopies(tx, row, [row.id], isNew)
}

/** Indexes events that all have the same texts. */
export async function indexCopies(
  tx: Tx,
  texts: Omit<EventTexts, 'id'>,
  ids: readonly number[],
  isNew: boolean,
): Promise<void> {
  const { title, words } = eventWords({ ...texts, id: 0 })
  for (const id of ids) await dialectOf(tx).texts.put(tx, { id, title, words }, isNew)
  await addSuggestions(tx, words)
}

/** The words that an event is found by. */
export function eventWords({ id, title_search, search, excerpt }: EventTexts): EventWords {
  const words = wordsOf(excerpt ? `${search}\n${wordsOfSafe(excerpt)}` : search)
  return { id, title: wordsOf(title_search), words }
}

/** Indexes the name of a venue, organizer or term, and other words that it is found by. */
export async function indexName(
  tx: Tx,
  kind: NamedKind,
  id: number,
  names: readonly unknown[],
  isNew: boolean,
): Promise<void> {
  if (!isNew) await removeName(tx, kind, id)
  const words = nameWords(names)
  for (const word of words) await tx.insertInto('linked_words').values({ word, kind, linked: id }).execute()
  await addSuggestions(tx, words)
}

/** The words of a name. */
export function nameWords(names: readonly unknown[]): string[] {
  return wordsOf(names.filter((name) => typeof name === 'string').join('\n'))
}

/** Indexes a venue or organizer: its events are found by its name, and its city if it has one. */
export function indexRecord(tx: Tx, kind: LinkedKind, row: RecordRow, isNew: boolean): Promise<void> {
  return indexName(tx, kind, row.id, [row[kind], row.city], isNew)
}

export async function removeName(tx: Tx, kind: NamedKind, id: number): Promise<void> {
  await tx.deleteFrom('linked_words').where('kind', '=', kind).where('linked', '=', id).execute()
}

async function addSuggestions(tx: Tx, words: readonly string[]): Promise<void> {
  const suggested = words.filter((word) => SUGGESTED.test(word))
  if (suggested.length > 0) await dialectOf(tx).texts.suggest(tx, suggested)
}

/** Forgets the words of some texts that others do not have, unless an event or a name still has them. */
export async function forgetSuggestions(tx: Tx, gone: Iterable<string>, kept: Iterable<string>): Promise<void> {
  const words = new Set<string>()
  for (const text of gone) for (const word of wordsOf(wordsOfSafe(text))) if (SUGGESTED.test(word)) words.add(word)
  if (words.size === 0) return
  for (const text of kept) for (const word of wordsOf(wordsOfSafe(text))) words.delete(word)
  if (words.size > 0) await dialectOf(tx).texts.forgetUnused(tx, [...words])
}

/** The first stored word that begins with each of some texts. */
export async function firstWords(
  tx: Tx,
  beginnings: readonly string[],
): Promise<{ beginning: string; word: string }[]> {
  const { texts } = dialectOf(tx)
  const { rows } = await sql<{ beginning: string; word: string | null }>`select given.value as beginning,
    (select word from search_words where word >= given.value and word < given.value || ${LAST} order by word limit 1) as word
    from ${texts.each(beginnings)} as given`.execute(tx)
  return rows.flatMap(({ beginning, word }) => (word === null ? [] : { beginning, word }))
}

/** Stored words that end with a text, in order. */
export async function wordsEnding(tx: Tx, ending: string, most: number): Promise<string[]> {
  const rows = await tx
    .selectFrom('search_words')
    .select('word')
    .where('reversed', '>=', reversed(ending))
    .where('reversed', '<', reversed(ending) + LAST)
    .orderBy('word')
    .limit(most)
    .execute()
  return rows.map(({ word }) => word)
}

/** Stored words that begin with one of some texts, in order. */
export async function wordsBeginning(tx: Tx, beginnings: readonly string[], most: number): Promise<string[]> {
  const { texts } = dialectOf(tx)
  const { rows } = await sql<{ word: string }>`select distinct word from ${texts.each(beginnings)} as given
    cross join search_words where word >= given.value and word < given.value || ${LAST}
    order by word limit ${most}`.execute(tx)
  return rows.map(({ word }) => word)
}

/** Stores whether an event is free of charge. */
export async function setFree(tx: Tx, event: number, isFree: boolean, isNew: boolean): Promise<void> {
  if (!isNew) await tx.deleteFrom('free_events').where('event', '=', event).execute()
  if (isFree) await insertLater(tx, 'free_events', [{ event }])
}
