import { runSynchronously } from '../lib/time-slices.ts'
import { civilDate, DAY, dayNumber, daysInMonth, daysInYear, fromWall, type WallSeconds, weekday } from './civil.ts'
import { type Clock, isInGap } from './clock.ts'
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

/** How many values of a rule are compared in the time of one step. */
const A_STEP = 32

/** What it costs to compare a day with all that a rule says of days. */
function dayCost({ byDay, byMonthDay, byYearDay, byWeek }: Rule): number {
  return Math.ceil((1 + byDay.length + byMonthDay.length + byYearDay.length + byWeek.length) / A_STEP)
}

class Spent extends Error {}

/** How many steps may still be taken. */
export interface Budget {
  left: number
}

function spend(budget: Budget, steps = 1): void {
  budget.left -= steps
  if (budget.left < 0) throw new Spent()
}

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

/** Which periods are looked at: from the one that a time lies in, on or back. */
interface Walk {
  readonly from: WallSeconds
  /** None that begins behind this. */
  readonly to: WallSeconds
  readonly step: 1 | -1
}

/** The times of each period in turn. */
function* periodsOf(rule: Rule, start: WallSeconds, walk: Walk, budget: Budget): Generator<readonly WallSeconds[]> {
  const unit = { HOURLY: 3600, MINUTELY: 60, SECONDLY: 1 }[rule.frequency as string]
  if (unit !== undefined) return yield* clockPeriods(rule, unit, start, walk, budget)
  const first = Math.floor(start / DAY)
  const matches = dayFilter(rule, civilDate(first), weekday(first))
  const clock = clockTimes(rule, start - first * DAY)
  const cost = dayCost(rule)
  let turn = turnAt(rule, first, Math.floor(walk.from / DAY))
  while (turn >= 0) {
    spend(budget)
    const [from, days] = daysOfPeriod(rule, first, turn * rule.interval)
    if (from * DAY > walk.to) return
    const times: WallSeconds[] = []
    for (let day = from; day < from + days; day++) {
      spend(budget, cost)
      if (!matches(day)) continue
      for (const time of clock) {
        spend(budget)
        times.push(day * DAY + time)
      }
    }
    yield times
    turn += walk.step
  }
}

/** The last turn whose period does not begin behind a day; found by halves, as no period is shorter than a day. */
function turnAt(rule: Rule, first: number, day: number): number {
  let [low, high] = [0, Math.max(0, Math.ceil((day - first) / rule.interval)) + 1]
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (daysOfPeriod(rule, first, middle * rule.interval)[0] <= day) low = middle
    else high = middle
  }
  return low
}

/** The first day of the period that lies some years, months, weeks or days behind the first, and its length. */
function daysOfPeriod({ frequency, weekStart }: Rule, first: number, steps: number): [number, number] {
  if (frequency === 'DAILY') return [first + steps, 1]
  if (frequency === 'WEEKLY') return [first - ((weekday(first) - weekStart + 7) % 7) + steps * 7, 7]
  const { year, month } = civilDate(first)
  if (frequency === 'YEARLY') return [dayNumber(year + steps, 1, 1), daysInYear(year + steps)]
  const months = month - 1 + steps
  const [y, m] = [year + Math.floor(months / 12), (months % 12) + 1]
  return [dayNumber(y, m, 1), daysInMonth(y, m)]
}

/** Rules by the hour, minute or second: what does not match is left in one stride to the next (or last) hour or day. */
function* clockPeriods(
  rule: Rule,
  unit: number,
  start: WallSeconds,
  walk: Walk,
  budget: Budget,
): Generator<readonly WallSeconds[]> {
  const first = Math.floor(start / DAY)
  const matches = dayFilter(rule, null, weekday(first))
  const cost = dayCost(rule)
  const step = rule.interval * unit
  const begin = Math.floor(start / unit) * unit
  /** The next period that begins outside the span from `from` until `until`, in the direction of the walk. */
  const beyond = (at: WallSeconds, from: WallSeconds, until: WallSeconds) =>
    walk.step === 1
      ? at + Math.max(1, Math.ceil((until - at) / step)) * step
      : at - (Math.floor((at - from) / step) + 1) * step
  for (let at = begin + Math.max(0, Math.floor((walk.from - begin) / step)) * step; at >= begin && at <= walk.to; ) {
    spend(budget, cost)
    const day = Math.floor(at / DAY)
    const time = at - day * DAY
    const hour = Math.floor(time / 3600)
    if (!matches(day)) {
      yield []
      at = beyond(at, day * DAY, (day + 1) * DAY)
    } else if (rule.byHour.length > 0 && !rule.byHour.includes(hour)) {
      yield []
      at = beyond(at, day * DAY + hour * 3600, day * DAY + (hour + 1) * 3600)
    } else {
      yield withinUnit(rule, unit, time, start, budget).map((one) => day * DAY + one)
      at = beyond(at, at, at)
    }
  }
}

/** The times of a day inside the hour, minute or second that begins at `time`. */
function withinUnit(rule: Rule, unit: number, time: number, start: WallSeconds, budget: Budget): number[] {
  const minute = Math.floor(time / 60) % 60
  const minuteOfStart = Math.floor((start - Math.floor(start / DAY) * DAY) / 60) % 60
  if (unit < 3600 && rule.byMinute.length > 0 && !rule.byMinute.includes(minute)) return []
  if (unit === 1) return rule.bySecond.length === 0 || rule.bySecond.includes(time % 60) ? [time] : []
  const seconds = rule.bySecond.length > 0 ? rule.bySecond : [((start % 60) + 60) % 60]
  const minutes = unit === 60 ? [minute] : rule.byMinute.length > 0 ? rule.byMinute : [minuteOfStart]
  const hour = Math.floor(time / 3600) * 3600
  return minutes.flatMap((one) =>
    seconds.map((second) => {
      spend(budget)
      return hour + one * 60 + second
    }),
  )
}

/** The seconds of a day at which its events begin, in order. */
function clockTimes({ byHour, byMinute, bySecond }: Rule, start: number): number[] {
  const hours = byHour.length > 0 ? byHour : [Math.floor(start / 3600)]
  const minutes = byMinute.length > 0 ? byMinute : [Math.floor(start / 60) % 60]
  const seconds = bySecond.length > 0 ? bySecond : [start % 60]
  return hours.flatMap((hour) => minutes.flatMap((minute) => seconds.map((one) => hour * 3600 + minute * 60 + one)))
}

/** Whether a day is one of a rule: what the rule does not say of the day is as the first one has it. */
function dayFilter(rule: Rule, first: { month: number; day: number } | null, firstWeekday: number) {
  const { frequency } = rule
  const saysDay = [rule.byWeek, rule.byYearDay, rule.byMonthDay, rule.byDay].some((part) => part.length > 0)
  const byDate = first !== null && !saysDay && (frequency === 'YEARLY' || frequency === 'MONTHLY')
  const months = byDate && frequency === 'YEARLY' && rule.byMonth.length === 0 ? [first.month] : rule.byMonth
  const monthDays = byDate ? [first.day] : rule.byMonthDay
  const onlyWeeks = rule.byWeek.length > 0 && rule.byDay.length + rule.byYearDay.length + rule.byMonthDay.length === 0
  const sameWeekday = (frequency === 'WEEKLY' && !saysDay) || (frequency === 'YEARLY' && onlyWeeks)
  const byDay = sameWeekday ? [{ nth: 0, day: firstWeekday }] : rule.byDay
  // A numbered weekday counts within the month, or within the year if that is the period.
  const inYear = frequency === 'YEARLY' && rule.byMonth.length === 0
  return (number: number): boolean => {
    const { year, month, day } = civilDate(number)
    if (months.length > 0 && !months.includes(month)) return false
    const length = daysInMonth(year, month)
    if (monthDays.length > 0 && !monthDays.includes(day) && !monthDays.includes(day - length - 1)) return false
    const dayOfYear = number - dayNumber(year, 1, 1) + 1
    const days = daysInYear(year)
    if (rule.byYearDay.length > 0 && !rule.byYearDay.some((one) => one === dayOfYear || one === dayOfYear - days - 1))
      return false
    if (rule.byWeek.length > 0 && !isInWeeks(number, year, rule)) return false
    if (byDay.length === 0) return true
    const [place, size] = inYear ? [dayOfYear, days] : [day, length]
    return byDay.some(
      (one) =>
        one.day === weekday(number) &&
        (one.nth === 0 ||
          (one.nth > 0 ? one.nth === Math.ceil(place / 7) : -one.nth === Math.ceil((size - place + 1) / 7))),
    )
  }
}

/** Weeks belong to the year that has at least four of their days. */
function isInWeeks(number: number, year: number, { byWeek, weekStart }: Rule): boolean {
  const firstWeek = (of: number) => {
    const fourth = dayNumber(of, 1, 4)
    return fourth - ((weekday(fourth) - weekStart + 7) % 7)
  }
  const ofYear = number >= firstWeek(year + 1) ? year + 1 : number >= firstWeek(year) ? year : year - 1
  const week = Math.floor((number - firstWeek(ofYear)) / 7) + 1
  const weeks = (firstWeek(ofYear + 1) - firstWeek(ofYear)) / 7
  return byWeek.includes(week) || byWeek.includes(week - weeks - 1)
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

/** Whether all rules of an entry go by a year or longer. */
export function isYearly({ rules }: Recurrence): boolean {
  const isLong = ({ frequency, interval }: Rule) => (PERIOD_DAYS[frequency] ?? 0) * interval >= 360
  return rules.length > 0 && rules.every(isLong)
}
