import { abbreviation } from '../calendar/abbreviation.ts'
import { offsetMinutes, toIso, type WallClock } from '../calendar/zone.ts'
import type { EventRow } from '../domain/events.ts'
import { html, type Markup } from '../lib/markup.ts'
import { addDays, type Context } from './context.ts'

/** Dates in words. Wall clocks are shown as they are, so they are formatted as if they were UTC. */

const STYLES = {
  month: { month: 'long', year: 'numeric' },
  monthAlone: { month: 'long' },
  day: { weekday: 'long', day: 'numeric', month: 'long' },
  dayYear: { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' },
  longYear: { day: 'numeric', month: 'long', year: 'numeric' },
  short: { day: 'numeric', month: 'short' },
  shortYear: { day: 'numeric', month: 'short', year: 'numeric' },
  weekday: { weekday: 'long' },
  weekdayShort: { weekday: 'short' },
  time: { hour: 'numeric', minute: '2-digit' },
  dayTime: { weekday: 'short', day: 'numeric', month: 'short', hour: 'numeric', minute: '2-digit' },
  dayYearTime: {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: 'numeric',
    minute: '2-digit',
  },
} as const satisfies Record<string, Intl.DateTimeFormatOptions>
export type DateStyle = keyof typeof STYLES

const formats = new Map<string, Intl.DateTimeFormat>()

function format(locale: string, style: DateStyle): Intl.DateTimeFormat {
  const key = `${locale} ${style}`
  const options: Intl.DateTimeFormatOptions = STYLES[style]
  // Where the clock has 24 hours, times are read in columns.
  const hour = options.hour && locale !== 'en-US' ? ({ hour: '2-digit' } as const) : {}
  const found = formats.get(key) ?? new Intl.DateTimeFormat(locale, { ...options, ...hour, timeZone: 'UTC' })
  formats.set(key, found)
  return found
}

function asDate(wall: WallClock): Date {
  return new Date(`${wall.slice(0, 10)}T${wall.slice(11) || '00:00:00'}Z`)
}

/** A wall-clock time or a day in words. */
export function say({ locale }: Pick<Context, 'locale'>, wall: WallClock, style: DateStyle): string {
  return format(locale, style).format(asDate(wall))
}

/** From one wall-clock time or day to another. */
export function sayRange(
  { locale }: Pick<Context, 'locale'>,
  from: WallClock,
  to: WallClock,
  style: DateStyle,
): string {
  return format(locale, style).formatRange(asDate(from), asDate(to))
}

export function startDay({ start_local }: EventRow): string {
  return start_local.slice(0, 10)
}

/** Until when a night belongs to the day before. */
const SMALL_HOURS = '06:00:00'

/** The last day that an event is on, as people say it: a concert until two in the morning is on one day. */
export function lastDay(row: EventRow): string {
  const first = startDay(row)
  const day = row.end_local.slice(0, 10)
  const time = row.end_local.slice(11)
  const overnight =
    row.all_day !== 1 && day === addDays(first, 1) && time <= SMALL_HOURS && time < row.start_local.slice(11)
  return overnight || (time === '00:00:00' && day > first) ? addDays(day, -1) : day
}

/** The day or days of an event, in full. */
export function daysOf(context: Context, row: EventRow): string {
  const first = startDay(row)
  const last = lastDay(row)
  return first === last ? say(context, first, 'dayYear') : sayRange(context, first, last, 'longYear')
}

/** When an event is, in full, in two lines: the day and the times, or beginning and end. */
export function whenLong(context: Context, row: EventRow): [string, string] {
  const zone = zoneName(row)
  if (row.all_day === 1) return [daysOf(context, row), context.t('all_day')]
  if (startDay(row) === lastDay(row)) return [daysOf(context, row), `${times(context, row)} ${zone}`]
  return [`${say(context, row.start_local, 'dayYearTime')} –`, `${say(context, row.end_local, 'dayYearTime')} ${zone}`]
}

/** When an event is, in a list whose headings tell the day it begins on. */
export function whenShort(context: Context, row: EventRow): string {
  const first = startDay(row)
  const last = lastDay(row)
  const zone = isElsewhere(context, row) ? ` ${zoneName(row)}` : ''
  if (first !== last) return sayRange(context, first, last, sameYear(context, first, last) ? 'short' : 'shortYear')
  return row.all_day === 1 ? context.t('all_day') : `${times(context, row)}${zone}`
}

/** When an event begins, by the clock; nothing for one that takes the whole day. */
export function startTime(context: Context, row: EventRow): string {
  return row.all_day === 1 ? '' : say(context, row.start_local, 'time')
}

/** A `time` element that machines read exactly. */
export function timeOf(row: EventRow, words: string): Markup {
  const exact = row.all_day === 1 ? startDay(row) : toIso(row.start_utc, row.timezone)
  return html`<time datetime="${exact}">${words}</time>`
}

export function zoneName({ start_utc, timezone }: EventRow): string {
  const name = abbreviation(start_utc, timezone)
  return /^[+-]\d{4}$/.test(name) ? `UTC${name.slice(0, 3)}:${name.slice(3)}` : name
}

/** The first day of the week that a day is in, by the customs of the place. */
export function weekStart({ locale }: Pick<Context, 'locale'>, day: string): string {
  return addDays(day, -((Temporal.PlainDate.from(day).dayOfWeek - firstWeekday(locale) + 7) % 7))
}

function firstWeekday(locale: string): number {
  const intl = new Intl.Locale(locale) as Intl.Locale & { getWeekInfo(): { firstDay: number } }
  return intl.getWeekInfo().firstDay
}

function times(context: Context, row: EventRow): string {
  return row.start_utc === row.end_utc
    ? say(context, row.start_local, 'time')
    : `${say(context, row.start_local, 'time')} – ${say(context, row.end_local, 'time')}`
}

function isElsewhere({ call }: Context, { start_utc, timezone }: EventRow): boolean {
  return offsetMinutes(start_utc, timezone) !== offsetMinutes(start_utc, call.scope.site.timezone)
}

function sameYear({ today }: Context, ...days: string[]): boolean {
  return days.every((day) => day.slice(0, 4) === today.slice(0, 4))
}
