import { DAY, type WallSeconds, weekday } from './civil.ts'
import { type Budget, dayCost, spend } from './recurrence-budget.ts'
import { dayFilter } from './recurrence-days.ts'
import type { Rule } from './recurrence-rule.ts'

/** Which periods are looked at: from the one that a time lies in, on or back. */
export interface Walk {
  readonly from: WallSeconds
  /** None that begins behind this. */
  readonly to: WallSeconds
  readonly step: 1 | -1
}

/** Rules by the hour, minute or second: what does not match is left in one stride to the next (or last) hour or day. */
export function* clockPeriods(
  rule: Rule,
  unit: number,
  start: WallSeconds,
  walk: Walk,
  budget: Budget,
): Generator<readonly WallSeconds[]> {
  const first = Math.floor(start / DAY)
  const { matches } = dayFilter(rule, null, weekday(first))
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
