import type { Token } from './date-grammar.ts'
import { monthNumber, unitOf, weekdayNumber } from './date-words.ts'
import { readZone, type WrittenZone } from './date-zones.ts'

/** What a text says about a date. What it leaves out is undefined. */
export interface DateReading {
  year?: number
  month?: number
  day?: number
  dayOfYear?: number
  week?: { readonly number: number; readonly weekday: number }
  hasDate: boolean
  /** Seconds since midnight. */
  time?: number
  /** Whether the time was written, and does not only follow from a word such as `today`. */
  hasTime: boolean
  zone?: WrittenZone
  zones: number
  /** What is added, each in its own unit. */
  seconds: number
  days: number
  months: number
  years: number
  /** A day of the week, Sunday being 0; negative after `ago`. */
  weekday?: number
  /** Whether that day is looked for from the next day on, from the same day on, or in the week from Monday to Sunday. */
  weekdayFrom: 'next day' | 'same day' | 'week'
  /** Working days, Monday to Friday. */
  workdays?: number
  edgeOfMonth?: 'first' | 'last'
  /** Whether the day of the week is counted from the first day of the month, or of the next month. */
  weekdayOf?: 'month' | 'next month'
}

export function addDate(reading: DateReading, { parts }: Token): boolean {
  if (reading.hasDate) return false
  reading.hasDate = true
  if (parts.year !== undefined) reading.year = fullYear(parts.year)
  if (parts.month !== undefined) reading.month = Number(parts.month)
  if (parts.monthName !== undefined) reading.month = monthNumber(parts.monthName.toLowerCase())
  if (parts.day !== undefined) reading.day = Number(parts.day)
  else if (parts.year !== undefined) reading.day = 1
  if (parts.dayOfYear !== undefined) reading.dayOfYear = Number(parts.dayOfYear)
  if (parts.week !== undefined) reading.week = { number: Number(parts.week), weekday: Number(parts.dayOfWeek ?? 1) }
  return parts.hour === undefined || addTime(reading, parts)
}

/** Up to two digits of a year are from 1970 to 2069. */
function fullYear(digits: string): number {
  const year = Number(digits)
  return digits.length > 3 || year >= 100 ? year : year + (year < 70 ? 2000 : 1900)
}

export function addTime(reading: DateReading, { hour, minute = '0', second = '0', half }: Token['parts']): boolean {
  const hours = half === undefined ? Number(hour) : (Number(hour) % 12) + (half.toLowerCase() === 'p' ? 12 : 0)
  if (reading.hasTime) return false
  reading.hasTime = true
  reading.time = hours * 3600 + Number(minute) * 60 + Number(second)
  return true
}

/** A time of day, or after one the year: `Nov 5 1930`, `Thu Nov 5 19:30:00 2026`. */
export function addFourDigits(reading: DateReading, { parts, text }: Token): boolean {
  if (!reading.hasTime && parts.hour !== undefined) return addTime(reading, parts)
  if (reading.year !== undefined) return false
  reading.year = Number(text)
  return true
}

const DAYS_AWAY: Readonly<Record<string, number>> = { yesterday: -1, tomorrow: 1 }

export function addWord(reading: DateReading, word: string): boolean {
  if (word === 'now') return true
  if (word === 'ago') return turnBack(reading)
  if (word === 'noon' || word === 'midnight') {
    reading.time = word === 'noon' ? 43_200 : 0
    reading.hasTime = word === 'noon'
    return true
  }
  resetTime(reading)
  reading.days = DAYS_AWAY[word] ?? reading.days
  return true
}

/** A day begins at midnight, unless a time is given before it or after it. */
export function resetTime(reading: DateReading): void {
  if (!reading.hasTime) reading.time = 0
}

function turnBack(reading: DateReading): boolean {
  reading.seconds = -reading.seconds
  reading.days = -reading.days
  reading.months = -reading.months
  reading.years = -reading.years
  if (reading.weekday !== undefined) reading.weekday = -(reading.weekday || 7)
  if (reading.workdays !== undefined) reading.workdays = -reading.workdays
  return true
}

export function addUnits(reading: DateReading, amount: number, word = '', from: DateReading['weekdayFrom']): void {
  const name = word.toLowerCase()
  const unit = unitOf(name)
  if (unit !== undefined) {
    reading.seconds += amount * (unit.seconds ?? 0)
    reading.days += amount * (unit.days ?? 0)
    reading.months += amount * (unit.months ?? 0)
    reading.years += amount * (unit.years ?? 0)
  } else if (name.startsWith('weekday')) {
    reading.workdays = amount
  } else {
    reading.days += (amount > 0 ? amount - 1 : amount) * 7
    reading.weekday = weekdayNumber(name)
    reading.weekdayFrom = from
  }
}

/** The first zone counts; one more may explain it: `+0200 (CEST)`. */
export function addZone(reading: DateReading, { parts }: Token): boolean {
  const zone = readZone(parts.zone ?? '')
  if (zone === null) return false
  reading.zone ??= zone
  reading.zones += 1
  return reading.zones <= 2
}
