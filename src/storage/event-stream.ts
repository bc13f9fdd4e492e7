import { type ExpressionBuilder, type SelectQueryBuilder, sql } from 'kysely'
import { EARLIEST, LATEST } from '../calendar/years.ts'
import type { Instant, WallClock, Zone } from '../calendar/zone.ts'
import { boxesAround } from '../lib/geo.ts'
import { LINKED_KINDS } from '../schema/linked.ts'
import { dialectOf, type Tx } from './dialect.ts'
import { conditions, type EventFilter } from './event-filter.ts'
import { type EventRow, firstOfEach } from './events.ts'
import { RECORD_TABLE } from './records.ts'
import type { Tables } from './tables.ts'
import { isVisible } from './visibility.ts'

/** Filter of a feed or export: like a list, optionally without protected events. */
export interface StreamFilter extends EventFilter {
  readonly unprotected: boolean
}

/** Position of the last event of a batch. */
export type Cursor = Pick<EventRow, 'start_local' | 'id'>

/** Next batch of events, ordered by wall-clock start. */
export async function batch(
  tx: Tx,
  filter: StreamFilter,
  after: Cursor | null,
  limit: number,
  offset = 0,
): Promise<EventRow[]> {
  let query = matching(tx, filter).selectAll()
  if (after !== null) {
    // The first comparison lets the database seek in the index.
    query = query
      .where('start_local', '>=', after.start_local)
      .where((eb) => eb.or([eb('start_local', '>', after.start_local), eb('id', '>', after.id)]))
  }
  return query.orderBy('start_local').orderBy('id').limit(limit).offset(offset).execute()
}

/** An event of a series. */
export interface SeriesMember {
  readonly id: number
  readonly series: number
  readonly original_start: WallClock
  readonly own_fields: string | null
  readonly slug: string
}

/** The events of series that match a filter, in the order of their rules. */
export async function membersOf(tx: Tx, filter: StreamFilter, series: readonly number[]): Promise<SeriesMember[]> {
  const rows = await matching(tx, filter)
    .select(['id', 'series', 'original_start', 'own_fields', 'slug'])
    .where('series', 'in', series)
    .orderBy('original_start')
    .orderBy('id')
    .execute()
  return rows as SeriesMember[]
}

/** Moves of the venues of events, seen or not: a venue that is hidden has moved, too. See migration 0016. */
export async function moves(tx: Tx, events: readonly number[]): Promise<ReadonlyMap<number, number>> {
  if (events.length === 0) return new Map()
  const rows = await tx
    .selectFrom('event_venues')
    .innerJoin('venues', 'venues.id', 'event_venues.linked')
    .where('event_venues.event', 'in', events)
    .where('venues.moves', '>', 0)
    .groupBy('event_venues.event')
    .select(['event_venues.event', (eb) => eb.fn.sum<number | string>('venues.moves').as('moves')])
    .execute()
  return new Map(rows.map(({ event, moves: sum }) => [event, Number(sum)]))
}

/** A time zone of events, with the first and last instant used in it. */
export interface ZoneUse {
  readonly timezone: Zone
  readonly first: Instant
  readonly last: Instant
}

/** Time zones of all events that have a time of day, and one that can be formatted. */
export async function zones(tx: Tx, filter: StreamFilter): Promise<ZoneUse[]> {
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

/** Time of change; null for values that cannot be formatted, and whose sum would overflow in SQLite. */
const MODIFIED = sql<
  number | null
>`case when modified_utc between ${sql.lit(EARLIEST)} and ${sql.lit(LATEST)} then modified_utc end`

/** Fingerprint of a feed: it changes with any data that the feed shows. */
export interface StreamState {
  readonly total: number
  /** The latest change of an event, or of a record that it may be linked to; null when there is none. */
  readonly modified: Instant | null
  /** Values that differ after every change, such as counts and sums of revisions. */
  readonly marks: readonly (string | number)[]
}

/** Computes the fingerprint. Terms have no revision, so their values are included. */
export async function state(tx: Tx, filter: StreamFilter): Promise<StreamState> {
  const sums = [
    sql<number>`count(*)`.as('count'),
    sumOf('id').as('ids'),
    sql<string>`cast(coalesce(sum(${MODIFIED}), 0) as text)`.as('changes'),
    sumOf('revision').as('revisions'),
    sql<number | null>`max(${MODIFIED})`.as('modified'),
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
  const series = await tx
    .selectFrom('series')
    .select([sql<number>`count(*)`.as('count'), sql<string>`cast(coalesce(sum(sequence), 0) as text)`.as('changes')])
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
      series.count,
      series.changes,
      ...terms.flatMap((term) => [term.id, term.name, term.slug, term.parent]),
    ],
  }
}

/** As text: a sum may exceed the safe integers of JavaScript. */
function sumOf(column: 'id' | 'revision') {
  return sql<string>`cast(coalesce(sum(${sql.ref(column)}), 0) as text)`
}

function matching(tx: Tx, filter: StreamFilter): SelectQueryBuilder<Tables, 'events', object> {
  const query = matchingEach(tx, filter)
  return filter.collapse ? query.where('events.id', 'in', firstOfEach(query)) : query
}

function matchingEach(tx: Tx, filter: StreamFilter): SelectQueryBuilder<Tables, 'events', object> {
  const { near, visibility, unprotected } = filter
  let query = tx.selectFrom('events').where((eb) => eb.and(conditions(tx, eb, filter)))
  if (unprotected) query = query.where('password_hash', 'is', null)
  if (near === null) return query
  const { venuesIn, distance } = dialectOf(tx)
  const measured = distance(sql.ref('venues.geo_lat'), sql.ref('venues.geo_lng'), near)
  const nearby = tx
    .selectFrom('event_venues')
    .innerJoin('venues', 'venues.id', 'event_venues.linked')
    .select('event_venues.event')
    .where((eb) => eb.or(boxesAround(near, near.kilometres).map((box) => eb('venues.id', 'in', venuesIn(box)))))
    .where((eb) => isVisible(eb as unknown as ExpressionBuilder<Tables, 'venues'>, visibility, null))
    .where(measured, '<=', near.kilometres)
  return query.where('events.id', 'in', nearby)
}
