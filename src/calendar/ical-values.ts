import { daysInMonth } from './civil.ts'
import { addDays } from './days.ts'
import { type WallClock, wallClock } from './zone.ts'

/** A DATE or DATE-TIME as it is written (RFC 5545 §3.3.4 and §3.3.5). */
export interface IcalTime {
  readonly wall: WallClock
  readonly isDate: boolean
  /** Written with a `Z`; else it is by the clock of a zone that is named elsewhere, or of whoever reads it. */
  readonly isUtc: boolean
  /** Written as 24:00, which RFC 5545 does not have: 0:00 of the next day. */
  readonly isHour24?: true
}

const MOMENT = /^(\d{4})-?(\d{2})-?(\d{2})(?:T(\d{2}):?(\d{2}):?(\d{2})?(Z)?)?$/i

/** Reads `20310610` or `20310610T190000Z`, also with the dashes and colons that some write; null if it is no such time. */
export function readIcalTime(text: string): IcalTime | null {
  const [, year, month, day, hour, minute, second, utc] = MOMENT.exec(text.trim()) ?? []
  const [y, m, d] = [Number(year), Number(month), Number(day)]
  if (!(y >= 1 && m >= 1 && m <= 12 && d >= 1 && d <= daysInMonth(y, m))) return null
  if (hour === undefined) return { wall: wallClock(y, m, d), isDate: true, isUtc: false }
  // A leap second is the last one of its minute here.
  const [h, min, s] = [Number(hour), Number(minute), Math.min(Number(second ?? 0), second === '60' ? 59 : 99)]
  if (h === 24 && min === 0 && s === 0) return nextMidnight(wallClock(y, m, d).slice(0, 10), utc !== undefined)
  if (h > 23 || min > 59 || s > 59) return null
  return { wall: wallClock(y, m, d, h, min, s), isDate: false, isUtc: utc !== undefined }
}

function nextMidnight(day: string, isUtc: boolean): IcalTime | null {
  const next = addDays(day, 1)
  return next === day ? null : { wall: `${next} 00:00:00`, isDate: false, isUtc, isHour24: true }
}

/** A length of time: days by the calendar, the rest by the clock (RFC 5545 §3.3.6). */
export interface Duration {
  readonly days: number
  readonly seconds: number
}

const DURATION = /^([+-]?)P(?:(\d{1,5})W)?(?:(\d{1,6})D)?(?:T(?:(\d{1,7})H)?(?:(\d{1,8})M)?(?:(\d{1,9})S)?)?$/i

/** Reads `PT1H30M`, `P1D`, `P2W`; null if it is no length of time. */
export function readDuration(text: string): Duration | null {
  const found = DURATION.exec(text.trim())
  if (found === null || !/\d/.test(text)) return null
  const [weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = found.slice(2).map((part) => Number(part ?? 0))
  const sign = found[1] === '-' ? -1 : 1
  return { days: sign * (weeks * 7 + days), seconds: sign * (hours * 3600 + minutes * 60 + seconds) }
}

/** Reads `+0530` or `-013000`, also `0530` or `+5`, as seconds east of UTC; null if it is no offset. */
export function readOffset(text: string): number | null {
  const [, sign, hours, minutes, seconds] = /^([+-]?)(\d{1,2}):?(\d{2})?:?(\d{2})?$/.exec(text.trim()) ?? []
  if (sign === undefined || Number(hours) > 23 || Number(minutes ?? 0) > 59) return null
  return (sign === '-' ? -1 : 1) * (Number(hours) * 3600 + Number(minutes ?? 0) * 60 + Number(seconds ?? 0))
}
