import { TimeSlice } from '../lib/time-slices.ts'
import { byLinkedKind, LINKED_KINDS } from '../schema/linked.ts'
import type { Tx } from '../storage/dialect.ts'
import * as linkStorage from '../storage/event-links.ts'
import type { StoredTemplate } from '../storage/event-templates.ts'
import * as templateStorage from '../storage/event-templates.ts'
import type { EventStub } from '../storage/events.ts'
import * as eventStorage from '../storage/events.ts'
import * as recordStorage from '../storage/records.ts'
import type { ShownSeries } from '../storage/series.ts'
import * as seriesStorage from '../storage/series.ts'
import * as termStorage from '../storage/terms.ts'
import * as ticketStorage from '../storage/tickets.ts'
import { visibilityOf } from './access.ts'
import { undamagedEvents, undamagedLinked, undamagedTickets } from './damage.ts'
import type { Event } from './events.ts'
import * as images from './images.ts'
import { type Linked, type LinkedKind, withImages } from './linked-records.ts'
import type { Scope } from './scope.ts'
import { type Term, withPaths } from './terms.ts'

export type { StoredTemplate } from '../storage/event-templates.ts'
export type { EventStub } from '../storage/events.ts'

/** What events are linked to, by id. */
export interface Links extends Readonly<Record<LinkedKind, readonly number[]>> {
  readonly category: readonly number[]
  readonly tag: readonly number[]
  /** Parent events. */
  readonly event: readonly number[]
  readonly series: readonly number[]
}

/** Data of an event without its links. */
export interface OwnData extends Pick<Event, 'row' | 'image' | 'tickets'> {
  readonly links: Links
}

/** The records that events are linked to; those that an audience may not see are not in it. */
export interface LinkedData extends Readonly<Record<LinkedKind, ReadonlyMap<number, Linked>>> {
  readonly category: ReadonlyMap<number, Term>
  readonly tag: ReadonlyMap<number, Term>
  readonly event: ReadonlySet<number>
  readonly series: ReadonlyMap<number, ShownSeries>
}

/**
 * Rendered events of a request, for one audience. A stored template is valid until the revision of its event changes, links until
 * the data version changes. Protected events are never among them.
 */
export interface RenderedEventCache<Rendered> {
  /** The form of stored templates that are used; null if none are. */
  readonly form: number | null
  /** Whether all of these events are known: as in a list or, with `alone`, by themselves. */
  hasAll(stubs: readonly EventStub[], alone?: boolean): boolean
  /** Ids of events that are not known. */
  missing(stubs: readonly EventStub[], alone?: boolean): number[]
  /** Takes a stored template, if it has the right form. */
  restore(stored: StoredTemplate): void
  put(own: OwnData, alone?: boolean): void
  /** Links of these events that are not known; null if all are. */
  missingLinks(stubs: readonly EventStub[]): Links | null
  putLinked(links: Links, linked: LinkedData): void
  /** The event as rendered in a list or, with `alone`, by itself. */
  take(stub: EventStub, alone?: boolean): Rendered
  /** An empty one for the same readers, to be filled at another version of the data. */
  emptied(): RenderedEventCache<Rendered>
}

/**
 * Fills the cache with a fixed number of queries. An event that cannot be rendered is not cached, so that `hasAll` is
 * false.
 */
export async function fill<Rendered>(
  tx: Tx,
  scope: Scope,
  cache: RenderedEventCache<Rendered>,
  stubs: readonly EventStub[],
  alone = false,
): Promise<void> {
  let missing = cache.missing(stubs, alone)
  if (missing.length > 0 && cache.form !== null) {
    for (const stored of await templateStorage.getAll(tx, missing, 'no reader: seen')) cache.restore(stored)
    missing = cache.missing(stubs, alone)
  }
  if (missing.length > 0) {
    const slice = new TimeSlice()
    for (const own of await ownDataOf(tx, scope, missing)) {
      if (slice.isOver) await slice.yield()
      attempt(() => cache.put(own, alone))
    }
  }
  const links = cache.missingLinks(stubs)
  if (links === null) return
  const linked = await linkedDataOf(tx, scope, links)
  attempt(() => cache.putLinked(links, linked))
}

function attempt(put: () => void): void {
  try {
    put()
  } catch {
    // The caller reads the event without the cache, and reports the error.
  }
}

/** Events that are not damaged, with what they are rendered from. */
export async function ownDataOf(tx: Tx, scope: Pick<Scope, 'onDamage'>, ids: readonly number[]): Promise<OwnData[]> {
  const rows = undamagedEvents(scope, await eventStorage.getAll(tx, ids, 'no reader: seen'))
  const pictures = await images.ofRows(tx, rows, scope.onDamage)
  const links = await linkStorage.links(tx, ids)
  const isTicketed = links.some(({ kind }) => kind === 'ticket')
  const tickets = await ticketStorage.ofEvents(tx, isTicketed ? ids : [])
  const linked = Map.groupBy(links, (link) => link.event)
  return rows.map((row) => {
    const own = linked.get(row.id) ?? []
    const of = (kind: keyof Links) => own.filter((link) => link.kind === kind).map((link) => link.linked)
    return {
      row,
      image: row.image === null ? null : (pictures.get(row.image) ?? null),
      tickets: undamagedTickets(scope, tickets.get(row.id) ?? []),
      links: {
        ...byLinkedKind(of),
        category: of('category'),
        tag: of('tag'),
        event: row.parent === null ? [] : [row.parent],
        series: row.series === null ? [] : [row.series],
      },
    }
  })
}

async function linkedDataOf(tx: Tx, scope: Scope, links: Links): Promise<LinkedData> {
  const visibility = visibilityOf(scope.user)
  const linked = async (kind: LinkedKind) => {
    const rows = undamagedLinked(kind, scope, await recordStorage.getAll(tx, kind, links[kind], visibility))
    const found = await withImages(tx, rows, scope.onDamage)
    return new Map(found.map((one) => [one.row.id, one]))
  }
  const terms = async (kind: 'category' | 'tag') => {
    const found = await withPaths(tx, await termStorage.getAll(tx, kind, links[kind], 'no reader: seen'))
    return new Map(found.map((term) => [term.id, term]))
  }
  const records = byLinkedKind(() => new Map<number, Linked>())
  for (const kind of LINKED_KINDS) records[kind] = await linked(kind)
  return {
    ...records,
    category: await terms('category'),
    tag: await terms('tag'),
    event: await recordStorage.readable(tx, 'event', links.event, visibility),
    series: new Map((await seriesStorage.getAll(tx, links.series)).map((series) => [series.id, series])),
  }
}
