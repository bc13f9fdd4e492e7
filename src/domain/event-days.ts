import { refuse } from '../lib/errors.ts'
import type { Tx } from '../storage/dialect.ts'
import type { DaySpan, EventTimes } from '../storage/event-days.ts'
import * as storage from '../storage/event-days.ts'
import { type EventFilter, hasFewLinks } from '../storage/event-filter.ts'
import { assembleEntries, type EventEntry } from './event-entries.ts'
import { filterOf, readListParameters } from './event-filter.ts'
import { isNarrow } from './event-list.ts'
import { noPlaces, type Places } from './kept-places.ts'
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

/**
 * The first events of each day in a range, with the number of others. The number of rows read is bounded. `version` is that
 * of the data that the answer is made from, if it is known.
 */
export async function listDays(
  scope: Scope,
  query: Payload,
  limits: DayLimits,
  version: string | null = null,
): Promise<EventDays> {
  const { values, problems } = readListParameters(scope, query)
  const read = async (tx: Tx, isShort: boolean): Promise<EventDays | null> => {
    const filter = await filterOf(tx, scope, values, problems)
    refuse(problems)
    if (isShort && !(await hasFewLinks(tx, filter, MAX_LINKS))) return null
    const { rows, hidden } = await storage.firstOfDays(
      tx,
      filter,
      limits.perDay,
      limits.most,
      isShort,
      scope.places.isOn,
    )
    const places = await placesAt(tx, scope, version)
    const events = await assembleEntries(tx, scope, rows, places ?? noPlaces(), limits.pictured)
    if (places !== null && version !== null) await keepPlaces(scope, version, places)
    return { events, hidden }
  }
  const short = isNarrow(values) ? await scope.db.read((tx) => read(tx, true)) : null
  return short ?? ((await scope.db.readMany((tx) => read(tx, false))) as EventDays)
}

/** The places that are kept, for everybody, if this reads the version that they are of. */
async function placesAt(tx: Tx, { db, places, user }: Scope, version: string | null): Promise<Places | null> {
  const mayUse = places.isOn && version !== null && user === null
  return mayUse && (await db.isAt(tx, version, true)) ? places.at(version) : null
}

/** Without a transaction, they may be of a later version. */
async function keepPlaces({ db, places: kept }: Scope, version: string, places: Places): Promise<void> {
  const isAny = places.venues.added.size > 0 || places.categories.added.size > 0
  if (isAny && (await db.isCurrent(version))) kept.keep(version, places)
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
