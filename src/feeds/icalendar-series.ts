import { DAY, fromWall, toWall } from '../calendar/civil.ts'
import type { writeLine } from '../calendar/content-lines.ts'
import { compact, inOrder, type Pattern } from '../calendar/pattern.ts'
import { readRule } from '../calendar/recurrence-rule.ts'
import { withPart } from '../calendar/rule-syntax.ts'
import { isManual, toInstant, type WallClock, type Zone } from '../calendar/zone.ts'
import type { StreamedSeries } from '../domain/event-stream.ts'
import type { EventRow, SeriesRow } from '../domain/events.ts'
import { readTemplate, timesAt } from '../domain/series-template.ts'

/** Series in iCalendar: one VEVENT with its rule, and one for each changed event, all with one UID. */

type Line = Parameters<typeof writeLine>

/** Dates per line. */
const PER_LINE = 50

/** Whether the events of a series are whole days. */
export function isAllDay(series: Pick<SeriesRow, 'template'>): boolean {
  return readTemplate(series).columns.all_day === 1
}

/** Whether a series can be written with its rule. By the clock of an offset without a name, days are not those of UTC. */
function hasRule({ timezone }: SeriesRow, allDay: boolean): boolean {
  return allDay || !isManual(timezone)
}

/** A series as other programs read it. Where it cannot have its rule, its dates are those of its events. */
function writtenPattern({ series, pattern, slugs }: StreamedSeries): Pattern {
  if (pattern.rule === null || hasRule(series, isAllDay(series))) return pattern
  return { ...pattern, rule: null, dates: inOrder(Object.keys(slugs)) }
}

function writtenRule({ rule }: Pattern, series: SeriesRow): string | null {
  return rule === null ? null : ruleInUtc(rule, series.timezone, isAllDay(series))
}

/** `RRULE`, `RDATE` and `EXDATE` of a series. */
export function recurrenceLines(streamed: StreamedSeries): Line[] {
  const { series, start } = streamed
  const allDay = isAllDay(series)
  const written = writtenPattern(streamed)
  const rule = writtenRule(written, series)
  // Some programs take the start of an entry without a rule only from its dates.
  const dates = rule === null ? inOrder([start, ...written.dates]) : written.dates
  return [
    ...(rule === null ? [] : [['RRULE', rule] as Line]),
    ...dateLines('RDATE', dates, series.timezone, allDay),
    ...dateLines('EXDATE', written.except, series.timezone, allDay),
  ]
}

/** The rule of a series and its further dates as they are here, where others are written. */
export function ownLines(streamed: StreamedSeries): Line[] {
  const { own, series, start } = streamed
  if (own.rule === null) return []
  const written = writtenPattern(streamed)
  const dates = written.dates.filter((date) => date !== start)
  const hasDates = own.dates.length === dates.length && own.dates.every((date, n) => date === dates[n])
  const lines = dateLines('X-KALENDS-RDATE', own.dates, series.timezone, isAllDay(series))
  return [
    ...(writtenRule(written, series) === own.rule ? [] : [['X-KALENDS-RRULE', own.rule] as Line]),
    ...(hasDates ? [] : lines.length > 0 ? lines : [['X-KALENDS-RDATE', ''] as Line]),
  ]
}

/** Times of the first event of a series, as a row. */
export function firstRow({ series, start, content }: StreamedSeries): EventRow {
  const allDay = isAllDay(series)
  return { ...content.row, ...timesAt(series, start, allDay), id: series.id }
}

/** `DTSTART` and `DTEND` of a series, by the clock of its zone. */
export function seriesTimes(
  { series }: StreamedSeries,
  { start_local, end_local, start_utc, end_utc }: EventRow,
): Line[] {
  const allDay = isAllDay(series)
  const line = (name: string, wall: WallClock): Line => [name, ...dateValue(wall, series.timezone, allDay)]
  const start = line('DTSTART', start_local)
  if (allDay) return [start, line('DTEND', toWall(fromWall(`${end_local.slice(0, 10)} 00:00:00`) + DAY))]
  // An end must be later than the start (RFC 5545 §3.6.1): what takes no time has none.
  return end_utc > start_utc ? [start, line('DTEND', end_local)] : [start]
}

/** `RECURRENCE-ID` of an event of a series. */
export function recurrenceId({ original_start, start_local }: EventRow, series: SeriesRow): Line {
  const allDay = isAllDay(series)
  const [value, parameters] = dateValue(original_start ?? start_local, series.timezone, allDay)
  return ['RECURRENCE-ID', value, parameters]
}

/** A time in the same form as the start of its series. */
function dateValue(wall: WallClock, zone: Zone, allDay: boolean): [value: string, parameters: Line[2]] {
  if (allDay) return [compact(wall).slice(0, 8), { VALUE: 'DATE' }]
  if (zone === 'UTC') return [`${compact(wall)}Z`, {}]
  if (isManual(zone)) return [inUtc(wall, zone), {}]
  return [compact(wall), { TZID: zone }]
}

function inUtc(wall: WallClock, zone: Zone): string {
  return `${compact(toWall(toInstant(wall, zone)))}Z`
}

function dateLines(name: string, dates: readonly WallClock[], zone: Zone, allDay: boolean): Line[] {
  const lines: Line[] = []
  for (let at = 0; at < dates.length; at += PER_LINE) {
    const values = dates.slice(at, at + PER_LINE).map((date) => dateValue(date, zone, allDay))
    lines.push([name, values.map(([value]) => value).join(','), values[0]?.[1] ?? {}])
  }
  return lines
}

/** UNTIL is in UTC where the start has a zone, and a date where the start is one (RFC 5545 §3.3.10). */
function ruleInUtc(rule: string, zone: Zone, allDay: boolean): string {
  const { until } = readRule(rule, zone)
  if (until === null) return rule
  const wall = toWall(until)
  return withPart(rule, 'UNTIL', allDay ? compact(wall).slice(0, 8) : inUtc(wall, zone))
}
