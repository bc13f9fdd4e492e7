import type { WallClock } from './zone.ts'

/** Arithmetic on wall clocks without a zone: whole seconds since 1970-01-01 00:00:00, as if every day had 86,400 of them. */
export type WallSeconds = number

export const DAY = 86_400

/** The number of a date, 1970-01-01 being 0. */
export function dayNumber(year: number, month: number, day: number): number {
  // Years are counted from March on, so that the leap day is a year's last.
  const y = month <= 2 ? year - 1 : year
  const era = Math.floor(y / 400)
  const yearOfEra = y - era * 400
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1
  return era * 146_097 + yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear - 719_468
}

export interface CivilDate {
  readonly year: number
  readonly month: number
  readonly day: number
}

/** The date of a day's number. */
export function civilDate(number: number): CivilDate {
  const shifted = number + 719_468
  const era = Math.floor(shifted / 146_097)
  const dayOfEra = shifted - era * 146_097
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  )
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100))
  const fromMarch = Math.floor((5 * dayOfYear + 2) / 153)
  const month = fromMarch < 10 ? fromMarch + 3 : fromMarch - 9
  return {
    year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0),
    month,
    day: dayOfYear - Math.floor((153 * fromMarch + 2) / 5) + 1,
  }
}

/** The day of the week, Monday being 0. */
export function weekday(number: number): number {
  return (((number + 3) % 7) + 7) % 7
}

export function daysInYear(year: number): number {
  return dayNumber(year + 1, 1, 1) - dayNumber(year, 1, 1)
}

export function daysInMonth(year: number, month: number): number {
  return (month === 12 ? dayNumber(year + 1, 1, 1) : dayNumber(year, month + 1, 1)) - dayNumber(year, month, 1)
}

/** `YYYY-MM-DD HH:MM:SS` as a number. */
export function fromWall(wall: WallClock): WallSeconds {
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = wall.split(/[- :]/).map(Number)
  return dayNumber(year, month, day) * DAY + hour * 3600 + minute * 60 + second
}

/** A number as `YYYY-MM-DD HH:MM:SS`; years outside 0 to 9999 have a sign and six digits, as in ISO 8601. */
export function toWall(seconds: WallSeconds): WallClock {
  const number = Math.floor(seconds / DAY)
  const time = seconds - number * DAY
  const { year, month, day } = civilDate(number)
  const pad = (value: number, width = 2) => String(value).padStart(width, '0')
  const written = year > 9999 || year < 0 ? `${year < 0 ? '-' : '+'}${pad(Math.abs(year), 6)}` : pad(year, 4)
  return `${written}-${pad(month)}-${pad(day)} ${pad(Math.floor(time / 3600))}:${pad(Math.floor(time / 60) % 60)}:${pad(time % 60)}`
}
