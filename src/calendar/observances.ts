import { fromWall, toWall, type WallSeconds } from './civil.ts'
import type { OffsetChange } from './clock.ts'
import { type Component, first } from './components.ts'
import { readIcalTime, readOffset } from './ical-values.ts'
import { expansion } from './recurrence.ts'
import type { Budget } from './recurrence-budget.ts'
import { meantRule, type Rule, RuleError, readRule } from './recurrence-rule.ts'
import { type Instant, wallClock } from './zone.ts'

/** Years, both included. */
export interface Years {
  readonly first: number
  readonly last: number
}

/** Limits of a description: more than any zone needs. `MAX_LIST` is in characters. */
const MAX_CHANGES = 2000
const MAX_DATES = 5000
const MAX_LIST = 100_000
const MAX_RULES = 20

/** Dates that are compared in the time of one step. */
const DATES_PER_STEP = 32

/** An observance without DTSTART has always been in force. */
const ALWAYS = fromWall('0001-01-01 00:00:00')

/** The first second of a year, UTC. */
export function yearStart(year: number): Instant {
  return fromWall(wallClock(year, 1, 1))
}

/** A STANDARD or DAYLIGHT of a VTIMEZONE (RFC 5545 §3.6.5): when an offset begins to hold, by the clock before. */
export interface Observance {
  readonly from: number
  readonly to: number
  readonly began: WallSeconds
  readonly rules: readonly Rule[]
  /** Further times, in order. */
  readonly dates: readonly WallSeconds[]
}

/** Reads a VTIMEZONE. Null if it has more dates than any zone. Yields between short steps. */
export function* readObservances(description: Component): Generator<void, Observance[] | null> {
  const observances: Observance[] = []
  for (const part of description.parts) {
    yield
    const to = readOffset(first(part, 'TZOFFSETTO')?.value ?? '')
    if (to === null) continue
    const from = readOffset(first(part, 'TZOFFSETFROM')?.value ?? '') ?? to
    const start = readIcalTime(first(part, 'DTSTART')?.value ?? '')
    const dates = yield* datesOf(part, from)
    if (dates === null) return null
    observances.push({
      from,
      to,
      began: start === null ? ALWAYS : fromWall(start.wall) + (start.isUtc ? from : 0),
      rules: start === null ? [] : rulesOf(part, from),
      dates,
    })
  }
  return observances
}

function* datesOf(part: Component, from: number): Generator<void, WallSeconds[] | null> {
  const dates = new Set<WallSeconds>()
  for (const { value } of part.properties.get('RDATE') ?? []) {
    for (const text of value.slice(0, MAX_LIST).split(',')) {
      yield
      const moment = readIcalTime(text)
      if (moment !== null) dates.add(fromWall(moment.wall) + (moment.isUtc ? from : 0))
      if (dates.size > MAX_DATES) return null
    }
  }
  return [...dates].sort((one, other) => one - other)
}

/**
 * The changes of a zone up to the end of some years, in order, from the one that is in force when they begin. Null if
 * there are none, or more than any zone has. Yields between short steps.
 */
export function* changesDescribed(
  observances: readonly Observance[],
  years: Years,
  budget: Budget,
): Generator<void, OffsetChange[] | null> {
  const found: OffsetChange[] = []
  for (const observance of observances) {
    const times = yield* timesOf(observance, years, budget)
    if (times === null || found.length + times.length > MAX_CHANGES) return null
    const { from, to } = observance
    for (const time of times) found.push({ at: time - from, from, to })
  }
  found.sort((one, other) => one.at - other.at)
  const begin = found.findLastIndex(({ at }) => at <= yearStart(years.first - 1))
  const changes: OffsetChange[] = []
  for (const change of found.slice(Math.max(0, begin))) {
    const before = changes.at(-1)
    // A change to the offset that is in force changes nothing; of two at once, the last one holds.
    if (before?.at === change.at) changes.pop()
    const from = changes.at(-1)?.to ?? change.from
    if (changes.length === 0 || change.to !== from) changes.push({ ...change, from })
  }
  return changes.length === 0 ? null : changes
}

/** When an observance begins: its first time, the last one before some years, and those in them. */
function* timesOf(
  { began, dates, rules }: Observance,
  years: Years,
  budget: Budget,
): Generator<void, WallSeconds[] | null> {
  yield
  budget.left -= Math.ceil(dates.length / DATES_PER_STEP)
  const [begin, horizon] = [yearStart(years.first - 1), yearStart(years.last + 2)]
  const times = new Set<WallSeconds>([began])
  for (
    let place = Math.max(
      0,
      dates.findLastIndex((date) => date < begin),
    );
    place < dates.length;
    place++
  ) {
    const date = dates[place] ?? 0
    if (date > horizon) break
    times.add(date)
  }
  for (const rule of rules) {
    const recurring = yield* onsets(rule, began, years, budget)
    if (recurring === null) return null
    for (const time of recurring) times.add(time)
  }
  return [...times]
}

/** Rules that can be read. UNTIL is in UTC, and compared with local times here. */
function rulesOf(part: Component, from: number): Rule[] {
  return (part.properties.get('RRULE') ?? []).slice(0, MAX_RULES).flatMap(({ value }) => {
    try {
      const rule = readRule(meantRule(value), 'UTC')
      const isUtc = rule.until !== null && /UNTIL=[^;]*Z/i.test(value)
      return [isUtc ? { ...rule, until: (rule.until ?? 0) + from } : rule]
    } catch (error) {
      if (error instanceof RuleError) return []
      throw error
    }
  })
}

/** When a rule says that an observance begins; null if it takes too long to tell. */
function* onsets(
  rule: Rule,
  began: WallSeconds,
  years: Years,
  budget: Budget,
): Generator<void, readonly WallSeconds[] | null> {
  const start = shortlyBefore(rule, began, years)
  const recurrence = { start, isDate: true, zone: 'UTC', rules: [rule], also: [], except: new Set<WallSeconds>() }
  const { starts, cut } = yield* expansion(recurrence, yearStart(years.last + 2), start, budget)
  if (cut) return null
  // A start that was moved is no time of the rule.
  return start === began ? starts : starts.filter((at) => at !== start)
}

/** Descriptions begin long ago, as in 1601: of yearly rules, only the years that matter are looked at. */
function shortlyBefore(rule: Rule, began: WallSeconds, { first: firstYear }: Years): WallSeconds {
  if (rule.frequency !== 'YEARLY' || rule.count !== null) return began
  const wall = toWall(began)
  const year = Number(wall.slice(0, 4))
  const lastYear = rule.until === null ? firstYear : Math.min(firstYear, Number(toWall(rule.until).slice(0, 4)))
  const skipped = Math.floor((lastYear - 2 * rule.interval - 1 - year) / rule.interval) * rule.interval
  return skipped <= 0 ? began : fromWall(`${String(year + skipped).padStart(4, '0')}${wall.slice(4)}`)
}
