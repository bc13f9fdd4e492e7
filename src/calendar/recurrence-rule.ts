import { fromWall, type WallSeconds } from './civil.ts'
import { type Clock, wallAt } from './clock.ts'
import { readIcalTime } from './ical-values.ts'

const FREQUENCIES = ['SECONDLY', 'MINUTELY', 'HOURLY', 'DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'] as const
export type Frequency = (typeof FREQUENCIES)[number]

/** A recurrence rule (RFC 5545 §3.3.10); days of the week count from Monday, 0. */
export interface Rule {
  readonly frequency: Frequency
  readonly interval: number
  readonly count: number | null
  /** Inclusive, by the wall clock of the entry's zone. */
  readonly until: WallSeconds | null
  readonly byMonth: readonly number[]
  readonly byWeek: readonly number[]
  readonly byYearDay: readonly number[]
  readonly byMonthDay: readonly number[]
  /** `nth` is 0 for every such day of the period. */
  readonly byDay: readonly { readonly nth: number; readonly day: number }[]
  readonly byHour: readonly number[]
  readonly byMinute: readonly number[]
  readonly bySecond: readonly number[]
  readonly byPosition: readonly number[]
  readonly weekStart: number
}

/** A rule that cannot be read; the message is the part that is wrong. */
export class RuleError extends Error {}

const DAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU']

/** The parts that are read; a rule with any other means something that would be missed. */
const PARTS =
  /^(FREQ|INTERVAL|COUNT|UNTIL|BYMONTH|BYWEEKNO|BYYEARDAY|BYMONTHDAY|BYDAY|BYHOUR|BYMINUTE|BYSECOND|BYSETPOS|WKST|RSCALE|X-.*)$/

/** The longest rule, in characters: one that names every day of the year in two ways is shorter. */
const MAX_RULE = 10_000

/** A rule as a calendar means it: some programs escape its signs, or write -1 where there is no number of times. */
export function meantRule(text: string): string {
  const parts = text.replace(/\\(?=[;,])/g, '').split(';')
  return parts.filter((part) => !/^\s*COUNT\s*=\s*-1\s*$/i.test(part)).join(';')
}

/** Reads a rule of an entry whose times are in `zone`. */
export function readRule(text: string, zone: Clock): Rule {
  if (text.length > MAX_RULE) throw new RuleError(text.slice(0, 80))
  const parts = new Map<string, string>()
  for (const part of text.split(';').filter((one) => one.trim() !== '')) {
    const [name = '', value = '', ...more] = part.split('=').map((one) => one.trim().toUpperCase())
    if (!PARTS.test(name) || value === '' || more.length > 0 || parts.has(name)) throw new RuleError(part)
    parts.set(name, value)
  }
  const whole = (name: string, least: number) => {
    const value = parts.get(name)
    if (value === undefined) return null
    if (!/^\d{1,9}$/.test(value) || Number(value) < least) throw new RuleError(`${name}=${value}`)
    return Number(value)
  }
  const frequency = FREQUENCIES.find((one) => one === parts.get('FREQ'))
  if (frequency === undefined) throw new RuleError(`FREQ=${parts.get('FREQ') ?? ''}`)
  if (parts.has('RSCALE') && parts.get('RSCALE') !== 'GREGORIAN') throw new RuleError(`RSCALE=${parts.get('RSCALE')}`)
  return {
    frequency,
    interval: whole('INTERVAL', 1) ?? 1,
    count: whole('COUNT', 1),
    until: untilOf(parts.get('UNTIL'), zone),
    byMonth: numbers(parts, 'BYMONTH', 1, 12),
    byWeek: numbers(parts, 'BYWEEKNO', -53, 53),
    byYearDay: numbers(parts, 'BYYEARDAY', -366, 366),
    byMonthDay: numbers(parts, 'BYMONTHDAY', -31, 31),
    byDay: daysOf(parts.get('BYDAY')),
    byHour: numbers(parts, 'BYHOUR', 0, 23),
    byMinute: numbers(parts, 'BYMINUTE', 0, 59),
    // A leap second is the last one of its minute here.
    bySecond: [...new Set(numbers(parts, 'BYSECOND', 0, 60).map((second) => Math.min(second, 59)))],
    byPosition: numbers(parts, 'BYSETPOS', -366, 366),
    weekStart: parts.has('WKST') ? weekdayOf(parts.get('WKST') ?? '') : 0,
  }
}

/** Numbers in order, each once; 0 is none of those that count from both ends. */
function numbers(parts: ReadonlyMap<string, string>, name: string, least: number, most: number): number[] {
  const value = parts.get(name)
  if (value === undefined) return []
  const found = value.split(',').map((one) => (/^[+-]?\d{1,3}$/.test(one) ? Number(one) : Number.NaN))
  if (!found.every((one) => one >= least && one <= most && (least >= 0 || one !== 0)))
    throw new RuleError(`${name}=${value}`)
  return [...new Set(found)].sort((one, other) => one - other)
}

function daysOf(value: string | undefined): Rule['byDay'] {
  if (value === undefined) return []
  // Each once: a rule may name the same day a thousand times.
  return [...new Set(value.split(','))].map((one) => {
    const [, nth = '', day = ''] = /^([+-]?\d{1,2})?([A-Z]{2})$/.exec(one) ?? []
    if (day === '' || (nth !== '' && (Number(nth) === 0 || Math.abs(Number(nth)) > 53)))
      throw new RuleError(`BYDAY=${one}`)
    return { nth: Number(nth), day: weekdayOf(day) }
  })
}

function weekdayOf(day: string): number {
  const found = DAYS.indexOf(day)
  if (found === -1) throw new RuleError(day)
  return found
}

/** A date means its whole day; an instant is what the clock of the zone shows then. */
function untilOf(value: string | undefined, zone: Clock): WallSeconds | null {
  if (value === undefined) return null
  const moment = readIcalTime(value)
  if (moment === null) throw new RuleError(`UNTIL=${value}`)
  if (moment.isDate) return fromWall(moment.wall) + 86_399
  return moment.isUtc ? wallAt(fromWall(moment.wall), zone) : fromWall(moment.wall)
}
