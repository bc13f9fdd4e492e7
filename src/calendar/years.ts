import { daysInMonth, twoDigitsAt, yearOf } from './civil.ts'
import { type Instant, offsetSeconds, type WallClock, type Zone } from './zone.ts'

/**
 * Dates are kept in the years 1 to 9999, in UTC and by the clock of their zone: RFC 3339, RFC 5545 and our own texts that
 * sort write a year with four digits. These are the first and the last second in UTC.
 */
export const EARLIEST: Instant = -62_135_596_800
export const LATEST: Instant = 253_402_300_799

/** Whether an instant can be written with four digits of the year in UTC. */
export function isInYears(instant: Instant): boolean {
  return Number.isInteger(instant) && instant >= EARLIEST && instant <= LATEST
}

/** The same, also by the clock of a zone. */
export function isInYearsOf(instant: Instant, zone: Zone): boolean {
  return isInYears(instant) && isInYears(instant + offsetSeconds(instant, zone))
}

/** A time on one of the days that every month has. */
const PLAIN = /^(?!0000)\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8]) (?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d$/
const WALL = /^\d{4}-\d{2}-\d{2} (?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d$/

/** Whether a text is a wall-clock time of these years, on a day that exists. */
export function isWallClock(text: unknown): text is WallClock {
  if (typeof text !== 'string') return false
  if (PLAIN.test(text)) return true
  if (!WALL.test(text)) return false
  const [y, m, d] = [yearOf(text), twoDigitsAt(text, 5), twoDigitsAt(text, 8)]
  return y >= 1 && m >= 1 && m <= 12 && d >= 1 && d <= daysInMonth(y, m)
}
