import type { Expression, ExpressionBuilder, SqlBool } from 'kysely'
import type { Tx } from './dialect.ts'
import { conditions, type EventFilter } from './event-filter.ts'
import type { EventRow } from './events.ts'
import type { Page } from './records.ts'
import type { Tables } from './tables.ts'

/** Columns that the table of events is sorted by. */
export const TABLE_ORDERS = {
  start_date: 'start_local',
  title: 'title_search',
  modified: 'modified_utc',
  status: 'status',
  id: 'id',
} as const

/** Data that staff look for the lack of. */
export const LACKS = ['venue', 'image', 'description', 'category'] as const

/** What the table shows, besides the filter of lists. */
export interface TableFilter {
  readonly author: number | null
  readonly lacks: (typeof LACKS)[number] | null
  readonly orderBy: keyof typeof TABLE_ORDERS
  readonly descending: boolean
}

/** One page of the table of events, in any order, and the number of all. */
export async function table(
  tx: Tx,
  filter: EventFilter,
  { author, lacks, orderBy, descending }: TableFilter,
  limit: number,
  offset: number,
): Promise<Page<EventRow>> {
  let found = tx.selectFrom('events').where((eb) => eb.and(conditions(tx, eb, filter)))
  if (author !== null) found = found.where('events.author', '=', author)
  if (lacks !== null) found = found.where((eb) => isLacking(eb, lacks))
  const { total } = await found.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  const direction = descending ? 'desc' : 'asc'
  const rows = await found
    .selectAll('events')
    .orderBy(TABLE_ORDERS[orderBy], direction)
    .orderBy('id', direction)
    .limit(limit)
    .offset(offset)
    .execute()
  return { rows, total: Number(total) }
}

function isLacking(eb: ExpressionBuilder<Tables, 'events'>, what: (typeof LACKS)[number]): Expression<SqlBool> {
  if (what === 'image') return eb('events.image', 'is', null)
  if (what === 'description') return eb.or([eb('events.description', 'is', null), eb('events.description', '=', '')])
  const links =
    what === 'venue'
      ? eb.selectFrom('event_venues').select('event')
      : eb
          .selectFrom('event_terms')
          .innerJoin('terms', 'terms.id', 'event_terms.term')
          .select('event_terms.event')
          .where('terms.kind', '=', 'category')
  return eb('events.id', 'not in', links)
}
