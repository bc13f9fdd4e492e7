import { type ExpressionBuilder, type SelectQueryBuilder, sql } from 'kysely'
import { EARLIEST, LATEST } from '../calendar/years.ts'
import type { Instant, Zone } from '../calendar/zone.ts'
import { boxesAround } from '../lib/geo.ts'
import { LINKED_KINDS } from '../schema/linked.ts'
import { dialectOf, type Tx } from './dialect.ts'
import { conditions, type EventFilter } from './event-filter.ts'
import type { EventRow } from './events.ts'
import { RECORD_TABLE } from './records.ts'
import type { Tables } from './tables.ts'
import { isVisible } from './visibility.ts'

/** What a feed or an export asks for: as a list, and perhaps without the events that have a password. */
export interface StreamFilter extends EventFilter {
  readonly unprotected: boolean
}

/** Where a batch ended. */
export type After = Pick<EventRow, 'start_local' | 'id'>

/** The next events in order of their wall-clock start: those after the last of the batch before. */
export async function batch(
  tx: Tx,
  filter: StreamFilter,
  after: After | null,
  limit: number,
  offset = 0,
): Promise<EventRow[]> {
  let query = matching(tx, filter).selectAll()
  if (after !== null) {
    // The first comparison is what an index finds its place by.
    query = query
      .where('start_local', '>=', after.start_local)
      .where((eb) => eb.or([eb('start_local', '>', after.start_local), eb('id', '>', after.id)]))
  }
  return query.orderBy('start_local').orderBy('id').limit(limit).offset(offset).execute()
}

/** A zone that events have, with the first and last instant that is told by its clock. */
export interface ZoneSpan {
  readonly timezone: Zone
  readonly first: Instant
  readonly last: Instant
}

/** The zones of all events that have a time of day, and one that can be written. */
export async function zones(tx: Tx, filter: StreamFilter): Promise<ZoneSpan[]> {
  const rows = await matching(tx, filter)
    .where('all_day', '=', 0)
    .where('start_utc', '>=', EARLIEST)
    .where('end_utc', '<=', LATEST)
    .whereRef('start_utc', '<=', 'end_utc')
    .groupBy('timezone')
    .select(['timezone', sql<number>`min(start_utc)`.as('first'), sql<number>`max(end_utc)`.as('last')])
    .orderBy('timezone')
    .execute()
  return rows.map(({ timezone, first, last }) => ({ timezone, first: Number(first), last: Number(last) }))
}

/** When a record was changed; null for a time that cannot be written, and whose sum SQLite could not hold. */
const CHANGED = sql<
  number | null
>`case when modified_utc between ${sql.lit(EARLIEST)} and ${sql.lit(LATEST)} then modified_utc end`

/** What changes when anything changes that the events are shown with. */
export interface StreamState {
  readonly total: number
  /** The latest change of an event, or of a record that it may be linked to; null when there is none. */
  readonly modified: Instant | null
  /** Values that differ after every change: each moves the revision of a record, or makes it one more or less. */
  readonly marks: readonly (string | number)[]
}

/** Sums and counts of what is shown; terms have no date of change, so they themselves are looked at. */
export async function state(tx: Tx, filter: StreamFilter): Promise<StreamState> {
  const sums = [
    sql<number>`count(*)`.as('count'),
    sumOf('id').as('ids'),
    sql<string>`cast(coalesce(sum(${CHANGED}), 0) as text)`.as('changes'),
    sumOf('revision').as('revisions'),
    sql<number | null>`max(${CHANGED})`.as('modified'),
  ] as const
  const events = await matching(tx, filter).select(sums).executeTakeFirstOrThrow()
  const linked = []
  for (const kind of LINKED_KINDS) {
    const shown = tx.selectFrom(RECORD_TABLE[kind] as 'venues').where((eb) => isVisible(eb, filter.visibility, null))
    linked.push(await shown.select(sums).executeTakeFirstOrThrow())
  }
  const images = await tx
    .selectFrom('images')
    .select([sql<number>`count(*)`.as('count'), sumOf('id').as('ids')])
    .executeTakeFirstOrThrow()
  const terms = await tx.selectFrom('terms').select(['id', 'name', 'slug', 'parent']).orderBy('id').execute()
  const changes = [events, ...linked].flatMap(({ modified }) => (modified === null ? [] : Number(modified)))
  return {
    total: Number(events.count),
    modified: changes.length === 0 ? null : Math.max(...changes),
    marks: [
      ...[events, ...linked].flatMap((row) => [row.count, row.ids, row.changes, row.revisions]),
      images.count,
      images.ids,
      ...terms.flatMap((term) => [term.id, term.name, term.slug, term.parent]),
    ],
  }
}

/** As text: a sum may be more than JavaScript holds exactly. */
function sumOf(column: 'id' | 'revision') {
  return sql<string>`cast(coalesce(sum(${sql.ref(column)}), 0) as text)`
}

function matching(tx: Tx, filter: StreamFilter): SelectQueryBuilder<Tables, 'events', object> {
  const { near, visibility, unprotected } = filter
  let query = tx.selectFrom('events').where((eb) => eb.and(conditions(tx, eb, filter)))
  if (unprotected) query = query.where('password_hash', 'is', null)
  if (near === null) return query
  const { placesIn, distance } = dialectOf(tx)
  const measured = distance(sql.ref('venues.geo_lat'), sql.ref('venues.geo_lng'), near)
  const nearby = tx
    .selectFrom('event_venues')
    .innerJoin('venues', 'venues.id', 'event_venues.linked')
    .select('event_venues.event')
    .where((eb) => eb.or(boxesAround(near, near.kilometres).map((box) => eb('venues.id', 'in', placesIn(box)))))
    .where((eb) => isVisible(eb as unknown as ExpressionBuilder<Tables, 'venues'>, visibility, null))
    .where(measured, '<=', near.kilometres)
  return query.where('events.id', 'in', nearby)
}
