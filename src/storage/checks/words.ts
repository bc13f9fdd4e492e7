import type { LinkedKind } from '../../schema/linked.ts'
import { LINKED_KINDS } from '../../schema/linked.ts'
import { dialectOf, type Tx } from '../dialect.ts'
import { RECORD_TABLE, type RecordRow } from '../records.ts'
import { eventWords, indexEvent, indexName, indexRecord, nameWords } from '../word-search.ts'

/** Events or names whose words in the index are not those of their texts, from an id on. */
export interface WordBatch {
  readonly differing: readonly number[]
  /** Id to go on after; null at the end. */
  readonly last: number | null
}

const BATCH = 500

/** Compares the index with the texts of some events. */
export async function compareEvents(tx: Tx, after: number): Promise<WordBatch> {
  const rows = await tx
    .selectFrom('events')
    .select(['id', 'title_search', 'search', 'excerpt'])
    .where('id', '>', after)
    .orderBy('id')
    .limit(BATCH)
    .execute()
  const differing = await dialectOf(tx).texts.findDiffering(tx, rows.map(eventWords))
  return { differing, last: rows.length < BATCH ? null : (rows.at(-1)?.id ?? null) }
}

/** Indexes events anew. */
export async function repairEvents(tx: Tx, ids: readonly number[]): Promise<void> {
  for (const id of ids) {
    const row = await tx
      .selectFrom('events')
      .select(['id', 'title_search', 'search', 'excerpt'])
      .where('id', '=', id)
      .executeTakeFirst()
    if (row !== undefined) await indexEvent(tx, row, false)
  }
}

type NamedKind = LinkedKind | 'term'
export const NAMED_KINDS: readonly NamedKind[] = [...LINKED_KINDS, 'term']

/** Names of a kind, each with the words that it is found by. */
async function namesOf(tx: Tx, kind: NamedKind, after: number): Promise<{ id: number; names: readonly unknown[] }[]> {
  if (kind === 'term') {
    const rows = await tx
      .selectFrom('terms')
      .select(['id', 'name'])
      .where('id', '>', after)
      .orderBy('id')
      .limit(BATCH)
      .execute()
    return rows.map(({ id, name }) => ({ id, names: [name] }))
  }
  const rows = await tx
    .selectFrom(RECORD_TABLE[kind])
    .selectAll()
    .where('id', '>', after)
    .orderBy('id')
    .limit(BATCH)
    .execute()
  return (rows as unknown as RecordRow[]).map((row) => ({ id: row.id, names: [row[kind], row.city] }))
}

/** Compares the index with some names. */
export async function compareNames(tx: Tx, kind: NamedKind, after: number): Promise<WordBatch> {
  const rows = await namesOf(tx, kind, after)
  const ids = rows.map(({ id }) => id)
  const stored = new Map<number, string[]>(ids.map((id) => [id, []]))
  if (ids.length > 0) {
    const found = await tx
      .selectFrom('linked_words')
      .select(['linked', 'word'])
      .where('kind', '=', kind)
      .where('linked', 'in', ids)
      .execute()
    for (const { linked, word } of found) stored.get(linked)?.push(word)
  }
  const differing = rows.filter(({ id, names }) => !isSame(stored.get(id) ?? [], nameWords(names))).map(({ id }) => id)
  return { differing, last: rows.length < BATCH ? null : (ids.at(-1) ?? null) }
}

/** Indexes names anew. */
export async function repairNames(tx: Tx, kind: NamedKind, ids: readonly number[]): Promise<void> {
  for (const id of ids) {
    if (kind === 'term') {
      const term = await tx.selectFrom('terms').select('name').where('id', '=', id).executeTakeFirst()
      if (term !== undefined) await indexName(tx, kind, id, [term.name], false)
    } else {
      const row = await tx.selectFrom(RECORD_TABLE[kind]).selectAll().where('id', '=', id).executeTakeFirst()
      if (row !== undefined) await indexRecord(tx, kind, row as unknown as RecordRow, false)
    }
  }
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && new Set([...one, ...other]).size === one.length
}
