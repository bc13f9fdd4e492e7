import { type DateText, instantIn } from '../calendar/date-text.ts'
import { type Instant, settle, toInstant, toWallClock, type WallClock, type Zone } from '../calendar/zone.ts'
import type { Problems } from '../lib/errors.ts'
import type { eventFields } from '../schema/event.ts'
import type { Values } from '../schema/field.ts'
import type { EventRow } from '../storage/events.ts'

/** When an event is: what its own clock shows, and the instants. */
export type Times = Pick<EventRow, 'timezone' | 'start_local' | 'end_local' | 'start_utc' | 'end_utc'>

interface Moment {
  readonly wall: WallClock
  readonly instant: Instant
}

/** The times that a request asks for; what it does not name stays as it was, by the event's own clock. Null while its dates are refused. */
export function settleTimes(
  values: Values<typeof eventFields>,
  before: EventRow | null,
  siteZone: Zone,
  problems: Problems,
): Times | null {
  const timezone = values.timezone === undefined ? (before?.timezone ?? siteZone) : (values.timezone ?? siteZone)
  const allDay = values.all_day ?? before?.all_day === 1
  const start = moment(
    values.start_date,
    before && { wall: before.start_local, instant: before.start_utc },
    before?.timezone,
    timezone,
  )
  const end = moment(
    values.end_date,
    before && { wall: before.end_local, instant: before.end_utc },
    before?.timezone,
    timezone,
  )
  if (start === null || end === null) return null
  for (const [name, { wall }] of [
    ['start_date', start],
    ['end_date', end],
  ] as const) {
    if (!/^(?!0000)\d{4}-/.test(wall)) problems[name] ??= { problem: 'not_a_date' }
  }
  const first = allDay ? wholeDay(start, '00:00:00', timezone) : start
  const last = allDay ? wholeDay(end, '23:59:59', timezone) : end
  if (last.instant < first.instant) {
    if (values.start_date !== undefined && values.end_date === undefined)
      problems.start_date ??= { problem: 'start_after_end' }
    else problems.end_date ??= { problem: 'end_before_start' }
  }
  return { timezone, start_local: first.wall, end_local: last.wall, start_utc: first.instant, end_utc: last.instant }
}

/** A date as given or, failing that, as it was: the same instant in the same zone, the same wall clock in another. */
function moment(
  given: DateText | undefined,
  before: Moment | null,
  zoneBefore: Zone | undefined,
  zone: Zone,
): Moment | null {
  if (given !== undefined) {
    const instant = instantIn(given, zone)
    // A wall clock inside a gap is shown as what it moves forward to.
    return { wall: toWallClock(instant, zone), instant }
  }
  if (before === null || zoneBefore === zone) return before
  return { wall: settle(before.wall, zone), instant: toInstant(before.wall, zone) }
}

/** Whole days are kept as they are called, also where midnight does not exist. */
function wholeDay({ wall }: Moment, time: string, zone: Zone): Moment {
  const edge = `${wall.slice(0, 10)} ${time}`
  return { wall: edge, instant: toInstant(edge, zone) }
}
