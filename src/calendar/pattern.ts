import { runInSlices } from '../lib/time-slices.ts'
import { DAY, fromWall, toWall, type WallSeconds } from './civil.ts'
import { expansion, horizonFrom } from './recurrence.ts'
import { type Rule, RuleError, readRule } from './recurrence-rule.ts'
import { isEndless, withPart } from './rule-syntax.ts'
import { LATEST } from './years.ts'
import type { WallClock, Zone } from './zone.ts'

/** When a series takes place, by the wall clock of its zone. Dates are in order, each once. */
export interface Pattern {
  /** `FREQ=…`; null if there are only dates. */
  readonly rule: string | null
  readonly dates: readonly WallClock[]
  readonly except: readonly WallClock[]
}

/** The first occurrence, which a rule counts from. */
export interface Anchor {
  readonly start: WallClock
  readonly zone: Zone
  /** Whole days know no hour that a clock skips. */
  readonly allDay: boolean
}

export interface Starts {
  readonly starts: readonly WallClock[]
  /** Whether it gives more than a series may have, or takes too long. */
  readonly isCut: boolean
}

/** The starts of a series, without exceptions: all of one that ends, else those until the horizon. In short steps. */
export function* startsOf(pattern: Pattern, anchor: Anchor, horizon: WallSeconds): Generator<void, Starts> {
  const { rule } = pattern
  const rules: Rule[] = rule === null ? [] : [readRule(rule, anchor.zone)]
  const { starts, cut } = yield* expansion(
    {
      start: fromWall(anchor.start),
      isDate: anchor.allDay,
      zone: anchor.zone,
      rules,
      also: pattern.dates.map(fromWall),
      except: new Set(pattern.except.map(fromWall)),
    },
    isEndless(rule) ? horizon : LATEST,
  )
  return { starts: starts.map(toWall), isCut: cut }
}

/** The starts of a rule alone. */
async function startsOfRule(rule: string, anchor: Anchor, horizon: WallSeconds): Promise<readonly WallClock[]> {
  return (await runInSlices(startsOf({ rule, dates: [], except: [] }, anchor, horizon))).starts
}

/** Until when occurrences are made: some years after a day, or after the start if that is later. */
export function horizonOf(today: WallClock, start: WallClock, years: number): WallSeconds {
  return Math.min(horizonFrom(today > start ? today : start, years), LATEST)
}

export function isSamePattern(one: Pattern, other: Pattern): boolean {
  return one.rule === other.rule && same(one.dates, other.dates) && same(one.except, other.except)
}

function same(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((value, n) => value === other[n])
}

/** Dates in order, each once. */
export function inOrder(dates: Iterable<WallClock>): WallClock[] {
  return [...new Set(dates)].sort()
}

/** A wall clock, some seconds later. */
export function later(wall: WallClock, seconds: number): WallClock {
  return toWall(fromWall(wall) + seconds)
}

/** Seconds from one wall clock to another. */
export function secondsBetween(from: WallClock, to: WallClock): number {
  return fromWall(to) - fromWall(from)
}

/** A series in two: what comes before one of its starts, and the rest, which begins with it. */
export interface Cut {
  readonly before: Pattern
  /** Start that the pattern before counts from. */
  readonly beforeStart: WallClock
  readonly after: Pattern
  /** Start that the pattern after counts from: a further date may come before it. */
  readonly start: WallClock
}

export async function split(pattern: Pattern, anchor: Anchor, at: WallClock, horizon: WallSeconds): Promise<Cut> {
  const { rule, dates, except } = pattern
  const [exceptBefore, exceptAfter] = [except.filter((date) => date < at), except.filter((date) => date >= at)]
  const datesAfter = dates.filter((date) => date > at)
  if (rule === null || at <= anchor.start) {
    // Nothing of the rule comes before.
    const [beforeStart = anchor.start, ...others] = inOrder([anchor.start, ...dates]).filter((date) => date < at)
    const before = { rule: null, dates: others, except: exceptBefore }
    if (rule !== null && at < anchor.start)
      return {
        before,
        beforeStart,
        after: { rule, dates: [at, ...datesAfter], except: exceptAfter },
        start: anchor.start,
      }
    const rest = inOrder([...(anchor.start > at ? [anchor.start] : []), ...datesAfter])
    return { before, beforeStart, after: { rule, dates: rest, except: exceptAfter }, start: at }
  }
  // A start that lies ahead of the horizon is not looked for.
  const reach = Math.max(horizon, horizonFrom(at))
  const byRule = await startsOfRule(rule, anchor, reach)
  const [past, rest] = [byRule.filter((one) => one < at), byRule.filter((one) => one >= at)]
  const ended = endedRule(rule, past, at)
  const before = { rule: ended, dates: dates.filter((date) => date < at), except: exceptBefore }
  const count = /(^|;)COUNT=/.test(rule) ? String(rest.length) : null
  const ahead = count === null ? rule : withPart(rule, 'COUNT', count)
  const [next] = rest
  const cut = { before, beforeStart: anchor.start }
  if (next === at) return { ...cut, after: { rule: ahead, dates: datesAfter, except: exceptAfter }, start: at }
  // A further date begins the rest: the rule goes on with its next start, if it gives another one.
  if (next === undefined || !isEndless(rule)) {
    const others = inOrder([...rest, ...datesAfter])
    return { ...cut, after: { rule: null, dates: others, except: exceptAfter }, start: at }
  }
  return { ...cut, after: { rule: ahead, dates: [at, ...datesAfter], except: exceptAfter }, start: next }
}

/** A rule that ends with the last of these starts. */
function endedRule(rule: string, starts: readonly WallClock[], before: WallClock): string | null {
  const last = starts.at(-1)
  if (starts.length <= 1 || last === undefined) return null
  if (/(^|;)COUNT=/.test(rule)) return withPart(rule, 'COUNT', String(starts.length))
  // A day alone means all of it.
  const isOtherDay = last.slice(0, 10) < before.slice(0, 10)
  return withPart(rule, 'UNTIL', isOtherDay ? compact(last).slice(0, 8) : compact(last))
}

/** `20310610T190000`. */
export function compact(wall: WallClock): string {
  return wall.replaceAll(/[-:]/g, '').replace(' ', 'T')
}

/**
 * A series whose starts are all moved by the same time. Null if no rule says that: an endless one that goes by days of the
 * month, moved to other days.
 */
export async function moved(
  pattern: Pattern,
  anchor: Anchor,
  seconds: number,
  horizon: WallSeconds,
): Promise<Pattern | null> {
  const dates = pattern.dates.map((date) => later(date, seconds))
  const except = pattern.except.map((date) => later(date, seconds))
  const { rule } = pattern
  if (rule === null) return { rule, dates, except }
  const start = later(anchor.start, seconds)
  // Times that the clock skips are compared, too: other times of the same days exist.
  const whole = { ...anchor, allDay: true }
  const shifted = async (from: Anchor) => (await startsOfRule(rule, from, horizon)).map((one) => later(one, seconds))
  const wanted = await shifted(whole)
  for (const candidate of candidates(rule, anchor, seconds)) {
    if (!isReadable(candidate, anchor)) continue
    const given = await startsOfRule(candidate, { ...whole, start }, horizon + seconds)
    if (same(given, wanted)) return { rule: candidate, dates, except }
  }
  if (isEndless(rule)) return null
  return { rule: null, dates: inOrder([...(await shifted(anchor)).slice(1), ...dates]), except }
}

const DAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU']

/** Rules that may give the moved starts of another; not all can be read. */
function candidates(text: string, anchor: Anchor, seconds: number): Set<string> {
  const rule = readRule(text, anchor.zone)
  const start = fromWall(anchor.start)
  const days = Math.floor((start + seconds) / DAY) - Math.floor(start / DAY)
  const found = new Set<string>()
  for (const until of untilsOf(text, rule, seconds, days)) {
    const shifted = withClock(until, rule, seconds - days * DAY)
    found.add(shifted)
    if (days !== 0) found.add(withWeekdays(shifted, rule, days))
    if (days !== 0) found.add(withDates(shifted, rule, days, toWall(start + seconds)))
  }
  return found
}

function isReadable(text: string, { zone }: Anchor): boolean {
  try {
    readRule(text, zone)
    return true
  } catch (error) {
    if (error instanceof RuleError) return false
    throw error
  }
}

/** A rule that ends some days or seconds later. A day alone stays one if possible. */
function untilsOf(text: string, { until }: Rule, seconds: number, days: number): string[] {
  if (until === null) return [text]
  const exact = withPart(text, 'UNTIL', compact(toWall(until + seconds)))
  const isDay = /(^|;)UNTIL=\d{8}(;|$)/.test(text)
  return isDay ? [withPart(text, 'UNTIL', compact(toWall(until + days * DAY)).slice(0, 8)), exact] : [exact]
}

/** Names other hours and minutes, where a rule names them. */
function withClock(text: string, { byHour, byMinute }: Rule, seconds: number): string {
  const minutes = Math.round(seconds / 60)
  if (byMinute.length > 0) {
    const moved = byMinute.map((minute) => minute + minutes)
    const hours = new Set(moved.map((minute) => Math.floor(minute / 60)))
    const [carry = 0] = hours
    if (hours.size > 1) return text
    const named = withPart(text, 'BYMINUTE', moved.map((minute) => minute - carry * 60).join(','))
    return withHours(named, byHour, carry)
  }
  return withHours(text, byHour, minutes / 60)
}

function withHours(text: string, byHour: readonly number[], hours: number): string {
  if (byHour.length === 0 || !Number.isInteger(hours)) return text
  return withPart(text, 'BYHOUR', byHour.map((hour) => hour + hours).join(','))
}

function withWeekdays(text: string, { byDay }: Rule, days: number): string {
  if (byDay.length === 0) return text
  const names = byDay.map(({ nth, day }) => `${nth === 0 ? '' : nth}${DAYS[(((day + days) % 7) + 7) % 7]}`)
  return withPart(text, 'BYDAY', names.join(','))
}

/** Names other days of the month, or the one of the new start, and its month. */
function withDates(text: string, { byMonthDay, byMonth }: Rule, days: number, start: WallClock): string {
  const [month, day] = [Number(start.slice(5, 7)), Number(start.slice(8, 10))]
  const moved = byMonthDay.length === 1 ? [day] : byMonthDay.map((one) => one + days)
  const named = byMonthDay.length === 0 ? text : withPart(text, 'BYMONTHDAY', moved.join(','))
  return byMonth.length === 1 ? withPart(named, 'BYMONTH', String(month)) : named
}
