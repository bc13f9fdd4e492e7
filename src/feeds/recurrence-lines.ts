import { compact } from '../calendar/pattern.ts'
import type { SeriesRow } from '../domain/events.ts'
import { patternOf } from '../domain/series-pattern.ts'

/** A recurrence as lines of iCalendar, by the wall clock of the series. */
export function recurrenceLines(series: SeriesRow): string {
  const { rule, dates, except } = patternOf(series)
  const lines = [
    ...(rule === null ? [] : [`RRULE:${rule}`]),
    ...(dates.length === 0 ? [] : [`RDATE:${dates.map(compact).join(',')}`]),
    ...(except.length === 0 ? [] : [`EXDATE:${except.map(compact).join(',')}`]),
  ]
  return lines.join('\n')
}
