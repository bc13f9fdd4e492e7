import { toIso, toWallClock } from '../calendar/zone.ts'
import type { EventRow, TicketRow } from '../domain/events.ts'
import type { Linked } from '../domain/linked-records.ts'
import { asHtml } from '../lib/html.ts'
import type { Fields } from '../schema/field.ts'
import * as types from '../schema/value-types.ts'

/** Fields of a row in the form of a request: without empty fields, flags as booleans. */
export function storedFields(fields: Fields, row: object, except: readonly string[] = []): Record<string, unknown> {
  const columns = row as Record<string, unknown>
  const shown: Record<string, unknown> = {}
  for (const [name, { stored, kind }] of Object.entries(fields)) {
    const value = columns[name]
    if (!stored || except.includes(name) || value === null || value === undefined || value === '') continue
    shown[name] = kind.type === 'boolean' ? value === 1 : kind === types.name ? asHtml(String(value)) : value
  }
  return shown
}

/** Ticket in the form of a request. Dates have their offsets, because local times can be ambiguous. */
export function ticketFields(
  { name, price, currency, url, capacity, available_from: from, available_until: until }: TicketRow,
  { timezone }: EventRow,
): Record<string, unknown> {
  const at = (instant: number | null) => (instant === null ? null : toIso(instant, timezone))
  const all = {
    name: asHtml(name),
    price,
    currency,
    url,
    capacity,
    available_from: at(from),
    available_until: at(until),
  }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null))
}

/** Linked record in the form of a request. */
export function linkedFields(fields: Fields, { row }: Linked): Record<string, unknown> {
  return {
    ...storedFields(fields, row),
    slug: row.slug,
    date_utc: toWallClock(row.date_utc, 'UTC'),
    ...(row.status !== 'publish' && { status: row.status }),
  }
}

/** Status in an export. Files hold no passwords, so a protected event is not exported as public. */
export function importStatus({ status, password_hash }: EventRow): string {
  return password_hash !== null && status === 'publish' ? 'private' : status
}
