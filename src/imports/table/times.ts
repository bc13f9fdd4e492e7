import { addDays } from '../../calendar/days.ts'
import type { Cell } from './cells.ts'
import { readTimeOfDay, type TableDates } from './dates.ts'

/** When an event of a table takes place, in the form of a request. */
export interface TableTimes {
  readonly start: string
  readonly end: string
  /** Whether the times say that it lasts all day; null if they say nothing of it. */
  readonly allDay: boolean | null
  /** Whether the order of day and month has decided anything. */
  readonly isRewritten: boolean
  /** The day after the one that was given for the end, if only that can be meant: see `dayAfter`. */
  readonly nextDay?: string
}

interface Moment {
  /** `2031-06-10`, or the text of the cell if it is not in digits. */
  readonly day: string
  readonly time: string | null
  readonly isRewritten: boolean
}

const DAY_OF_TIME = /^\d{4}-\d{2}-\d{2}[T\s]+/

function momentOf(dates: TableDates, date: string, clock: string): Moment {
  const found = dates.dayOf(date)
  const { day, rest, isRewritten } = found ?? { day: date, rest: '', isRewritten: false }
  // A cell of a spreadsheet may have a time that nobody wrote: the column of times counts.
  const time = clock === '' ? rest : clock.replace(DAY_OF_TIME, '')
  return { day, time: time === '' ? null : (readTimeOfDay(time) ?? time), isRewritten }
}

/** A time in a date of words, such as "10 June 2031 at 7 pm". */
const TIME_IN_WORDS = /\d\s?(?::|[ap]\.?m)|noon|midnight/i

const textOf = ({ day, time }: Moment, without = '') => [day, time ?? without].filter(Boolean).join(' ')

/** Times of a table with the columns of another program: without a time, an event lasts all day. */
export function timesOf(dates: TableDates, cell: Cell, flag: boolean | null, endsNextDay: boolean): TableTimes {
  const start = momentOf(dates, cell('start_date'), cell('start_time'))
  const hasEnd = cell('end_date') !== ''
  const end = momentOf(dates, hasEnd ? cell('end_date') : start.day, cell('end_time'))
  const isRewritten = start.isRewritten || end.isRewritten
  const isDay = ({ time, day }: Moment) => time === null && !TIME_IN_WORDS.test(day)
  const allDay = flag ?? (isDay(start) && isDay(end))
  if (allDay) {
    const isExclusive = endsNextDay && end.time === '00:00:00' && end.day > start.day
    return { start: start.day, end: isExclusive ? addDays(end.day, -1) : end.day, allDay, isRewritten }
  }
  if (hasEnd) {
    const nextDay = dayAfter(start, end)
    if (nextDay !== null)
      return { start: textOf(start), end: textOf({ ...end, day: nextDay }), allDay, isRewritten, nextDay }
    const isLater = end.time === null && end.day > start.day
    const sameDay = end.time === null && end.day === start.day
    const last = isLater ? textOf(end, '23:59:59') : sameDay ? textOf(start) : textOf(end)
    return { start: textOf(start), end: last, allDay, isRewritten }
  }
  if (end.time === null) return { start: textOf(start), end: textOf(start), allDay, isRewritten }
  // From 22:00 to 2:00, without a day.
  const isNext = start.time !== null && end.time < start.time
  return { start: textOf(start), end: textOf(isNext ? { ...end, day: addDays(end.day, 1) } : end), allDay, isRewritten }
}

/** The day after that of the end, for an end at an earlier time of the same day: from 22:00 to 2:00. Null for all others. */
function dayAfter(start: Moment, end: Moment): string | null {
  if (start.day !== end.day || !CLOCK.test(start.time ?? '') || !CLOCK.test(end.time ?? '')) return null
  const next = (end.time ?? '') < (start.time ?? '') ? addDays(end.day, 1) : end.day
  return next === end.day ? null : next
}

const CLOCK = /^\d{2}:\d{2}:\d{2}$/

/** Times of a table with our own columns: dates as in the REST interface. Without an end, an event ends at its start. */
export function ownTimes(dates: TableDates, cell: Cell, isAllDay: boolean): TableTimes {
  const [start, end] = ['start_date', 'end_date'].map((name) => {
    const found = dates.dayOf(cell(name))
    return found?.isRewritten ? [`${found.day} ${found.rest}`.trim(), true] : [cell(name), false]
  }) as [[string, boolean], [string, boolean]]
  const isRewritten = start[1] || end[1]
  const last = momentOf(dates, cell('end_date'), '')
  const nextDay = isAllDay ? null : dayAfter(momentOf(dates, cell('start_date'), ''), last)
  if (nextDay !== null)
    return { start: start[0], end: textOf({ ...last, day: nextDay }), allDay: null, isRewritten, nextDay }
  return { start: start[0], end: end[0] || start[0], allDay: null, isRewritten }
}
