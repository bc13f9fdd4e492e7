import { type Expression, type ExpressionBuilder, type RawBuilder, sql } from 'kysely'
import { TimeSlice } from '../lib/time-slices.ts'
import type { LinkedKind } from '../schema/linked.ts'
import { dialectOf, selectIds, type Tx } from './dialect.ts'
import { Marks } from './marks.ts'
import type { Tables } from './tables.ts'
import { isFullyVisible, isTermVisible, isVisible, type Visibility } from './visibility.ts'

/**
 * Search by words. The cost of a search is bounded: whatever the number of its words, each link of an event is read once
 * at most. So a search for many words that name everything takes little longer than for one.
 */

/** Kinds of names that events are found by. */
export type NamedKind = LinkedKind | 'term'

/** Ids of the events that a search by words finds. */
export interface WordHits {
  readonly words: readonly string[]
  readonly ids: readonly number[]
  /** Events that have all words in their titles. */
  readonly titled: readonly number[]
}

/** The same without the ids, which take much memory. */
export function withoutIds({ words }: Pick<WordHits, 'words'>): WordHits {
  return { words, ids: [], titled: [] }
}

/** Whether an event has all words of a search in its title. */
export async function isTitled(tx: Tx, { words }: WordHits, event: number): Promise<boolean> {
  const { texts } = dialectOf(tx)
  await texts.settle(tx)
  const titled = texts.having(words, 'title')
  return (await selectIds(tx, sql`(select id from ${titled} as titled where id = ${event})`)).length > 0
}

/** Ends a range of words: no text is greater. */
export const LAST = '\u{10ffff}'

/** A word of a search, and the kinds of names that begin with it. */
interface SearchedWord {
  readonly word: string
  readonly kinds: readonly NamedKind[]
}

/**
 * Finds the events that have all words, in texts and names that the reader may see. Of a protected event, that is the
 * title. Events that the reader may not see are included: the query of a list leaves them out.
 */
export async function findHaving(tx: Tx, words: readonly string[], visibility: Visibility): Promise<WordHits> {
  if (words.length === 0) return withoutIds({ words })
  const { texts } = dialectOf(tx)
  await texts.settle(tx)
  const ids = await havingAll(tx, await namedBy(tx, words), visibility)
  if (ids.length === 0) return withoutIds({ words })
  // The words of an event include those of its title.
  const titled = await selectIds(tx, texts.having(words, 'title'))
  const hidden = await hiddenFrom(tx, visibility)
  if (hidden.size === 0) return { words, ids, titled }
  for (const id of titled) hidden.delete(id)
  return { words, ids: ids.filter((id) => !hidden.has(id)), titled }
}

/** Ids of some events that have a word, and whether these are all. Where many have it, that takes less than to find all. */
export async function someHaving(
  tx: Tx,
  word: string,
  visibility: Visibility,
  most: number,
): Promise<{ readonly ids: readonly number[]; readonly isAll: boolean }> {
  const { texts } = dialectOf(tx)
  await texts.settle(tx)
  const own = sql`select id from ${texts.having([word], 'words')} as own`
  const [searched] = await namedBy(tx, [word])
  const linked = (searched?.kinds ?? []).map((kind) => {
    const { table, column } = linksOf(kind)
    return sql`select event as id from ${sql.table(table)}
      where ${sql.ref(column)} in (${named(tx, kind, word)}) and ${sql.ref(column)} in (${visible(tx, kind, visibility)})`
  })
  const some = [own, ...linked].map((query) => sql`select id from (${query} limit ${most}) as first`)
  const found = await selectIds(tx, sql`(${sql.join(some, sql` union all `)})`)
  const hidden = await hiddenFrom(tx, visibility)
  const ids = hidden.size === 0 ? found : found.filter((id) => !hidden.has(id))
  // A hidden event may have the word in its title.
  return { ids, isAll: found.length < most && ids.length === found.length }
}

/** Looks up which words are names: the others are found by the index of events alone. */
async function namedBy(tx: Tx, words: readonly string[]): Promise<SearchedWord[]> {
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

/** Events that have each word, themselves or in a name that the reader may see. */
async function havingAll(tx: Tx, words: readonly SearchedWord[], visibility: Visibility): Promise<number[]> {
  const { texts } = dialectOf(tx)
  const others = words.filter(({ kinds }) => kinds.length === 0).map(({ word }) => word)
  const named = words.filter(({ kinds }) => kinds.length > 0).map((word, n) => ({ ...word, mark: 2 ** n }))
  // Words that are no names are often rare: then only their events are considered.
  const own = others.length === 0 ? null : await selectIds(tx, texts.having(others, 'words'))
  if (named.length === 0 || own?.length === 0) return own ?? []
  const few = own !== null && own.length <= MAX_FEW ? JSON.stringify(own) : null
  const rows = named.map(({ word, mark }) => marking(tx, mark, texts.having([word], 'words'), few))
  if (own !== null) rows.push(sql`select ${sql.lit(2 ** named.length)}, cast(${few ?? JSON.stringify(own)} as text)`)
  for (const [kind, marks] of await namedRecords(tx, named)) rows.push(markingLinked(tx, kind, marks, visibility, few))
  return texts.marked(tx, sql`(${sql.join(rows, sql` union all `)})`, 2 ** (named.length + (own === null ? 0 : 1)) - 1)
}

/** Events that are looked up one by one. */
const MAX_FEW = 2000

/** Row with the mark of the events of a query; only of few, if given. */
function marking(tx: Tx, mark: number, events: RawBuilder<number>, few: string | null): RawBuilder<unknown> {
  const { jsonList, unindexed, isInJson } = dialectOf(tx)
  // The index of texts would look each of the few up by itself.
  const among = few === null ? sql`` : sql`where ${isInJson(unindexed(sql.ref('own.id')), sql.val(few))}`
  return sql`select ${sql.lit(mark)} as marks, (select ${jsonList(sql.ref('own.id'))} from ${events} as own ${among}) as ids`
}

/** Rows with the marks of the events of venues, organizers or terms that the reader may see. */
function markingLinked(
  tx: Tx,
  kind: NamedKind,
  marks: Iterable<readonly [id: number, marks: number]>,
  visibility: Visibility,
  few: string | null,
): RawBuilder<unknown> {
  const { jsonList, isInJson, texts } = dialectOf(tx)
  const { table, column } = linksOf(kind)
  const ids = jsonList(sql.ref('linked.event'))
  const links = sql`${sql.table(table)} as linked`
  const isLink = sql`linked.${sql.ref(column)} = named.id`
  const named = sql`(select id, marks from ${texts.pairs([...marks])} as pairs where id in (${visible(tx, kind, visibility)})) as named`
  if (few === null) return sql`select marks, (select ${ids} from ${links} where ${isLink}) from ${named}`
  return sql`select marks, ${ids} from ${links} join ${named} on ${isLink}
    where ${isInJson(sql.ref('linked.event'), sql.val(few))} group by marks`
}

/** Records that have words in their names, by kind, with the marks of these words. */
async function namedRecords(
  tx: Tx,
  words: readonly (SearchedWord & { readonly mark: number })[],
): Promise<Map<NamedKind, Marks>> {
  const ids = dialectOf(tx).jsonList(sql.ref('named.linked'))
  const arms = words.flatMap(({ word, mark, kinds }) =>
    kinds.map(
      (kind) => sql`select ${sql.lit(kind)} as kind, ${sql.lit(mark)} as mark,
      (select ${ids} from (${named(tx, kind, word)}) as named) as ids`,
    ),
  )
  const { rows } = await sql<{
    kind: NamedKind
    mark: number
    ids: string
  }>`${sql.join(arms, sql` union all `)}`.execute(tx)
  const found = new Map<NamedKind, Marks>()
  const slice = new TimeSlice()
  for (const { kind, mark, ids } of rows) {
    if (slice.isOver) await slice.yield()
    const marks = found.get(kind) ?? new Marks()
    marks.add(mark, ids)
    found.set(kind, marks)
  }
  return found
}

/** Query for the records that have a word in their names. */
function named(tx: Tx, kind: NamedKind, word: string): RawBuilder<number> {
  return sql<number>`select linked from linked_words where ${isInRange(word)} and ${dialectOf(tx).unindexed(sql.ref('kind'))} = ${kind}`
}

/** Query for the records that the reader may see. */
function visible(tx: Tx, kind: NamedKind, visibility: Visibility): Expression<number> {
  if (kind === 'term')
    return tx
      .selectFrom('terms')
      .select('terms.id')
      .where((eb) => isTermVisible(eb, visibility)) as unknown as Expression<number>
  return tx
    .selectFrom(`${kind}s` as 'venues')
    .select('id')
    .where((eb) =>
      isVisible(eb as ExpressionBuilder<Tables, 'venues'>, visibility, null),
    ) as unknown as Expression<number>
}

function linksOf(kind: NamedKind): { table: string; column: string } {
  return kind === 'term' ? { table: 'event_terms', column: 'term' } : { table: `event_${kind}s`, column: 'linked' }
}

/** Ids of protected events of which the reader sees the title only. */
async function hiddenFrom(tx: Tx, visibility: Visibility): Promise<Set<number>> {
  if (visibility.all) return new Set()
  const hidden = tx
    .selectFrom('events')
    .select('events.id')
    .where('password_hash', 'is not', null)
    .where((eb) => eb.not(isFullyVisible(eb, visibility)))
  return new Set(await selectIds(tx, hidden))
}
