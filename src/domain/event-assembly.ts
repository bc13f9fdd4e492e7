import { type ByLinkedPlural, byLinkedPlural, LINKED_KINDS } from '../schema/linked.ts'
import type { Tx } from '../storage/dialect.ts'
import * as partStorage from '../storage/event-parts.ts'
import type { EventRow } from '../storage/events.ts'
import type { LinkedKind, RecordRow } from '../storage/records.ts'
import * as recordStorage from '../storage/records.ts'
import type { ShownSeries } from '../storage/series.ts'
import * as seriesStorage from '../storage/series.ts'
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

/** An event with everything that it is shown with. */
export interface Event extends ByLinkedPlural<readonly Linked[]> {
  readonly row: EventRow
  readonly image: Image | null
  readonly categories: readonly Term[]
  readonly tags: readonly Term[]
  readonly tickets: readonly TicketRow[]
  /** Distance to its nearest venue in kilometres, if the list asked for it. */
  readonly distance: number | null
  /** Parent event, if the reader may see it. */
  readonly parent: number | null
  /** Series that it is an occurrence of. */
  readonly series: ShownSeries | null
  /** False without the password: then only title and dates are shown. */
  readonly whole: boolean
}

/** What belongs to events, by their ids. */
export interface Parts extends ByLinkedPlural<ReadonlyMap<number, readonly RecordRow[]>> {
  /** By name. */
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
  const linkedRows = new Map<LinkedKind, ReadonlyMap<number, readonly RecordRow[]>>()
  for (const kind of LINKED_KINDS)
    linkedRows.set(kind, known[`${kind}s`] ?? (await partStorage.linkedOf(tx, kind, ids, visibility)))
  const terms = known.terms ?? (await partStorage.termsOf(tx, ids))
  const tickets = known.tickets ?? (await ticketStorage.ofEvents(tx, ids))
  const parents = await recordStorage.readable(
    tx,
    'event',
    rows.flatMap((row) => row.parent ?? []),
    visibility,
  )
  const series = await seriesOf(tx, rows)
  const allLinked = [...linkedRows.values()].flatMap((byEvent) => [...byEvent.values()].flat())
  const pictures = await images.ofRows(tx, [...rows, ...allLinked], scope.onDamage)
  const withPath = new Map((await withPaths(tx, [...terms.values()].flat())).map((term) => [term.id, term]))
  const pictureOf = (row: { image: number | null }) => (row.image === null ? null : (pictures.get(row.image) ?? null))
  const linkedTo = (event: number, kind: LinkedKind) =>
    undamagedLinked(kind, scope, linkedRows.get(kind)?.get(event) ?? []).map((row) => ({ row, image: pictureOf(row) }))
  return rows.map((row) => {
    const own = (terms.get(row.id) ?? []).map((term) => withPath.get(term.id)).filter((term) => term !== undefined)
    return {
      row,
      image: pictureOf(row),
      ...byLinkedPlural((kind) => linkedTo(row.id, kind)),
      categories: own.filter((term) => term.kind === 'category'),
      tags: own.filter((term) => term.kind === 'tag'),
      tickets: undamagedTickets(scope, tickets.get(row.id) ?? []),
      distance: row.distance ?? null,
      parent: row.parent !== null && parents.has(row.parent) ? row.parent : null,
      series: row.series === null ? null : (series.get(row.series) ?? null),
      whole: row.password_hash === null || mayEdit(scope.user, row),
    }
  })
}

/** Series of events, by id. */
async function seriesOf(tx: Tx, rows: readonly EventRow[]): Promise<Map<number, ShownSeries>> {
  const ids = [...new Set(rows.flatMap((row) => row.series ?? []))]
  return new Map((await seriesStorage.getAll(tx, ids)).map((series) => [series.id, series]))
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
