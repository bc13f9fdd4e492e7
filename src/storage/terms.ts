import { type Expression, type SqlBool, sql } from 'kysely'
import type { Instant } from '../calendar/zone.ts'
import type { TermKind } from '../schema/term.ts'
import { idsWhere } from './audit/reading.ts'
import { hasChangedMore, hasCreated, willRemove, willUpdate, willUpdateAll } from './audit/tracker.ts'
import { dialectOf, type Tx } from './dialect.ts'
import { isModifiedIn, type ModifiedRange } from './event-filter.ts'
import { isAfter, type SortKey, type SortValues } from './keyset.ts'
import { INDEPENDENT, prepared, preparedBy, preparedList, waitingIn } from './prepared.ts'
import { firstFree, type Page } from './records.ts'
import type { TermTable } from './tables.ts'
import {
  isEventFullyVisible,
  isTermVisible,
  SHARED_VISIBILITIES,
  type Visibility,
  type WithoutReader,
} from './visibility.ts'
import { indexName, removeName } from './word-search.ts'

export type TermRow = TermTable

export interface TermFilter {
  /** Case-folded. */
  readonly search: string | null
  readonly include: readonly number[] | null
  readonly exclude: readonly number[]
  readonly parent: number | null
  readonly slugs: readonly string[] | null
  /** Case-folded. */
  readonly name: string | null
  readonly event: number | null
  /** The terms of a protected event are shown only to readers who see all of it. */
  readonly visibility: Visibility
  readonly hideEmpty: boolean
  readonly orderBy: 'id' | 'name' | 'slug' | 'count' | 'description' | 'include'
  readonly order: 'asc' | 'desc'
  readonly modified?: ModifiedRange
  /** Sort values of the term before the first one. */
  readonly after?: SortValues | null
}

/** A term with the value that the list is sorted by. */
export type SortedTerm = TermRow & { readonly sorted_by: string | number | null }

/** Categories or tags. Ties are ordered by name, then id. */
export async function list(
  tx: Tx,
  kind: TermKind,
  filter: TermFilter,
  limit: number,
  offset: number,
): Promise<Page<SortedTerm>> {
  const matching = tx.selectFrom('terms').where((eb) => {
    const conditions: Expression<SqlBool>[] = [eb('kind', '=', kind)]
    if (filter.search !== null) conditions.push(dialectOf(tx).contains(eb.ref('name_key'), filter.search))
    if (filter.include !== null) conditions.push(eb('id', 'in', filter.include))
    if (filter.exclude.length > 0) conditions.push(eb('id', 'not in', filter.exclude))
    if (filter.parent !== null) conditions.push(eb('parent', '=', filter.parent))
    if (filter.slugs !== null) conditions.push(eb('slug', 'in', filter.slugs))
    if (filter.name !== null) conditions.push(eb('name_key', '=', filter.name))
    if (filter.modified !== undefined) conditions.push(...isModifiedIn(filter.modified, 'terms.modified_utc'))
    if (filter.hideEmpty) conditions.push(eb('count', '>', 0))
    if (filter.event !== null) {
      const ofEvent = eb
        .selectFrom('event_terms')
        .innerJoin('events', 'events.id', 'event_terms.event')
        .select('event_terms.term')
        .where('events.id', '=', filter.event)
        .where((e) => isEventFullyVisible(tx, e, filter.visibility))
      conditions.push(eb('id', 'in', ofEvent))
      // A reader of an event sees all its terms, also hidden ones.
    } else conditions.push(isTermVisible(eb, filter.visibility))
    return eb.and(conditions)
  })
  const first = key(filter)
  const keys: SortKey[] = [
    { by: first, direction: filter.order },
    { by: sql.ref('name_key'), direction: 'asc' },
    { by: sql.ref('id'), direction: 'asc' },
  ]
  const rows = await matching
    .$if(Boolean(filter.after), (query) => query.where(isAfter(keys, filter.after ?? [])))
    .selectAll()
    .select(sql<string | number | null>`${first}`.as('sorted_by'))
    .orderBy(first, filter.order)
    .orderBy('name_key')
    .orderBy('id')
    .limit(limit)
    .offset(offset)
    .execute()
  // Most lists are short, and are not counted.
  if (offset === 0 && rows.length < limit && !filter.after) return { rows, total: rows.length }
  const { total } = await matching.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  return { rows, total: Number(total) }
}

function key({ orderBy, include }: TermFilter): Expression<unknown> {
  if (orderBy === 'name') return sql.ref('name_key')
  if (orderBy === 'description') return sql`coalesce(${sql.ref('description')}, '')`
  if (orderBy !== 'include') return sql.ref(orderBy)
  const cases = (include ?? []).map((id, position) => sql`when ${id} then ${sql.lit(position)}`)
  return cases.length === 0 ? sql.ref('id') : sql`case ${sql.ref('id')} ${sql.join(cases, sql` `)} end`
}

const byId = prepared<TermRow, [kind: TermKind, id: number]>(
  (db, kind, id) => db.selectFrom('terms').selectAll().where('kind', '=', kind).where('id', '=', id),
  INDEPENDENT,
)

export async function get(tx: Tx, kind: TermKind, id: number, _reason: WithoutReader): Promise<TermRow | undefined> {
  const known = waitingIn(tx)?.terms.get(id)
  return known?.kind === kind ? known : current(tx, await byId(tx, kind, id))
}

/** The first of some rows, with the counts that wait to be stored. */
function current(tx: Tx, [row]: readonly TermRow[]): TermRow | undefined {
  return row && (waitingIn(tx)?.terms.current(row) ?? row)
}

/** The given terms that exist, hidden or not. */
export function getAll(tx: Tx, kind: TermKind, ids: readonly number[], _reason: WithoutReader): Promise<TermRow[]> {
  return someOf(kind)(tx, ids)
}

const someOf = preparedBy((kind: TermKind) =>
  preparedList<TermRow>((db, ids) =>
    db.selectFrom('terms').selectAll().where('kind', '=', kind).where('id', 'in', ids),
  ),
)

const someTerms = preparedList<TermRow>((db, ids) => db.selectFrom('terms').selectAll().where('id', 'in', ids))

/** Order of terms by name, and those of the same name by id: by code point, as the databases do. */
export function byName(one: Pick<TermRow, 'id' | 'name_key'>, other: Pick<TermRow, 'id' | 'name_key'>): number {
  if (one.name_key === other.name_key) return one.id - other.id
  return Buffer.compare(Buffer.from(one.name_key), Buffer.from(other.name_key))
}

/** The given categories and tags. */
export function getSome(tx: Tx, ids: readonly number[], _reason: WithoutReader): Promise<TermRow[]> {
  return someTerms(tx, ids)
}

/** Locks the terms of a kind until the transaction ends. Returns whether they may have changed while waiting. */
export function lock(tx: Tx, kind: TermKind): Promise<boolean> {
  return dialectOf(tx).lock(tx, `terms ${kind}`)
}

/** Finds a term by slug or else the oldest by case-folded name. */
export async function find(
  tx: Tx,
  kind: TermKind,
  slug: string | null,
  nameKey: string,
  reader: Visibility | WithoutReader,
): Promise<TermRow | undefined> {
  const bySlug = slug === null ? undefined : await findBySlug(tx, kind, slug, reader)
  return bySlug ?? current(tx, await firstOf(`name_key ${shownOf(reader)}`)(tx, kind, nameKey))
}

/** Finds a term by slug. */
export async function findBySlug(
  tx: Tx,
  kind: TermKind,
  slug: string,
  reader: Visibility | WithoutReader,
): Promise<TermRow | undefined> {
  return current(tx, await firstOf(`slug ${shownOf(reader)}`)(tx, kind, slug))
}

function shownOf(reader: Visibility | WithoutReader): 'all' | 'visible' {
  return typeof reader === 'string' || reader.all ? 'all' : 'visible'
}

/** The first term of a kind with a value in a column, of all or of those that everybody may see. */
const firstOf = preparedBy((which: `${'slug' | 'name_key'} ${'all' | 'visible'}`) => {
  const [column = 'slug', some] = which.split(' ') as ['slug' | 'name_key', string]
  return prepared<TermRow, [kind: TermKind, value: string]>((db, kind, value) => {
    const found = db.selectFrom('terms').selectAll().where('kind', '=', kind).where(column, '=', value)
    return (some === 'all' ? found : found.where((eb) => isTermVisible(eb, SHARED_VISIBILITIES.public)))
      .orderBy('id')
      .limit(1)
  }, INDEPENDENT)
})

/** Ids of all terms that have one of some slugs or case-folded names. */
export async function named(tx: Tx, slugs: readonly string[], nameKeys: readonly string[]): Promise<number[]> {
  const rows = await tx
    .selectFrom('terms')
    .select('id')
    .where((eb) => eb.or([eb('slug', 'in', ['', ...slugs]), eb('name_key', 'in', ['', ...nameKeys])]))
    .execute()
  return rows.map(({ id }) => id)
}

/** Finds a child of `parent` by case-folded name. */
export async function sibling(
  tx: Tx,
  kind: TermKind,
  parent: number,
  nameKey: string,
  _reason: WithoutReader,
): Promise<TermRow | undefined> {
  return tx
    .selectFrom('terms')
    .selectAll()
    .where('kind', '=', kind)
    .where('parent', '=', parent)
    .where('name_key', '=', nameKey)
    .executeTakeFirst()
}

/** Whether a published event, protected or not, has a term. */
export async function isOfPublished(tx: Tx, term: number): Promise<boolean> {
  const found = await tx
    .selectFrom('event_terms')
    .innerJoin('events', 'events.id', 'event_terms.event')
    .select('events.id')
    .where('event_terms.term', '=', term)
    .where((eb) => eb(dialectOf(tx).unindexed(eb.ref('events.status')), '=', 'publish'))
    .limit(1)
    .execute()
  return found.length > 0
}

/** Ids of categories and all their descendants. */
export async function withDescendants(tx: Tx, ids: readonly number[]): Promise<number[]> {
  // Most categories have none below them, and a recursive query takes five times as long to find out.
  const rows = (await children(tx, ids)).length === 0 ? [] : await descendants(tx, ids)
  if (rows.length === 0) return [...new Set(ids)]
  // A long list is read in parts, which may have some in common.
  return [...new Set(rows.map((row) => row.id))]
}

const children = preparedList<{ id: number }>((db, ids) =>
  db.selectFrom('terms').select('id').where('kind', '=', 'category').where('parent', 'in', ids).limit(1),
)

const descendants = preparedList<{ id: number }>((on, ids) =>
  on
    .withRecursive('tree(id)', (db) =>
      db
        .selectFrom('terms')
        .select('terms.id')
        .where('terms.id', 'in', ids)
        .union(
          db
            .selectFrom('tree')
            // In this order: SQLite would read all categories for each one.
            .crossJoin('terms')
            .whereRef('terms.parent', '=', 'tree.id')
            // Only categories have parents; the index on these begins with the kind.
            .where('terms.kind', '=', 'category')
            .select('terms.id'),
        ),
    )
    .selectFrom('tree')
    .select('id'),
)

/** Depth of a category in the tree, from 1. */
export async function depthAbove(tx: Tx, term: TermRow): Promise<number> {
  return (await ancestry(tx, [term])).size
}

/** Height of the subtree of a category, from 1; 1 for a new category. */
export async function depthBelow(tx: Tx, id: number | null): Promise<number> {
  if (id === null) return 1
  const { depth } = await tx
    .withRecursive('tree(id, depth)', (db) =>
      db
        .selectFrom('terms')
        .select(['terms.id', sql<number>`1`.as('depth')])
        .where('terms.id', '=', id)
        .union(
          db
            .selectFrom('tree')
            // As above.
            .crossJoin('terms')
            .whereRef('terms.parent', '=', 'tree.id')
            .where('terms.kind', '=', 'category')
            .select(['terms.id', sql<number>`tree.depth + 1`.as('depth')]),
        ),
    )
    .selectFrom('tree')
    .select((eb) => eb.fn.max('depth').as('depth'))
    .executeTakeFirstOrThrow()
  return Number(depth)
}

/** Ancestors of each term, nearest first. */
export async function above(tx: Tx, terms: readonly TermRow[]): Promise<Map<number, readonly TermRow[]>> {
  const known = await ancestry(tx, terms)
  const above = new Map<number, readonly TermRow[]>()
  const aboveOf = (term: TermRow): readonly TermRow[] => {
    const parent = known.get(term.parent)
    const found = above.get(term.id) ?? (parent === undefined ? [] : [parent, ...aboveOf(parent)])
    above.set(term.id, found)
    return found
  }
  for (const term of terms) aboveOf(term)
  return above
}

/** Terms and their ancestors by id. One query per level; there are few levels. */
async function ancestry(tx: Tx, terms: readonly TermRow[]): Promise<Map<number, TermRow>> {
  const known = new Map(terms.map((term) => [term.id, term]))
  let level: readonly TermRow[] = terms
  while (level.length > 0) {
    const unknown = new Set(level.map((term) => term.parent).filter((parent) => parent > 0 && !known.has(parent)))
    level = await getAll(tx, 'category', [...unknown], 'no reader: seen')
    for (const term of level) known.set(term.id, term)
  }
  return known
}

export async function create(tx: Tx, term: Omit<TermRow, 'id' | 'count'>): Promise<number> {
  const id = await dialectOf(tx).nextId(tx, 'terms')
  await tx
    .insertInto('terms')
    .values({ ...term, id, count: 0 })
    .execute()
  hasCreated(tx, 'term', id, { ...term, id })
  await indexName(tx, 'term', id, [term.name], true)
  return id
}

export async function update(tx: Tx, id: number, changes: Partial<Omit<TermRow, 'id'>>): Promise<void> {
  await willUpdate(tx, 'term', id, changes)
  await tx.updateTable('terms').set(changes).where('id', '=', id).execute()
  if (changes.name !== undefined) await indexName(tx, 'term', id, [changes.name], false)
  const { slug, parent, modified_utc } = changes
  if ((slug ?? parent) !== undefined && modified_utc !== undefined) await changeAddresses(tx, [id], modified_utc)
}

/** Tells that categories have another address, and all below them. */
export async function changeAddresses(tx: Tx, ids: readonly number[], now: Instant): Promise<void> {
  const all = JSON.stringify(await withDescendants(tx, ids))
  await tx
    .updateTable('terms')
    .set({ modified_utc: now })
    .where((eb) => dialectOf(tx).isInLongJson(eb.ref('id'), eb.val(all)))
    .execute()
}

/**
 * Makes terms public permanently, with their ancestors, which are part of their URLs. A review changes them, at `now`; an
 * event that is published does not.
 */
export async function publish(tx: Tx, ids: readonly number[], now: Instant | null = null): Promise<void> {
  if (ids.length === 0) return
  const { numUpdatedRows } = await tx
    .withRecursive('line(id, parent)', (db) =>
      db
        .selectFrom('terms')
        .select(['terms.id', 'terms.parent'])
        .where('terms.id', 'in', ids)
        .union(
          db.selectFrom('terms').innerJoin('line', 'line.parent', 'terms.id').select(['terms.id', 'terms.parent']),
        ),
    )
    .updateTable('terms')
    .set({ published: 1, ...(now !== null && { modified_utc: now }) })
    .where('published', '=', 0)
    .where('id', 'in', (eb) => eb.selectFrom('line').select('line.id'))
    .executeTakeFirst()
  if (numUpdatedRows > 0n) hasChangedMore(tx)
}

/** Deletes a term. Its children move up to its parent, and events lose it. */
export async function remove(tx: Tx, term: TermRow, now: Instant): Promise<void> {
  const children = await idsWhere(tx, 'terms', 'parent', term.id)
  await willUpdateAll(tx, 'term', children, { parent: true })
  await willRemove(tx, 'term', term.id)
  await tx
    .updateTable('terms')
    .set({ parent: term.parent })
    .where('parent', '=', term.id)
    .where('kind', '=', term.kind)
    .execute()
  await changeAddresses(tx, children, now)
  await removeName(tx, 'term', term.id)
  await tx.deleteFrom('terms').where('id', '=', term.id).execute()
}

/** Returns the slug if no other term of this kind has it, else a numbered one. */
export async function freeSlug(tx: Tx, kind: TermKind, wanted: string, except = 0): Promise<string> {
  await dialectOf(tx).lock(tx, `slug ${kind} ${wanted}`)
  return firstFree(wanted, async (slug) => {
    const row = await tx
      .selectFrom('terms')
      .select('id')
      .where('kind', '=', kind)
      .where('slug', '=', slug)
      .executeTakeFirst()
    return row === undefined || row.id === except
  })
}
