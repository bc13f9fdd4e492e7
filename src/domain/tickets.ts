import { type DateText, instantIn } from '../calendar/date-text.ts'
import { isInYearsOf } from '../calendar/years.ts'
import { type Instant, toWallClock, type Zone } from '../calendar/zone.ts'
import type { Problems } from '../lib/errors.ts'
import type { TicketValue } from '../schema/ticket.ts'
import type { Tx } from '../storage/dialect.ts'
import type { TicketRow } from '../storage/tickets.ts'
import * as storage from '../storage/tickets.ts'

type NewTicket = Omit<TicketRow, 'id' | 'event' | 'position'> & { readonly id?: number }

/**
 * Resolves tickets for storage: their dates are in the event's time zone. A ticket whose sale ends before it starts is
 * refused. A ticket of `before` keeps the instant of a date that is sent back: a local time may occur twice.
 */
export function resolveTickets(
  values: readonly TicketValue[],
  zone: Zone,
  problems: Problems,
  before: readonly TicketRow[] = [],
): NewTicket[] {
  const at = (date: DateText | null | undefined, stored: Instant | null | undefined): Instant | null => {
    if (!date) return null
    const isKept = 'wall' in date && stored != null && isInYearsOf(stored, zone)
    return isKept && toWallClock(stored, zone) === date.wall ? stored : instantIn(date, zone)
  }
  return values.map(
    ({
      id,
      name = '',
      price = null,
      currency = null,
      url = null,
      capacity = null,
      available_from,
      available_until,
    }) => {
      const stored = before.find((ticket) => ticket.id === id)
      const from = at(available_from, stored?.available_from)
      const until = at(available_until, stored?.available_until)
      for (const [name, instant] of Object.entries({ available_from: from, available_until: until })) {
        if (instant !== null && !isInYearsOf(instant, zone))
          problems.tickets ??= { problem: 'bad_data', details: { [name]: { problem: 'out_of_years' } } }
      }
      if (from !== null && until !== null && until < from) {
        problems.tickets ??= { problem: 'bad_data', details: { available_until: { problem: 'end_before_start' } } }
      }
      return { ...(id && { id }), name, price, currency, url, capacity, available_from: from, available_until: until }
    },
  )
}

/** Refuses a time zone in which the tickets of an event leave the supported years. */
export async function checkTicketsIn(tx: Tx, event: number, zone: Zone, problems: Problems): Promise<void> {
  const tickets = (await storage.ofEvents(tx, [event])).get(event) ?? []
  const instants = tickets.flatMap(({ available_from, available_until }) => [available_from, available_until])
  if (instants.some((instant) => instant !== null && !isInYearsOf(instant, zone)))
    problems.timezone ??= { problem: 'out_of_years' }
}

/** Replaces the tickets of an event. Ids of other events' tickets are replaced by new ones. */
export async function replace(tx: Tx, event: number, tickets: readonly NewTicket[]): Promise<void> {
  const own = new Set((await storage.ofEvents(tx, [event])).get(event)?.map((ticket) => ticket.id))
  const stored = tickets.map(({ id, ...ticket }) => {
    const isOwn = id !== undefined && own.delete(id)
    return isOwn ? { id, ...ticket } : ticket
  })
  await storage.set(tx, event, stored)
}
