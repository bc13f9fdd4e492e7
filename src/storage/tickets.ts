import type { Insertable, Selectable } from 'kysely'
import { willReplace } from './audit/tracker.ts'
import type { Tx } from './dialect.ts'
import { preparedList } from './prepared.ts'
import type { TicketTable } from './tables.ts'

export type TicketRow = Selectable<TicketTable>

const ticketsOfSome = preparedList<TicketRow>((db, events) =>
  db.selectFrom('tickets').selectAll().where('event', 'in', events).orderBy('event').orderBy('position'),
)

/** Tickets of events in order, by event id. */
export async function ofEvents(tx: Tx, events: readonly number[]): Promise<Map<number, TicketRow[]>> {
  return Map.groupBy(await ticketsOfSome(tx, events), (row) => row.event)
}

/** Replaces the tickets of an event, in the given order. Tickets with an id keep it. */
export async function set(
  tx: Tx,
  event: number,
  tickets: readonly Omit<Insertable<TicketTable>, 'event' | 'position'>[],
): Promise<void> {
  await willReplace(tx, 'tickets', [event], new Map([[event, tickets]]))
  await tx.deleteFrom('tickets').where('event', '=', event).execute()
  for (const [position, ticket] of tickets.entries())
    await tx
      .insertInto('tickets')
      .values({ ...ticket, event, position })
      .execute()
}
