import { compact } from '../calendar/pattern.ts'
import type { Event } from '../domain/events.ts'
import { patternOf } from '../domain/series-pattern.ts'

/**
 * A recurrence in a table, as lines of iCalendar by the wall clock of the series. Every event of a series has a row: the
 * first one of the table has the rule and where it starts and ends, and each one has the number of the series and its original
 * start. `told` has the series whose rule the table has.
 */
export function recurrenceCell({ row, series }: Pick<Event, 'row' | 'series'>, told: Set<number>): string | null {
  if (series === null) return null
  const place = [`X-KALENDS-SERIES:${series.id}`, `RECURRENCE-ID:${compact(row.original_start ?? row.start_local)}`]
  if (told.has(series.id)) return place.join('\n')
  told.add(series.id)
  const { rule, dates, except } = patternOf(series)
  const lines = [
    ...(rule === null ? [] : [`RRULE:${rule}`]),
    ...(dates.length === 0 ? [] : [`RDATE:${dates.map(compact).join(',')}`]),
    ...(except.length === 0 ? [] : [`EXDATE:${except.map(compact).join(',')}`]),
    `DTSTART:${compact(series.start_local)}`,
    `DTEND:${compact(series.end_local)}`,
  ]
  return [...lines, ...place].join('\n')
}
