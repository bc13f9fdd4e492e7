import type { Instant } from '../calendar/zone.ts'
import { isLinkedKind, type LinkedKind } from '../schema/linked.ts'
import type { TermKind } from '../schema/term.ts'
import { idsWhere } from './audit/reading.ts'
import { willUpdateAll } from './audit/tracker.ts'
import { dialectOf, selectIds, type Tx } from './dialect.ts'
import { LINK_TABLE, RECORD_TABLE } from './records.ts'
import { changeAddresses } from './terms.ts'

/** The kinds of records and terms that are merged. */
export type MergeKind = LinkedKind | TermKind

/** Limit on slugs that are looked up: deeper than any tree of categories. */
const MAX_SLUGS = 50

/** Events per transaction: others wait for it at most some tenths of a second. */
const BATCH = 500

/** The table of links of a kind, and its column. The type checker sees all of them as one. */
export function linksOf(kind: MergeKind): { table: 'event_venues'; column: 'linked' } {
  return isLinkedKind(kind)
    ? { table: LINK_TABLE[kind] as 'event_venues', column: 'linked' }
    : { table: 'event_terms' as 'event_venues', column: 'term' as 'linked' }
}

/**
 * Locks rows, so that no other transaction adds a link to one of them or changes a count until this one ends. One that has done
 * so before is waited for.
 */
export async function lockRows(tx: Tx, kind: MergeKind, ids: readonly number[]): Promise<void> {
  if (!dialectOf(tx).locksRows) return
  const table = isLinkedKind(kind) ? (RECORD_TABLE[kind] as 'venues') : ('terms' as 'venues')
  await tx.selectFrom(table).select('id').where('id', 'in', ids).orderBy('id').forUpdate().execute()
}

/**
 * Moves some events from one record or term to another, and returns whether there are more. An event that has both keeps
 * one link. The events get a new revision first: that locks them, and cached renderings of them are no longer used.
 * Writers of events lock in the same order, first the event and then what it is linked to, so that they and this wait for
 * each other, but not in a circle.
 */
export async function moveEvents(tx: Tx, kind: MergeKind, from: number, into: number): Promise<boolean> {
  const { table, column } = linksOf(kind)
  const linked = tx.selectFrom(table).select('event as id').where(column, '=', from)
  const some = JSON.stringify(await selectIds(tx, linked.orderBy('event').limit(BATCH)))
  const { isInJson } = dialectOf(tx)
  await tx
    .updateTable('events')
    .set((eb) => ({ image: eb.ref('image') }))
    .where((eb) => isInJson(eb.ref('id'), eb.val(some)))
    .execute()
  await lockRows(tx, kind, [from, into])
  const lost = isLinkedKind(kind) ? 0 : await countPublished(tx, from, some)
  await tx
    .deleteFrom(table)
    .where(column, '=', from)
    .where((eb) => isInJson(eb.ref('event'), eb.val(some)))
    .where('event', 'in', (eb) => eb.selectFrom(`${table} as other`).select('other.event').where(column, '=', into))
    .execute()
  const gained = isLinkedKind(kind) ? 0 : await countPublished(tx, from, some)
  await tx
    .updateTable(table)
    .set({ [column]: into })
    .where(column, '=', from)
    .where((eb) => isInJson(eb.ref('event'), eb.val(some)))
    .execute()
  if (lost > 0) await addToCount(tx, from, -lost)
  if (gained > 0) await addToCount(tx, into, gained)
  return (await linked.limit(1).executeTakeFirst()) !== undefined
}

/** Number of a term's published events among these, which are a JSON list. */
async function countPublished(tx: Tx, term: number, events: string): Promise<number> {
  const { isInJson, unindexed } = dialectOf(tx)
  const { total } = await tx
    .selectFrom('event_terms')
    .innerJoin('events', 'events.id', 'event_terms.event')
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .where('event_terms.term', '=', term)
    .where((eb) => isInJson(eb.ref('event_terms.event'), eb.val(events)))
    .where((eb) => eb(unindexed(eb.ref('events.status')), '=', 'publish'))
    .where('events.password_hash', 'is', null)
    .executeTakeFirstOrThrow()
  return Number(total)
}

async function addToCount(tx: Tx, term: number, by: number): Promise<void> {
  await tx
    .updateTable('terms')
    .set((eb) => ({ count: eb('count', '+', by) }))
    .where('id', '=', term)
    .execute()
}

/** Moves the children of a category to another one. */
export async function moveChildren(tx: Tx, from: number, into: number, now: Instant): Promise<void> {
  const children = (await idsWhere(tx, 'terms', 'parent', from)).filter((id) => id !== into)
  await willUpdateAll(tx, 'term', children, { parent: true })
  await tx
    .updateTable('terms')
    .set({ parent: into })
    .where('kind', '=', 'category')
    .where('parent', '=', from)
    .where('id', '!=', into)
    .execute()
  await changeAddresses(tx, children, now)
}

/** Lets the old address lead to the new one, with all that led to the old one. The next import finds the new one. */
export async function redirect(
  tx: Tx,
  kind: MergeKind,
  from: { readonly id: number; readonly slug: string },
  into: number,
  now: Instant,
): Promise<void> {
  const moved = { target: into, merged_utc: now }
  await tx
    .updateTable('old_addresses')
    .set({ target: into })
    .where('kind', '=', kind)
    .where('target', '=', from.id)
    .execute()
  await tx
    .insertInto('old_addresses')
    .values({ kind, id: from.id, slug: from.slug, ...moved })
    .execute()
  await tx.updateTable('imports').set({ record: into }).where('kind', '=', kind).where('record', '=', from.id).execute()
}

/** The id that an old address leads to. The last record that had the slug counts. */
export async function findBySlug(tx: Tx, kind: MergeKind, slug: string): Promise<number | undefined> {
  const row = await tx
    .selectFrom('old_addresses')
    .select('target')
    .where('kind', '=', kind)
    .where('slug', '=', slug)
    .orderBy('merged_utc', 'desc')
    .orderBy('id', 'desc')
    .executeTakeFirst()
  return row?.target
}

/** Whether one of these slugs is an old address. */
export async function isAnyMerged(tx: Tx, kind: MergeKind, slugs: readonly string[]): Promise<boolean> {
  if (slugs.length === 0) return false
  const row = await tx
    .selectFrom('old_addresses')
    .select('id')
    .where('kind', '=', kind)
    .where('slug', 'in', slugs.slice(0, MAX_SLUGS))
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** The id of the record or term that another one was merged into. */
export async function findById(tx: Tx, kind: MergeKind, id: number): Promise<number | undefined> {
  const row = await tx
    .selectFrom('old_addresses')
    .select('target')
    .where('kind', '=', kind)
    .where('id', '=', id)
    .executeTakeFirst()
  return row?.target
}

/** Forgets the old addresses that lead to a record or term that is removed. */
export async function forget(tx: Tx, kind: MergeKind, target: number): Promise<void> {
  await tx.deleteFrom('old_addresses').where('kind', '=', kind).where('target', '=', target).execute()
}
