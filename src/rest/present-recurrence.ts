import { DAY, fromWall } from '../calendar/civil.ts'
import { type Rule, readRule } from '../calendar/recurrence-rule.ts'
import { ruleText } from '../calendar/rule-text.ts'
import type { EventRow, SeriesRow } from '../domain/events.ts'
import { ownFields } from '../domain/series-members.ts'
import { patternOf } from '../domain/series-pattern.ts'

/** What the occurrences of a series show of it. */

/** The part of `recurrence` that is an occurrence's own. */
export function occurrence(row: EventRow): Record<string, unknown> {
  return {
    series: row.series,
    original_start_date: row.original_start,
    changed: ownFields(row).size > 0,
  }
}

/** The part of `recurrence` that is the same for all occurrences. */
export function seriesPart(series: SeriesRow, language: string): Record<string, unknown> {
  return { rule: series.rule, text: seriesText(series, language), count: series.occurrences }
}

/** The dates of a series: only the first of it shows them, by itself. */
export function seriesDates(series: SeriesRow): Record<string, unknown> {
  const { dates, except } = patternOf(series)
  return { dates, except }
}

/** A recurrence in words. */
export function seriesText(series: SeriesRow, language: string): string {
  const rule = ruleOf(series)
  return ruleText({ rule, start: fromWall(series.start_local), dates: patternOf(series).dates.length }, language)
}

function ruleOf({ rule, timezone }: SeriesRow): Rule | null {
  return rule === null ? null : readRule(rule, timezone)
}

const UNITS: Partial<Record<Rule['frequency'], string>> = { DAILY: 'D', WEEKLY: 'W', MONTHLY: 'M', YEARLY: 'Y' }
const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']
/** Limit on exceptions in JSON-LD. */
const MAX_EXCEPTIONS = 50

/** A series as a `Schedule`. What schema.org has no word for is left out. Null for one without a rule. */
export function scheduleLd(series: SeriesRow): Record<string, unknown> | null {
  const rule = ruleOf(series)
  if (rule === null) return null
  const { except } = patternOf(series)
  const { start_local: start, end_local: end, timezone } = series
  const dayOf = (seconds: number) => new Date(Math.floor(seconds / DAY) * DAY * 1000).toISOString().slice(0, 10)
  const byDay = rule.byDay.filter(({ nth }) => nth === 0).map(({ day }) => `https://schema.org/${WEEKDAYS[day]}`)
  return {
    '@type': 'Schedule',
    repeatFrequency: `P${rule.interval}${UNITS[rule.frequency]}`,
    ...(byDay.length > 0 && { byDay }),
    ...(rule.byMonth.length > 0 && { byMonth: rule.byMonth }),
    ...(rule.byMonthDay.some((day) => day > 0) && { byMonthDay: rule.byMonthDay.filter((day) => day > 0) }),
    ...(rule.count !== null && { repeatCount: rule.count }),
    startDate: start.slice(0, 10),
    ...(rule.until !== null && { endDate: dayOf(rule.until) }),
    startTime: start.slice(11),
    endTime: end.slice(11),
    scheduleTimezone: timezone,
    ...(except.length > 0 &&
      except.length <= MAX_EXCEPTIONS && { exceptDate: except.map((date) => date.replace(' ', 'T')) }),
  }
}
