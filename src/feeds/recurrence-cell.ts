import { compact } from '../calendar/pattern.ts'
import type { Event } from '../domain/events.ts'
import { patternOf } from '../domain/series-pattern.ts'

/**
 * A recurrence in a table, as lines of iCalendar by the wall clock of the series. Every event of a series has a row: the
 * first one has the rule, and each one has the number of the series and its original start.
 */
export function recurrenceCell({ row, series }: Pick<Event, 'row' | 'series'>): string | null {
  if (series === null) return null
  const { rule, dates, except } = patternOf(series)
  const isFirst = series.id === row.id
  const lines = [
    ...(isFirst && rule !== null ? [`RRULE:${rule}`] : []),
    ...(isFirst && dates.length > 0 ? [`RDATE:${dates.map(compact).join(',')}`] : []),
    ...(isFirst && except.length > 0 ? [`EXDATE:${except.map(compact).join(',')}`] : []),
    `X-KALENDS-SERIES:${series.id}`,
    `RECURRENCE-ID:${compact(row.original_start ?? row.start_local)}`,
  ]
  return lines.join('\n')
}
