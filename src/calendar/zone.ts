import { dayNumber, daysInMonth, fromWall, toWall, twoDigitsAt, type WallClock, writeDay, yearOf } from './civil.ts'

export type { WallClock } from './civil.ts'

/**
 * The only place that converts between wall clocks and instants.
 *
 * - A wall-clock time is text, `YYYY-MM-DD HH:MM:SS`, years 0001 to 9999: it sorts as it reads. Conversions may leave
 *   these years by a day; such a time is written with the expanded years of ISO 8601 (`+010000-01-01 08:30:00`), which
 *   no input is allowed to be: see years.ts.
 * - An instant is a whole number of Unix seconds.
 * - A zone is an IANA name or a manual offset such as `UTC+5.5`.
 *
 * A time inside a gap moves forward by the gap's length; one inside an overlap is the first of the two.
 */
export type Instant = number
export type Zone = string

const MANUAL = /^UTC([+-])(\d{1,2})(?:\.(\d{1,2})|:(\d{2}))?$/i
const MAX_NAME = 64
const known = new Map<string, Zone>()

/** The zone in its usual spelling, or null when there is none of that name. */
export function findZone(text: string): Zone | null {
  const name = text.trim()
  const found = known.get(name)
  if (found !== undefined || name.length > MAX_NAME) return found ?? null
  const zone = manualZone(name) ?? namedZone(name)
  // Only what exists is kept, in its few spellings: clients may send other names without end.
  if (zone !== null && known.size < 10_000) known.set(name, zone)
  return zone
}

/** The instant at which a wall clock in `zone` shows `wall`. */
export function toInstant(wall: WallClock, zone: Zone): Instant {
  return plainInstant(wall, zone) ?? askedInstant(wall, zone)
}

/** The instant of a wall-clock time that a zone shows once, far from a change of its clocks; null for any other. Asking Temporal takes long. */
function plainInstant(wall: WallClock, zone: Zone): Instant | null {
  const local = wall.length === 19 ? fromWall(wall) : Number.NaN
  if (!Number.isSafeInteger(local) || toWall(local) !== wall) return null
  const near = local - offsetSeconds(local, zone)
  const instant = local - offsetSeconds(near, zone)
  const { from, until } = plainSpan(near, zone)
  return instant >= from && instant < until ? instant : null
}

/** The same for any time. */
function askedInstant(wall: WallClock, zone: Zone): Instant {
  const local = Temporal.PlainDateTime.from(wall.replace(' ', 'T'))
  return Math.floor(
    local.toZonedDateTime(temporalZone(zone), { disambiguation: 'compatible' }).epochMilliseconds / 1000,
  )
}

/** What a wall clock in `zone` shows at an instant. */
export function toWallClock(instant: Instant, zone: Zone): WallClock {
  return toWall(instant + offsetSeconds(instant, zone))
}

/** Moves a wall-clock time that the zone skips forward by the gap. Returns any other time unchanged. */
export function skipGap(wall: WallClock, zone: Zone): WallClock {
  return toWallClock(toInstant(wall, zone), zone)
}

/** The offset from UTC in minutes, east positive; seconds of old local mean times are dropped. */
export function offsetMinutes(instant: Instant, zone: Zone): number {
  return Math.trunc(offsetSeconds(instant, zone) / 60)
}

/** When a zone's offset changes next after an instant, or last changed before it; null when it does not. */
export function transition(instant: Instant, zone: Zone, direction: 'next' | 'previous'): Instant | null {
  const found = zoned(instant, zone).getTimeZoneTransition(direction)
  return found === null ? null : Math.floor(found.epochMilliseconds / 1000)
}

/** Around an instant, the time in which a zone's clock neither changes nor shows what it shows another time; empty around a change. */
export function plainSpan(instant: Instant, zone: Zone): { readonly from: Instant; readonly until: Instant } {
  const { from, to } = stretchAt(instant, zone)
  const back = (change: Instant) => Math.max(0, offsetSeconds(change - 1, zone) - offsetSeconds(change, zone))
  return {
    from: Number.isFinite(from) ? from + back(from) : from,
    until: Number.isFinite(to) ? to - back(to) : to,
  }
}

/**
 * `instant` as ISO 8601 (RFC 3339) with the zone's offset. An offset is written in minutes: one with seconds, as of old local
 * mean times, is rounded up, and the clock time with it. So a whole minute keeps its day, hour and minute.
 */
export function toIso(instant: Instant, zone: Zone): string {
  const minutes = Math.ceil(offsetSeconds(instant, zone) / 60)
  const local = toWallClock(instant + minutes * 60, 'UTC')
  return `${local.replace(' ', 'T')}${formatOffset(minutes, ':')}`
}

/** `+05:45`, or `+0545` with an empty separator. */
export function formatOffset(minutes: number, separator: string): string {
  const abs = Math.abs(minutes)
  return `${minutes < 0 ? '-' : '+'}${pad(Math.floor(abs / 60), 2)}${separator}${pad(abs % 60, 2)}`
}

/** Puts a wall-clock text together. */
export function wallClock(year: number, month: number, day: number, hour = 0, minute = 0, second = 0): WallClock {
  return `${pad(year, 4)}-${pad(month, 2)}-${pad(day, 2)} ${pad(hour, 2)}:${pad(minute, 2)}:${pad(second, 2)}`
}

/** The calendar date, years later, of a wall-clock time's day; 29 February becomes the 28th. */
export function addYears(wall: WallClock, years: number): string {
  const [year, month] = [yearOf(wall) + years, twoDigitsAt(wall, 5)]
  return writeDay(dayNumber(year, month, Math.min(twoDigitsAt(wall, 8), daysInMonth(year, month))))
}

/** Whether this is a manual offset, which has no name but its own. */
export function isManual(zone: Zone): boolean {
  return MANUAL.test(zone)
}

/** A time during which a zone's clocks are not changed, and its offset in seconds. */
export interface Stretch {
  readonly from: Instant
  readonly to: Instant
  readonly offset: number
}

const MAX_STRETCHES = 500
const stretches = new Map<Zone, Stretch[]>()

/**
 * The offset from UTC in seconds, east positive, exact for old local mean times too. Asking Temporal takes long, and
 * nearly all times of a calendar lie between a few changes of a few zones.
 */
export function offsetSeconds(instant: Instant, zone: Zone): number {
  return zone === 'UTC' ? 0 : stretchAt(instant, zone).offset
}

/** The time around an instant during which a zone's clocks are not changed. */
export function stretchAt(instant: Instant, zone: Zone): Stretch {
  const known = stretches.get(zone) ?? []
  for (let place = 0; place < known.length; place++) {
    const stretch = known[place]
    if (stretch === undefined || instant < stretch.from || instant >= stretch.to) continue
    // The next instant that is asked for often lies in the same one.
    known[place] = known[0] ?? stretch
    known[0] = stretch
    return stretch
  }
  const at = zoned(instant, zone)
  const first = at.add({ seconds: 1 }).getTimeZoneTransition('previous')
  const next = at.getTimeZoneTransition('next')
  const seconds = (moment: Temporal.ZonedDateTime) => Math.floor(moment.epochMilliseconds / 1000)
  const offset = Math.round(at.offsetNanoseconds / 1e9)
  if (known.length >= MAX_STRETCHES) known.length = 0
  const stretch = {
    from: first === null ? Number.NEGATIVE_INFINITY : seconds(first),
    to: next === null ? Number.POSITIVE_INFINITY : seconds(next),
    offset,
  }
  known.push(stretch)
  stretches.set(zone, known)
  return stretch
}

/** The same, asked of Temporal and not remembered. */
export function offsetAt(instant: Instant, zone: Zone): number {
  return Math.round(zoned(instant, zone).offsetNanoseconds / 1e9)
}

function zoned(instant: Instant, zone: Zone): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(instant * 1000).toZonedDateTimeISO(temporalZone(zone))
}

const temporalZones = new Map<Zone, string>()

/** The zone as Temporal names it: manual offsets are written `+05:30` there. */
function temporalZone(zone: Zone): string {
  let name = temporalZones.get(zone)
  if (name === undefined) {
    const minutes = manualMinutes(zone)
    name = minutes === null ? zone : formatOffset(minutes, ':')
    temporalZones.set(zone, name)
  }
  return name
}

function manualMinutes(text: string): number | null {
  const [, sign, hours, decimals, minutes] = MANUAL.exec(text) ?? []
  if (sign === undefined) return null
  const fraction = decimals === undefined ? Number(minutes ?? 0) : Number(`0.${decimals}`) * 60
  const total = Number(hours) * 60 + fraction
  return Number.isInteger(total) && fraction < 60 && total <= 14 * 60 ? (sign === '-' ? -total : total) : null
}

function manualZone(text: string): Zone | null {
  const minutes = manualMinutes(text)
  if (minutes === null) return null
  return minutes === 0 ? 'UTC' : `UTC${minutes < 0 ? '-' : '+'}${Math.abs(minutes) / 60}`
}

function namedZone(text: string): Zone | null {
  // Temporal also takes offsets such as +05:30 for a zone; here those are written UTC+5.5.
  if (!/^[A-Za-z]/.test(text)) return null
  try {
    return Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(text).timeZoneId
  } catch {
    return null
  }
}

function pad(value: number, width: number): string {
  return String(value).padStart(width, '0')
}
