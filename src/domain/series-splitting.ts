import { horizonOf, later, type Pattern, secondsBetween, split } from '../calendar/pattern.ts'
import { toWallClock } from '../calendar/zone.ts'
import type { Tx } from '../storage/dialect.ts'
import type { EventRow } from '../storage/events.ts'
import * as recordStorage from '../storage/records.ts'
import type { SeriesRow } from '../storage/series.ts'
import * as storage from '../storage/series.ts'
import { asEvent } from './event-writing.ts'
import * as records from './records.ts'
import type { Scope } from './scope.ts'
import { timesOf, touched } from './series-members.ts'
import { anchorOf, occurrencesOf, patternColumns, patternOf } from './series-pattern.ts'

/** Cuts a series in two. The rest begins with the given occurrence, and is a series of its own. */
export async function splitSeries(
  tx: Tx,
  scope: Scope,
  series: SeriesRow,
  event: EventRow,
): Promise<{ rest: SeriesRow; row: EventRow }> {
  const at = event.original_start ?? event.start_local
  const times = timesOf(series)
  const horizon = horizonOf(
    toWallClock(scope.clock('day'), scope.site.timezone),
    series.start_local,
    scope.site.seriesYears,
  )
  const { before, beforeStart, after, start } = await split(patternOf(series), anchorOf(times), at, horizon)
  const end = later(start, secondsBetween(series.start_local, series.end_local))
  const { occurrences } = await countOf(scope, after, { ...times, start_local: start, end_local: end })
  const rest: SeriesRow = {
    ...series,
    ...patternColumns(after),
    occurrences,
    id: await seriesIdFor(tx, event),
    start_local: start,
    end_local: end,
    ...touched(scope, series),
  }
  await storage.create(tx, rest)
  const beforeTimes = {
    start_local: beforeStart,
    end_local: later(beforeStart, secondsBetween(series.start_local, series.end_local)),
  }
  await storage.update(tx, series.id, {
    ...beforeTimes,
    ...patternColumns(before),
    ...(await countOf(scope, before, { ...times, ...beforeTimes })),
    ...touched(scope, series),
  })
  const members = await storage.occurrences(tx, series.id)
  const isLater = ({ id, original_start }: storage.Occurrence) => id !== event.id && (original_start ?? '') >= at
  await storage.updateEvents(
    tx,
    members.filter(isLater).map(({ id }) => id),
    { series: rest.id, parent: event.id },
  )
  await recordStorage.update(tx, 'event', event.id, { series: rest.id, parent: null })
  await storage.clearForeignParents(tx, series.id)
  return { rest, row: asEvent(await records.find(tx, 'event', { id: event.id }, 'no reader: write')) }
}

/** The id of an event, for the series that begins with it; another one if that is taken by a series which it was in. */
export async function seriesIdFor(tx: Tx, { id }: EventRow): Promise<number> {
  if ((await storage.get(tx, id)) === undefined) return id
  const [other = id] = await recordStorage.reserveIds(tx, 1)
  return other
}

/** Number of occurrences, and until when they are made. Exceptions may leave none. */
async function countOf(
  scope: Scope,
  pattern: Pattern,
  times: ReturnType<typeof timesOf>,
): Promise<Pick<SeriesRow, 'occurrences' | 'made_until'>> {
  const all = await occurrencesOf(scope, { ...pattern, except: [] }, times)
  const except = new Set(pattern.except)
  const left = all.count === null ? null : all.all.filter((start) => !except.has(start)).length
  return { occurrences: left, made_until: all.madeUntil }
}
