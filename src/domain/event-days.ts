import { refuse } from '../lib/errors.ts'
import type { Tx } from '../storage/dialect.ts'
import type { DaySpan, EventOfDay, EventTimes } from '../storage/event-days.ts'
import * as storage from '../storage/event-days.ts'
import type { EventFilter } from '../storage/event-filter.ts'
import { filterOf, readListParameters } from './event-filter.ts'
import { assembleUndamaged, type Event } from './events.ts'
import type { Payload, Scope } from './scope.ts'

/** Events by days: which days have some, and where the nearest are. */

export interface EventDays {
  /** The first events of each day, in order. */
  readonly events: readonly Event[]
  /** Number of events that start on each day. */
  readonly counts: ReadonlyMap<string, number>
}

/** The first events of each day in a range, with counts. The number of rows read is bounded. */
export async function listDays(scope: Scope, query: Payload, perDay: number, most: number): Promise<EventDays> {
  return withFilter(scope, query, async (tx, filter) => {
    const rows = await storage.firstOfDays(tx, filter, perDay, most)
    const isWhole = rows.length < most
    const counts = isWhole ? new Map(rows.map(countOf)) : await storage.countByDay(tx, filter)
    const events = await assembleUndamaged(tx, scope, rows)
    // Do not count damaged events.
    const shown = new Set(events.map(({ row }) => row.id))
    for (const { id, start_local } of rows) {
      const day = start_local.slice(0, 10)
      if (!shown.has(id)) counts.set(day, (counts.get(day) ?? 1) - 1)
    }
    return { counts, events }
  })
}

function countOf({ start_local, on_day }: EventOfDay): [day: string, count: number] {
  return [start_local.slice(0, 10), on_day]
}

/** Number of events that start on each day of a range. */
export async function countDays(scope: Scope, query: Payload): Promise<ReadonlyMap<string, number>> {
  return withFilter(scope, query, storage.countByDay)
}

/** First and last days of events. The query must bound starts and ends. */
export async function listSpans(scope: Scope, query: Payload): Promise<readonly DaySpan[]> {
  return withFilter(scope, query, storage.daySpans)
}

/** Times of the events that start first, or last. */
export async function listTimes(
  scope: Scope,
  query: Payload,
  end: 'first' | 'last',
  most: number,
): Promise<readonly EventTimes[]> {
  return withFilter(scope, query, (tx, filter) => storage.timesAt(tx, filter, end, most))
}

async function withFilter<T>(
  scope: Scope,
  query: Payload,
  read: (tx: Tx, filter: EventFilter) => Promise<T>,
): Promise<T> {
  const { values, problems } = readListParameters(scope, query)
  return scope.db.readMany(async (tx) => {
    const filter = await filterOf(tx, scope, values, problems)
    refuse(problems)
    return read(tx, filter)
  })
}
