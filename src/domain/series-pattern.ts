import { fromWall, toWall } from '../calendar/civil.ts'
import { wallClockIn } from '../calendar/date-text.ts'
import { type Anchor, horizonOf, inOrder, isSamePattern, type Pattern, startsOf } from '../calendar/pattern.ts'
import { MAX_OCCURRENCES } from '../calendar/recurrence.ts'
import { isEndless } from '../calendar/rule-syntax.ts'
import { isWallClock } from '../calendar/years.ts'
import { toWallClock, type WallClock } from '../calendar/zone.ts'
import { AppError, type Problem } from '../lib/errors.ts'
import { runInSlices } from '../lib/time-slices.ts'
import type { RecurrenceValue, SeriesDate } from '../schema/recurrence.ts'
import type { SeriesRow } from '../storage/series.ts'
import type { Scope } from './scope.ts'

/** Times that a series begins and ends at, and what it repeats by. */

export type SeriesTimes = Pick<SeriesRow, 'timezone' | 'start_local' | 'end_local'> & { readonly allDay: boolean }

/** Refuses the recurrence of a request. */
export function refuseRecurrence(problem: Problem): never {
  throw new AppError('rest_invalid_param', { params: { recurrence: problem } })
}

export function patternOf({ rule, dates, except_dates }: SeriesRow): Pattern {
  return { rule, dates: JSON.parse(dates), except: JSON.parse(except_dates) }
}

/** Columns of a pattern. */
export function patternColumns({ rule, dates, except }: Pattern) {
  return { rule, dates: JSON.stringify(dates), except_dates: JSON.stringify(except) }
}

export function anchorOf({ timezone, start_local, allDay }: SeriesTimes): Anchor {
  return { start: start_local, zone: timezone, allDay }
}

/**
 * The pattern that a request means. Parts that were not sent are those of the current one. Null if it has neither a rule
 * nor dates.
 */
export function resolvePattern(value: RecurrenceValue, times: SeriesTimes, current: Pattern | null): Pattern | null {
  const dates = (given: readonly SeriesDate[] | undefined, had: readonly WallClock[] = []) =>
    given === undefined ? had : inOrder(given.map((date) => wallOf(date, times)))
  const pattern: Pattern = {
    rule: value.rule === undefined ? (current?.rule ?? null) : value.rule,
    dates: dates(value.dates, current?.dates).filter((date) => date !== times.start_local),
    except: dates(value.except, current?.except),
  }
  return pattern.rule === null && pattern.dates.length === 0 ? null : pattern
}

function wallOf(date: SeriesDate, { timezone, start_local }: SeriesTimes): WallClock {
  const wall = 'day' in date ? `${date.day} ${start_local.slice(11)}` : wallClockIn(date, timezone)
  if (!isWallClock(wall)) refuseRecurrence({ problem: 'out_of_years' })
  return wall
}

/** Whether a request says what is shown already. */
export function isShownPattern(value: RecurrenceValue, times: SeriesTimes, current: Pattern): boolean {
  const meant = resolvePattern(value, times, current)
  return meant !== null && isSamePattern(meant, current)
}

/** The occurrences of a series. */
export interface Occurrences {
  /** All of a series that ends, else those until the horizon. */
  readonly all: readonly WallClock[]
  /** Those that have to exist now. */
  readonly starts: readonly WallClock[]
  /** Number of all; null if it never ends. */
  readonly count: number | null
  /** Until when they are made; null if there are no later ones. */
  readonly madeUntil: WallClock | null
  /** Whether there are more than a series may have. */
  readonly isCut: boolean
}

type When = Pick<Scope, 'clock' | 'site'>

/** Finds the occurrences of a pattern, until the horizon or a later time. */
export async function findOccurrences(
  { clock, site }: When,
  pattern: Pattern,
  times: SeriesTimes,
  atLeast: WallClock = times.start_local,
): Promise<Occurrences> {
  const today = toWallClock(clock('day'), site.timezone)
  const horizon = Math.max(horizonOf(today, times.start_local, site.seriesYears), fromWall(atLeast))
  const { starts: all, isCut } = await runInSlices(startsOf(pattern, anchorOf(times), horizon))
  const until = toWall(horizon)
  const starts = all.filter((start) => start <= until && isWallClock(start))
  const isEnding = !isEndless(pattern.rule)
  return {
    all,
    starts,
    count: isEnding ? all.length : null,
    madeUntil: isEnding && starts.length === all.length ? null : until,
    isCut,
  }
}

/** The same. A pattern that gives no occurrence or too many is refused. */
export async function occurrencesOf(...asked: Parameters<typeof findOccurrences>): Promise<Occurrences> {
  const found = await findOccurrences(...asked)
  if (found.isCut) refuseRecurrence({ problem: 'too_many_occurrences', most: MAX_OCCURRENCES })
  if (found.starts.length === 0) refuseRecurrence({ problem: 'no_occurrence' })
  return found
}
