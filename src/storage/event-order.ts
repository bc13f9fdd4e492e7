import { sql } from 'kysely'
import { dialectOf, type Tx } from './dialect.ts'
import type { EventFilter } from './event-filter.ts'
import { type EventStub, matching, nearest, SECRET } from './events.ts'
import { isAfter, type SortKey, type SortValues } from './keyset.ts'

/** Columns that lists of events are sorted by. */
export const EVENT_ORDERS = {
  start_date: 'events.start_local',
  modified: 'events.modified_utc',
  title: 'events.title_search',
  id: 'events.id',
} as const

/** An order of a list of events. */
export type EventOrder =
  | { readonly by: keyof typeof EVENT_ORDERS; readonly direction: 'asc' | 'desc' }
  /** Nearest first; needs a filter by distance. */
  | { readonly by: 'distance' }
  /** The given events first. */
  | { readonly by: 'words'; readonly titled: readonly number[] }

/** A stub with its sort key. */
export interface KeyedStub extends EventStub {
  readonly key: SortValues
  /** With a filter by distance. */
  readonly distance?: number
}

/** Events of a list in any order, after the one with the given sort key. */
export async function sortedStubs(
  tx: Tx,
  filter: EventFilter,
  order: EventOrder,
  after: SortValues | null,
  limit: number,
  offset = 0,
): Promise<KeyedStub[]> {
  const keys = sortKeys(tx, order)
  let query = filter.near === null ? matching(tx, filter) : nearest(tx, filter, filter.near)
  if (after !== null) query = query.where(isAfter(keys, after))
  for (const { by, direction } of keys) query = query.orderBy(by, direction)
  const rows = await query
    .select(['events.id', 'events.revision'])
    .select([SECRET, ...keys.map(({ by }, n) => sql<string | number>`${by}`.as(`key_${n}`))])
    .$if(filter.near !== null, (near) => near.select(sql<number>`near.distance`.as('distance')))
    .limit(limit)
    .offset(offset)
    .execute()
  return rows.map((row) => ({
    ...row,
    key: keys.map((_, n) => (row as Record<string, string | number>)[`key_${n}`] ?? 0),
  }))
}

function sortKeys(tx: Tx, order: EventOrder): SortKey[] {
  const asc = (column: string): SortKey => ({ by: sql.ref(column), direction: 'asc' })
  if (order.by === 'distance') return [asc('near.distance'), asc('events.start_local'), asc('events.id')]
  if (order.by === 'words') {
    const isTitled = dialectOf(tx).isInLongJson(sql.ref('events.id'), sql.val(JSON.stringify(order.titled)))
    const rank: SortKey = { by: sql`case when ${isTitled} then 0 else 1 end`, direction: 'asc' }
    return [rank, asc('events.start_local'), asc('events.id')]
  }
  const { by, direction } = order
  const id: SortKey = { by: sql.ref('events.id'), direction }
  return by === 'id' ? [id] : [{ by: sql.ref(EVENT_ORDERS[by]), direction }, id]
}
