/** A wall-clock time, `YYYY-MM-DD HH:MM:SS`: see zone.ts. */
export type WallClock = string

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

/** The number of two digits of a text: `Number` of a part takes five times as long. */
export function twoDigitsAt(text: string, place: number): number {
  return text.charCodeAt(place) * 10 + text.charCodeAt(place + 1) - 11 * ZERO
}

const ZERO = '0'.charCodeAt(0)

/** The year of a date or time. */
export function yearOf(text: string): number {
  return twoDigitsAt(text, 0) * 100 + twoDigitsAt(text, 2)
}

/** The number of the date that a text begins with, `YYYY-MM-DD`. */
export function numberOfDay(text: string): number {
  return dayNumber(yearOf(text), twoDigitsAt(text, 5), twoDigitsAt(text, 8))
}

/** Year, month, day, hour, minute and second of `YYYY-MM-DD HH:MM:SS`, as they are written. */
export function wallParts(wall: WallClock): string[] {
  if (wall.length !== 19) return wall.split(/[- :]/)
  return [
    wall.slice(0, 4),
    wall.slice(5, 7),
    wall.slice(8, 10),
    wall.slice(11, 13),
    wall.slice(14, 16),
    wall.slice(17, 19),
  ]
}

/** `YYYY-MM-DD HH:MM:SS` as a number. */
export function fromWall(wall: WallClock): WallSeconds {
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = wallParts(wall).map(Number)
  return dayNumber(year, month, day) * DAY + hour * 3600 + minute * 60 + second
}

/** `00` to `99`. */
const TWO_DIGITS = Array.from({ length: 100 }, (_, n) => String(n).padStart(2, '0'))

/** Days that were written, by number: events of a list are of few days. */
const writtenDays = new Map<number, string>()
const MAX_WRITTEN_DAYS = 5000

/** The date of a day's number as `YYYY-MM-DD`; years outside 0 to 9999 have a sign and six digits, as in ISO 8601. */
export function writeDay(number: number): string {
  const known = writtenDays.get(number)
  if (known !== undefined) return known
  const { year, month, day } = civilDate(number)
  const isLong = year > 9999 || year < 0
  const digits = String(Math.abs(year)).padStart(isLong ? 6 : 4, '0')
  const written = `${isLong ? (year < 0 ? '-' : '+') : ''}${digits}-${TWO_DIGITS[month]}-${TWO_DIGITS[day]}`
  if (writtenDays.size >= MAX_WRITTEN_DAYS) writtenDays.clear()
  writtenDays.set(number, written)
  return written
}

/** A number as `YYYY-MM-DD HH:MM:SS`. */
export function toWall(seconds: WallSeconds): WallClock {
  if (!Number.isFinite(seconds)) throw new RangeError('not a time')
  const number = Math.floor(seconds / DAY)
  const time = Math.floor(seconds - number * DAY)
  const [hour, minute, second] = [Math.floor(time / 3600), Math.floor(time / 60) % 60, time % 60]
  return `${writeDay(number)} ${TWO_DIGITS[hour]}:${TWO_DIGITS[minute]}:${TWO_DIGITS[second]}`
}
