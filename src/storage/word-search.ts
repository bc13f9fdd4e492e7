import { type ExpressionBuilder, type RawBuilder, sql } from 'kysely'
import { wordsOfSafe } from '../lib/html.ts'
import { wordsOf } from '../lib/words.ts'
import { LINKED_KINDS, type LinkedKind } from '../schema/linked.ts'
import { dialectOf, selectIds, type Tx } from './dialect.ts'
import { prepared } from './prepared.ts'
import type { RecordRow } from './records.ts'
import type { EventTable, Tables } from './tables.ts'
import { isFullyVisible, isTermVisible, isVisible, type Visibility } from './visibility.ts'

/**
 * Search by words. The index has the words of an event's own texts. Names of venues, organizers and terms have a small
 * index of their own, so that a new name changes no event.
 */

type EventTexts = Pick<EventTable, 'id' | 'title_search' | 'search' | 'excerpt'>
/** Kinds of names that events are found by. */
type NamedKind = LinkedKind | 'term'

/** Words that may be suggested. */
const SUGGESTED = /^\p{L}{3,32}$/u
/** Ends a range of words: no text is greater. */
const LAST = '\u{10ffff}'

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
  const words = wordsOf(texts.excerpt ? `${texts.search}\n${wordsOfSafe(texts.excerpt)}` : texts.search)
  const title = wordsOf(texts.title_search)
  for (const id of ids) await dialectOf(tx).texts.put(tx, { id, title, words }, isNew)
  await addSuggestions(tx, words)
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
  const words = wordsOf(names.filter((name) => typeof name === 'string').join('\n'))
  for (const word of words) await tx.insertInto('linked_words').values({ word, kind, linked: id }).execute()
  await addSuggestions(tx, words)
}

/** Indexes a venue or organizer: its events are found by its name, and its city if it has one. */
export function indexRecord(tx: Tx, kind: LinkedKind, row: RecordRow, isNew: boolean): Promise<void> {
  return indexName(tx, kind, row.id, [row[kind], row.city], isNew)
}

export async function removeName(tx: Tx, kind: NamedKind, id: number): Promise<void> {
  await tx.deleteFrom('linked_words').where('kind', '=', kind).where('linked', '=', id).execute()
}

async function addSuggestions(tx: Tx, words: readonly string[]): Promise<void> {
  const suggested = words
    .filter((word) => SUGGESTED.test(word))
    .sort()
    .map((word): [string, string] => [word, reversed(word)])
  if (suggested.length > 0) await dialectOf(tx).texts.addSuggestions(tx, suggested)
}

/** A word of a search, and the kinds of names that begin with it. */
export interface SearchedWord {
  readonly word: string
  readonly kinds: readonly NamedKind[]
}

/** Looks up which words are names: the others are found by the index of events alone. */
export async function planSearch(tx: Tx, words: readonly string[]): Promise<SearchedWord[]> {
  if (words.length === 0) return []
  const arms = words.map(
    (word, n) =>
      sql`select ${sql.lit(n)} as n, kind from (select distinct kind from linked_words where ${isInRange(word)}) as named`,
  )
  const { rows } = await sql<{ n: number; kind: NamedKind }>`${sql.join(arms, sql` union all `)}`.execute(tx)
  return words.map((word, at) => ({ word, kinds: rows.filter(({ n }) => n === at).map(({ kind }) => kind) }))
}

function isInRange(word: string): RawBuilder<boolean> {
  return sql<boolean>`linked_words.word >= ${word} and linked_words.word < ${word + LAST}`
}

/**
 * Query for the ids of events that have all words, in texts and names that the reader may see. Of a protected event,
 * that is the title.
 */
export function eventsHaving(tx: Tx, words: readonly SearchedWord[], visibility: Visibility): RawBuilder<number> {
  const { texts } = dialectOf(tx)
  // A search without a word finds nothing.
  if (words.length === 0) return sql<number>`(select id from events where 1 = 0)`
  const named = words.filter(({ kinds }) => kinds.length > 0)
  const others = words.filter(({ kinds }) => kinds.length === 0).map(({ word }) => word)
  const sets = named.map((word) => withNames(tx, word, visibility))
  if (others.length > 0) sets.push(sql`select id from ${texts.having(others, 'words')} as own`)
  const all = sql`select id from (${sql.join(sets, sql` intersect `)}) as having_all`
  if (visibility.all) return sql<number>`(${all})`
  const hidden = tx
    .selectFrom('events')
    .select('events.id')
    .where('password_hash', 'is not', null)
    .where((eb) => eb.not(isFullyVisible(eb, visibility)))
  return sql<number>`(${all} where id not in (${hidden}) union ${sql`select id from ${titled(tx, words)} as titled`})`
}

/** Query for the ids of events that have all words in their titles. */
function titled(tx: Tx, words: readonly SearchedWord[]): RawBuilder<number> {
  return dialectOf(tx).texts.having(
    words.map(({ word }) => word),
    'title',
  )
}

/** Events that have a word themselves, or in a name. */
function withNames(tx: Tx, { word, kinds }: SearchedWord, visibility: Visibility): RawBuilder<unknown> {
  const linked = LINKED_KINDS.filter((kind) => kinds.includes(kind)).map((kind) => {
    const named = tx
      .selectFrom('linked_words')
      .innerJoin(`${kind}s as named` as 'venues as named', 'named.id', 'linked_words.linked')
      .select('linked_words.linked')
      .where('linked_words.kind', '=', kind)
      .where(isInRange(word))
      .where((eb) => isVisible(eb as unknown as ExpressionBuilder<Tables, 'venues'>, visibility, null))
    return sql`select event from ${sql.table(`event_${kind}s`)} where linked in (${named})`
  })
  const terms = tx
    .selectFrom('linked_words')
    .innerJoin('terms', 'terms.id', 'linked_words.linked')
    .select('linked_words.linked')
    .where('linked_words.kind', '=', 'term')
    .where(isInRange(word))
    .where((eb) => isTermVisible(eb as unknown as ExpressionBuilder<Tables, 'terms'>, visibility))
  const ofTerms = kinds.includes('term') ? [sql`select event from event_terms where term in (${terms})`] : []
  const own = sql`select id from ${dialectOf(tx).texts.having([word], 'words')} as own`
  return sql`select id from (${sql.join([own, ...linked, ...ofTerms], sql` union `)}) as named`
}

/** Ids of the events that have all words, for a reader; null if there are more than `most`. */
export async function findHaving(
  tx: Tx,
  words: readonly SearchedWord[],
  visibility: Visibility,
  most: number,
): Promise<number[] | null> {
  const found = sql`(select id from ${eventsHaving(tx, words, visibility)} as having_words limit ${most + 1})`
  const ids = await selectIds(tx, found)
  return ids.length > most ? null : ids
}

/** Ids of the events that have all words in their titles, whoever may see them. */
export async function findTitled(tx: Tx, words: readonly SearchedWord[]): Promise<Set<number>> {
  return words.length === 0 ? new Set() : new Set(await selectIds(tx, titled(tx, words)))
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

function reversed(text: string): string {
  return [...text].reverse().join('')
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

const setFreeRow = prepared<object, [number]>((db, event) => db.insertInto('free_events').values({ event }))

/** Stores whether an event is free of charge. */
export async function setFree(tx: Tx, event: number, isFree: boolean, isNew: boolean): Promise<void> {
  if (!isNew) await tx.deleteFrom('free_events').where('event', '=', event).execute()
  if (isFree) await setFreeRow(tx, event)
}
