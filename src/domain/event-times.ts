import { type DateText, instantIn } from '../calendar/date-text.ts'
import { isInYears, isWallClock } from '../calendar/years.ts'
import { findZone, type Instant, skipGap, toInstant, toWallClock, type WallClock, type Zone } from '../calendar/zone.ts'
import type { Problems } from '../lib/errors.ts'
import type { eventFields } from '../schema/event.ts'
import type { Values } from '../schema/field.ts'
import type { EventRow } from '../storage/events.ts'
import { faultsOf } from './damage.ts'

/** Times of an event: wall clock, time zone and instants. */
export type Times = Pick<EventRow, 'timezone' | 'start_local' | 'end_local' | 'start_utc' | 'end_utc'>

interface WrittenTime {
  readonly wall: WallClock
  readonly instant: Instant
}

type Named = Values<typeof eventFields>
type End = 'start_date' | 'end_date'

/**
 * Resolves the times of a request. Fields that are not sent keep their wall-clock value. Returns null if dates are
 * refused. Stored values are validated like sent ones: an earlier version may have accepted more.
 */
export function resolveTimes(values: Named, before: EventRow | null, siteZone: Zone, problems: Problems): Times | null {
  const timezone = values.timezone === undefined ? (before?.timezone ?? siteZone) : (values.timezone ?? siteZone)
  if (findZone(timezone) === null) {
    problems.timezone ??= { problem: 'not_a_zone' }
    return null
  }
  const start = readTime('start_date', values, before, timezone, problems)
  const end = readTime('end_date', values, before, timezone, problems)
  if (start === null || end === null) return null
  const allDay = values.all_day ?? before?.all_day === 1
  const first = allDay ? wholeDay(start, '00:00:00', timezone) : start
  const last = allDay ? wholeDay(end, '23:59:59', timezone) : end
  checkYears('start_date', first, values, problems)
  checkYears('end_date', last, values, problems)
  if (last.instant < first.instant) {
    if (values.start_date !== undefined && values.end_date === undefined)
      problems.start_date ??= { problem: 'start_after_end' }
    else problems.end_date ??= { problem: 'end_before_start' }
  }
  return { timezone, start_local: first.wall, end_local: last.wall, start_utc: first.instant, end_utc: last.instant }
}

/** The given date, else the stored one: the same instant in the same time zone, the same wall clock in another. */
function readTime(
  name: End,
  values: Named,
  before: EventRow | null,
  zone: Zone,
  problems: Problems,
): WrittenTime | null {
  const given: DateText | undefined = values[name]
  if (given !== undefined && !isStored(name, given, before, zone)) {
    const instant = instantIn(given, zone)
    // A wall-clock time in a DST gap moves forward.
    return { wall: toWallClock(instant, zone), instant }
  }
  if (before === null) return null
  const [wall, instant] =
    name === 'start_date' ? [before.start_local, before.start_utc] : [before.end_local, before.end_utc]
  if (!isWallClock(wall)) {
    problems[name] ??= { problem: 'not_a_date' }
    return null
  }
  return before.timezone === zone ? { wall, instant } : { wall: skipGap(wall, zone), instant: toInstant(wall, zone) }
}

/** Whether a local time is the stored one, which may be the second of two equal ones of an autumn night. */
function isStored(name: End, given: DateText, before: EventRow | null, zone: Zone): boolean {
  if (before === null || before.timezone !== zone || !('wall' in given)) return false
  return given.wall === (name === 'start_date' ? before.start_local : before.end_local) && faultsOf(before) === null
}

/** Refuses a time outside the supported years. The error names the field that was sent. */
function checkYears(name: End, { wall, instant }: WrittenTime, values: Named, problems: Problems): void {
  if (isWallClock(wall) && isInYears(instant)) return
  const sent = [name, 'timezone', 'all_day'].find((one) => values[one as End] !== undefined)
  problems[sent ?? name] ??= { problem: 'out_of_years' }
}

/** All-day times keep their date, also where midnight does not exist. */
function wholeDay({ wall }: WrittenTime, time: string, zone: Zone): WrittenTime {
  const edge = `${wall.slice(0, -9)} ${time}`
  return { wall: edge, instant: toInstant(edge, zone) }
}
