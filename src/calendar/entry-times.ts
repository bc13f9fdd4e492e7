import { DAY, fromWall, type WallSeconds } from './civil.ts'
import { type Clock, instantAt, isBefore, isSameClock, wallAt } from './clock.ts'
import { type Component, first } from './components.ts'
import { type ContentLine, splitRaw } from './content-lines.ts'
import { type Duration, readDuration, readIcalTime } from './ical-values.ts'
import type { Recurrence } from './recurrence.ts'
import { meantRule, type Rule, RuleError, readRule } from './recurrence-rule.ts'
import type { Zone } from './zone.ts'

/** Why an entry cannot be read: a text key below `problems.`, and what to fill in. */
export class EntryError extends Error {
  readonly problem: string
  readonly fill: Record<string, string>
  constructor(problem: string, fill: Record<string, string> = {}) {
    super(problem)
    this.problem = problem
    this.fill = fill
  }
}

/** What reading times needs to know of the calendar they are in. */
export interface Zones {
  /** The zone that a calendar calls by this name, or its own rules for it. */
  named(tzid: string): Clock | null
  /** The zone of times that name none. */
  readonly floating: Clock
  /** The zone of whole days; without it, that of times that name none. */
  readonly days?: Zone
  /** The zone that times in UTC are shown in. */
  readonly shown: Clock
}

/** What of an entry could not be read, though it is brought: a text key below `problems.`, and what to fill in. */
export interface Doubt {
  readonly problem: string
  readonly fill: Readonly<Record<string, string>>
}

/** Which occurrence of an entry another one changes, by the clock of its own zone. */
export interface ChangedOccurrence {
  readonly at: WallSeconds
  readonly zone: Clock
  readonly isDate: boolean
  readonly andFuture: boolean
}

/** How many rules are read of an entry, and how many times that are added or left out. */
const MAX_RULES = 20
const MAX_TIMES = 3000

/** A time as it is written. */
export interface Time {
  readonly at: WallSeconds
  readonly zone: Clock
  readonly isDate: boolean
  readonly isUtc: boolean
}

/** The start. One without a zone is in that of the end, if only the end has one. */
export function startOf(line: ContentLine, component: Component, zones: Zones, doubts: Doubt[]): Time {
  const ofEnd = tzidOf(first(component, 'DTEND'))
  if (ofEnd === null || tzidOf(line) !== null) return readTime(line, zones, doubts)
  return readTime(line, { ...zones, floating: zones.named(ofEnd) ?? zones.floating }, doubts)
}

/** The name of the zone of a line; an empty one is none. */
export function tzidOf(line: ContentLine | undefined): string | null {
  const tzid = line?.parameters.get('TZID')?.[0] ?? ''
  return tzid.trim() === '' ? null : tzid
}

function readTime(line: ContentLine, zones: Zones, doubts: Doubt[]): Time {
  const moment = readIcalTime(line.value)
  const told = { name: line.name, value: line.value.slice(0, 40) }
  if (moment === null) throw new EntryError('entry_bad_time', told)
  if (moment.isHour24) doubt(doubts, 'entry_hour_24', told)
  const at = fromWall(moment.wall)
  if (moment.isDate) return { at, zone: zones.days ?? zones.floating, isDate: true, isUtc: false }
  if (moment.isUtc) return { at, zone: 'UTC', isDate: false, isUtc: true }
  const tzid = tzidOf(line)
  const zone = tzid === null ? zones.floating : zones.named(tzid)
  if (zone === null) throw new EntryError('entry_unknown_zone', { zone: (tzid ?? '').slice(0, 80), used: '' })
  return { at, zone, isDate: false, isUtc: false }
}

/** A time by the clock of another zone. */
function inZone({ at, zone, isDate }: Time, other: Clock): WallSeconds {
  return isDate || isSameClock(zone, other) ? at : wallAt(instantAt(at, zone), other)
}

/** The end by the clock of the start: DTEND, or DURATION, or a whole day, or the start itself (RFC 5545 §3.6.1). */
export function endOf(component: Component, start: Time, zones: Zones, doubts: Doubt[]): WallSeconds {
  const end = writtenEnd(component, start, zones, doubts) ?? start.at
  if (!start.isDate) return end
  // The end of whole days is the day behind the last; many write the last itself.
  return Math.max(Math.ceil(end / DAY) * DAY, start.at + DAY) - 1
}

/** The end that can be read, and is none before the start; null without one. */
function writtenEnd(component: Component, start: Time, zones: Zones, doubts: Doubt[]): WallSeconds | null {
  const line = readable(component, 'DTEND', (value) => readIcalTime(value) !== null, doubts)
  if (line !== null) {
    const end = inZone(readTime(line, zones, doubts), start.zone)
    if (!isBefore(end, start.at, start.isDate ? 'UTC' : start.zone)) return end
    doubt(doubts, 'entry_ends_before', { name: line.name, value: line.value.slice(0, 40) })
  }
  const length = readable(component, 'DURATION', (value) => durationIn(value) !== null, doubts)
  const duration = length === null ? null : durationIn(length.value)
  if (duration === null) return null
  return start.isDate ? start.at + duration.days * DAY + duration.seconds : later(start.at, duration, start.zone)
}

/** A line that can be read. One that cannot is left out, and the entry is brought without it. */
function readable(
  component: Component,
  name: string,
  isReadable: (value: string) => boolean,
  doubts: Doubt[],
): ContentLine | null {
  const line = first(component, name)
  if (line === undefined || isReadable(line.value)) return line ?? null
  doubt(doubts, 'entry_left_out', { name, value: line.value.slice(0, 40) })
  return null
}

/** The length of an event; null if it is none, or negative (RFC 5545 §3.8.2.5). */
function durationIn(value: string): Duration | null {
  const duration = readDuration(value)
  return duration === null || duration.days < 0 || duration.seconds < 0 ? null : duration
}

export function occurrenceOf(component: Component, zones: Zones, doubts: Doubt[]): ChangedOccurrence | null {
  const line = first(component, 'RECURRENCE-ID')
  if (line === undefined) return null
  const { at, zone, isDate } = readTime(line, zones, doubts)
  return { at, zone, isDate, andFuture: line.parameters.get('RANGE')?.[0]?.toUpperCase() === 'THISANDFUTURE' }
}

export function recurrenceOf(component: Component, start: Time, zones: Zones, doubts: Doubt[]): Recurrence | null {
  const { properties } = component
  const rules = (properties.get('X-KALENDS-RRULE') ?? properties.get('RRULE') ?? []).map(({ value }) =>
    meantRule(value),
  )
  const also = properties.get('X-KALENDS-RDATE') ?? properties.get('RDATE') ?? []
  if (rules.length + also.length === 0) return null
  const except = properties.get('EXDATE') ?? []
  if (rules.length > MAX_RULES || countTimes([...also, ...except]) > MAX_TIMES) throw new EntryError('entry_too_large')
  const periods = also.flatMap((line) => periodsOf(line, start, zones, doubts))
  const ends = periods.flatMap(({ at, end }) => (end === null ? [] : [[at, end] as const]))
  return {
    start: start.at,
    isDate: start.isDate,
    zone: start.zone,
    rules: rules.flatMap((rule) => ruleOf(rule, start.zone, doubts)),
    ruleTexts: rules,
    also: periods.map(({ at }) => at),
    ...(ends.length > 0 && { ends: new Map(ends) }),
    except: new Set(except.flatMap((line) => periodsOf(line, start, zones, doubts)).map(({ at }) => at)),
  }
}

/** A rule; none if it cannot be read, and the entry is brought without it. */
function ruleOf(text: string, zone: Clock, doubts: Doubt[]): Rule[] {
  try {
    return [readRule(text, zone)]
  } catch (error) {
    if (!(error instanceof RuleError)) throw error
    doubt(doubts, 'entry_bad_rule', { part: error.message.slice(0, 80) })
    return []
  }
}

/** How many doubts of an entry are told. */
const MAX_DOUBTS = 3

function doubt(doubts: Doubt[], problem: string, fill: Doubt['fill']): void {
  if (doubts.length < MAX_DOUBTS) doubts.push({ problem, fill })
}

/** How many times lines hold, or a little more: commas are counted. */
function countTimes(lines: readonly ContentLine[]): number {
  let count = lines.length
  for (const { value } of lines) {
    for (let at = value.indexOf(','); at !== -1 && count <= MAX_TIMES; at = value.indexOf(',', at + 1)) count++
  }
  return count
}

/** A time of RDATE or EXDATE by the clock of the entry, with the end of a period. */
interface Period {
  readonly at: WallSeconds
  readonly end: WallSeconds | null
}

/** The times of RDATE or EXDATE; a date alone is that day at the entry's time. Those that cannot be read are left out. */
function periodsOf(line: ContentLine, start: Time, zones: Zones, doubts: Doubt[]): Period[] {
  const time = ((start.at % DAY) + DAY) % DAY
  return splitRaw(line.value, ',').flatMap((value) => {
    const [from = '', to] = value.split('/', 2)
    if (value.trim() === '') return []
    if (readIcalTime(from) === null) {
      doubt(doubts, 'entry_time_left_out', { name: line.name, value: value.slice(0, 40) })
      return []
    }
    const found = readTime({ ...line, value: from }, zones, doubts)
    const day = Math.floor(found.at / DAY) * DAY
    if (found.isDate) return [{ at: day + time, end: null }]
    if (start.isDate) return [{ at: day, end: null }]
    const at = inZone(found, start.zone)
    return [{ at, end: to === undefined ? null : endOfPeriod({ ...line, value: to }, at, start.zone, zones, doubts) }]
  })
}

/** The end of a period: a time, or a length of time (RFC 5545 §3.3.9). Null if it is none, or before the start. */
function endOfPeriod(
  line: ContentLine,
  at: WallSeconds,
  zone: Clock,
  zones: Zones,
  doubts: Doubt[],
): WallSeconds | null {
  const duration = readDuration(line.value)
  const moment = readIcalTime(line.value)
  if (duration === null && (moment === null || moment.isDate)) return null
  const end = duration === null ? inZone(readTime(line, zones, doubts), zone) : later(at, duration, zone)
  return end < at ? null : end
}

/** A time by the clock, a length of time later: days by the calendar, the rest as it passes. */
function later(at: WallSeconds, { days, seconds }: Duration, zone: Clock): WallSeconds {
  const day = at + days * DAY
  return seconds === 0 ? day : wallAt(instantAt(day, zone) + seconds, zone)
}
