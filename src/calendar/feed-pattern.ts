import { runInSlices } from '../lib/time-slices.ts'
import { fromWall, type WallSeconds } from './civil.ts'
import { type Anchor, compact, inOrder, type Pattern, split, startsOf } from './pattern.ts'
import { isGiven } from './recurrence.ts'
import { readRule } from './recurrence-rule.ts'
import { withPart } from './rule-syntax.ts'
import type { WallClock } from './zone.ts'

/** A pattern, and the start that it counts from. */
export interface AnchoredPattern {
  readonly start: WallClock
  readonly pattern: Pattern
}

/**
 * A pattern that gives some starts of a series, and no others that its events have: the rule goes from the first to the
 * last of them, and leaves out what lies between. `existing` are the starts of all events of the series.
 */
export async function patternOfSome(
  pattern: Pattern,
  anchor: Anchor,
  horizon: WallSeconds,
  included: readonly WallClock[],
  existing: readonly WallClock[],
): Promise<AnchoredPattern> {
  const wanted = inOrder(included)
  const [first = anchor.start] = wanted
  const last = wanted.at(-1) ?? first
  const listed = { start: first, pattern: { rule: null, dates: wanted.slice(1), except: [] } }
  const isCutAfter = existing.some((start) => start > last)
  const known = new Set(wanted)
  const present = new Set(existing)
  if (pattern.rule === null) {
    const within = (date: WallClock) => date > first && (date < last || !isCutAfter)
    const except = pattern.except.filter((date) => within(date) && !known.has(date))
    const left = new Set(except)
    // What has no event yet comes into view later.
    const others = pattern.dates.filter((date) => within(date) && (left.has(date) || !present.has(date)))
    return { start: first, pattern: { rule: null, dates: inOrder([...wanted.slice(1), ...others]), except } }
  }
  const isCutBefore = existing.some((start) => start < first) || first > anchor.start
  const begun = isCutBefore ? await split(pattern, anchor, first, horizon) : { after: pattern, start: anchor.start }
  const ended = isCutAfter ? endingWith(begun.after, last) : begun.after
  const { starts } = await runInSlices(startsOf(ended, { ...anchor, start: begun.start }, horizon))
  const others = starts.filter((start) => !known.has(start) && (start <= last || present.has(start)))
  if (others.length > wanted.length) return listed
  const given = new Set(starts)
  const also = wanted.filter((start) => !given.has(start))
  return {
    start: begun.start,
    pattern: {
      rule: ended.rule,
      dates: inOrder([...ended.dates, ...also]),
      except: inOrder([...ended.except, ...others]),
    },
  }
}

function endingWith(pattern: Pattern, last: WallClock): Pattern {
  const { rule } = pattern
  const dates = pattern.dates.filter((date) => date <= last)
  const except = pattern.except.filter((date) => date <= last)
  return {
    rule: rule === null ? null : withPart(withPart(rule, 'COUNT', null), 'UNTIL', compact(last)),
    dates,
    except,
  }
}

/**
 * A pattern that other programs read as it is meant. What they make of a start that the rule does not give is undefined (RFC
 * 5545 §3.8.5.3): it is one of the dates, and the rule has an end in place of a number.
 */
export async function withGivenStart(
  { start, pattern }: AnchoredPattern,
  anchor: Anchor,
  horizon: WallSeconds,
): Promise<AnchoredPattern> {
  const { except } = pattern
  if (pattern.rule === null) return { start, pattern }
  const dates = await notGiven(pattern.rule, pattern.dates, { ...anchor, start }, horizon)
  if (isGiven(readRule(pattern.rule, anchor.zone), fromWall(start))) return { start, pattern: { ...pattern, dates } }
  const rule = withoutDays(pattern.rule, anchor)
  const also = except.includes(start) ? dates : inOrder([start, ...dates])
  if (!/(?:^|;)COUNT=/.test(rule)) return { start, pattern: { rule, dates: also, except } }
  const { starts } = await runInSlices(startsOf({ rule, dates: [], except: [] }, { ...anchor, start }, horizon))
  const last = starts.at(-1)
  const ended = last === undefined || last === start ? null : endingWith({ ...pattern, rule }, last).rule
  return { start, pattern: { rule: ended, dates: also, except } }
}

/** The dates that a rule does not give: some programs show the others twice. */
async function notGiven(
  rule: string,
  dates: readonly WallClock[],
  anchor: Anchor,
  horizon: WallSeconds,
): Promise<readonly WallClock[]> {
  if (dates.length === 0) return dates
  const { starts } = await runInSlices(startsOf({ rule, dates: [], except: [] }, anchor, horizon))
  const given = new Set(starts)
  return dates.filter((date) => !given.has(date))
}

/** A rule by the day as one by the week or month: of the former, some programs take the start for given, and show it twice. */
function withoutDays(rule: string, { zone }: Anchor): string {
  const { frequency, interval, byPosition, byMonthDay, byDay } = readRule(rule, zone)
  if (frequency !== 'DAILY' || interval !== 1 || byPosition.length > 0) return rule
  if (byMonthDay.length > 0) return withPart(rule, 'FREQ', 'MONTHLY')
  const weekly = withPart(rule, 'FREQ', 'WEEKLY')
  return byDay.length > 0 ? weekly : withPart(weekly, 'BYDAY', 'MO,TU,WE,TH,FR,SA,SU')
}

/** The latest hour in which clocks skip times. */
const LAST_GAP = '05'

/**
 * Starts that a clock skips. They are no occurrences of ours, and other programs count them: a rule that counts needs as
 * many more.
 */
export async function withSkipped(
  { start, pattern }: AnchoredPattern,
  anchor: Anchor,
  horizon: WallSeconds,
): Promise<Pattern> {
  const { rule } = pattern
  const mayBeSkipped = start.slice(11, 13) < LAST_GAP || /BYHOUR/.test(rule ?? '')
  if (rule === null || anchor.allDay || anchor.zone === 'UTC' || !mayBeSkipped) return pattern
  const real = (await runInSlices(startsOf(pattern, { ...anchor, start }, horizon))).starts
  const last = real.at(-1)
  if (last === undefined) return pattern
  const known = new Set([...real, ...pattern.except])
  const every = endingWith(pattern, last)
  const { starts } = await runInSlices(startsOf(every, { ...anchor, start, allDay: true }, horizon))
  const skipped = starts.filter((one) => !known.has(one))
  if (skipped.length === 0) return pattern
  const [, count] = /(?:^|;)COUNT=(\d+)/.exec(rule) ?? []
  return {
    rule: count === undefined ? rule : withPart(rule, 'COUNT', String(Number(count) + skipped.length)),
    dates: pattern.dates,
    except: inOrder([...pattern.except, ...skipped]),
  }
}
