import { type Problems, refuse } from '../lib/errors.ts'
import { LINKED_KINDS } from '../schema/linked.ts'
import type { Tx } from '../storage/dialect.ts'
import { type EventFilter, hasFewLinks, isByLink, NO_LIMIT } from '../storage/event-filter.ts'
import { type KeyedStub, sortedStubs } from '../storage/event-order.ts'
import type { EventStub } from '../storage/events.ts'
import * as storage from '../storage/events.ts'
import { listedByLinks } from '../storage/linked-list.ts'
import { withoutIds } from '../storage/word-hits.ts'
import {
  type CachedList,
  type CachedLists,
  hasPage,
  idsAt,
  NO_LISTS,
  NO_STUBS,
  nearestPageEnd,
  PackedStubs,
  rememberPageEnd,
  stubsAt,
} from './cached-lists.ts'
import { filterOf, readListParameters, todayOf, type Window, windowOf } from './event-filter.ts'
import { cursorAfter, cursorAfterEvent, isSorted, orderOf } from './event-order.ts'
import { ranked, searchList } from './event-search.ts'
import { assembleUndamaged, type Event } from './events.ts'
import { type PackedIds, packIds } from './id-list.ts'
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
  /** Cursor after this page; null on the last one. */
  readonly next: string | null
  /** Whether the page was asked for by a cursor. */
  readonly byCursor: boolean
}

/** Number of stubs that are read and cached at the start of a list. */
const FIRST_STUBS = 250
/** Limit on the length of a list whose stubs are all cached. */
const MAX_STUBS = 2000
/** Limits on the links that are read for the ids of a list, by the main thread and by another: 0.3 ms a thousand, of several links 0.9. */
const FEW_LINKS = 10_000
const MANY_LINKS = 100_000

/** Parsed request for a list. */
export interface ListRequest {
  readonly values: ReturnType<typeof readListParameters>['values']
  readonly window: Window
  readonly page: number
  readonly perPage: number
}

/** One page of events. With order `sticky`, sticky events come first on their day. `cached` has lists of a version of the data. */
export async function list(
  scope: Scope,
  query: Payload,
  order: 'start' | 'sticky' = 'start',
  cached: { readonly version: string; readonly lists: CachedLists } | null = null,
): Promise<EventPage> {
  const asked = readRequest(scope, query)
  const key = keyOf(scope, asked)
  const readPage = async (tx: Tx, isShort: boolean): Promise<EventPage | null> => {
    if (isSorted(asked.values)) return listSorted(tx, scope, asked)
    const lists = cached !== null && (await scope.db.isAt(tx, cached.version)) ? cached.lists : NO_LISTS
    const offset = (asked.page - 1) * asked.perPage
    const found = lists.get(key)
    // Without the ids of its events, a page of a known list is found by a query of all of them.
    if (isShort && found !== undefined && !hasPage(found, offset, asked.perPage)) return null
    const known = isShort && found === undefined ? await shortList(tx, scope, asked) : undefined
    if (known === null) return null
    // Stubs are read only for later pages: a short list is then read once, instead of counted and read.
    const { list, near } = await findList(tx, scope, asked, lists, isShort && cached !== null, known)
    const read = (from: number, limit: number) => rowsOf(tx, list, from, limit)
    const rows =
      near ??
      (order === 'sticky' && list.filter.words === null
        ? await stickyFirst(tx, scope.user, list.filter, offset, asked.perPage, read)
        : await read(offset, asked.perPage))
    const next = order === 'sticky' ? null : await nextCursor(tx, asked, list, rows.at(-1))
    return pageOf(asked, list, await assembleUndamaged(tx, scope, rows), next)
  }
  const short = isNarrow(asked.values) ? await scope.db.read((tx) => readPage(tx, true)) : null
  return short ?? ((await scope.db.readMany((tx) => readPage(tx, false))) as EventPage)
}

/** A page in another order, or after a cursor. */
async function listSorted(tx: Tx, scope: Scope, asked: ReturnType<typeof readRequest>): Promise<EventPage> {
  const { list, stubs, next } = await readSorted(tx, scope, asked, NO_LISTS)
  const rows = await storage.getAll(
    tx,
    stubs.map(({ id }) => id),
    'no reader: seen',
  )
  const distances = new Map(stubs.map(({ id, distance }) => [id, distance]))
  const ordered = inOrder([...distances.keys()], rows).map((row) => {
    const distance = distances.get(row.id)
    return distance === undefined ? row : { ...row, distance }
  })
  return pageOf(asked, list, await assembleUndamaged(tx, scope, ordered), next)
}

/** Stubs of a page in another order, or after a cursor. */
export async function readSorted(
  tx: Tx,
  scope: Scope,
  asked: ReturnType<typeof readRequest>,
  lists: CachedLists,
): Promise<{ list: CachedList; stubs: KeyedStub[]; next: string | null }> {
  const { values, problems, page, perPage } = asked
  const { list } = await findList(tx, scope, asked, lists, false)
  // With the ids that an index has found, which a cached list does not hold.
  const filter = values.search ? await filterOf(tx, scope, values, problems) : list.filter
  const order = orderOf(values, filter)
  const after = values.cursor?.key ?? null
  const found = await sortedStubs(tx, filter, order, after, perPage + 1, (page - 1) * perPage)
  const stubs = found.slice(0, perPage)
  const last = stubs.at(-1)
  const isLast = found.length <= perPage || last === undefined
  return { list, stubs, next: isLast ? null : cursorAfter(values, last.key) }
}

/** Cursor after the last event of a page in the usual order; null on the last page. */
export async function nextCursor(
  tx: Tx,
  { values, page, perPage }: ListRequest,
  { filter, total }: CachedList,
  last: { readonly id: number; readonly start_local?: string; readonly distance?: number } | undefined,
): Promise<string | null> {
  if (last === undefined || page * perPage >= total) return null
  const start_local = last.start_local ?? (await storage.stubsOf(tx, [last.id]))[0]?.start_local ?? ''
  return cursorAfterEvent(tx, values, filter, { ...last, start_local })
}

/** The first events of a list, without the total and without distances. */
export async function listFirst(scope: Scope, query: Payload, most: number): Promise<readonly Event[]> {
  const { values, problems } = readRequest(scope, query)
  return scope.db.readMany(async (tx) => {
    const filter = await filterOf(tx, scope, values, problems)
    refuse(problems)
    return assembleUndamaged(tx, scope, await storage.page(tx, filter, most, 0))
  })
}

/** Whether a list may be short enough to be read without a thread of its own. */
export function isNarrow(values: ListRequest['values']): boolean {
  const links = [values.categories, values.tags, ...LINKED_KINDS.map((kind) => values[kind])]
  return links.some((ids) => ids?.length) && !values.search && !values.collapse && !isSorted(values)
}

async function filterFor(
  tx: Tx,
  scope: Scope,
  { values, problems }: ReturnType<typeof readRequest>,
): Promise<EventFilter> {
  const filter = await filterOf(tx, scope, values, problems, { most: NO_LIMIT })
  refuse(problems)
  return filter
}

/** A list that is short enough to be read in the main thread, with the ids of its events if they were read. */
export interface ShortList {
  readonly filter: EventFilter
  readonly ids: PackedIds | null
}

/** Null if the list is not short. */
export async function shortList(
  tx: Tx,
  scope: Scope,
  asked: ReturnType<typeof readRequest>,
): Promise<ShortList | null> {
  const filter = await filterFor(tx, scope, asked)
  if (filter.near !== null) return null
  const few = await listedByLinks(tx, filter, FEW_LINKS)
  if (few !== null) return few.ids && { filter, ids: packIds(few.ids) }
  return (await hasFewLinks(tx, filter, MAX_STUBS)) ? { filter, ids: null } : null
}

async function rowsOf(tx: Tx, list: CachedList, offset: number, limit: number): Promise<storage.EventRow[]> {
  const ids = idsAt(list, offset, limit) ?? stubsAt(list, offset, limit)?.map(({ id }) => id)
  if (ids === undefined) return storage.page(tx, list.filter, limit, offset)
  return inOrder(ids, await storage.getAll(tx, ids, 'no reader: seen'))
}

export function readRequest(scope: Scope, query: Payload): ListRequest & { readonly problems: Problems } {
  const { values, problems } = readListParameters(scope, query)
  const { page = 1, per_page: perPage = 10 } = values
  return {
    values,
    problems,
    page: values.cursor ? 1 : (page ?? 1),
    perPage: perPage ?? 10,
    window: windowOf(scope, values),
  }
}

export function pageOf<Shown>(
  { page, perPage, window, values }: ListRequest,
  { total }: CachedList,
  events: Shown[],
  next: string | null,
): EventPage<Shown> {
  const byCursor = Boolean(values.cursor)
  return { events, total, page, perPage, window, strict: values.strict_dates === true, next, byCursor }
}

/** Cache key of a list: user, date range and filters; the day, too, if a filter depends on it. */
export function keyOf(scope: Scope, { values: all, window }: ListRequest): string {
  const { page, per_page, cursor, orderby, order, strict, ...values } = all
  return JSON.stringify([scope.user?.id, window, values, values.when && todayOf(scope)])
}

/** The request for the same list without the search. */
export function withoutSearch<Asked extends ListRequest>(asked: Asked): Asked {
  const { search, search_mode, ...values } = asked.values
  return { ...asked, values }
}

/**
 * Gets a list from the cache or reads it, with its first stubs if `withStubs` is set. A list by distance is read together
 * with its rows.
 */
export async function findList(
  tx: Tx,
  scope: Scope,
  asked: ReturnType<typeof readRequest>,
  lists: CachedLists,
  withStubs: boolean,
  known?: ShortList,
): Promise<{ list: CachedList; near: Awaited<ReturnType<typeof storage.listNear>>['rows'] | null }> {
  const { problems, perPage, page } = asked
  const isBad = Object.keys(problems).length > 0
  const key = keyOf(scope, asked)
  const found = isBad ? undefined : lists.get(key)
  if (found !== undefined) return { list: found, near: null }
  const filter = known?.filter ?? (await filterFor(tx, scope, asked))
  if (filter.near !== null) {
    const { rows, total } = await storage.listNear(tx, filter, filter.near, perPage, (page - 1) * perPage)
    return { list: { filter, total, head: NO_STUBS, ids: null, pageEnds: new Map() }, near: rows }
  }
  const ids = known?.ids ?? (await foundIds(tx, scope, asked, lists, filter))
  // Events found by links are unsorted: reading the first costs as much as reading all.
  const most = !withStubs ? 0 : isByLink(filter) ? MAX_STUBS : FIRST_STUBS
  const head = ids === null && withStubs ? await readHead(tx, filter, most) : NO_STUBS
  const count = async () => lists.total(key) ?? (await storage.count(tx, filter))
  const total = ids?.length ?? (head.length < most ? head.length : await count())
  const kept = { ...filter, found: null, words: filter.words && withoutIds(filter.words) }
  const list: CachedList = { filter: kept, total, head, ids, pageEnds: new Map() }
  lists.put(key, list)
  return { list, near: null }
}

/** Ids of all events of a list by links, a searched one, or one of first events of series; else null. */
async function foundIds(
  tx: Tx,
  scope: Scope,
  asked: ListRequest,
  lists: CachedLists,
  filter: EventFilter,
): Promise<readonly number[] | PackedIds | null> {
  if (filter.collapse) return ranked(filter, await storage.ids(tx, filter))
  const listed = await listedByLinks(tx, filter, MANY_LINKS)
  if (listed?.ids) return packIds(listed.ids)
  const hits = filter.words?.ids ?? filter.found
  return hits && searchList(tx, lists, keyOf(scope, withoutSearch(asked)), filter, hits)
}

async function readHead(tx: Tx, filter: EventFilter, length: number): Promise<PackedStubs> {
  return new PackedStubs(await storage.stubs(tx, filter, length, 0, null))
}

/** Reads all stubs of a list that is requested again, if it is short. */
export async function readAllStubs(
  tx: Tx,
  scope: Scope,
  asked: ListRequest,
  list: CachedList,
  lists: CachedLists,
): Promise<void> {
  if (list.ids !== null || list.total > MAX_STUBS) return
  list.head = await readHead(tx, list.filter, MAX_STUBS)
  lists.put(keyOf(scope, asked), list)
}

/** Stubs of a page, cached or read. */
export async function stubsOf(tx: Tx, list: CachedList, offset: number, limit: number): Promise<EventStub[]> {
  const known = stubsAt(list, offset, limit)
  if (known !== null) return known
  const wanted = idsAt(list, offset, limit)
  if (wanted !== null) return inOrder(wanted, await storage.stubsOf(tx, wanted))
  const { after, left } = nearestPageEnd(list, offset)
  const stubs = await storage.stubs(tx, list.filter, limit, left, after)
  rememberPageEnd(list, offset + stubs.length, stubs.at(-1))
  return stubs
}

/** Sorts rows in the order of `ids`. */
function inOrder<Row extends { readonly id: number }>(ids: readonly number[], rows: readonly Row[]): Row[] {
  const known = new Map(rows.map((row) => [row.id, row]))
  return ids.flatMap((id) => known.get(id) ?? [])
}
