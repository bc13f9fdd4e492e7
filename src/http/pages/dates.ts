import { abbreviation } from '../../calendar/abbreviation.ts'
import { offsetMinutes, toIso, type WallClock } from '../../calendar/zone.ts'
import type { EventRow } from '../../domain/events.ts'
import { html, type Markup } from '../../lib/markup.ts'
import { addDays, type Context } from './context.ts'

/** Dates in words. Wall clocks are shown as they are, so they are formatted as if they were UTC. */

const STYLES = {
  month: { month: 'long', year: 'numeric' },
  monthAlone: { month: 'long' },
  day: { weekday: 'long', day: 'numeric', month: 'long' },
  dayYear: { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' },
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
  const found = formats.get(key) ?? new Intl.DateTimeFormat(locale, { ...STYLES[style], timeZone: 'UTC' })
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

/** The last day that an event is on: one that ends at midnight is not on the day that begins then. */
export function lastDay({ start_local, end_local }: EventRow): string {
  const day = end_local.slice(0, 10)
  return end_local.endsWith('00:00:00') && end_local > start_local && day > start_local.slice(0, 10)
    ? addDays(day, -1)
    : day
}

/** When an event is, in full. */
export function whenLong(context: Context, row: EventRow): { day: string; time: string } {
  const first = startDay(row)
  const last = lastDay(row)
  if (row.all_day === 1)
    return {
      day: first === last ? say(context, first, 'dayYear') : sayRange(context, first, last, 'dayYear'),
      time: context.t('all_day'),
    }
  const zone = zoneName(row)
  if (first === last) return { day: say(context, first, 'dayYear'), time: `${times(context, row)} ${zone}` }
  return { day: sayRange(context, row.start_local, row.end_local, 'dayYearTime'), time: zone }
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
