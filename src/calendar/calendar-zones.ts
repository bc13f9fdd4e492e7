import { runSynchronously } from '../lib/time-slices.ts'
import { DAY, fromWall, toWall, type WallSeconds } from './civil.ts'
import { type Component, first } from './components.ts'
import { unescapeText } from './content-lines.ts'
import { readIcalTime, readOffset } from './ical-values.ts'
import { type Budget, expansion, MAX_STEPS } from './recurrence.ts'
import { RuleError, readRule } from './recurrence-rule.ts'
import { WINDOWS_ZONES } from './windows-zones.ts'
import { findZone, type Instant, offsetMinutes, toWallClock, type Zone } from './zone.ts'

const windowsZones = new Map(Object.entries(WINDOWS_ZONES).map(([name, zone]) => [name.toLowerCase(), zone]))

/** The zone that a calendar means by a name: an IANA name, one of Windows, or either behind a prefix. */
export function zoneNamed(tzid: string): Zone | null {
  const name = tzid.trim().replace(/^"|"$/g, '')
  if (name === '' || name.length > 200) return null
  const segments = name.split('/').filter((segment) => segment !== '')
  // Libraries put their own name in front: /freeassociation.sourceforge.net/Europe/Berlin.
  const tails = [3, 2, 1].filter((count) => segments.length > count).map((count) => segments.slice(-count).join('/'))
  for (const tail of [name, ...tails]) {
    const zone = findZone(tail) ?? windowsZone(tail) ?? offsetZone(tail)
    if (zone !== null) return zone
  }
  return null
}

/** Names of Windows are those of the standard time, whatever the season; some programs write the other one. */
function windowsZone(name: string): Zone | null {
  const found = windowsZones.get(name.toLowerCase().replace(/ (daylight|summer) time$/, ' standard time'))
  return found === undefined ? null : findZone(found)
}

/** `GMT+01:00`, `UTC-0330`. */
function offsetZone(name: string): Zone | null {
  const [, sign, hours, minutes = '0'] = /^(?:GMT|UTC)\s*([+-])(\d{1,2}):?(\d{2})?$/i.exec(name) ?? []
  return sign === undefined ? null : findZone(`UTC${sign}${Number(hours) + Number(minutes) / 60}`)
}

/** How far offsets are compared, on either side of now, in days; by the week, so that no season is missed. */
const COMPARED = 400
const STEP = 7

/** The most times at which a zone may be said to change: none has had half as many. */
const MAX_CHANGES = 1000

/**
 * The zone that a VTIMEZONE describes: by what it calls itself and, failing that, one that has the same offsets for a
 * year around now. `preferred` is looked at first, where several have them.
 */
export function zoneDescribed(description: Component, preferred: Zone, now: Instant): Zone | null {
  return runSynchronously(findingZone(description, preferred, now))
}

/** The same, one short step after the other. */
export function* findingZone(description: Component, preferred: Zone, now: Instant): Generator<void, Zone | null> {
  for (const name of ['TZID', 'X-LIC-LOCATION', 'TZID-ALIAS-OF', 'X-WR-TIMEZONE']) {
    const line = first(description, name)
    const zone = line === undefined ? null : zoneNamed(unescapeText(line.value.slice(0, 1000)))
    if (zone !== null) return zone
  }
  const instants = Array.from({ length: (2 * COMPARED) / STEP }, (_, n) => now + (n * STEP - COMPARED) * DAY)
  const offsets = yield* offsetsOf(description, instants)
  if (offsets === null) return null
  const hasThem = (zone: Zone) => instants.every((at, place) => offsetMinutes(at, zone) * 60 === offsets[place])
  const [offset = 0] = offsets
  const isFixed = offsets.every((one) => one === offset)
  const candidates = [
    preferred,
    ...(isFixed ? [`UTC${offset < 0 ? '-' : '+'}${Math.abs(offset) / 3600}`] : []),
    ...COMMON,
  ]
  for (const candidate of candidates) {
    const zone = findZone(candidate)
    if (zone !== null && hasThem(zone)) return zone
    yield
  }
  return null
}

/** Zones that many people live in come before those of the same offsets that few do. */
const COMMON = [
  'Europe/London',
  'Europe/Berlin',
  'Europe/Athens',
  'America/New_York',
  'America/Chicago',
  'America/Denver',
  'America/Los_Angeles',
  'Australia/Sydney',
  ...Object.values(WINDOWS_ZONES),
  ...Intl.supportedValuesOf('timeZone'),
]

interface Onset {
  readonly at: Instant
  readonly offset: number
}

/** The offsets of a description at instants in order, in seconds; null if it has none, or changes more often than any zone. */
function* offsetsOf(description: Component, instants: readonly Instant[]): Generator<void, number[] | null> {
  const horizon = fromWall(toWallClock(instants.at(-1) ?? 0, 'UTC')) + 2 * DAY
  const budget = { left: MAX_STEPS }
  const onsets: Onset[] = []
  for (const part of description.parts) {
    const begins = yield* onsetsOf(part, horizon, budget)
    onsets.push(...begins)
    if (onsets.length > MAX_CHANGES) return null
  }
  onsets.sort((one, other) => one.at - other.at)
  const [earliest] = onsets
  if (earliest === undefined) return null
  return instants.map((at) => (onsets.findLast((onset) => onset.at <= at) ?? earliest).offset)
}

/** When a part of a description (STANDARD or DAYLIGHT) begins to hold. */
function* onsetsOf(part: Component, horizon: WallSeconds, budget: Budget): Generator<void, Onset[]> {
  const from = readOffset(first(part, 'TZOFFSETFROM')?.value ?? '')
  const offset = readOffset(first(part, 'TZOFFSETTO')?.value ?? '')
  const start = readIcalTime(first(part, 'DTSTART')?.value ?? '')
  if (from === null || offset === null || start === null) return []
  const also: WallSeconds[] = []
  for (const { value } of part.properties.get('RDATE') ?? []) {
    for (const text of value.slice(0, MAX_LIST).split(',')) {
      const moment = readIcalTime(text)
      if (moment !== null) also.push(fromWall(moment.wall))
      if (also.length > MAX_CHANGES) break
      yield
    }
  }
  const rules = (part.properties.get('RRULE') ?? []).slice(0, MAX_RULES).flatMap((line) => {
    try {
      return [readRule(line.value, 'UTC')]
    } catch (error) {
      if (error instanceof RuleError) return []
      throw error
    }
  })
  // Descriptions begin long ago, as in 1601: of rules that go on, only the last years are looked at.
  const goesOn = rules.length > 0 && rules.every((rule) => rule.count === null && rule.until === null)
  const began = fromWall(start.wall)
  const begin = goesOn ? recent(began, horizon) : began
  const recurrence = { start: begin, isDate: true, zone: 'UTC', rules, also, except: new Set<WallSeconds>() }
  const { starts } = yield* expansion(recurrence, horizon, begin, budget)
  return starts.map((at) => ({ at: at - from, offset }))
}

/** How much of a list of times is read, in characters, and how many rules: more than any zone needs. */
const MAX_LIST = 50_000
const MAX_RULES = 20

/** The same date and time of a year shortly before the horizon. */
function recent(start: WallSeconds, horizon: WallSeconds): WallSeconds {
  const year = Number(toWall(horizon).slice(0, 4)) - 6
  const wall = toWall(start)
  return Number(wall.slice(0, 4)) >= year ? start : fromWall(`${year}${wall.slice(4)}`)
}
