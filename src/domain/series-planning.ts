import { type Anchor, horizonOf, later, moved, type Pattern, secondsBetween } from '../calendar/pattern.ts'
import { isWallClock } from '../calendar/years.ts'
import { toWallClock, type WallClock } from '../calendar/zone.ts'
import { AppError } from '../lib/errors.ts'
import type { RecurrenceValue } from '../schema/recurrence.ts'
import type { Tx } from '../storage/dialect.ts'
import type { EventRow } from '../storage/events.ts'
import type { SeriesRow } from '../storage/series.ts'
import * as storage from '../storage/series.ts'
import type { Scope } from './scope.ts'
import { DETACHED, ownFields, timesOf } from './series-members.ts'
import {
  anchorOf,
  occurrencesOf,
  patternColumns,
  patternOf,
  refuseRecurrence,
  resolvePattern,
  type SeriesTimes,
} from './series-pattern.ts'
import type { SeriesReport } from './series-reach.ts'
import { deleteRows, isRemoved, setStatus } from './series-removal.ts'
import { createOccurrences, type Template, timesAt } from './series-template.ts'

/** Fields that say when an event takes place. They move together. */
const TIMES = ['start_date', 'end_date', 'timezone', 'all_day']

export function isTimeField(name: string): boolean {
  return TIMES.includes(name)
}

/** A change of the times of a series, by those of one of its events. */
interface Change {
  readonly before: EventRow
  readonly written: EventRow
  /** Null if the request has none. */
  readonly recurrence: RecurrenceValue | null
}

/** Gives a series other times. Occurrences that stay keep their ids. Returns the row of the series, which is not stored. */
export async function replan(
  tx: Tx,
  scope: Scope,
  series: SeriesRow,
  template: Template,
  change: Change,
  report: SeriesReport,
): Promise<SeriesRow> {
  const shift = secondsBetween(change.before.start_local, change.written.start_local)
  const times = timesAfter(series, template, change, shift)
  const pattern = await patternAfter(scope, series, times, change, shift)
  const members = await storage.occurrences(tx, series.id)
  const originalOf = (row: EventRow) => later(row.original_start ?? row.start_local, shift)
  const last = members.map(originalOf).reduce((one, other) => (one > other ? one : other), times.start_local)
  const { starts, count, madeUntil } = await occurrencesOf(scope, pattern, times, last)
  const wasRemoved = isRemoved(series)
  const { matched, gone, created } = match(members, starts, originalOf, wasRemoved)
  for (const row of members) {
    const original = matched.get(row.id) ?? originalOf(row)
    if (await move(tx, scope, row, original, matched.has(row.id) ? times : null))
      report.changed.push({ id: row.id, start_date: timesAt(times, original, times.allDay)?.start_local ?? original })
  }
  await setStatus(
    tx,
    scope,
    members.filter((row) => matched.has(row.id) && wasRemoved(row)),
    'before',
  )
  await removeGone(tx, scope, gone, change.written.id, report)
  const { allDay: _, ...columns } = times
  const next = { ...series, ...columns, ...patternColumns(pattern), occurrences: count, made_until: madeUntil }
  await createOccurrences(tx, scope, next, template, created)
  report.created.push(...created.map((start_date) => ({ start_date })))
  return next
}

function timesAfter(series: SeriesRow, template: Template, { before, written }: Change, shift: number): SeriesTimes {
  const times = {
    timezone: before.timezone === written.timezone ? series.timezone : written.timezone,
    start_local: later(series.start_local, shift),
    end_local: later(series.end_local, secondsBetween(before.end_local, written.end_local)),
    allDay: template.columns.all_day === 1,
  }
  if (!isWallClock(times.start_local) || !isWallClock(times.end_local))
    throw new AppError('rest_invalid_param', { params: { start_date: { problem: 'out_of_years' } } })
  return times
}

/** The pattern of the request, else the current one, moved. */
async function patternAfter(
  { clock, site }: Scope,
  series: SeriesRow,
  times: SeriesTimes,
  { recurrence }: Change,
  shift: number,
): Promise<Pattern> {
  const current = patternOf(series)
  if (recurrence !== null) {
    const dates = (given: readonly WallClock[]) => given.map((date) => later(date, shift))
    const meant = { rule: current.rule, dates: dates(current.dates), except: dates(current.except) }
    return resolvePattern(recurrence, times, meant) ?? refuseRecurrence({ problem: 'not_a_recurrence' })
  }
  if (shift === 0) return current
  const anchor: Anchor = anchorOf(timesOf(series))
  const horizon = horizonOf(toWallClock(clock('day'), site.timezone), anchor.start, site.seriesYears)
  return (await moved(current, anchor, shift, horizon)) ?? refuseRecurrence({ problem: 'cannot_move' })
}

/** Finds the occurrence of each start: by its original start, else by its original day. */
function match(
  members: readonly EventRow[],
  starts: readonly WallClock[],
  originalOf: (row: EventRow) => WallClock,
  wasRemoved: (row: EventRow) => boolean,
): { matched: Map<number, WallClock>; gone: EventRow[]; created: WallClock[] } {
  const open = new Set(starts)
  const matched = new Map<number, WallClock>()
  for (const row of members) if (open.delete(originalOf(row))) matched.set(row.id, originalOf(row))
  const left = members.filter((row) => !matched.has(row.id) && !wasRemoved(row))
  const byDay = Map.groupBy(open, (start) => start.slice(0, 10))
  for (const row of left) {
    const start = byDay.get(originalOf(row).slice(0, 10))?.shift()
    if (start === undefined) continue
    open.delete(start)
    matched.set(row.id, start)
  }
  return { matched, gone: left.filter((row) => !matched.has(row.id)), created: [...open].sort() }
}

/** Gives an occurrence its original start and, unless it has times of its own, its times. Answers whether those changed. */
async function move(
  tx: Tx,
  scope: Scope,
  row: EventRow,
  original: WallClock,
  times: SeriesTimes | null,
): Promise<boolean> {
  const hasOwn = [...ownFields(row)].some(isTimeField)
  const next = times === null || hasOwn ? null : timesAt(times, original, times.allDay)
  const isMoved = next !== null && Object.entries(next).some(([name, value]) => row[name as 'start_local'] !== value)
  if (!isMoved && row.original_start === original) return false
  await storage.updateEvents(tx, [row.id], {
    original_start: original,
    ...(isMoved && { ...next, all_day: times?.allDay ? 1 : 0, modified_utc: scope.clock() }),
  })
  return isMoved
}

/** Deletes occurrences that are no longer in their series. What was changed by hand goes to the trash, as a single event. */
async function removeGone(
  tx: Tx,
  scope: Scope,
  gone: readonly EventRow[],
  addressed: number,
  report: SeriesReport,
): Promise<void> {
  const isKept = (row: EventRow) => row.own_fields !== null || row.id === addressed
  const kept = gone.filter(isKept)
  await setStatus(tx, scope, kept, 'trash')
  await storage.updateEvents(
    tx,
    kept.map(({ id }) => id),
    DETACHED,
  )
  await deleteRows(
    tx,
    gone.filter((row) => !isKept(row)),
  )
  report.removed.push(...gone.map(({ id, start_local }) => ({ id, start_date: start_local })))
}
