import { type AnchoredPattern, patternOfSome, withGivenStart, withSkipped } from '../calendar/feed-pattern.ts'
import { horizonOf, type Pattern } from '../calendar/pattern.ts'
import { toWallClock, type WallClock } from '../calendar/zone.ts'
import type { Tx } from '../storage/dialect.ts'
import type { StreamFilter } from '../storage/event-stream.ts'
import * as storage from '../storage/event-stream.ts'
import type { EventRow } from '../storage/events.ts'
import * as eventStorage from '../storage/events.ts'
import type { SeriesRow } from '../storage/series.ts'
import * as seriesStorage from '../storage/series.ts'
import { assembleUndamaged, type Event } from './event-assembly.ts'
import type { Scope } from './scope.ts'
import { timesOf } from './series-members.ts'
import { anchorOf, patternOf } from './series-pattern.ts'

/** A series as a stream has it: it may have only some of its events. */
export interface StreamedSeries extends AnchoredPattern {
  readonly series: SeriesRow
  /** An event that is as the series says; the first one if all were changed. */
  readonly content: Event
  /** The pattern as it is here: the other one is for other programs. */
  readonly own: Pattern
  /** Slugs by original start. */
  readonly slugs: Readonly<Record<WallClock, string>>
}

type SeriesScope = Pick<Scope, 'clock' | 'site' | 'user' | 'onDamage'>

/** The series of events of a stream, with all its events that the stream has. */
export async function streamedSeries(
  tx: Tx,
  scope: SeriesScope,
  filter: StreamFilter,
  ids: readonly number[],
): Promise<Map<number, StreamedSeries>> {
  if (ids.length === 0) return new Map()
  const all = await seriesStorage.getAll(tx, ids)
  const members = Map.groupBy(await storage.membersOf(tx, filter, ids), ({ series }) => series)
  const existing = Map.groupBy(await seriesStorage.originalStarts(tx, ids), ({ series }) => series)
  const contents = await contentsOf(tx, scope, [...members.values()])
  const streamed = new Map<number, StreamedSeries>()
  for (const series of all) {
    const own = members.get(series.id) ?? []
    const content = contents.get(series.id)
    if (content === undefined) continue
    const anchor = anchorOf(timesOf(series))
    const today = toWallClock(scope.clock('day'), scope.site.timezone)
    const horizon = horizonOf(today, anchor.start, scope.site.seriesYears)
    const some = await patternOfSome(
      patternOf(series),
      anchor,
      horizon,
      own.map(({ original_start }) => original_start),
      (existing.get(series.id) ?? []).map(({ original_start }) => original_start),
    )
    streamed.set(series.id, {
      series,
      content,
      start: some.start,
      pattern: await withSkipped(await withGivenStart(some, anchor, horizon), anchor, horizon),
      own: some.pattern,
      slugs: Object.fromEntries(own.map(({ original_start, slug }) => [original_start, slug])),
    })
  }
  return streamed
}

/** For each series, an event without fields of its own, if there is one. */
async function contentsOf(
  tx: Tx,
  scope: SeriesScope,
  members: readonly (readonly storage.SeriesMember[])[],
): Promise<Map<number, Event>> {
  const chosen = members.flatMap((own) => own.find(({ own_fields }) => own_fields === null)?.id ?? own[0]?.id ?? [])
  const rows: EventRow[] = await eventStorage.getAll(tx, chosen, 'no reader: seen')
  const events = await assembleUndamaged(tx, scope, rows)
  return new Map(events.map((event) => [event.row.series ?? 0, event]))
}
