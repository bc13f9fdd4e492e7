import { abbreviation } from './abbreviation.ts'
import { dayNumber, daysInMonth, weekday } from './civil.ts'
import { escapeText, writeLine } from './content-lines.ts'
import { type Instant, offsetSeconds, toWallClock, type WallClock, type Zone } from './zone.ts'
import { type Change, changesOf } from './zone-changes.ts'

/** A zone as iCalendar describes it, and the instants for which the description is true. */
export interface ZoneDescription {
  /** The lines of a VTIMEZONE (RFC 5545 §3.6.5). */
  readonly text: string
  readonly from: Instant
  readonly until: Instant
}

/** Changes of the same kind; of a rule when they come on the same weekday of every year. */
interface Run {
  readonly changes: readonly Change[]
  readonly rule: string | null
}

const YEAR = 31_556_952

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
  const { changes, isComplete } = yield* changesOf(zone, first, Math.min(last + AHEAD * YEAR, LATEST))
  const runs = runsOf(changes)
  const isRegular = !isComplete && endsInRules(runs, changes)
  const until = isComplete || isRegular ? Number.POSITIVE_INFINITY : (changes.at(-1)?.at ?? first)
  const observances = runs.map((run) => observance(run, isRegular && isCurrent(run, changes)))
  if ((changes[0]?.at ?? Number.POSITIVE_INFINITY) > first) observances.unshift(constant(zone, first))
  const text = [
    writeLine('BEGIN', 'VTIMEZONE'),
    writeLine('TZID', escapeText(zone)),
    ...observances,
    writeLine('END', 'VTIMEZONE'),
  ].join('')
  return { text, from: first, until }
}

/** The fewest years in a row that are worth a rule, and that prove one which goes on. */
const MIN_RULE = 3

function runsOf(changes: readonly Change[]): Run[] {
  const kinds = Map.groupBy(changes, ({ wall, offsetFrom, offsetTo, name, daylight }) =>
    [offsetFrom, offsetTo, name, daylight, wall.slice(5, 7), wall.slice(11)].join(' '),
  )
  const runs: Run[] = []
  for (const kind of kinds.values()) {
    let run: Change[] = []
    let days: string[] = []
    const finish = () => {
      const rule = run.length >= MIN_RULE ? ruleOf(run, days) : null
      if (rule !== null) runs.push({ changes: run, rule })
      else runs.push(...run.map((change) => ({ changes: [change], rule: null })))
    }
    for (const change of kind) {
      const before = run.at(-1)
      const shared = before === undefined ? [] : daysOf(change.wall).filter((day) => days.includes(day))
      if (before !== undefined && yearOf(change) === yearOf(before) + 1 && shared.length > 0) {
        run.push(change)
        days = shared
      } else {
        finish()
        run = [change]
        days = daysOf(change.wall)
      }
    }
    finish()
  }
  return runs.sort((one, other) => (one.changes[0]?.at ?? 0) - (other.changes[0]?.at ?? 0))
}

const WEEKDAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU']

/** The ways in which a day is one of its month: the second Sunday, the last one. */
function daysOf(wall: WallClock): string[] {
  const [year = 0, month = 0, day = 0] = wall.slice(0, 10).split('-').map(Number)
  const name = WEEKDAYS[weekday(dayNumber(year, month, day))] ?? ''
  const days = day > 28 ? [] : [`${Math.ceil(day / 7)}${name}`]
  return day + 7 > daysInMonth(year, month) ? [...days, `-1${name}`] : days
}

function ruleOf(run: readonly Change[], days: readonly string[]): string | null {
  const month = Number(run[0]?.wall.slice(5, 7))
  return days[0] === undefined ? null : `FREQ=YEARLY;BYMONTH=${month};BYDAY=${days[0]}`
}

/** Whether everything that still changes at the end does so by rules that have held long enough to go on. */
function endsInRules(runs: readonly Run[], changes: readonly Change[]): boolean {
  const current = runs.filter((run) => isCurrent(run, changes))
  return current.length > 0 && current.every(({ rule, changes: own }) => rule !== null && own.length >= AHEAD - 1)
}

/** Whether a run reaches into the last year that was looked at. */
function isCurrent(run: Run, changes: readonly Change[]): boolean {
  return (run.changes.at(-1)?.at ?? 0) > (changes.at(-1)?.at ?? 0) - 0.9 * YEAR
}

/** STANDARD or DAYLIGHT: once, or every year up to the last of the run, or for ever. */
function observance({ changes, rule }: Run, forEver: boolean): string {
  const [first, last] = [changes[0], changes.at(-1)]
  if (first === undefined || last === undefined) return ''
  const end = forEver ? '' : `;UNTIL=${basic(toWallClock(last.at, 'UTC'))}Z`
  return component(first.daylight ? 'DAYLIGHT' : 'STANDARD', [
    writeLine('DTSTART', basic(first.wall)),
    ...(rule === null ? [] : [writeLine('RRULE', rule + end)]),
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
