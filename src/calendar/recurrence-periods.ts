import { civilDate, DAY, dayNumber, daysInMonth, daysInYear, type WallSeconds, weekday } from './civil.ts'
import { type Budget, dayCost, spend } from './recurrence-budget.ts'
import { clockPeriods, type Walk } from './recurrence-clock.ts'
import { dayFilter } from './recurrence-days.ts'
import type { Rule } from './recurrence-rule.ts'

/** The times of each period in turn. */
export function* periodsOf(
  rule: Rule,
  start: WallSeconds,
  walk: Walk,
  budget: Budget,
): Generator<readonly WallSeconds[]> {
  const unit = { HOURLY: 3600, MINUTELY: 60, SECONDLY: 1 }[rule.frequency as string]
  if (unit !== undefined) return yield* clockPeriods(rule, unit, start, walk, budget)
  const first = Math.floor(start / DAY)
  const { matches, months } = dayFilter(rule, civilDate(first), weekday(first))
  const clock = clockTimes(rule, start - first * DAY)
  const cost = dayCost(rule)
  let turn = turnAt(rule, first, Math.floor(walk.from / DAY))
  while (turn >= 0) {
    spend(budget)
    const period = daysOfPeriod(rule, first, turn * rule.interval)
    if (period[0] * DAY > walk.to) return
    const times: WallSeconds[] = []
    for (const [from, days] of rule.frequency === 'YEARLY' ? inMonths(period, months) : [period]) {
      for (let day = from; day < from + days; day++) {
        spend(budget, cost)
        if (!matches(day)) continue
        for (const time of clock) {
          spend(budget)
          times.push(day * DAY + time)
        }
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

/** A first day, and how many there are. */
type Days = readonly [first: number, count: number]

/** The first day of the period that lies some years, months, weeks or days behind the first, and its length. */
function daysOfPeriod({ frequency, weekStart }: Rule, first: number, steps: number): Days {
  if (frequency === 'DAILY') return [first + steps, 1]
  if (frequency === 'WEEKLY') return [first - ((weekday(first) - weekStart + 7) % 7) + steps * 7, 7]
  const { year, month } = civilDate(first)
  if (frequency === 'YEARLY') return [dayNumber(year + steps, 1, 1), daysInYear(year + steps)]
  const months = month - 1 + steps
  const [y, m] = [year + Math.floor(months / 12), (months % 12) + 1]
  return [dayNumber(y, m, 1), daysInMonth(y, m)]
}

/** Of the days of a year, those of some months; all if none is named. */
function inMonths(whole: Days, months: readonly number[]): Days[] {
  if (months.length === 0) return [whole]
  const { year } = civilDate(whole[0])
  return months.map((month) => [dayNumber(year, month, 1), daysInMonth(year, month)])
}

/** The seconds of a day at which its events begin, in order. */
function clockTimes({ byHour, byMinute, bySecond }: Rule, start: number): number[] {
  const hours = byHour.length > 0 ? byHour : [Math.floor(start / 3600)]
  const minutes = byMinute.length > 0 ? byMinute : [Math.floor(start / 60) % 60]
  const seconds = bySecond.length > 0 ? bySecond : [start % 60]
  return hours.flatMap((hour) => minutes.flatMap((minute) => seconds.map((one) => hour * 3600 + minute * 60 + one)))
}
