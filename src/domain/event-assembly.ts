import { type ByLinkedPlural, byLinkedKind, byLinkedPlural, LINKED_KINDS } from '../schema/linked.ts'
import type { Tx } from '../storage/dialect.ts'
import type { Link } from '../storage/event-links.ts'
import * as linkStorage from '../storage/event-links.ts'
import type { EventRow } from '../storage/events.ts'
import type { RecordRow } from '../storage/records.ts'
import * as recordStorage from '../storage/records.ts'
import type { ShownSeries } from '../storage/series.ts'
import * as seriesStorage from '../storage/series.ts'
import type { TermRow } from '../storage/terms.ts'
import * as termStorage from '../storage/terms.ts'
import type { TicketRow } from '../storage/tickets.ts'
import * as ticketStorage from '../storage/tickets.ts'
import type { Visibility } from '../storage/visibility.ts'
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
  const parts = { ...(await readParts(tx, idsOf(rows), visibility, known)), ...known } as Parts
  const parents = await recordStorage.readable(
    tx,
    'event',
    rows.flatMap((row) => row.parent ?? []),
    visibility,
  )
  const series = await seriesOf(tx, rows)
  // Events share most of what they are linked to.
  const shared = byLinkedKind((kind) => [...new Set([...parts[`${kind}s`].values()].flat())])
  const pictures = await images.ofRows(tx, [...rows, ...LINKED_KINDS.flatMap((kind) => shared[kind])], scope.onDamage)
  const pictureOf = (row: { image: number | null }) => (row.image === null ? null : (pictures.get(row.image) ?? null))
  const linked = byLinkedPlural((kind) => {
    const sound = undamagedLinked(kind, scope, shared[kind])
    return new Map(sound.map((row): [RecordRow, Linked] => [row, { row, image: pictureOf(row) }]))
  })
  const terms = await withPaths(tx, [...new Set([...parts.terms.values()].flat())])
  const termById = new Map(terms.map((term) => [term.id, term]))
  return rows.map((row) => {
    const own = (parts.terms.get(row.id) ?? []).flatMap((term) => termById.get(term.id) ?? [])
    return {
      row,
      image: pictureOf(row),
      ...byLinkedPlural((kind) =>
        (parts[`${kind}s`].get(row.id) ?? []).flatMap((one) => linked[`${kind}s`].get(one) ?? []),
      ),
      categories: own.filter((term) => term.kind === 'category'),
      tags: own.filter((term) => term.kind === 'tag'),
      tickets: undamagedTickets(scope, parts.tickets.get(row.id) ?? []),
      distance: row.distance ?? null,
      parent: row.parent !== null && parents.has(row.parent) ? row.parent : null,
      series: row.series === null ? null : (series.get(row.series) ?? null),
      whole: row.password_hash === null || mayEdit(scope.user, row),
    }
  })
}

/** Reads what belongs to events and is not known. A record that several events are linked to is read once. */
async function readParts(
  tx: Tx,
  ids: readonly number[],
  visibility: Visibility,
  known: Partial<Parts>,
): Promise<Partial<Parts>> {
  const kinds = LINKED_KINDS.filter((kind) => known[`${kind}s`] === undefined)
  if (kinds.length === 0 && known.terms !== undefined && known.tickets !== undefined) return {}
  const links = await linkStorage.orderedLinks(tx, ids)
  const of = (...wanted: Link['kind'][]) => links.filter(({ kind }) => wanted.includes(kind))
  const parts: { -readonly [Part in keyof Parts]?: Parts[Part] } = {}
  for (const kind of kinds) {
    const own = of(kind)
    parts[`${kind}s`] = byEvent(own, await recordStorage.getAll(tx, kind, linkedIds(own), visibility))
  }
  const terms = of('category', 'tag')
  if (known.terms === undefined)
    parts.terms = byEvent(terms, await termStorage.getSome(tx, linkedIds(terms), 'no reader: seen'), termStorage.byName)
  const ticketed = of('ticket').map(({ event }) => event)
  if (known.tickets === undefined) parts.tickets = await ticketStorage.ofEvents(tx, [...new Set(ticketed)])
  return parts
}

function linkedIds(links: readonly Link[]): number[] {
  return [...new Set(links.map(({ linked }) => linked))]
}

/** Records by the events that are linked to them: in the order of the links, or in another. */
function byEvent<Row extends { readonly id: number }>(
  links: readonly Link[],
  rows: readonly Row[],
  order?: (one: Row, other: Row) => number,
): Map<number, Row[]> {
  const byId = new Map(rows.map((row) => [row.id, row]))
  const found = new Map<number, Row[]>()
  for (const [event, own] of Map.groupBy(links, (link) => link.event)) {
    const linked = own.flatMap((link) => byId.get(link.linked) ?? [])
    found.set(event, order === undefined ? linked : linked.sort(order))
  }
  return found
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
