import { abbreviation } from '../calendar/abbreviation.ts'
import { addDays } from '../calendar/days.ts'
import { SMALL_HOURS } from '../calendar/small-hours.ts'
import { offsetMinutes, toIso, type WallClock } from '../calendar/zone.ts'
import type { EntryRow } from '../domain/event-entries.ts'
import { html, type Markup } from '../lib/markup.ts'
import type { Context } from './context.ts'
import { asDate, capitalised, DayWords, TimeWords } from './day-words.ts'

/** Formats dates for readers. Wall-clock times are formatted as UTC, so that no zone shifts them. */

export const STYLES = {
  month: { month: 'long', year: 'numeric' },
  monthAlone: { month: 'long' },
  day: { weekday: 'long', day: 'numeric', month: 'long' },
  dayYear: { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' },
  dayShort: { weekday: 'short', day: 'numeric', month: 'short' },
  dayShortYear: { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' },
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
  const found = formats.get(key) ?? makeFormat(locale, { ...options, timeZone: 'UTC' })
  formats.set(key, found)
  return found
}

/** Two-digit hours align times in columns on a 24-hour clock. */
function makeFormat(locale: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const plain = new Intl.DateTimeFormat(locale, options)
  const is24 = plain.resolvedOptions().hourCycle === 'h23'
  return is24 ? new Intl.DateTimeFormat(locale, { ...options, hour: '2-digit' }) : plain
}

/** Styles that begin a heading or a line: some languages write weekdays and months in lower case. */
export const CAPITALISED: readonly DateStyle[] = ['month', 'monthAlone', 'day', 'dayYear', 'weekday']

/** By locale and style. */
const written = new Map<string, Partial<Record<DateStyle, DayWords | TimeWords>>>()

/** Formats a wall-clock time or a day. */
export function say({ locale }: Pick<Context, 'locale'>, wall: WallClock, style: DateStyle): string {
  const known = written.get(locale)?.[style]
  if (known !== undefined) return known.write(wall)
  const words = wordsOf(locale, style)
  written.set(locale, { ...written.get(locale), [style]: words })
  return words.write(wall)
}

function wordsOf(locale: string, style: DateStyle): DayWords | TimeWords {
  if ('hour' in STYLES[style]) return new TimeWords(format(locale, style), style !== 'time')
  return new DayWords(format(locale, style), locale, CAPITALISED.includes(style))
}

/** Formats a range of wall-clock times or days. */
export function sayRange(
  { locale }: Pick<Context, 'locale'>,
  from: WallClock,
  to: WallClock,
  style: DateStyle,
): string {
  return format(locale, style).formatRange(asDate(from), asDate(to))
}

export function startDay({ start_local }: Pick<EntryRow, 'start_local'>): string {
  return start_local.slice(0, 10)
}

/** Last day of an event, as people say it: a concert until two in the morning is on one day. */
export function lastDay(row: Pick<EntryRow, 'start_local' | 'end_local' | 'all_day'>): string {
  const first = startDay(row)
  const day = row.end_local.slice(0, 10)
  if (day === first) return day
  const time = row.end_local.slice(11)
  const overnight =
    row.all_day !== 1 && day === addDays(first, 1) && time <= SMALL_HOURS && time < row.start_local.slice(11)
  return overnight || (time === '00:00:00' && day > first) ? addDays(day, -1) : day
}

/** Date or dates of an event, in full. */
export function daysOf(context: Context, row: EntryRow): string {
  const first = startDay(row)
  const last = lastDay(row)
  return first === last ? say(context, first, 'dayYear') : sayRange(context, first, last, 'longYear')
}

/** Date and time of an event in two parts, and what stands between them: day and times, or begin and end. */
export function whenLong(context: Context, row: EntryRow): [first: string, between: string, second: string] {
  const zone = zoneName(row)
  if (row.all_day === 1) return [daysOf(context, row), ' ', context.t('all_day')]
  if (startDay(row) === lastDay(row)) return [daysOf(context, row), ' ', `${times(context, row)} ${zone}`]
  const start = capitalised(context.locale, say(context, row.start_local, 'dayYearTime'))
  return [start, ' – ', `${say(context, row.end_local, 'dayYearTime')} ${zone}`]
}

/** Time of an event in a list that is grouped by day. */
export function whenShort(context: Context, row: EntryRow): string {
  const first = startDay(row)
  const last = lastDay(row)
  if (first !== last) return sayRange(context, first, last, isThisYear(context, first, last) ? 'short' : 'shortYear')
  if (row.all_day === 1) return context.t('all_day')
  return isElsewhere(context, row) ? `${times(context, row)} ${zoneName(row)}` : times(context, row)
}

/** Date and time of an event in one line, with the year if it is another. */
export function whenBrief(context: Context, row: EntryRow): string {
  const first = startDay(row)
  const last = lastDay(row)
  const year = isThisYear(context, first, last) ? '' : 'Year'
  if (first !== last) return sayRange(context, first, last, `short${year}`)
  return say(context, row.start_local, row.all_day === 1 ? `dayShort${year}` : `day${year}Time`)
}

/** Start time of an event; empty for an all-day event. */
export function startTime(context: Context, row: EntryRow): string {
  return row.all_day === 1 ? '' : say(context, row.start_local, 'time')
}

/** `time` element with a machine-readable date. */
export function timeOf(row: EntryRow, words: string): Markup {
  const exact = row.all_day === 1 ? startDay(row) : toIso(row.start_utc, row.timezone)
  return html`<time datetime="${exact}">${words}</time>`
}

export function zoneName({ start_utc, timezone }: EntryRow): string {
  const name = abbreviation(start_utc, timezone)
  return /^[+-]\d{4}$/.test(name) ? `UTC${name.slice(0, 3)}:${name.slice(3)}` : name
}

/** First day of the week of a date, by locale. */
export function weekStart({ locale }: Pick<Context, 'locale'>, day: string): string {
  return addDays(day, -((Temporal.PlainDate.from(day).dayOfWeek - firstWeekday(locale) + 7) % 7))
}

const firstWeekdays = new Map<string, number>()

function firstWeekday(locale: string): number {
  const known = firstWeekdays.get(locale)
  if (known !== undefined) return known
  const intl = new Intl.Locale(locale) as Intl.Locale & { getWeekInfo(): { firstDay: number } }
  const { firstDay } = intl.getWeekInfo()
  firstWeekdays.set(locale, firstDay)
  return firstDay
}

function times(context: Context, row: EntryRow): string {
  return row.start_utc === row.end_utc
    ? say(context, row.start_local, 'time')
    : `${say(context, row.start_local, 'time')} – ${say(context, row.end_local, 'time')}`
}

function isElsewhere({ call }: Context, { start_utc, timezone }: EntryRow): boolean {
  const here = call.scope.site.timezone
  return timezone !== here && offsetMinutes(start_utc, timezone) !== offsetMinutes(start_utc, here)
}

/** Whether days are in the present year, so that they are understood without it. */
export function isThisYear({ today }: Context, ...days: string[]): boolean {
  return days.every((day) => day.slice(0, 4) === today.slice(0, 4))
}
