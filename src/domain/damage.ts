import { DAY, fromWall } from '../calendar/civil.ts'
import { isInYears, isWallClock } from '../calendar/years.ts'
import { findZone, type Instant, type WallClock } from '../calendar/zone.ts'
import type { Problems } from '../lib/errors.ts'
import { eventFields } from '../schema/event.ts'
import { storedEntries } from '../schema/field.ts'
import type { RecordKind } from '../schema/linked.ts'
import type { EventAddress } from '../storage/addresses.ts'
import type { EventRow } from '../storage/events.ts'
import type { LinkedKind, RecordRow } from '../storage/records.ts'
import type { TicketRow } from '../storage/tickets.ts'

/**
 * A row that cannot be shown: another program, an earlier version or a bug has stored invalid data. Such a row does not
 * fail a list, feed or page: it is left out and reported.
 */
export interface Damage {
  readonly kind: RecordKind | 'ticket' | 'image'
  readonly id: number
  /** Revision of the row; 0 if it has none. */
  readonly revision: number
  /** Problems by REST field name, or the error of its presenter. */
  readonly reason: Problems | Error
}

export type OnDamage = (damage: Damage) => void

/** Limit on remembered rows. Beyond it, all are reported again. */
const MAX_REPORTED = 10_000

/** Reports each damaged row once, and again when it has changed. */
export function reportingOnce(report: OnDamage): OnDamage {
  const reported = new Set<string>()
  return (damage) => {
    const key = `${damage.kind} ${damage.id} ${damage.revision}`
    if (reported.has(key)) return
    if (reported.size >= MAX_REPORTED) reported.clear()
    reported.add(key)
    report(damage)
  }
}

/** The stored texts of an event beside its title. */
const TEXTS = storedEntries(eventFields, ['title'])
  .filter(([, { kind }]) => kind.type === 'string')
  .map(([name]) => name)

/** Columns of an event that are checked; texts if available, or the name of one that is damaged. */
type Checked = EventAddress & Partial<Pick<EventRow, (typeof TEXTS)[number]>> & { readonly damaged?: string | null }

/** Problems of an event row; null if it can be shown. */
export function faultsOf(row: Checked): Problems | null {
  const problems: Problems = {}
  if (typeof row.timezone !== 'string' || findZone(row.timezone) === null) problems.timezone = { problem: 'not_a_zone' }
  checkTime('start_date', row.start_local, row.start_utc, problems)
  checkTime('end_date', row.end_local, row.end_utc, problems)
  if (!problems.start_date && !problems.end_date && endsTooSoon(row))
    problems.end_date = { problem: 'end_before_start' }
  for (const name of TEXTS) {
    if (typeof (row[name] ?? '') !== 'string') problems[name] = { problem: 'not_text' }
  }
  if (row.damaged) problems[row.damaged] = { problem: 'not_text' }
  return withRecordFaults('title', row, problems)
}

function checkTime(name: string, wall: WallClock, instant: Instant, problems: Problems): void {
  if (!isWallClock(wall)) problems[name] = { problem: 'not_a_date' }
  else if (!isInYears(instant)) problems[name] = { problem: 'out_of_years' }
}

export function isUndamaged({ row }: { readonly row: EventRow }): boolean {
  return faultsOf(row) === null
}

/**
 * Local end before local start is valid when the clock was set back: by up to a day, where a time zone crossed the date
 * line.
 */
function endsTooSoon({ start_utc, end_utc, start_local, end_local, all_day }: Checked): boolean {
  const back = all_day === 1 ? 0 : DAY
  return end_utc < start_utc || (end_local < start_local && fromWall(end_local) < fromWall(start_local) - back)
}

/** Columns of a venue or organizer that are checked, besides its name. */
type LinkedChecked = Pick<RecordRow, 'id' | 'slug' | 'date_utc' | 'modified_utc' | 'revision'>

/** The same for a venue or organizer. */
export function linkedFaultsOf(kind: LinkedKind, row: LinkedChecked): Problems | null {
  return withRecordFaults(kind, row, {})
}

function withRecordFaults(name: string, row: Checked | LinkedChecked, problems: Problems): Problems | null {
  if (typeof (row as RecordRow)[name] !== 'string') problems[name] = { problem: 'not_text' }
  if (typeof row.slug !== 'string') problems.slug = { problem: 'not_a_slug' }
  if (!isInYears(row.date_utc)) problems.date_utc = { problem: 'out_of_years' }
  if (!isInYears(row.modified_utc)) problems.modified_utc = { problem: 'out_of_years' }
  for (const _ in problems) return problems
  return null
}

export interface Reporting {
  readonly onDamage?: OnDamage | undefined
}

/** Filters out damaged events, and reports them. */
export function undamagedEvents<Row extends Checked & Pick<EventRow, 'revision'>>(
  { onDamage }: Reporting,
  rows: readonly Row[],
): Row[] {
  return rows.filter((row) => {
    const reason = faultsOf(row)
    if (reason !== null) onDamage?.({ kind: 'event', id: row.id, revision: row.revision, reason })
    return reason === null
  })
}

/** Filters out damaged venues or organizers, and reports them. */
export function undamagedLinked<Row extends LinkedChecked>(
  kind: LinkedKind,
  { onDamage }: Reporting,
  rows: readonly Row[],
): Row[] {
  return rows.filter((row) => {
    const reason = linkedFaultsOf(kind, row)
    if (reason !== null) onDamage?.({ kind, id: row.id, revision: row.revision, reason })
    return reason === null
  })
}

/** Filters out damaged tickets, and reports them. */
export function undamagedTickets({ onDamage }: Reporting, tickets: readonly TicketRow[]): readonly TicketRow[] {
  const isSound = ({ available_from, available_until }: TicketRow) =>
    [available_from, available_until].every((instant) => instant === null || isInYears(instant))
  if (tickets.every(isSound)) return tickets
  return tickets.filter((ticket) => {
    if (isSound(ticket)) return true
    onDamage?.({ kind: 'ticket', id: ticket.id, revision: 0, reason: { tickets: { problem: 'out_of_years' } } })
    return false
  })
}
