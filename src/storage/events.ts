import {
  type ExpressionBuilder,
  type Kysely,
  type RawBuilder,
  type Selectable,
  type SelectQueryBuilder,
  sql,
} from 'kysely'
import type { Instant, WallClock } from '../calendar/zone.ts'
import { boxesAround } from '../lib/geo.ts'
import { LINKED_KINDS } from '../schema/linked.ts'
import type { Status } from '../schema/record.ts'
import type { TermKind } from '../schema/term.ts'
import { hasChangedMore, willReplace, willUpdateAll } from './audit/tracker.ts'
import { dialectOf, selectIds, type Tx } from './dialect.ts'
import { conditions, type EventFilter, NO_LIMIT } from './event-filter.ts'
import type { Lookup } from './lookup.ts'
import { insertLater, insertRows, prepared, preparedBy, preparedList, waitingIn } from './prepared.ts'
import { LINK_TABLE, type LinkedKind, type Page, RECORD_TABLE } from './records.ts'
import type { EventTable, Tables, TermTable } from './tables.ts'
import { byName } from './terms.ts'
import { isVisible, type WithoutReader } from './visibility.ts'

export type EventRow = Selectable<EventTable>

/** Id and revision of an event, to check whether a cached rendering is current. */
export interface EventStub {
  readonly id: number
  readonly revision: number
  /** 1 if it is protected by a password. */
  readonly secret: number
}

/** The same with the sort key of lists; the id breaks ties. */
export interface SortedStub extends EventStub {
  readonly start_local: WallClock
}

/** Terms count only public events. */
export function isCounted({ status, password_hash }: Pick<EventRow, 'status' | 'password_hash'>): boolean {
  return status === 'publish' && password_hash === null
}

export const SECRET = sql<number>`case when events.password_hash is null then 0 else 1 end`.as('secret')

/** The same for many events. An index has the few that are protected, and another all else of a stub: no row is read. */
const SECRET_BY_INDEX = sql<number>`case when events.id in
  (select protected.id from events as protected where protected.password_hash is not null) then 1 else 0 end`.as(
  'secret',
)

const matchingEach = (tx: Tx, filter: EventFilter) =>
  tx.selectFrom('events').where((eb) => eb.and(conditions(tx, eb, filter)))

/** Query for the events that match a filter. */
export const matching = (tx: Tx, filter: EventFilter) => {
  const query = matchingEach(tx, filter)
  return filter.collapse ? query.where('events.id', 'in', firstOfEach(query)) : query
}

/** Query for the ids of found events that are in no series, and of the first one of each series. */
export function firstOfEach(found: SelectQueryBuilder<Tables, 'events', object>): RawBuilder<number> {
  const numbered = found.select('events.id').select(
    sql<number>`row_number() over (partition by coalesce(events.series, -events.id)
        order by events.start_local, events.id)`.as('place'),
  )
  return sql<number>`(select id from (${numbered}) as numbered where place = 1)`
}

/** Number of matching events. */
export async function count(tx: Tx, filter: EventFilter): Promise<number> {
  const { total } = await matching(tx, filter)
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  return Number(total)
}

/** Whether an event matches. */
export async function isAny(tx: Tx, filter: EventFilter): Promise<boolean> {
  return (await matching(tx, filter).select('id').limit(1).executeTakeFirst()) !== undefined
}

/** One page of events, ordered by wall-clock start. */
export async function page(tx: Tx, filter: EventFilter, limit: number, offset: number): Promise<EventRow[]> {
  return matching(tx, filter).selectAll().orderBy('start_local').orderBy('id').limit(limit).offset(offset).execute()
}

/** One page of event stubs. Starting after a known event makes far pages cheap. */
export async function stubs(
  tx: Tx,
  filter: EventFilter,
  limit: number,
  offset: number,
  after: SortedStub | null,
): Promise<SortedStub[]> {
  let query = matching(tx, filter)
  if (after !== null) {
    const { start_local, id } = after
    query = query
      .where('start_local', '>=', start_local)
      .where((eb) => eb(eb.refTuple('start_local', 'id'), '>', eb.tuple(start_local, id)))
  }
  return query
    .select(['id', 'revision', 'start_local'])
    .select(SECRET_BY_INDEX)
    .orderBy('start_local')
    .orderBy('id')
    .limit(limit)
    .offset(offset)
    .execute()
}

/** Ids of all matching events. */
export async function ids(tx: Tx, filter: EventFilter): Promise<number[]> {
  return selectIds(tx, matching(tx, filter).select('id').orderBy('start_local').orderBy('id').limit(NO_LIMIT))
}

/** Stubs of the given events that exist. */
export const stubsOf = preparedList<SortedStub>((db, ids) =>
  db.selectFrom('events').select(['id', 'revision', 'start_local']).select(SECRET).where('id', 'in', ids),
)

/** Ids of password-protected events. */
export async function secretIds(tx: Tx): Promise<number[]> {
  return selectIds(tx, tx.selectFrom('events').select('id').where('password_hash', 'is not', null))
}

/** How far the ids of events reach, so a limit on how many there are. Counting them takes longer. */
export async function idSpan(tx: Tx): Promise<number> {
  const { rows } = await sql<{ span: number | null }>`select
    (select max(id) from events) - (select min(id) from events) + 1 as span`.execute(tx)
  return Number(rows[0]?.span ?? 0)
}

/** From so many children on, an event is one that takes long to write: they are told with it. */
export const MANY_CHILDREN = 200

/** Length of the searchable text, in octets, and the number of children, of which no more than these are counted. */
type EventSize = { readonly size: number; readonly children: number }
const eventSize = (db: Kysely<Tables>) =>
  db.selectFrom('events').select([
    sql<number>`octet_length(search)`.as('size'),
    sql<number>`(select count(*) from (select 1 from events as child where child.parent = events.id
        limit ${sql.lit(MANY_CHILDREN)}) as children)`.as('children'),
  ])
export const SIZE_BY_ID: Lookup<EventSize> = { build: (db, id) => eventSize(db).where('id', '=', id) }
export const SIZE_BY_SLUG: Lookup<EventSize> = { build: (db, slug) => eventSize(db).where('slug', '=', slug) }

const someEvents = preparedList<EventRow>((db, ids) => db.selectFrom('events').selectAll().where('id', 'in', ids))

/** The given events that exist. */
export function getAll(tx: Tx, ids: readonly number[], _reason: WithoutReader): Promise<EventRow[]> {
  return someEvents(tx, ids)
}

/**
 * Query for the matching events near a point, with `near.distance`. The index reduces the venues to one or two bounding
 * boxes; only their distances are computed.
 */
export function nearest(tx: Tx, filter: EventFilter, { kilometres, ...point }: NonNullable<EventFilter['near']>) {
  const { visibility } = filter
  const { venuesIn, distance } = dialectOf(tx)
  const measured = distance(sql.ref('venues.geo_lat'), sql.ref('venues.geo_lng'), point)
  const near = matchingEach(tx, filter).innerJoin(
    (eb) =>
      eb
        .selectFrom('event_venues')
        .innerJoin('venues', 'venues.id', 'event_venues.linked')
        .select('event_venues.event as near_event')
        .select(sql<number>`min(${measured})`.as('distance'))
        .where((e) => e.or(boxesAround(point, kilometres).map((box) => e('venues.id', 'in', venuesIn(box)))))
        .where((e) => isVisible(e as unknown as ExpressionBuilder<Tables, 'venues'>, visibility, null))
        .where(measured, '<=', kilometres)
        .groupBy('event_venues.event')
        .as('near'),
    (join) => join.onRef('near.near_event', '=', 'events.id'),
  )
  if (!filter.collapse) return near
  return near.where('events.id', 'in', firstOfEach(near as unknown as SelectQueryBuilder<Tables, 'events', object>))
}

/** Events near a point, nearest first. */
export async function listNear(
  tx: Tx,
  filter: EventFilter,
  point: NonNullable<EventFilter['near']>,
  limit: number,
  offset: number,
): Promise<Page<EventRow & { distance: number }>> {
  const near = nearest(tx, filter, point)
  const { total } = await near.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  const rows = await near
    .selectAll('events')
    .select('near.distance')
    .orderBy('near.distance')
    .orderBy('events.start_local')
    .orderBy('events.id')
    .limit(limit)
    .offset(offset)
    .execute()
  return { rows, total: Number(total) }
}

/** What links tell of their event. It is given with them: else SQLite would move each link in its index when a trigger adds it. */
function linkOf({ id: event, start_local, end_local, status, hide_from_listings, password_hash }: EventRow) {
  const isShown = status === 'publish' && hide_from_listings === 0 && password_hash === null
  return { event, start_local, shown_end: isShown ? end_local : null }
}

/** Replaces the venues or organizers of an event, in the given order. A new event has none to delete. */
export async function setLinked(
  tx: Tx,
  kind: LinkedKind,
  row: EventRow,
  linked: readonly number[],
  isNew: boolean,
): Promise<void> {
  const { id: event } = row
  await willReplace(tx, kind, [event], new Map([[event, linked]]))
  if (!isNew) await tx.deleteFrom(LINK_TABLE[kind]).where('event', '=', event).execute()
  const link = linkOf(row)
  const rows = linked.map((id, position) => ({ ...link, linked: id, position }))
  await (isNew ? insertLater : insertRows)(tx, LINK_TABLE[kind], rows)
}

/** Ids of an event's categories and tags. */
export async function termIds(tx: Tx, event: number): Promise<number[]> {
  const rows = await tx.selectFrom('event_terms').select('term').where('event', '=', event).execute()
  return rows.map((row) => row.term)
}

/** The same for an event that is about to be removed: the row is locked, so that no merge moves its links meanwhile. */
export async function lockedTermIds(tx: Tx, event: number): Promise<number[]> {
  if (dialectOf(tx).locksRows) await tx.selectFrom('events').select('id').where('id', '=', event).forUpdate().execute()
  return termIds(tx, event)
}

/** Replaces the categories and tags of an event. A new event has none to delete. */
export async function setTerms(
  tx: Tx,
  row: EventRow,
  terms: readonly number[],
  isNew: boolean,
  kinds: ReadonlyMap<number, TermKind> | null = null,
): Promise<void> {
  const { id: event } = row
  await willReplace(tx, 'terms', [event], new Map([[event, terms]]), kinds)
  if (!isNew) await tx.deleteFrom('event_terms').where('event', '=', event).execute()
  const link = linkOf(row)
  const rows = terms.map((term) => ({ ...link, term }))
  await (isNew ? insertLater : insertRows)(tx, 'event_terms', rows)
}

const counting = (by: 1 | -1) =>
  preparedBy((_: number) =>
    prepared<TermTable, number[]>((db, ...terms) =>
      db
        .updateTable('terms')
        .set((eb) => ({ count: eb('count', '+', by), ...(by === 1 && { published: 1 }) }))
        .where('id', 'in', terms)
        .returningAll(),
    ),
  )
const countUp = counting(1)
const countDown = counting(-1)

/**
 * Increments or decrements the event counts of terms; counted terms become public. Returns the changed rows, ordered by
 * name.
 */
export async function countTerms(tx: Tx, terms: readonly number[], by: 1 | -1): Promise<TermTable[]> {
  if (terms.length === 0) return []
  const rows =
    (by === 1 ? waitingIn(tx)?.terms.count(terms) : null) ??
    (await (by === 1 ? countUp : countDown)(terms.length)(tx, ...terms))
  // The first event that a term counts may make it public.
  if (by === 1 && rows.some(({ count }) => count === 1)) hasChangedMore(tx)
  return rows.sort(byName)
}

/** Publishes an author's draft venues and organizers of events, or schedules those with a later date. */
export async function publishLinkedDrafts(
  tx: Tx,
  events: readonly number[],
  author: number,
  now: Instant,
  kinds: readonly LinkedKind[] = LINKED_KINDS,
): Promise<void> {
  for (const kind of kinds) {
    const rows = await tx
      .selectFrom(RECORD_TABLE[kind])
      .select('id')
      .where('status', '=', 'draft')
      .where('author', '=', author)
      .where('id', 'in', (eb) => eb.selectFrom(LINK_TABLE[kind]).select('linked').where('event', 'in', events))
      .execute()
    if (rows.length === 0) continue
    const ids = rows.map(({ id }) => id)
    await willUpdateAll(tx, kind, ids, { status: true })
    await tx
      .updateTable(RECORD_TABLE[kind])
      .set((eb) => ({
        status: eb
          .case()
          .when('date_utc', '>', now)
          .then('future' as Status)
          .else('publish' as Status)
          .end(),
      }))
      .where('status', '=', 'draft')
      .where('id', 'in', ids)
      .execute()
  }
}

/** Whether `event` is `above` or one of its descendants. */
export async function isWithin(tx: Tx, event: number, above: number): Promise<boolean> {
  await dialectOf(tx).lock(tx, 'parents')
  const rows = await tx
    .withRecursive('line(id)', (db) =>
      db
        .selectFrom('events')
        .select('events.id')
        .where('events.id', '=', event)
        .union(
          db
            .selectFrom('events')
            .innerJoin('line', 'line.id', 'events.id')
            .select(sql<number>`events.parent`.as('id'))
            .where('events.parent', 'is not', null),
        ),
    )
    .selectFrom('line')
    .select('id')
    .where('id', '=', above)
    .execute()
  return rows.length > 0
}
