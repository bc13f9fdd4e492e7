import { type Kind, type Token, tokenAt } from './date-grammar.ts'
import {
  addDate,
  addFourDigits,
  addTime,
  addUnits,
  addWord,
  addZone,
  type DateReading,
  resetTime,
} from './date-parts.ts'
import { amountOf, unitOf, weekdayNumber } from './date-words.ts'

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
