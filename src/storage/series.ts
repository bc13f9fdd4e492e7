import { type ExpressionBuilder, type Insertable, type Selectable, sql, type Updateable } from 'kysely'
import type { WallClock } from '../calendar/zone.ts'
import type { LinkedKind } from '../schema/linked.ts'
import type { TermKind } from '../schema/term.ts'
import {
  hasCreated,
  hasCreatedOccurrence,
  willRemove,
  willRemoveEvents,
  willReplace,
  willUpdate,
  willUpdateAll,
} from './audit/tracker.ts'
import { dialectOf, type Tx } from './dialect.ts'
import type { EventRow } from './events.ts'
import { insertRows, prepared, preparedList } from './prepared.ts'
import { LINK_TABLE } from './records.ts'
import type { EventTable, SeriesTable, Tables, TicketTable } from './tables.ts'
import { isFullyVisible, isVisible, type Visibility } from './visibility.ts'

export type SeriesRow = Selectable<SeriesTable>

/** Events per statement that reads them, or changes each in its own way. */
const MAX_CHANGES = 500

/** A series with the event that shows its dates; null if all of its events are in the trash. */
export type ShownSeries = SeriesRow & { readonly first: number | null }

/** The event that shows the dates of a series: its first one or, if that was removed, the earliest that is left. */
function firstOf(eb: ExpressionBuilder<Tables, 'series'>) {
  const left = eb
    .selectFrom('events')
    .select('events.id')
    .whereRef('events.series', '=', 'series.id')
    .where('events.status', '!=', 'trash')
  return eb.fn.coalesce(
    left.whereRef('events.id', '=', 'series.id').$asScalar(),
    left.orderBy('events.start_local').orderBy('events.id').limit(1).$asScalar(),
  )
}

/** The given series that exist. */
export const getAll = preparedList<ShownSeries>((db, ids) =>
  db
    .selectFrom('series')
    .selectAll()
    .select((eb) => firstOf(eb).as('first'))
    .where('id', 'in', ids),
)

export async function get(tx: Tx, id: number): Promise<SeriesRow | undefined> {
  return tx.selectFrom('series').selectAll().where('id', '=', id).executeTakeFirst()
}

/** Gets a series, and keeps others from changing it until the transaction ends. */
export async function getLocked(tx: Tx, id: number): Promise<SeriesRow | undefined> {
  await dialectOf(tx).lock(tx, `series ${id}`)
  return get(tx, id)
}

export async function create(tx: Tx, row: Insertable<SeriesTable>): Promise<void> {
  await tx.insertInto('series').values(row).execute()
  hasCreated(tx, 'series', row.id, row)
}

/** Changes a series. One of its events shows the dates, so that the event gets another revision with them. */
export async function update(tx: Tx, id: number, changes: Updateable<SeriesTable>): Promise<void> {
  await willUpdate(tx, 'series', id, changes)
  await tx.updateTable('series').set(changes).where('id', '=', id).execute()
  if (changes.except_dates !== undefined)
    await tx
      .updateTable('events')
      .set((eb) => ({ series: eb.ref('series') }))
      .where('id', '=', (eb) =>
        eb
          .selectFrom('series')
          .select((of) => firstOf(of).as('first'))
          .where('series.id', '=', id),
      )
      .execute()
}

/** Whether a reader may know of a series: one of its events is visible to them, or was until it was trashed. */
export async function isKnown(tx: Tx, id: number, visibility: Visibility): Promise<boolean> {
  const row = await tx
    .selectFrom('events')
    .select('id')
    .where('series', '=', id)
    .where((eb) =>
      eb.or([
        eb.and([
          isVisible(eb, visibility, null, dialectOf(tx).unindexed(eb.ref('events.status'))),
          isFullyVisible(eb, visibility),
        ]),
        eb.and([eb('trashed_from', '=', 'publish'), eb('password_hash', 'is', null)]),
      ]),
    )
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

export async function remove(tx: Tx, id: number): Promise<void> {
  await willRemove(tx, 'series', id)
  await tx.deleteFrom('series').where('id', '=', id).execute()
}

const OCCURRENCE = [
  'id',
  'series',
  'original_start',
  'own_fields',
  'parent',
  'author',
  'status',
  'trashed_from',
  'slug',
  'restore_slug',
  'date_utc',
  'modified_utc',
  'all_day',
  'timezone',
  'start_local',
  'end_local',
  'start_utc',
  'end_utc',
] as const
/** An occurrence without its texts: a series may have thousands. */
export type Occurrence = Pick<EventRow, (typeof OCCURRENCE)[number]>

const somePage = prepared<Occurrence, [series: number, after: number]>((db, series, after) =>
  db
    .selectFrom('events')
    .select(OCCURRENCE)
    .where('series', '=', series)
    .where('id', '>', after)
    .orderBy('id')
    .limit(MAX_CHANGES),
)

/** All occurrences of a series, those in the trash too, in the order of the rule. Read in slices. */
export async function occurrences(tx: Tx, series: number): Promise<Occurrence[]> {
  const found: Occurrence[] = []
  for (let after = 0; ; after = found.at(-1)?.id ?? 0) {
    const some = await somePage(tx, series, after)
    found.push(...some)
    if (some.length < MAX_CHANGES) break
  }
  const keyOf = (row: Occurrence) => row.original_start ?? ''
  return found.sort((one, other) =>
    keyOf(one) === keyOf(other) ? one.id - other.id : keyOf(one) < keyOf(other) ? -1 : 1,
  )
}

/** Original starts of the occurrences of series, but those in the trash. */
export async function originalStarts(
  tx: Tx,
  series: readonly number[],
): Promise<{ series: number; original_start: WallClock }[]> {
  const rows = await tx
    .selectFrom('events')
    .select(['series', 'original_start'])
    .where('series', 'in', series)
    .where('status', '!=', 'trash')
    .execute()
  return rows as { series: number; original_start: WallClock }[]
}

/** The first original start of the occurrences of a series; null if it has none. */
export async function firstStart(tx: Tx, series: number): Promise<WallClock | null> {
  const row = await tx
    .selectFrom('events')
    .select((eb) => eb.fn.min('original_start').as('first'))
    .where('series', '=', series)
    .executeTakeFirst()
  return row?.first ?? null
}

/** Makes occurrences of a series top-level events, if their parent is not in it. */
export async function clearForeignParents(tx: Tx, series: number): Promise<void> {
  await tx
    .updateTable('events')
    .set({ parent: null })
    .where('series', '=', series)
    .where('parent', 'is not', null)
    .where('parent', 'not in', (eb) =>
      eb.selectFrom('events as member').select('member.id').where('member.series', '=', series),
    )
    .execute()
}

/** The series that most of these events belong to; null if they are in none. */
export async function seriesOf(tx: Tx, events: readonly number[]): Promise<number | null> {
  if (events.length === 0) return null
  const row = await tx
    .selectFrom('events')
    .select('series')
    .where((eb) => dialectOf(tx).isInJson(eb.ref('events.id'), eb.val(JSON.stringify(events))))
    .where('series', 'is not', null)
    .groupBy('series')
    .orderBy((eb) => eb.fn.countAll(), 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.series ?? null
}

/** Series of which occurrences have to be made until a time. */
export async function due(tx: Tx, until: WallClock, limit: number): Promise<number[]> {
  const rows = await tx
    .selectFrom('series')
    .select('id')
    .where('made_until', '<', until)
    .where('trashed', '=', 0)
    .orderBy('made_until')
    .limit(limit)
    .execute()
  return rows.map(({ id }) => id)
}

/** The earliest time until which a series is made. */
export async function firstMadeUntil(tx: Tx): Promise<WallClock | null> {
  const row = await tx
    .selectFrom('series')
    .select('made_until')
    .where('made_until', 'is not', null)
    .where('trashed', '=', 0)
    .orderBy('made_until')
    .limit(1)
    .executeTakeFirst()
  return row?.made_until ?? null
}

/** Slugs of events that are taken. */
export async function takenSlugs(tx: Tx, slugs: readonly string[]): Promise<Set<string>> {
  const taken = new Set<string>()
  for (let at = 0; at < slugs.length; at += 500) {
    const some = slugs.slice(at, at + 500)
    for (const { slug } of await tx.selectFrom('events').select('slug').where('slug', 'in', some).execute())
      taken.add(slug)
  }
  return taken
}

export async function insertEvents(tx: Tx, rows: readonly Insertable<EventTable>[]): Promise<void> {
  await insertRows(tx, 'events', rows)
  for (const row of rows) hasCreatedOccurrence(tx, row)
}

/** Events per statement that changes or removes them. */
const MAX_REACHED = 100

/**
 * Parts of a long list of events, the highest ids first. SQLite looks for another event with each word that an event
 * loses, from the lowest id on: in ascending order it would pass all that lost the word before.
 */
function* slicesOf(ids: readonly number[]): Generator<string> {
  const descending = ids.toSorted((one, other) => other - one)
  for (let at = 0; at < descending.length; at += MAX_REACHED)
    yield JSON.stringify(descending.slice(at, at + MAX_REACHED))
}

/** Changes columns of many events, in the same way. */
export async function updateEvents(tx: Tx, ids: readonly number[], changes: Updateable<EventTable>): Promise<void> {
  await willUpdateAll(tx, 'event', ids, changes)
  for (const some of slicesOf(ids))
    await tx
      .updateTable('events')
      .set(changes)
      .where((eb) => dialectOf(tx).isInJson(eb.ref('events.id'), eb.val(some)))
      .execute()
}

/** Columns of events that are changed one by one, each with its own values. */
export type EventChange = Pick<EventRow, 'id'> & Partial<Omit<EventRow, 'id' | 'revision' | 'sequence'>>

/** Changes columns of many events, each in its own way. All changes name the same columns. */
export async function updateEach(tx: Tx, changes: readonly EventChange[]): Promise<void> {
  const [first] = changes
  if (first === undefined) return
  const columns = Object.keys(first).filter((name) => name !== 'id')
  await willUpdateAll(
    tx,
    'event',
    changes.map(({ id }) => id),
    first,
  )
  for (let at = 0; at < changes.length; at += MAX_CHANGES) {
    const rows = dialectOf(tx).jsonRows(
      sql.val(JSON.stringify(changes.slice(at, at + MAX_CHANGES))),
      ['id', ...columns].map((name) => [name, WHOLE.has(name) ? 'whole' : 'text']),
    )
    const set = columns.map((name) => sql`${sql.ref(name)} = changes.${sql.ref(name)}`)
    await sql`update events set ${sql.join(set)} from ${rows} as changes where events.id = changes.id`.execute(tx)
  }
}

/** Columns of whole numbers. */
const WHOLE: ReadonlySet<string> = new Set([
  'id',
  'parent',
  'series',
  'start_utc',
  'end_utc',
  'all_day',
  'modified_utc',
  'date_utc',
])

export async function removeEvents(tx: Tx, ids: readonly number[]): Promise<void> {
  await willRemoveEvents(tx, ids)
  await dialectOf(tx).texts.settle(tx)
  for (const some of slicesOf(ids))
    await tx
      .deleteFrom('events')
      .where((eb) => dialectOf(tx).isInJson(eb.ref('events.id'), eb.val(some)))
      .execute()
}

/** Links events to the same venues or organizers, in place of those that they have. */
export async function linkAll(
  tx: Tx,
  kind: LinkedKind,
  events: readonly number[],
  linked: readonly number[],
  isNew: boolean,
): Promise<void> {
  const table = LINK_TABLE[kind]
  if (!isNew) {
    await willReplace(tx, kind, events)
    await deleteOf(tx, table, events)
  }
  await insertRows(
    tx,
    table,
    events.flatMap((event) => linked.map((id, position) => ({ event, linked: id, position }))),
  )
}

/** Gives events the same categories, tags or both, in place of those that they have. */
export async function setTermsOfAll(
  tx: Tx,
  events: readonly number[],
  terms: readonly number[],
  replaced: readonly TermKind[],
): Promise<void> {
  if (replaced.length > 0) {
    await willReplace(tx, 'terms', events)
    await tx
      .deleteFrom('event_terms')
      .where((eb) => dialectOf(tx).isInJson(eb.ref('event_terms.event'), eb.val(JSON.stringify(events))))
      .where('term', 'in', (eb) => eb.selectFrom('terms').select('terms.id').where('kind', 'in', replaced))
      .execute()
  }
  await insertRows(
    tx,
    'event_terms',
    events.flatMap((event) => terms.map((term) => ({ event, term }))),
  )
}

/** Gives events the same tickets, in place of those that they have. */
export async function setTicketsOfAll(
  tx: Tx,
  events: readonly number[],
  tickets: readonly Omit<Insertable<TicketTable>, 'id' | 'event' | 'position'>[],
  isNew: boolean,
): Promise<void> {
  if (!isNew) {
    await willReplace(tx, 'tickets', events)
    await deleteOf(tx, 'tickets', events)
  }
  await insertRows(
    tx,
    'tickets',
    events.flatMap((event) => tickets.map((ticket, position) => ({ ...ticket, event, position }))),
  )
}

/** Stores whether events are free of charge. */
export async function setFreeOfAll(tx: Tx, events: readonly number[], isFree: boolean, isNew: boolean): Promise<void> {
  if (!isNew) await deleteOf(tx, 'free_events', events)
  if (isFree)
    await insertRows(
      tx,
      'free_events',
      events.map((event) => ({ event })),
    )
}

async function deleteOf(tx: Tx, table: 'tickets' | 'free_events' | `event_${LinkedKind}s`, events: readonly number[]) {
  await tx
    .deleteFrom(table as 'tickets')
    .where((eb) => dialectOf(tx).isInJson(eb.ref('event'), eb.val(JSON.stringify(events))))
    .execute()
}

/** How many of these events count for each of their terms. */
export async function termCounts(tx: Tx, events: readonly number[]): Promise<Map<number, number>> {
  const rows = await tx
    .selectFrom('event_terms')
    .innerJoin('events', 'events.id', 'event_terms.event')
    .select(['event_terms.term', sql<number>`count(*)`.as('count')])
    .where((eb) => dialectOf(tx).isInJson(eb.ref('event_terms.event'), eb.val(JSON.stringify(events))))
    .where('events.status', '=', 'publish')
    .where('events.password_hash', 'is', null)
    .groupBy('event_terms.term')
    .execute()
  return new Map(rows.map(({ term, count }) => [term, Number(count)]))
}
