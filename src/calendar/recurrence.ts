import { runSynchronously } from '../lib/time-slices.ts'
import { civilDate, DAY, dayNumber, fromWall, type WallSeconds } from './civil.ts'
import { type Clock, isInGap } from './clock.ts'
import { A_STEP, type Budget, Spent, spend } from './recurrence-budget.ts'
import { periodsOf } from './recurrence-periods.ts'
import type { Rule } from './recurrence-rule.ts'

/**
 * The times of a recurring entry, by the wall clock of its zone.
 *
 * It always stops: every turn of a loop spends from a budget of MAX_STEPS, every period begins later than the one
 * before (or, on the way back, sooner), and none that begins behind the horizon is looked at. A rule that gives nothing
 * costs no more than one that gives everything.
 */
export interface Occurrences {
  /** In order, the entry's own start first, unless the clock skips it. */
  readonly starts: readonly WallSeconds[]
  /** Why there are fewer than the rule gives: it gives too many, or takes too long. */
  readonly cut: boolean
}

/** The most times that are taken of one entry: one a day for thirteen years. */
export const MAX_OCCURRENCES = 5000

/** The most days, times and periods that are looked at for one entry. */
export const MAX_STEPS = 200_000

/** What it costs to ask a zone whether its clock skips a time. */
const ZONE_STEPS = 3

export interface Recurrence {
  readonly start: WallSeconds
  /** Whole days know no clock that skips an hour. */
  readonly isDate: boolean
  readonly zone: Clock
  readonly rules: readonly Rule[]
  /** The rules as they are written. */
  readonly ruleTexts?: readonly string[]
  /** Further times. */
  readonly also: readonly WallSeconds[]
  /** Ends of those that have their own. */
  readonly ends?: ReadonlyMap<WallSeconds, WallSeconds>
  /** Times that are left out. */
  readonly except: ReadonlySet<WallSeconds>
}

/**
 * The times of an entry that are not behind the horizon. If there are too many, those from `now` on come first, the next
 * ones before later ones, and then those that were last; the entry's own start is always there.
 */
export function expand(recurrence: Recurrence, horizon: WallSeconds, now = recurrence.start): Occurrences {
  return runSynchronously(expansion(recurrence, horizon, now))
}

/** The same, one short step after the other: all of them may take a tenth of a second. */
export function* expansion(
  recurrence: Recurrence,
  horizon: WallSeconds,
  now = recurrence.start,
  // One for all rules: an entry may have many of them. What is ahead is looked for before what was.
  budget: Budget = { left: MAX_STEPS },
  /** What rules give before this is left out, but for what they have to count. */
  since = Number.NEGATIVE_INFINITY,
): Generator<void, Occurrences> {
  const { start, rules, also, except } = recurrence
  const found = new Set<WallSeconds>(also.filter((at) => at <= horizon))
  let cut = false
  for (const times of [timesFrom, timesBefore]) {
    for (const rule of rules) {
      try {
        spend(budget)
        for (const at of times(rule, recurrence, { now, horizon, since }, budget)) {
          if (at !== null) found.add(at)
          yield
        }
      } catch (error) {
        if (!(error instanceof Spent)) throw error
        cut = true
      }
      if (budget.left < 0) break
    }
  }
  found.delete(start)
  const others = [...found].filter((at) => !except.has(at)).sort((one, other) => one - other)
  const own = except.has(start) || isStartSkipped(recurrence) ? [] : [start]
  const most = MAX_OCCURRENCES - own.length
  const firstAhead = others.findIndex((at) => at >= now)
  const past = firstAhead === -1 ? others.length : firstAhead
  const end = Math.min(others.length, past + most)
  const kept = others.slice(Math.max(0, end - most), end)
  const starts = [...own, ...kept].sort((one, other) => one - other)
  return { starts, cut: cut || kept.length < others.length }
}

interface Period {
  readonly now: WallSeconds
  readonly horizon: WallSeconds
  readonly since: WallSeconds
}

/**
 * The times of one rule from now on or, where it counts them, all; null after a period, which may have none. The start is
 * one, whether the rule gives it or not (RFC 5545 §3.8.5.3).
 */
function* timesFrom(
  rule: Rule,
  recurrence: Recurrence,
  { now, horizon }: Period,
  budget: Budget,
): Generator<WallSeconds | null> {
  const { start, except } = recurrence
  const last = Math.min(horizon, rule.until ?? horizon)
  const counts = rule.count !== null
  const from = counts ? start : Math.max(start, now)
  let left = counts ? (rule.count ?? 0) - (isStartSkipped(recurrence) ? 0 : 1) : MAX_OCCURRENCES
  for (const period of periodsOf(rule, start, { from, to: last, step: 1 }, budget)) {
    for (const at of chosen(rule, period, budget)) {
      if (at <= start || at < from) continue
      if (at > last) return
      if (left <= 0 && counts) return
      if (isSkipped(at, recurrence, budget)) continue
      if (left-- <= 0) throw new Spent()
      // What is left out counts, but takes no place of those that are not.
      if (!counts && except.has(at)) left++
      yield at
    }
    yield null
  }
}

/** The times of one rule before now, the last first; none where it counts them; null after a period. */
function* timesBefore(
  rule: Rule,
  recurrence: Recurrence,
  { now, horizon, since }: Period,
  budget: Budget,
): Generator<WallSeconds | null> {
  const { start, except } = recurrence
  const before = Math.min(now, (rule.until ?? horizon) + 1)
  if (rule.count !== null || before <= start) return
  let left = MAX_OCCURRENCES
  for (const period of periodsOf(rule, start, { from: before, to: before, step: -1 }, budget)) {
    for (const at of chosen(rule, period, budget).toReversed()) {
      if (at >= before) continue
      if (at <= start || at < since) return
      if (isSkipped(at, recurrence, budget)) continue
      if (left-- <= 0) throw new Spent()
      if (except.has(at)) left++
      yield at
    }
    yield null
  }
}

/** Whether a rule gives the start that it counts from. */
export function isGiven(rule: Rule, start: WallSeconds): boolean {
  const budget = { left: MAX_STEPS }
  const [period = []] = periodsOf(rule, start, { from: start, to: start, step: 1 }, budget)
  return chosen(rule, period, budget).includes(start)
}

/** So does the start of a series. A single entry, which has no other time, begins behind the gap instead. */
function isStartSkipped({ start, isDate, zone, rules, also }: Recurrence): boolean {
  return !isDate && rules.length + also.length > 0 && isInGap(start, zone)
}

/** A time that the clock skips is none, and does not count (RFC 5545 §3.3.10). */
function isSkipped(at: WallSeconds, { isDate, zone }: Recurrence, budget: Budget): boolean {
  if (isDate) return false
  spend(budget, ZONE_STEPS)
  return isInGap(at, zone)
}

/** Of the times of a period, in order, those that BYSETPOS names. */
function chosen({ byPosition }: Rule, times: readonly WallSeconds[], budget: Budget): readonly WallSeconds[] {
  if (byPosition.length === 0 || times.length === 0) return times
  spend(budget, Math.ceil(byPosition.length / A_STEP))
  const places = new Set(byPosition.map((place) => (place > 0 ? place - 1 : times.length + place)))
  return times.filter((_, place) => places.has(place))
}

/** The wall clock two years behind another: how far ahead recurring entries become events. */
export function horizonFrom(now: string, years = 2): WallSeconds {
  const { year, month, day } = civilDate(Math.floor(fromWall(now) / DAY))
  return dayNumber(year + years, month, day) * DAY + DAY - 1
}

/** The beginning of the day a year before a wall clock. */
export function yearBefore(now: string): WallSeconds {
  const { year, month, day } = civilDate(Math.floor(fromWall(now) / DAY))
  return dayNumber(year - 1, month, day) * DAY
}

/** Days of a period, or a little less, of the frequencies that a rule by the year can be written with. */
const PERIOD_DAYS: Partial<Record<Rule['frequency'], number>> = { DAILY: 1, WEEKLY: 7, MONTHLY: 30, YEARLY: 360 }

/** Days of a year, or a little less. */
const YEAR_DAYS = 360

/** Whether rules go by a year or longer, and the times that they give, in order, are one a year at most. */
export function isYearly({ rules }: Recurrence, given: readonly WallSeconds[]): boolean {
  const isLong = ({ frequency, interval }: Rule) => (PERIOD_DAYS[frequency] ?? 0) * interval >= YEAR_DAYS
  const yearOf = (at: WallSeconds) => civilDate(Math.floor(at / DAY)).year
  const isFirst = (at: WallSeconds, place: number) => {
    const before = given[place - 1]
    return before === undefined || at - before >= YEAR_DAYS * DAY || yearOf(at) !== yearOf(before)
  }
  return rules.length > 0 && rules.every(isLong) && given.every(isFirst)
}
