import type { Tx } from '../storage/dialect.ts'
import type { Stub } from '../storage/events.ts'
import * as eventStorage from '../storage/events.ts'
import * as recordStorage from '../storage/records.ts'
import * as termStorage from '../storage/terms.ts'
import * as ticketStorage from '../storage/tickets.ts'
import { sightOf } from './access.ts'
import { soundEvents, soundLinked, soundTickets } from './damage.ts'
import type { Event } from './events.ts'
import * as images from './images.ts'
import { type Linked, type LinkedKind, withImages } from './linked-records.ts'
import type { Scope } from './scope.ts'
import { type Term, withPaths } from './terms.ts'

export type { Stub } from '../storage/events.ts'

/** What events are linked to, by id. */
export interface Links {
  readonly venue: readonly number[]
  readonly organizer: readonly number[]
  readonly category: readonly number[]
  readonly tag: readonly number[]
  /** The events that they are part of. */
  readonly event: readonly number[]
}

/** All that is an event's own. */
export interface Own extends Pick<Event, 'row' | 'image' | 'tickets'> {
  readonly links: Links
}

/** What everybody may see of what events are linked to; an id that is not in there is not to be seen. */
export interface Parts {
  readonly venue: ReadonlyMap<number, Linked>
  readonly organizer: ReadonlyMap<number, Linked>
  readonly category: ReadonlyMap<number, Term>
  readonly tag: ReadonlyMap<number, Term>
  readonly event: ReadonlySet<number>
}

/**
 * Holds events ready to be shown to everybody. An event stays on it until its revision moves; what it is linked to, until
 * the data does. Events with a password are shown as they are to whoever asks, and are never put on it.
 */
export interface Shelf<Ready> {
  /** Whether all of these can be taken as they are. */
  isFull(stubs: readonly Stub[]): boolean
  /** Those that it lacks. */
  lacks(stubs: readonly Stub[]): number[]
  put(own: Own): void
  /** What those that it has are linked to and it lacks. */
  lacksOf(stubs: readonly Stub[]): Links
  putParts(links: Links, parts: Parts): void
  take(stub: Stub): Ready
}

/**
 * Puts on the shelf what it lacks: as many queries for fifty events as for one. What cannot be shown is not put there: the
 * shelf is not full then, and the long way finds out why.
 */
export async function fill<Ready>(tx: Tx, scope: Scope, shelf: Shelf<Ready>, stubs: readonly Stub[]): Promise<void> {
  const missing = shelf.lacks(stubs)
  if (missing.length > 0) {
    for (const own of await ownOf(tx, scope, missing)) attempt(() => shelf.put(own))
  }
  const links = shelf.lacksOf(stubs)
  if (Object.values(links).every((ids) => ids.length === 0)) return
  const parts = await partsOf(tx, scope, links)
  attempt(() => shelf.putParts(links, parts))
}

function attempt(put: () => void): void {
  try {
    put()
  } catch {
    // Told by the long way.
  }
}

async function ownOf(tx: Tx, scope: Scope, ids: readonly number[]): Promise<Own[]> {
  const rows = soundEvents(scope, await eventStorage.getAll(tx, ids))
  const tickets = await ticketStorage.ofEvents(tx, ids)
  const pictures = await images.ofRows(tx, rows, scope.onDamage)
  const linked = Map.groupBy(await eventStorage.links(tx, ids), (link) => link.event)
  return rows.map((row) => {
    const own = linked.get(row.id) ?? []
    const of = (kind: keyof Links) => own.filter((link) => link.kind === kind).map((link) => link.linked)
    return {
      row,
      image: row.image === null ? null : (pictures.get(row.image) ?? null),
      tickets: soundTickets(scope, tickets.get(row.id) ?? []),
      links: {
        venue: of('venue'),
        organizer: of('organizer'),
        category: of('category'),
        tag: of('tag'),
        event: row.parent === null ? [] : [row.parent],
      },
    }
  })
}

async function partsOf(tx: Tx, scope: Scope, links: Links): Promise<Parts> {
  const sight = sightOf(scope.user)
  const linked = async (kind: LinkedKind) => {
    const rows = soundLinked(kind, scope, await recordStorage.getAll(tx, kind, links[kind], sight))
    const found = await withImages(tx, rows, scope.onDamage)
    return new Map(found.map((one) => [one.row.id, one]))
  }
  const terms = async (kind: 'category' | 'tag') => {
    const found = await withPaths(tx, await termStorage.getAll(tx, kind, links[kind]))
    return new Map(found.map((term) => [term.id, term]))
  }
  return {
    venue: await linked('venue'),
    organizer: await linked('organizer'),
    category: await terms('category'),
    tag: await terms('tag'),
    event: await recordStorage.readable(tx, 'event', links.event, sight),
  }
}
