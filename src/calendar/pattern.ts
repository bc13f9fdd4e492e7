import { runInSlices } from '../lib/time-slices.ts'
import { DAY, fromWall, toWall, type WallSeconds } from './civil.ts'
import { expansion, horizonFrom } from './recurrence.ts'
import { type Rule, readRule } from './recurrence-rule.ts'
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
export async function split(
  pattern: Pattern,
  anchor: Anchor,
  at: WallClock,
  horizon: WallSeconds,
): Promise<{ readonly before: Pattern; readonly after: Pattern; readonly start: WallClock }> {
  const { rule, dates, except } = pattern
  const beforeDates = dates.filter((date) => date < at)
  const afterDates = dates.filter((date) => date > at)
  const [exceptBefore, exceptAfter] = [except.filter((date) => date < at), except.filter((date) => date > at)]
  if (rule === null)
    return {
      before: { rule, dates: beforeDates, except: exceptBefore },
      after: { rule, dates: afterDates, except: exceptAfter },
      start: at,
    }
  // A start that lies ahead of the horizon is not looked for.
  const reach = Math.max(horizon, horizonFrom(at))
  const byRule = await startsOfRule(rule, anchor, reach)
  const [past, rest] = [byRule.filter((one) => one < at), byRule.filter((one) => one >= at)]
  const before = { rule: endedRule(rule, past, at), dates: beforeDates, except: exceptBefore }
  const count = /(^|;)COUNT=/.test(rule) ? String(rest.length) : null
  const ahead = count === null ? rule : withPart(rule, 'COUNT', count)
  const [next] = rest
  if (next === at) return { before, after: { rule: ahead, dates: afterDates, except: exceptAfter }, start: at }
  // A further date begins the rest: the rule goes on with its next start, if it gives another one.
  if (next === undefined || !isEndless(rule)) {
    const others = inOrder([...rest, ...afterDates])
    return { before, after: { rule: null, dates: others, except: exceptAfter }, start: at }
  }
  return { before, after: { rule: ahead, dates: [at, ...afterDates], except: exceptAfter }, start: next }
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
  const wanted = (await startsOfRule(rule, anchor, horizon)).map((one) => later(one, seconds))
  for (const candidate of candidates(rule, anchor, seconds)) {
    const given = await startsOfRule(candidate, { ...anchor, start }, horizon + seconds)
    if (same(given, wanted)) return { rule: candidate, dates, except }
  }
  return isEndless(rule) ? null : { rule: null, dates: inOrder([...wanted.slice(1), ...dates]), except }
}

const DAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU']

/** Rules that may give the moved starts of another. */
function candidates(rule: string, anchor: Anchor, seconds: number): string[] {
  const { until, byDay } = readRule(rule, anchor.zone)
  const start = fromWall(anchor.start)
  const days = Math.floor((start + seconds) / DAY) - Math.floor(start / DAY)
  const shifted =
    until === null
      ? rule
      : withPart(
          rule,
          'UNTIL',
          compact(toWall(until + seconds)).slice(0, /UNTIL=\d{8}(;|$)/.test(rule) && seconds % DAY === 0 ? 8 : 15),
        )
  if (byDay.length === 0 || days === 0) return [shifted]
  const names = byDay.map(({ nth, day }) => `${nth === 0 ? '' : nth}${DAYS[(((day + days) % 7) + 7) % 7]}`)
  return [shifted, withPart(shifted, 'BYDAY', names.join(','))]
}
