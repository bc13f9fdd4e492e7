import { fromWall, toWall, type WallSeconds } from './civil.ts'
import type { OffsetChange } from './clock.ts'
import { type Component, first } from './components.ts'
import { readIcalTime, readOffset } from './ical-values.ts'
import { type Budget, expansion } from './recurrence.ts'
import { type Rule, RuleError, readRule } from './recurrence-rule.ts'
import { type Instant, wallClock } from './zone.ts'

/** Years, both included. */
export interface Years {
  readonly first: number
  readonly last: number
}

/** Limits of a description: more than any zone needs. `MAX_LIST` is in characters. */
const MAX_CHANGES = 2000
const MAX_TIMES = 5000
const MAX_LIST = 100_000
const MAX_RULES = 20

/** An observance without DTSTART has always been in force. */
const ALWAYS = fromWall('0001-01-01 00:00:00')

/** The first second of a year, UTC. */
export function yearStart(year: number): Instant {
  return fromWall(wallClock(year, 1, 1))
}

/**
 * The changes of a VTIMEZONE (RFC 5545 §3.6.5) up to the end of some years, in order, from the one that is in force when
 * they begin. Null if it describes nothing, or changes more often than any zone. Yields between short steps.
 */
export function* changesDescribed(
  description: Component,
  years: Years,
  budget: Budget,
): Generator<void, OffsetChange[] | null> {
  const found: OffsetChange[] = []
  for (const part of description.parts) {
    const changes = yield* changesOf(part, years, budget)
    if (changes === null || found.length + changes.length > MAX_CHANGES) return null
    found.push(...changes)
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

/** The changes to one STANDARD or DAYLIGHT. */
function* changesOf(part: Component, years: Years, budget: Budget): Generator<void, OffsetChange[] | null> {
  const to = readOffset(first(part, 'TZOFFSETTO')?.value ?? '')
  if (to === null) return []
  const from = readOffset(first(part, 'TZOFFSETFROM')?.value ?? '') ?? to
  const start = readIcalTime(first(part, 'DTSTART')?.value ?? '')
  const began = start === null ? ALWAYS : fromWall(start.wall) + (start.isUtc ? from : 0)
  const horizon = yearStart(years.last + 2)
  const times = new Set<WallSeconds>([began])
  for (const { value } of part.properties.get('RDATE') ?? []) {
    for (const text of value.slice(0, MAX_LIST).split(',')) {
      yield
      const moment = readIcalTime(text)
      if (moment !== null) times.add(fromWall(moment.wall) + (moment.isUtc ? from : 0))
      if (times.size > MAX_TIMES) return null
    }
  }
  if (start !== null) {
    for (const rule of rulesOf(part, from)) {
      const recurring = yield* onsets(rule, began, years, budget)
      if (recurring === null) return null
      for (const time of recurring) times.add(time)
    }
  }
  return [...times].filter((time) => time <= horizon).map((time) => ({ at: time - from, from, to }))
}

/** Rules that can be read. UNTIL is in UTC, and compared with local times here. */
function rulesOf(part: Component, from: number): Rule[] {
  return (part.properties.get('RRULE') ?? []).slice(0, MAX_RULES).flatMap(({ value }) => {
    try {
      const rule = readRule(value, 'UTC')
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
