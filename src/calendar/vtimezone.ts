import { abbreviation } from './abbreviation.ts'
import { dayNumber, daysInMonth, weekday } from './civil.ts'
import { escapeText, writeLine } from './content-lines.ts'
import { type Instant, offsetSeconds, toWallClock, type WallClock, type Zone } from './zone.ts'
import { type Change, changesOf } from './zone-changes.ts'

/**
 * A zone as iCalendar describes it, and the instants for which the description can be used: it is true, and each of its
 * observances has begun. Some readers fail at an observance that begins after the event.
 */
export interface ZoneDescription {
  /** The lines of a VTIMEZONE (RFC 5545 §3.6.5). */
  readonly text: string
  readonly from: Instant
  readonly until: Instant
}

/** Changes of the same kind, in order; with a rule if they come on the same weekday of every year, without an end. */
interface Run {
  readonly changes: readonly Change[]
  readonly rule: string | null
}

const DAY = 86_400
const YEAR = 31_556_952

/** How long before the first event observances begin: long enough for each change of a yearly rule to have taken place. */
const BEFORE = YEAR + 8 * DAY

/** Years beyond the last event that are looked at: long enough for every weekday to fall on every date. */
const AHEAD = 12

/** The last instant whose year is written with four digits in every zone. */
const LATEST = Date.UTC(9999, 11, 30) / 1000

/** Describes a zone for events between two instants; where its rules are regular, for all later ones too. */
export function describeZone(zone: Zone, first: Instant, last: Instant): ZoneDescription {
  const steps = describing(zone, first, last)
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

/** The same in steps, each of which takes few milliseconds: a zone may have hundreds of changes. */
export function* describing(zone: Zone, first: Instant, last: Instant): Generator<void, ZoneDescription> {
  const begin = first - BEFORE
  const { changes, next } = yield* changesOf(zone, begin, Math.min(last + AHEAD * YEAR, LATEST))
  const rules = next === null ? null : rulesOf(changes)
  const listed = changes.filter((change) => !rules?.some((run) => run.changes.includes(change)))
  const runs = [...(rules ?? []), ...kindsOf(listed)].sort((one, other) => startOf(one) - startOf(other))
  const begun = runs.filter((run) => startOf(run) <= last)
  const later = runs.filter((run) => startOf(run) > last)
  const end = next === null || rules !== null ? Number.POSITIVE_INFINITY : next
  const observances = begun.map(observance)
  if ((changes[0]?.at ?? Number.POSITIVE_INFINITY) > begin) observances.unshift(constant(zone, begin))
  const text = [
    writeLine('BEGIN', 'VTIMEZONE'),
    writeLine('TZID', escapeText(zone)),
    ...observances,
    writeLine('END', 'VTIMEZONE'),
  ].join('')
  return { text, from: Math.max(first, ...begun.map(startOf)), until: Math.min(end, ...later.map(startOf)) }
}

function startOf({ changes }: Run): Instant {
  return changes[0]?.at ?? Number.NEGATIVE_INFINITY
}

/** The rules by which a zone changes at the end, if all of them have held long enough to go on; otherwise null. */
function rulesOf(changes: readonly Change[]): Run[] | null {
  const lastYear = (changes.at(-1)?.at ?? 0) - 0.9 * YEAR
  const kinds = Map.groupBy(
    changes,
    (change) => `${kindOf(change)} ${change.wall.slice(5, 7)} ${change.wall.slice(11)}`,
  )
  const current = [...kinds.values()].filter((kind) => (kind.at(-1)?.at ?? 0) > lastYear).map(lastRule)
  return current.length > 0 && current.every(({ changes: own }) => own.length >= AHEAD - 1) ? current : null
}

/** The last changes of a kind that come every year on the same weekday of the month. */
function lastRule(kind: readonly Change[]): Run {
  const changes: Change[] = []
  let days: string[] = []
  for (const change of kind.toReversed()) {
    const after = changes[0]
    const shared = daysOf(change.wall).filter((day) => after === undefined || days.includes(day))
    if (shared.length === 0 || (after !== undefined && yearOf(change) !== yearOf(after) - 1)) break
    changes.unshift(change)
    days = shared
  }
  return { changes, rule: `FREQ=YEARLY;BYMONTH=${Number(changes[0]?.wall.slice(5, 7))};BYDAY=${days[0]}` }
}

/** All changes of each kind: as one observance, it has begun when the first event takes place. */
function kindsOf(changes: readonly Change[]): Run[] {
  return [...Map.groupBy(changes, kindOf).values()].map((kind) => ({ changes: kind, rule: null }))
}

function kindOf({ offsetFrom, offsetTo, name, daylight }: Change): string {
  return [offsetFrom, offsetTo, name, daylight].join(' ')
}

const WEEKDAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU']

/** The ways in which a day is one of its month: the second Sunday, the last one. */
function daysOf(wall: WallClock): string[] {
  const [year = 0, month = 0, day = 0] = wall.slice(0, 10).split('-').map(Number)
  const name = WEEKDAYS[weekday(dayNumber(year, month, day))] ?? ''
  const days = day > 28 ? [] : [`${Math.ceil(day / 7)}${name}`]
  return day + 7 > daysInMonth(year, month) ? [...days, `-1${name}`] : days
}

/**
 * STANDARD or DAYLIGHT: every year without an end, or at each change. A rule with an end would need UNTIL, which some
 * readers take for local time, and others refuse.
 */
function observance({ changes, rule }: Run): string {
  const [first] = changes
  if (first === undefined) return ''
  // DTSTART is told again: some readers leave it out where there is an RDATE.
  const dates = changes.length === 1 ? [] : changes.map(({ wall }) => writeLine('RDATE', basic(wall)))
  return component(first.daylight ? 'DAYLIGHT' : 'STANDARD', [
    writeLine('DTSTART', basic(first.wall)),
    ...(rule === null ? dates : [writeLine('RRULE', rule)]),
    writeLine('TZOFFSETFROM', utcOffset(first.offsetFrom)),
    writeLine('TZOFFSETTO', utcOffset(first.offsetTo)),
    writeLine('TZNAME', escapeText(first.name)),
  ])
}

/** What holds from before the first event until the first change. */
function constant(zone: Zone, first: Instant): string {
  const offset = utcOffset(offsetSeconds(first, zone))
  const year = Math.min(1970, Math.max(1, Number(toWallClock(first, zone).slice(0, 4)) - 1))
  return component('STANDARD', [
    writeLine('DTSTART', `${String(year).padStart(4, '0')}0101T000000`),
    writeLine('TZOFFSETFROM', offset),
    writeLine('TZOFFSETTO', offset),
    writeLine('TZNAME', escapeText(abbreviation(first, zone))),
  ])
}

function component(name: string, lines: readonly string[]): string {
  return [writeLine('BEGIN', name), ...lines, writeLine('END', name)].join('')
}

/** `20310610T190000`. */
export function basic(wall: WallClock): string {
  return wall.replace(' ', 'T').replace(/[-:]/g, '')
}

/** `+0545`, with seconds where a local mean time has them (RFC 5545 §3.3.14). */
function utcOffset(seconds: number): string {
  const abs = Math.abs(seconds)
  const parts = [Math.floor(abs / 3600), Math.floor(abs / 60) % 60, ...(abs % 60 === 0 ? [] : [abs % 60])]
  return `${seconds < 0 ? '-' : '+'}${parts.map((part) => String(part).padStart(2, '0')).join('')}`
}

function yearOf({ wall }: Change): number {
  return Number(wall.slice(0, 4))
}
