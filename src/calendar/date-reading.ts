import { type Kind, type Token, tokenAt } from './date-grammar.ts'
import { amountOf, monthNumber, unitOf, weekdayNumber } from './date-words.ts'
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

/** Reads a text without white space at its ends and with single spaces in it; null if a part of it cannot be read. */
export function readTokens(text: string): DateReading | null {
  const reading: DateReading = {
    hasDate: false,
    hasTime: false,
    zones: 0,
    seconds: 0,
    days: 0,
    months: 0,
    years: 0,
    weekdayFrom: 'next day',
  }
  let place = 0
  let isDate = false
  while (place < text.length) {
    const token = tokenAt(text, place)
    if (token === null || !ACTIONS[token.kind](reading, token)) return null
    place += token.text.length
    isDate ||= token.kind !== 'zone' && token.kind !== 'nothing'
    // Words that run together are no words.
    if (/[a-z]{2}/i.test(text.slice(place - 1, place + 1))) return null
  }
  // A zone alone is no date.
  return isDate ? reading : null
}

/** What each kind of token adds to a reading; false if it contradicts what is there. */
const ACTIONS: Readonly<Record<Kind, (reading: DateReading, token: Token) => boolean>> = {
  nothing: () => true,
  date: addDate,
  time: (reading, { parts }) => addTime(reading, parts),
  fourDigits: addFourDigits,
  word: (reading, { text }) => addWord(reading, text.toLowerCase()),
  zone: addZone,
  timestamp(reading, { parts }) {
    if (reading.hasDate || reading.hasTime) return false
    Object.assign(reading, {
      year: 1970,
      month: 1,
      day: 1,
      time: 0,
      hasDate: true,
      hasTime: true,
      zone: { offset: 0 },
      zones: 1,
    })
    reading.seconds += Number(parts.seconds)
    return true
  },
  edgeOfMonth(reading, { parts }) {
    reading.edgeOfMonth = parts.edge?.toLowerCase() === 'last' ? 'last' : 'first'
    return true
  },
  /** A quarter of an hour after or before an hour. */
  quarter(reading, { parts }) {
    reading.hasTime = false
    if (!addTime(reading, parts)) return false
    reading.time = (reading.time ?? 0) + (parts.side?.toLowerCase() === 'back' ? 900 : -900)
    return true
  },
  weekday(reading, { parts }) {
    resetTime(reading)
    reading.weekday = weekdayNumber(parts.unit?.toLowerCase() ?? '')
    if (reading.weekdayFrom !== 'week') reading.weekdayFrom = 'same day'
    return true
  },
  weekdayOf(reading, { parts }) {
    const amount = amountOf(parts.amount?.toLowerCase() ?? '')
    resetTime(reading)
    addUnits(reading, amount, parts.unit, amount < 0 ? 'next day' : 'same day')
    reading.weekdayOf = amount > 0 ? 'month' : 'next month'
    return true
  },
  named(reading, { parts }) {
    const word = parts.amount?.toLowerCase() ?? ''
    const isDay = unitOf(parts.unit?.toLowerCase() ?? '') === undefined
    if (isDay) resetTime(reading)
    addUnits(reading, amountOf(word), parts.unit, word === 'this' ? 'same day' : 'next day')
    if (parts.unit?.toLowerCase() === 'week' && /^(?:next|last|previous|this)$/.test(word)) {
      reading.weekdayFrom = 'week'
      reading.weekday ??= 1
    }
    return true
  },
  counted(reading, { parts }) {
    const minuses = parts.sign?.replaceAll('+', '').length ?? 0
    addUnits(reading, Number(parts.amount) * (minuses % 2 === 1 ? -1 : 1), parts.unit, 'same day')
    return true
  },
}

function addDate(reading: DateReading, { parts }: Token): boolean {
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

/** There is no 24:00 and no leap second: that day, or minute, is over. */
function addTime(reading: DateReading, { hour, minute = '0', second = '0', half }: Token['parts']): boolean {
  const hours = half === undefined ? Number(hour) : (Number(hour) % 12) + (half.toLowerCase() === 'p' ? 12 : 0)
  if (reading.hasTime || hours > 23 || Number(second) > 59) return false
  reading.hasTime = true
  reading.time = hours * 3600 + Number(minute) * 60 + Number(second)
  return true
}

/** A time of day, or after one the year: `Nov 5 1930`, `Thu Nov 5 19:30:00 2026`. */
function addFourDigits(reading: DateReading, { parts, text }: Token): boolean {
  if (!reading.hasTime && parts.hour !== undefined) return addTime(reading, parts)
  if (reading.year !== undefined) return false
  reading.year = Number(text)
  return true
}

const DAYS_AWAY: Readonly<Record<string, number>> = { yesterday: -1, tomorrow: 1 }

function addWord(reading: DateReading, word: string): boolean {
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
function resetTime(reading: DateReading): void {
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

function addUnits(reading: DateReading, amount: number, word = '', from: DateReading['weekdayFrom']): void {
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
function addZone(reading: DateReading, { parts }: Token): boolean {
  reading.zones += 1
  if (reading.zones > 1) return reading.zones === 2
  const zone = readZone(parts.zone ?? '')
  if (zone !== null) reading.zone = zone
  return zone !== null
}
