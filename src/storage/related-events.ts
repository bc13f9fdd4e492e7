import type { ExpressionBuilder } from 'kysely'
import type { WallClock } from '../calendar/zone.ts'
import type { Tx } from './dialect.ts'
import type { EventRow } from './events.ts'
import { LINK_TABLE, type LinkedKind } from './records.ts'
import type { Tables } from './tables.ts'
import { isEventFullyVisible, type Visibility } from './visibility.ts'

/** Events that are related to an event. Every query follows an index and ends after a fixed number of events. */

/** Condition: the reader sees all of an event, and it is listed. */
function isListed(tx: Tx, eb: ExpressionBuilder<Tables, 'events'>, visibility: Visibility) {
  return eb.and([eb('events.hide_from_listings', '=', 0), isEventFullyVisible(tx, eb, visibility)])
}

/** Events that belong together: those of a series, or of one parent. */
export interface Group {
  readonly by: 'series' | 'parent'
  readonly id: number
}

/** Events of a group that start at or after a time in order, or before it, the latest first. */
export async function ofGroup(
  tx: Tx,
  group: Group,
  visibility: Visibility,
  side: 'from' | 'before',
  time: WallClock,
  limit: number,
): Promise<EventRow[]> {
  const order = side === 'from' ? 'asc' : 'desc'
  return tx
    .selectFrom('events')
    .selectAll()
    .where(`events.${group.by}`, '=', group.id)
    .where('events.start_local', side === 'from' ? '>=' : '<', time)
    .where((eb) => isListed(tx, eb, visibility))
    .orderBy('events.start_local', order)
    .orderBy('events.id', order)
    .limit(limit)
    .execute()
}

/** The next events of a venue or organizer. */
export async function ofLinked(
  tx: Tx,
  kind: LinkedKind,
  id: number,
  visibility: Visibility,
  from: WallClock,
  limit: number,
): Promise<EventRow[]> {
  const table = LINK_TABLE[kind] as 'event_venues'
  return tx
    .selectFrom(table)
    .innerJoin('events', 'events.id', `${table}.event`)
    .selectAll('events')
    .where(`${table}.linked`, '=', id)
    .where(`${table}.start_local`, '>=', from)
    .where((eb) => isListed(tx, eb as unknown as ExpressionBuilder<Tables, 'events'>, visibility))
    .orderBy(`${table}.start_local`)
    .orderBy(`${table}.event`)
    .limit(limit)
    .execute()
}

/** Ids of the next events of a term, whoever may see them. */
export async function idsOfTerm(tx: Tx, term: number, from: WallClock, limit: number): Promise<number[]> {
  const rows = await tx
    .selectFrom('event_terms')
    .select('event')
    .where('term', '=', term)
    .where('start_local', '>=', from)
    .orderBy('start_local')
    .orderBy('event')
    .limit(limit)
    .execute()
  return rows.map(({ event }) => event)
}

/** The given events that are listed and fully visible to a reader, in no order. */
export async function listedOf(tx: Tx, ids: readonly number[], visibility: Visibility): Promise<EventRow[]> {
  if (ids.length === 0) return []
  return tx
    .selectFrom('events')
    .selectAll()
    .where('events.id', 'in', ids)
    .where((eb) => isListed(tx, eb, visibility))
    .execute()
}
