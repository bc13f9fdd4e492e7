import { civilDate, DAY, dayNumber, daysInMonth, daysInYear, fromWall, type WallSeconds, weekday } from './civil.ts'
import type { DateReading } from './date-parts.ts'
import type { WallClock } from './zone.ts'

/** The wall-clock time that a reading means; null if its day does not exist. `today` tells what it counts from, and is asked only if needed. */
export function resolve(reading: DateReading, today: () => WallClock): WallSeconds | null {
  const isContradictory = reading.weekdayOf !== undefined && reading.edgeOfMonth !== undefined
  const first = isContradictory ? null : firstDay(reading, today)
  if (first === null) return null
  const time = reading.time ?? (reading.hasDate ? 0 : timeOf(fromWall(today())))
  const moved = move(toWeekday(first, reading), reading) * DAY + time + reading.seconds
  if (reading.workdays === undefined) return moved
  return addWorkdays(Math.floor(moved / DAY), reading.workdays) * DAY + timeOf(moved)
}

function timeOf(wall: WallSeconds): number {
  return wall - Math.floor(wall / DAY) * DAY
}

/** Adds years, months and days at once: a month after 31 January is 31 February, which is 3 March. */
function move(number: number, { years, months, days, edgeOfMonth, weekdayOf }: DateReading): number {
  const { year, month, day } = civilDate(number)
  const moved = weekdayOf === undefined ? month + months : month
  if (edgeOfMonth === 'first') return dayOf(year + years, moved, 1)
  if (edgeOfMonth === 'last') return dayOf(year + years, moved + 1, 0)
  return dayOf(year + years, moved, day + days)
}

/** The day that a reading names, with what it lacks taken from today. */
function firstDay(reading: DateReading, today: () => WallClock): number | null {
  const now = () => civilDate(Math.floor(fromWall(today()) / DAY))
  const year = reading.year ?? now().year
  if (reading.dayOfYear !== undefined) {
    if (reading.dayOfYear < 1 || reading.dayOfYear > daysInYear(year)) return null
    return dayNumber(year, 1, reading.dayOfYear)
  }
  if (reading.week !== undefined) return dayOfWeek(year, reading.week)
  const month = reading.month ?? now().month
  if (month < 1) return null
  if (reading.weekdayOf !== undefined)
    return dayOf(year, month + reading.months + (reading.weekdayOf === 'month' ? 0 : 1), 1)
  if (reading.edgeOfMonth === 'first') return dayNumber(year, month, 1)
  if (reading.edgeOfMonth === 'last') return dayOf(year, month + 1, 0)
  const day = reading.day ?? now().day
  return day < 1 || day > daysInMonth(year, month) ? null : dayNumber(year, month, day)
}

/** The number of a day whose month and day may be beyond the year and the month. */
function dayOf(year: number, month: number, day: number): number {
  const months = year * 12 + month - 1
  return dayNumber(Math.floor(months / 12), (((months % 12) + 12) % 12) + 1, 1) + day - 1
}

/** The day of a week of ISO 8601; null if the year has no such week. */
function dayOfWeek(year: number, week: { readonly number: number; readonly weekday: number }): number | null {
  const monday = (of: number) => dayNumber(of, 1, 4) - weekday(dayNumber(of, 1, 4))
  const first = monday(year) + (week.number - 1) * 7
  return week.number < 1 || first >= monday(year + 1) ? null : first + week.weekday - 1
}

/** The day of the week that a reading asks for, seen from a day. */
function toWeekday(day: number, { weekday: asked, weekdayFrom, days }: DateReading): number {
  if (asked === undefined) return day
  const current = (weekday(day) + 1) % 7
  if (weekdayFrom === 'week') {
    // Sunday is the last day of its week.
    const ahead = asked === 0 ? 7 : asked
    return day - (current === 0 ? 7 : current) + ahead
  }
  if (asked < 0) return day - (7 - (-asked - current))
  const ahead = asked - current
  const isPast = days < 0 ? ahead < 0 : weekdayFrom === 'same day' ? ahead < 0 : ahead <= 0
  return day + ahead + (isPast ? 7 : 0)
}

/** Counts working days, Monday to Friday. From a weekend, they are counted from the Friday before or, backwards, the Monday after. */
function addWorkdays(day: number, amount: number): number {
  const now = weekday(day)
  const isWeekend = now > 4
  if (amount > 0) {
    const from = isWeekend ? 4 : now
    return day - now + Math.floor((from + amount) / 5) * 7 + ((from + amount) % 5)
  }
  const from = isWeekend ? 7 : now
  const to = isWeekend ? 5 + amount : from + amount
  return day - now + Math.floor(to / 5) * 7 + (((to % 5) + 5) % 5)
}
