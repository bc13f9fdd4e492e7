import { type Anchor, horizonOf, later, moved, type Pattern, secondsBetween } from '../calendar/pattern.ts'
import { isWallClock } from '../calendar/years.ts'
import { toWallClock, type WallClock } from '../calendar/zone.ts'
import { AppError } from '../lib/errors.ts'
import { TimeSlice } from '../lib/time-slices.ts'
import type { RecurrenceValue } from '../schema/recurrence.ts'
import type { Tx } from '../storage/dialect.ts'
import type { EventRow } from '../storage/events.ts'
import * as eventStorage from '../storage/events.ts'
import type { Occurrence, SeriesRow } from '../storage/series.ts'
import * as storage from '../storage/series.ts'
import type { Scope } from './scope.ts'
import { DETACHED, isTimeField, ownFields, timesOf } from './series-members.ts'
import {
  anchorOf,
  findOccurrences,
  occurrencesOf,
  patternColumns,
  patternOf,
  refuseRecurrence,
  resolvePattern,
  type SeriesTimes,
} from './series-pattern.ts'
import type { SeriesReport } from './series-reach.ts'
import { deleteRows } from './series-removal.ts'
import { isRemoved, setStatus } from './series-status.ts'
import { createOccurrences, type Template, timesAt } from './series-template.ts'

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
  const originalOf = (row: Occurrence) => later(row.original_start ?? row.start_local, shift)
  const last = members.map(originalOf).reduce((one, other) => (one > other ? one : other), times.start_local)
  const { starts, count, madeUntil } = await occurrencesOf(scope, pattern, times, last)
  const wasRemoved = isRemoved(series)
  const { matched, gone, created } = match(members, starts, originalOf, wasRemoved)
  const lost = new Set(gone)
  const moves: Move[] = []
  const slice = new TimeSlice()
  for (const row of members) {
    const start = matched.get(row.id)
    moves.push(moveOf(scope, row, start ?? originalOf(row), lost.has(row) ? null : times))
    if (slice.isOver) await slice.yield()
  }
  await storage.updateEach(
    tx,
    moves.flatMap(({ change }) => change ?? []),
  )
  report.changed.push(...moves.flatMap(({ moved: one }) => one ?? []))
  await setStatus(
    tx,
    scope,
    members.filter((row) => matched.has(row.id) && wasRemoved(row)),
    'before',
  )
  await detachRemoved(
    tx,
    scope,
    members.filter((row) => !matched.has(row.id) && wasRemoved(row)),
    originalOf,
    pattern,
    times,
    last,
  )
  await removeGone(tx, scope, gone, change.written.id, report)
  const { allDay: _, ...columns } = times
  const next = { ...series, ...columns, ...patternColumns(pattern), occurrences: count, made_until: madeUntil }
  await addOccurrences(tx, scope, next, template, created, report)
  await storage.clearForeignParents(tx, series.id)
  return next
}

/** Creates occurrences for a user, in the trash if their series is there. */
export async function addOccurrences(
  tx: Tx,
  scope: Scope,
  series: SeriesRow,
  template: Template,
  starts: readonly WallClock[],
  report: SeriesReport,
  first?: number,
): Promise<void> {
  if (starts.length > 0) await scope.quotas.checkDraft(tx, scope.user, template.columns.status, starts.length)
  const ids = await createOccurrences(tx, scope, series, template, starts, first)
  if (series.trashed === 1) await setStatus(tx, scope, await eventStorage.getAll(tx, ids, 'no reader: write'), 'trash')
  report.created.push(...starts.map((start_date) => ({ start_date })))
}

/** Takes events that were removed by themselves out of a series whose pattern has their day no longer. */
async function detachRemoved(
  tx: Tx,
  scope: Scope,
  removed: readonly Occurrence[],
  originalOf: (row: Occurrence) => WallClock,
  pattern: Pattern,
  times: SeriesTimes,
  last: WallClock,
): Promise<void> {
  if (removed.length === 0) return
  const { starts } = await findOccurrences(scope, { ...pattern, except: [] }, times, last)
  const possible = new Set(starts)
  const lost = removed.filter((row) => !possible.has(originalOf(row)))
  await storage.updateEvents(
    tx,
    lost.map(({ id }) => id),
    DETACHED,
  )
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
  members: readonly Occurrence[],
  starts: readonly WallClock[],
  originalOf: (row: Occurrence) => WallClock,
  wasRemoved: (row: Occurrence) => boolean,
): { matched: Map<number, WallClock>; gone: Occurrence[]; created: WallClock[] } {
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

/** The change of an occurrence, and its new start if that is another one. */
interface Move {
  readonly change?: storage.EventChange
  readonly moved?: SeriesReport['changed'][number]
}

/** The original start of an occurrence and, unless it has times of its own, its times. */
function moveOf(scope: Scope, row: Occurrence, original: WallClock, times: SeriesTimes | null): Move {
  const hasOwn = [...ownFields(row)].some(isTimeField)
  const next = times === null || hasOwn ? null : timesAt(times, original, times.allDay)
  const all_day = times?.allDay ? 1 : 0
  const isMoved =
    next !== null &&
    (row.all_day !== all_day || Object.entries(next).some(([name, value]) => row[name as 'start_local'] !== value))
  if (!isMoved && row.original_start === original) return {}
  const { id, timezone, start_local, end_local, start_utc, end_utc, modified_utc } = row
  const stays = { timezone, start_local, end_local, start_utc, end_utc, all_day: row.all_day, modified_utc }
  const change = {
    id,
    ...stays,
    ...(isMoved && { ...next, all_day, modified_utc: scope.clock() }),
    original_start: original,
  }
  return isMoved ? { change, moved: { id, start_date: next.start_local } } : { change }
}

/** Deletes occurrences that are no longer in their series. What was changed by hand goes to the trash, as a single event. */
export async function removeGone(
  tx: Tx,
  scope: Scope,
  gone: readonly Occurrence[],
  addressed: number,
  report: SeriesReport,
): Promise<void> {
  const isKept = (row: Occurrence) => row.own_fields !== null || row.id === addressed
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
