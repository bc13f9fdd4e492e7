import type { Tx } from '../storage/dialect.ts'
import type { EventRow } from '../storage/events.ts'
import * as storage from '../storage/events.ts'
import type { LinkedKind, RecordRow } from '../storage/records.ts'
import * as recordStorage from '../storage/records.ts'
import type { TermRow } from '../storage/terms.ts'
import type { TicketRow } from '../storage/tickets.ts'
import * as ticketStorage from '../storage/tickets.ts'
import { mayEdit, visibilityOf } from './access.ts'
import { undamagedEvents, undamagedLinked, undamagedTickets } from './damage.ts'
import type { Image } from './images.ts'
import * as images from './images.ts'
import type { Linked } from './linked-records.ts'
import type { Scope } from './scope.ts'
import { type Term, withPaths } from './terms.ts'

/** An event with all data that is shown with it. */
export interface Event {
  readonly row: EventRow
  readonly image: Image | null
  readonly venues: readonly Linked[]
  readonly organizers: readonly Linked[]
  readonly categories: readonly Term[]
  readonly tags: readonly Term[]
  readonly tickets: readonly TicketRow[]
  /** Distance to its nearest venue in kilometres, if the list asked for it. */
  readonly distance: number | null
  /** Parent event, if the reader may see it. */
  readonly parent: number | null
  /** False without the password: then only title and dates are shown. */
  readonly whole: boolean
}

/** Data that belongs to events, by event id. */
export interface Parts {
  readonly venues: ReadonlyMap<number, readonly RecordRow[]>
  readonly organizers: ReadonlyMap<number, readonly RecordRow[]>
  /** Ordered by name. */
  readonly terms: ReadonlyMap<number, readonly TermRow[]>
  readonly tickets: ReadonlyMap<number, readonly TicketRow[]>
}

/** Assembles the events of a list. Damaged ones are left out and reported. */
export async function assembleUndamaged(
  tx: Tx,
  scope: Pick<Scope, 'user' | 'onDamage'>,
  rows: readonly (EventRow & { distance?: number })[],
): Promise<Event[]> {
  return assemble(tx, scope, undamagedEvents(scope, rows))
}

/** Assembles events with a fixed number of queries, and none for data in `known`. */
async function assemble(
  tx: Tx,
  scope: Pick<Scope, 'user' | 'onDamage'>,
  rows: readonly (EventRow & { distance?: number })[],
  known: Partial<Parts> = {},
): Promise<Event[]> {
  const visibility = visibilityOf(scope.user)
  const ids = idsOf(rows)
  const venues = known.venues ?? (await storage.linkedOf(tx, 'venue', ids, visibility))
  const organizers = known.organizers ?? (await storage.linkedOf(tx, 'organizer', ids, visibility))
  const terms = known.terms ?? (await storage.termsOf(tx, ids))
  const tickets = known.tickets ?? (await ticketStorage.ofEvents(tx, ids))
  const parents = await recordStorage.readable(
    tx,
    'event',
    rows.flatMap((row) => row.parent ?? []),
    visibility,
  )
  const linkedRows = [...venues.values(), ...organizers.values()].flat()
  const imagesById = await images.ofRows(tx, [...rows, ...linkedRows], scope.onDamage)
  const withPath = new Map((await withPaths(tx, [...terms.values()].flat())).map((term) => [term.id, term]))
  const pictureOf = (row: { image: number | null }) => (row.image === null ? null : (imagesById.get(row.image) ?? null))
  const linked = (kind: LinkedKind, found: readonly RecordRow[] = []) =>
    undamagedLinked(kind, scope, found).map((row) => ({ row, image: pictureOf(row) }))
  return rows.map((row) => {
    const own = (terms.get(row.id) ?? []).map((term) => withPath.get(term.id)).filter((term) => term !== undefined)
    return {
      row,
      image: pictureOf(row),
      venues: linked('venue', venues.get(row.id)),
      organizers: linked('organizer', organizers.get(row.id)),
      categories: own.filter((term) => term.kind === 'category'),
      tags: own.filter((term) => term.kind === 'tag'),
      tickets: undamagedTickets(scope, tickets.get(row.id) ?? []),
      distance: row.distance ?? null,
      parent: row.parent !== null && parents.has(row.parent) ? row.parent : null,
      whole: row.password_hash === null || mayEdit(scope.user, row),
    }
  })
}

/** Assembles one event. */
export async function assembleOne(tx: Tx, scope: Scope, row: EventRow, known: Partial<Parts> = {}): Promise<Event> {
  const [event] = await assemble(tx, scope, [row], known)
  if (event === undefined) throw new Error('an event was lost while it was put together')
  return event
}

export function idsOf(rows: readonly { readonly id: number }[]): number[] {
  return rows.map((row) => row.id)
}
