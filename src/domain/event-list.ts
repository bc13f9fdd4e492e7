import { type Problems, refuse } from '../lib/errors.ts'
import type { Tx } from '../storage/dialect.ts'
import { type EventFilter, isByLink, NO_LIMIT } from '../storage/event-filter.ts'
import type { EventStub } from '../storage/events.ts'
import * as storage from '../storage/events.ts'
import type { Ref } from '../storage/records.ts'
import { fill, type RenderedEventCache } from './event-data.ts'
import { filterOf, readListParameters, type Window, windowOf } from './event-filter.ts'
import { searched } from './event-search.ts'
import { assembleSound, type Event } from './events.ts'
import {
  headAt,
  idsAt,
  type KnownLists,
  type Listing,
  NO_LISTS,
  NO_STUBS,
  noteEnd,
  PackedStubs,
  placeBefore,
} from './listings.ts'
import type { Payload, Scope } from './scope.ts'
import { stickyFirst } from './sticky-order.ts'

/** One page of a list of events. */
export interface EventPage<Shown = Event> {
  readonly events: readonly Shown[]
  readonly total: number
  readonly page: number
  readonly perPage: number
  readonly window: Window
  readonly strict: boolean
}

/** How many of the first events of a list are read at once and remembered in brief. */
const HEAD = 250
/** How many events a list may have of which all are remembered. */
const FEW = 2000

/** What a reader asked for. */
interface Asked {
  readonly values: ReturnType<typeof readListParameters>['values']
  readonly window: Window
  readonly page: number
  readonly perPage: number
}

/** A page of events with everything that they are shown with; if it is asked for, sticky ones come first on their day. */
export async function list(scope: Scope, query: Payload, order: 'start' | 'sticky' = 'start'): Promise<EventPage> {
  const asked = ask(scope, query)
  return scope.db.readMany(async (tx) => {
    const { listing, near } = await listingFor(tx, scope, asked, NO_LISTS, false)
    const offset = (asked.page - 1) * asked.perPage
    const read = (from: number, limit: number) => rowsOf(tx, listing, from, limit)
    const rows =
      near ??
      (order === 'sticky'
        ? await stickyFirst(tx, scope.user, listing.filter, offset, asked.perPage, read)
        : await read(offset, asked.perPage))
    return pageOf(asked, listing, await assembleSound(tx, scope, rows))
  })
}

/** The first events of a list, as many as are wanted at once and without their total; places are not measured. */
export async function listFirst(scope: Scope, query: Payload, most: number): Promise<readonly Event[]> {
  const { values, problems } = ask(scope, query)
  return scope.db.readMany(async (tx) => {
    const filter = await filterOf(tx, scope, values, problems)
    refuse(problems)
    return assembleSound(tx, scope, await storage.page(tx, filter, most, 0))
  })
}

/** The events of some days. */
export interface EventDays {
  /** The first of those that begin on each day, in order. */
  readonly events: readonly Event[]
  /** How many begin on each day. */
  readonly counts: ReadonlyMap<string, number>
}

/** The first events that begin on each of some days, with how many there are: few are read however many there are. */
export async function listDays(scope: Scope, query: Payload, perDay: number, most: number): Promise<EventDays> {
  const { values, problems } = ask(scope, query)
  return scope.db.readMany(async (tx) => {
    const filter = await filterOf(tx, scope, values, problems)
    refuse(problems)
    const counts = await storage.countByDay(tx, filter)
    const rows = await storage.firstOfDays(tx, filter, perDay, most)
    const events = await assembleSound(tx, scope, rows)
    // A day does not promise more events that it cannot show.
    const shown = new Set(events.map(({ row }) => row.id))
    for (const { id, start_local } of rows) {
      const day = start_local.slice(0, 10)
      if (!shown.has(id)) counts.set(day, (counts.get(day) ?? 1) - 1)
    }
    return { counts, events }
  })
}

/** What was read and rendered at one version of the data. */
export interface CachedEvents<Rendered> {
  readonly version: string
  readonly events: RenderedEventCache<Rendered>
  readonly lists: KnownLists
}

/**
 * A page of rendered events, of which those that are cached are not read again. Only for what everybody sees. A list that
 * is known needs no query at all if its events are cached. Null if the page cannot be made of cached events.
 */
export async function listRendered<Rendered>(
  scope: Scope,
  query: Payload,
  cached: CachedEvents<Rendered>,
): Promise<EventPage<Rendered> | null> {
  const asked = ask(scope, query)
  // Distances belong to one request, and `list` says what is wrong with the parameters.
  if (Object.keys(asked.problems).length > 0 || typeof asked.values.geoloc_lat === 'number') return null
  const known = cached.lists.get(keyOf(scope, asked))
  const offset = (asked.page - 1) * asked.perPage
  const pageFrom = (listing: Listing, stubs: readonly EventStub[], events: RenderedEventCache<Rendered>) =>
    pageOf(
      asked,
      listing,
      stubs.map((stub) => events.take(stub)),
    )
  const stubs = known && headAt(known, offset, asked.perPage)
  if (known && stubs && !hasSecret(stubs) && cached.events.hasAll(stubs)) return pageFrom(known, stubs, cached.events)
  return scope.db.readMany(async (tx) => {
    const { events, lists } = await cachedFor(tx, scope, cached)
    const { listing } = await listingFor(tx, scope, asked, lists, true)
    if (known && !stubs) await readFewEvents(tx, scope, asked, listing, lists)
    const read = await stubsOf(tx, listing, offset, asked.perPage)
    if (hasSecret(read)) return null
    await fill(tx, scope, events, read)
    // One of them may be damaged.
    return events.hasAll(read) ? pageFrom(listing, read, events) : null
  })
}

/** What a transaction may use of the cache: lists and links only if they are of the version that it reads. */
async function cachedFor<Rendered>(
  tx: Tx,
  { db }: Scope,
  cached: CachedEvents<Rendered>,
): Promise<Pick<CachedEvents<Rendered>, 'events' | 'lists'>> {
  const isCurrent = await db.isAt(tx, cached.version)
  return isCurrent ? cached : { events: cached.events.withoutLinked(), lists: NO_LISTS }
}

async function rowsOf(tx: Tx, listing: Listing, offset: number, limit: number): Promise<storage.EventRow[]> {
  const wanted = headAt(listing, offset, limit)?.map(({ id }) => id) ?? idsAt(listing, offset, limit)
  if (wanted === null) return storage.page(tx, listing.filter, limit, offset)
  return inOrder(wanted, await storage.getAll(tx, wanted))
}

/** Events with a password are never cached. */
function hasSecret(stubs: readonly EventStub[]): boolean {
  return stubs.some(({ secret }) => secret === 1)
}

/** A rendered event by itself, and its revision; null if it cannot be made of cached events. */
export async function getRendered<Rendered>(
  scope: Scope,
  ref: Ref,
  cached: CachedEvents<Rendered>,
): Promise<{ rendered: Rendered; revision: number } | null> {
  if ('id' in ref && !Number.isSafeInteger(ref.id)) return null
  const [stub] = await ('id' in ref
    ? scope.db.lookUp(storage.STUB_BY_ID, ref.id)
    : scope.db.lookUp(storage.STUB_BY_SLUG, ref.slug))
  if (stub === undefined || stub.secret === 1) return null
  const { revision } = stub
  const known = cached.events.hasAll([stub]) ? cached.events.take(stub, true) : null
  if (known !== null && (await scope.db.version()) === cached.version) return { rendered: known, revision }
  return scope.db.read(async (tx) => {
    const { events } = await cachedFor(tx, scope, cached)
    await fill(tx, scope, events, [stub])
    // It may have been changed since its revision was read.
    return events.hasAll([stub]) ? { rendered: events.take(stub, true), revision } : null
  })
}

function ask(scope: Scope, query: Payload): Asked & { readonly problems: Problems } {
  const { values, problems } = readListParameters(scope, query)
  const { page = 1, per_page: perPage = 10 } = values
  return { values, problems, page: page ?? 1, perPage: perPage ?? 10, window: windowOf(scope, values) }
}

function pageOf<Shown>(
  { page, perPage, window, values }: Asked,
  { total }: Listing,
  events: Shown[],
): EventPage<Shown> {
  return { events, total, page, perPage, window, strict: values.strict_dates === true }
}

/** The key of a list: who asks for what, on which days. */
function keyOf({ user }: Scope, { values: { page, per_page, ...values }, window }: Asked): string {
  return JSON.stringify([user?.id, window, values])
}

/** A list that is known, or is read, with its first events if `brief` says so. Near a place, its rows are found along with it. */
async function listingFor(
  tx: Tx,
  scope: Scope,
  asked: ReturnType<typeof ask>,
  lists: KnownLists,
  brief: boolean,
): Promise<{ listing: Listing; near: Awaited<ReturnType<typeof storage.listNear>>['rows'] | null }> {
  const { problems, perPage, page } = asked
  const isBad = Object.keys(problems).length > 0
  const key = keyOf(scope, asked)
  const known = isBad ? undefined : lists.get(key)
  if (known !== undefined) return { listing: known, near: null }
  const filter = await filterOf(tx, scope, asked.values, problems, { most: NO_LIMIT })
  refuse(problems)
  if (filter.near !== null) {
    const { rows, total } = await storage.listNear(tx, filter, filter.near, perPage, (page - 1) * perPage)
    return { listing: { filter, total, head: NO_STUBS, ids: null, ends: new Map() }, near: rows }
  }
  const { found } = filter
  const { search: _, ...values } = asked.values
  const ids = found === null ? null : await searched(tx, lists, keyOf(scope, { ...asked, values }), filter, found)
  // Found by what they are linked to, events come in no order: the first cost as much as all.
  const most = !brief ? 0 : isByLink(filter) ? FEW : HEAD
  const head = ids === null && brief ? await readHead(tx, filter, most) : NO_STUBS
  const total = ids?.length ?? (head.length < most ? head.length : await storage.count(tx, filter))
  const listing: Listing = { filter: { ...filter, found: null }, total, head, ids, ends: new Map() }
  lists.put(key, listing)
  return { listing, near: null }
}

async function readHead(tx: Tx, filter: EventFilter, length: number): Promise<PackedStubs> {
  return new PackedStubs(await storage.stubs(tx, filter, length, 0, null))
}

/** Reads all events of a list that is asked for again, if they are few. */
async function readFewEvents(tx: Tx, scope: Scope, asked: Asked, listing: Listing, lists: KnownLists): Promise<void> {
  if (listing.ids !== null || listing.total > FEW) return
  listing.head = await readHead(tx, listing.filter, FEW)
  lists.put(keyOf(scope, asked), listing)
}

/** The stubs of a page: known, or read. */
async function stubsOf(tx: Tx, listing: Listing, offset: number, limit: number): Promise<EventStub[]> {
  const known = headAt(listing, offset, limit)
  if (known !== null) return known
  const wanted = idsAt(listing, offset, limit)
  if (wanted !== null) return inOrder(wanted, await storage.stubsOf(tx, wanted))
  const { behind, left } = placeBefore(listing, offset)
  const stubs = await storage.stubs(tx, listing.filter, limit, left, behind)
  noteEnd(listing, offset + stubs.length, stubs.at(-1))
  return stubs
}

/** Rows in the order of their ids. */
function inOrder<Row extends { readonly id: number }>(ids: readonly number[], rows: readonly Row[]): Row[] {
  const known = new Map(rows.map((row) => [row.id, row]))
  return ids.flatMap((id) => known.get(id) ?? [])
}
