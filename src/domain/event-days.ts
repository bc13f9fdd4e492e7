import { refuse } from '../lib/errors.ts'
import type { Tx } from '../storage/dialect.ts'
import type { DaySpan, EventTimes } from '../storage/event-days.ts'
import * as storage from '../storage/event-days.ts'
import { type EventFilter, hasFewLinks } from '../storage/event-filter.ts'
import { assembleEntries, type EventEntry } from './event-entries.ts'
import { filterOf, readListParameters } from './event-filter.ts'
import { isNarrow } from './event-list.ts'
import type { Payload, Scope } from './scope.ts'

/** Events by days: which days have some, and where the nearest are. */

export interface EventDays {
  /** The first events of each day, in order. */
  readonly events: readonly EventEntry[]
  /** Number of others that start on each day. */
  readonly hidden: ReadonlyMap<string, number>
}

/** Which events of days are listed, and whether with their images. */
export interface DayLimits {
  readonly perDay: number
  readonly most: number
  readonly pictured: boolean
}

/** Limit on links of events that are read in the main thread. */
const MAX_LINKS = 1000

/** The first events of each day in a range, with the number of others. The number of rows read is bounded. */
export async function listDays(scope: Scope, query: Payload, limits: DayLimits): Promise<EventDays> {
  const { values, problems } = readListParameters(scope, query)
  const read = async (tx: Tx, isShort: boolean): Promise<EventDays | null> => {
    const filter = await filterOf(tx, scope, values, problems)
    refuse(problems)
    if (isShort && !(await hasFewLinks(tx, filter, MAX_LINKS))) return null
    return readDays(tx, scope, filter, limits, isShort)
  }
  const short = isNarrow(values) ? await scope.db.read((tx) => read(tx, true)) : null
  return short ?? ((await scope.db.readMany((tx) => read(tx, false))) as EventDays)
}

async function readDays(
  tx: Tx,
  scope: Scope,
  filter: EventFilter,
  { perDay, most, pictured }: DayLimits,
  isShort: boolean,
): Promise<EventDays> {
  const { rows, hidden } = await storage.firstOfDays(tx, filter, perDay, most, isShort)
  return { events: await assembleEntries(tx, scope, rows, pictured), hidden }
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
