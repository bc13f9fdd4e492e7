import { toIso, toWallClock } from '../calendar/zone.ts'
import type { EventRow, TicketRow } from '../domain/events.ts'
import type { Linked } from '../domain/linked-records.ts'
import { asHtml } from '../lib/html.ts'
import type { Fields } from '../schema/field.ts'
import * as types from '../schema/value-types.ts'

/** The fields of a row as a request would send them: what is empty is left out, flags are booleans. */
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

/** A ticket as a request would send it; its dates with their offsets, as a clock may show the same time twice. */
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

/** A venue or organizer as a request would send it. */
export function linkedFields(fields: Fields, { row }: Linked): Record<string, unknown> {
  return {
    ...storedFields(fields, row),
    slug: row.slug,
    date_utc: toWallClock(row.date_utc, 'UTC'),
    ...(row.status !== 'publish' && { status: row.status }),
  }
}

/** The status that an event comes back with: without its password, which no file holds, it must not be open to all. */
export function importStatus({ status, password_hash }: EventRow): string {
  return password_hash !== null && status === 'publish' ? 'private' : status
}
