import { willReplace } from './audit/tracker.ts'
import type { Tx } from './dialect.ts'
import { LINK_TABLE, type LinkedKind } from './records.ts'

/** Bulk inserts: a few queries for many events, instead of a few for each. */

/** Links new events to their venues or organizers, in the given order. */
export async function link(
  tx: Tx,
  kind: LinkedKind,
  links: readonly { readonly event: number; readonly linked: readonly number[] }[],
): Promise<void> {
  const rows = links.flatMap(({ event, linked }) =>
    [...new Set(linked)].map((id, position) => ({ event, linked: id, position })),
  )
  const values = new Map(links.map(({ event, linked }) => [event, [...new Set(linked)]]))
  await willReplace(tx, kind, [...values.keys()], values)
  if (rows.length > 0) await tx.insertInto(LINK_TABLE[kind]).values(rows).execute()
}

/** Links new events to their categories and tags. */
export async function addTerms(
  tx: Tx,
  links: readonly { readonly event: number; readonly terms: readonly number[] }[],
): Promise<void> {
  const rows = links.flatMap(({ event, terms }) => [...new Set(terms)].map((term) => ({ event, term })))
  const values = new Map(links.map(({ event, terms }) => [event, [...new Set(terms)]]))
  await willReplace(tx, 'terms', [...values.keys()], values)
  if (rows.length > 0) await tx.insertInto('event_terms').values(rows).execute()
}

/** The published ones of some events, and whether they have no password. */
export async function published(
  tx: Tx,
  events: readonly number[],
): Promise<{ id: number; author: number; open: boolean }[]> {
  if (events.length === 0) return []
  const rows = await tx
    .selectFrom('events')
    .select(['id', 'author', 'password_hash'])
    .where('id', 'in', events)
    .where('status', '=', 'publish')
    .execute()
  return rows.map(({ id, author, password_hash }) => ({ id, author, open: password_hash === null }))
}

/** Increments the event counts of terms. */
export async function countTerms(tx: Tx, counts: ReadonlyMap<number, number>): Promise<void> {
  const byCount = Map.groupBy(counts.entries(), ([, count]) => count)
  for (const [count, entries] of byCount) {
    await tx
      .updateTable('terms')
      .set((eb) => ({ count: eb('count', '+', count) }))
      .where(
        'id',
        'in',
        entries.map(([term]) => term),
      )
      .execute()
  }
}
