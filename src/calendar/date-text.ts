import { toWall } from './civil.ts'
import { readTokens } from './date-reading.ts'
import { resolve } from './date-resolution.ts'
import { instantOf } from './date-zones.ts'
import { isInYears, isInYearsOf, isWallClock } from './years.ts'
import { type Instant, toInstant, toWallClock, type WallClock, type Zone } from './zone.ts'

/** A date that a client wrote: a wall-clock time in whatever zone it is meant for, or an instant, since an offset was given. */
export type DateText = { readonly wall: WallClock } | { readonly instant: Instant }

/** The wall-clock time that a written date means in a zone. */
export function wallClockIn(date: DateText, zone: Zone): WallClock {
  return 'wall' in date ? date.wall : toWallClock(date.instant, zone)
}

/** The instant that a written date means in a zone. */
export function instantIn(date: DateText, zone: Zone): Instant {
  return 'wall' in date ? toInstant(date.wall, zone) : date.instant
}

/** Whether a written date stays in the years that we keep, in UTC and by the clock of a zone. */
export function isInYearsIn(date: DateText, zone: Zone): boolean {
  return isInYearsOf(instantIn(date, zone), zone)
}

/** Reads a date in any of the contract's forms; null when it is none of them, a day that does not exist, or beyond the years that we keep. `today` tells what relative words count from, and is asked only if there are any. */
export function readDate(text: string, today: () => WallClock): DateText | null {
  const date = read(text, today)
  return date === 'beyond' ? null : date
}

/** Whether a text that is not read as a date is one, of a year before 1 or after 9999. */
export function isBeyondYears(text: string, today: () => WallClock): boolean {
  return read(text, today) === 'beyond'
}

const LONGEST = 100

/** What a plain date lacks, by its length. */
const REST: Readonly<Record<number, string>> = { 10: ' 00:00:00', 16: ':00' }

function read(text: string, today: () => WallClock): DateText | 'beyond' | null {
  const trimmed = text.trim()
  if (trimmed.length > LONGEST) return null
  // Nearly all dates are written so.
  const plain = `${trimmed}${REST[trimmed.length] ?? ''}`
  if (isWallClock(plain)) return { wall: plain }
  // 12 and 14 digits are a date and a time: as Unix seconds they would be thousands of years ahead.
  if (/^-?\d{9,}$/.test(trimmed) && !/^\d{12}(?:\d{2})?$/.test(trimmed)) return inYears({ instant: Number(trimmed) })
  // Fewer digits would be a time of day or of the year by PHP's rules: 2031 is more likely meant for a year, or for no date.
  if (/^\d{0,7}$/.test(trimmed)) return null
  const reading = readTokens(trimmed.replace(/\s+/g, ' '))
  if (reading === null) return null
  if (reading.year !== undefined && (reading.year < 1 || reading.year > 9999)) return 'beyond'
  const seconds = resolve(reading, today)
  if (seconds === null) return null
  if (!isInYears(seconds)) return 'beyond'
  const wall = toWall(seconds)
  return reading.zone === undefined ? { wall } : inYears({ instant: instantOf(wall, reading.zone) })
}

function inYears(date: { readonly instant: Instant }): DateText | 'beyond' {
  return isInYears(date.instant) ? date : 'beyond'
}
