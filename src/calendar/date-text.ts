import type * as Strtotime from 'locutus/php/datetime/strtotime'
import { lazyPackage } from '../lib/lazy.ts'
import { isInYears, isInYearsOf } from './years.ts'
import { type Instant, toInstant, toWallClock, type WallClock, wallClock, type Zone } from './zone.ts'

const php = lazyPackage<typeof Strtotime>('locutus/php/datetime/strtotime')

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
  const date = readAny(text, today)
  return date === null || ('instant' in date && !isInYears(date.instant)) ? null : date
}

const OTHER_YEAR = /^(?:[+-]?\d{5,}|-\d{4}|0000)-\d{1,2}-\d{1,2}(?!\d)/

/** Whether a text that is not read as a date is one, of a year before 1 or after 9999. */
export function isBeyondYears(text: string, today: () => WallClock): boolean {
  return OTHER_YEAR.test(text.trim()) || readAny(text, today) !== null
}

/** The same as readDate, with instants of any year. */
function readAny(text: string, today: () => WallClock): DateText | null {
  const trimmed = text.trim()
  if (trimmed.length > 100) return null
  return readDigits(trimmed) ?? readIso(trimmed) ?? readSlashes(trimmed) ?? readEnglish(trimmed, today())
}

const ISO =
  /^(\d{4})([-/]?)(\d{1,2})\2(\d{1,2})(?:[T\s]\s*(\d{1,2})(?::?(\d{2})(?::?(\d{2})(?:[.,]\d{1,9})?)?)?\s*([ap]\.?m\.?)?\s*(Z|UTC|[+-]\d{2}(?::?\d{2})?)?)?$/i
const SLASHES = /^(\d{1,2})\/(\d{1,2})\/(\d{4})(?:[,\s]\s*(\d{1,2})(?::(\d{2})(?::(\d{2}))?)?\s*([ap]\.?m\.?)?)?$/i

function readDigits(text: string): DateText | null {
  if (/^\d{8}$/.test(text)) return local(+text.slice(0, 4), +text.slice(4, 6), +text.slice(6))
  if (/^-?\d{9,15}$/.test(text)) return { instant: Number(text) }
  return null
}

function readIso(text: string): DateText | null {
  const match = ISO.exec(text)
  if (match === null) return null
  const [, year = '', separator, month = '', day = '', hour, minute = '0', second = '0', half, offset] = match
  // Without separators only 20310610 is a date: 2031610 could be two.
  if (separator === '' && month.length + day.length !== 4) return null
  // 2031-06-10 19 is no time of day, 2031-06-10 7pm is.
  if (hour !== undefined && match[6] === undefined && half === undefined) return null
  const hours = hourOf(+(hour ?? 0), half)
  const date = hours === null ? null : local(+year, +month, +day, hours, +minute, +second)
  return date === null || offset === undefined ? date : shift(date.wall, offset)
}

function readSlashes(text: string): DateText | null {
  const match = SLASHES.exec(text)
  if (match === null) return null
  const [, month = '', day = '', year = '', hour = '0', minute = '0', second = '0', half] = match
  const hours = hourOf(+hour, half)
  return hours === null ? null : local(+year, +month, +day, hours, +minute, +second)
}

/** The hour of a day of 24, of one given with or without `am` or `pm`. */
function hourOf(hour: number, half: string | undefined): number | null {
  if (half === undefined) return hour
  if (hour < 1 || hour > 12) return null
  return (hour % 12) + (half.toLowerCase().startsWith('p') ? 12 : 0)
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const MONTH = /^(jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)(uary|ruary|ch|il|ust|tember|ober|ember)?$/
const WORD = new RegExp(
  `^(?:${[
    'now|today|tomorrow|yesterday|next|last|previous|this|ago|of|st|nd|rd|th|first|second|third|fourth|fifth|sixth',
    '(?:sec|second|min|minute|hour|day|week|fortnight|month|year|weekday)s?',
    '(?:mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:day)?',
  ].join('|')})$`,
)

const TIME =
  /\b(\d{1,2})(?::(\d{2})(?::(\d{2}))?)?\s*([ap]\.?\s?m)\b\.?|\b(\d{1,2}):(\d{2})(?::(\d{2}))?(?!\d)|\b(noon|midnight)\b/
const OFFSET = /(?<=\d|m|\s)\s*(z|utc|gmt|[+-]\d{2}:?\d{2})$/

/**
 * Plain English. The time of day and an offset are ours to find, wherever they stand; the day is found by a port of
 * PHP's strtotime. It is generous: it rolls 31 February over and takes a single letter for a time zone. So every word
 * must be one that we know, and a day of a named month must come out as that day.
 */
function readEnglish(text: string, today: WallClock): DateText | null {
  const lower = text.toLowerCase()
  const time = TIME.exec(lower)
  const offset = time === null ? undefined : OFFSET.exec(lower)?.[1]
  const phrase = (offset === undefined ? lower : lower.replace(OFFSET, ''))
    .replace(TIME, ' ')
    .replace(/[,.]|\bat\b/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
  const day = readDay(phrase, today, time !== null)
  if (day === null || time === null) return day === null ? null : { wall: day }
  const [, hour, minute, second, half, hour24, minute24, second24, word] = time
  const named = word === undefined ? undefined : word === 'noon' ? 12 : 0
  const hours = named ?? hourOf(+(hour ?? hour24 ?? 0), half)
  if (hours === null) return null
  const [year = 0, month = 0, date = 0] = day.slice(0, 10).split('-').map(Number)
  const moment = local(year, month, date, hours, +(minute ?? minute24 ?? 0), +(second ?? second24 ?? 0))
  return moment === null || offset === undefined ? moment : shift(moment.wall, offset)
}

/** The day that words name; with nothing but a time of day, today. */
function readDay(phrase: string, today: WallClock, hasTime: boolean): WallClock | null {
  if (phrase === '') return hasTime ? today : null
  const words = phrase.match(/[a-z]+/g) ?? []
  if (!/^[\x20-\x7e]+$/.test(phrase) || !words.every((word) => WORD.test(word) || MONTH.test(word))) return null
  if (!words.some((word) => word.length > 2)) return null
  const seconds = php().strtotime(phrase, Math.floor(asProcessDate(today).getTime() / 1000))
  const wall = typeof seconds === 'number' ? fromProcessDate(new Date(seconds * 1000)) : null
  return wall !== null && keepsNamedDay(phrase, wall) ? wall : null
}

/** strtotime counts in the process's own zone: go in and come out the same way, and the zone does not matter. */
function asProcessDate(wall: WallClock): Date {
  return new Date(wall.replace(' ', 'T'))
}

function fromProcessDate(date: Date): WallClock | null {
  const year = date.getFullYear()
  if (Number.isNaN(year) || year < 1 || year > 9999) return null
  return wallClock(year, date.getMonth() + 1, date.getDate(), date.getHours(), date.getMinutes(), date.getSeconds())
}

function keepsNamedDay(phrase: string, wall: WallClock): boolean {
  const name = phrase.match(/[a-z]+/g)?.find((word) => MONTH.test(word))
  if (name === undefined || /\b(ago|next|last|previous|first|second|third|fourth|fifth|sixth)\b|[+-] ?\d/.test(phrase))
    return true
  const month = MONTHS.indexOf(name.slice(0, 3)) + 1
  const day = new RegExp(
    `(?:\\b(\\d{1,2})(?:st|nd|rd|th)?(?: of)?[ -]?${name}\\b|\\b${name}[ -]?(\\d{1,2})(?:st|nd|rd|th)?\\b(?!:))`,
  ).exec(phrase)
  const number = day?.[1] ?? day?.[2]
  return +wall.slice(5, 7) === month && (number === undefined || +wall.slice(8, 10) === +number)
}

function local(year: number, month: number, day: number, hour = 0, minute = 0, second = 0): { wall: WallClock } | null {
  const days = year >= 1 && month >= 1 && month <= 12 ? new Temporal.PlainYearMonth(year, month).daysInMonth : 0
  if (day < 1 || day > days || hour > 23 || minute > 59 || second > 59) return null
  return { wall: wallClock(year, month, day, hour, minute, second) }
}

function shift(wall: WallClock, offset: string): DateText | null {
  if (/^(z|utc|gmt)$/i.test(offset)) return { instant: toInstant(wall, 'UTC') }
  const digits = offset.replace(/\D/g, '')
  const minutes = +digits.slice(0, 2) * 60 + +digits.slice(2)
  if (+digits.slice(2) > 59 || minutes > 18 * 60) return null
  return { instant: toInstant(wall, 'UTC') - (offset.startsWith('-') ? -minutes : minutes) * 60 }
}
