import { TurnBudget } from '../lib/time-slices.ts'
import type { Tx } from '../storage/dialect.ts'
import { lookUpPublished, lookUpRendered, lookUpTemplates, type RenderedStub } from '../storage/event-templates.ts'
import type { EventStub, SortedStub } from '../storage/events.ts'
import type { Ref } from '../storage/records.ts'
import { type CachedList, type CachedLists, hasPage, idsAt, NO_LISTS, NO_STUBS, stubsAt } from './cached-lists.ts'
import { type Dependencies, dependenciesOf } from './dependencies.ts'
import { fill, type RenderedEventCache } from './event-data.ts'
import { searchedText } from './event-filter.ts'
import {
  type EventPage,
  findList,
  isNarrow,
  keyOf,
  type ListRequest,
  nextCursor,
  pageOf,
  readAllStubs,
  readRequest,
  readSorted,
  type ShortList,
  shortList,
  stubsOf,
  withoutSearch,
} from './event-list.ts'
import { cursorAfter, isSorted } from './event-order.ts'
import { hitsOf, isSearchable } from './event-search.ts'
import type { RecentHits } from './recent-hits.ts'
import type { Payload, Scope } from './scope.ts'

/** Lists and single events as all readers of an audience see them, from JSON that is rendered once. */

/** Cached events and lists of one version of the data. */
export interface CachedEvents<Rendered> {
  readonly version: string
  readonly events: RenderedEventCache<Rendered>
  readonly lists: CachedLists
  readonly hits: RecentHits
}

/** What a rendered event shows of others. */
interface ShowsOthers {
  /** Ids of the terms that it shows, in this order. */
  readonly terms: readonly number[]
  readonly parents: readonly number[]
}

/** A page of rendered events; `dependsOn` is null if any write may change it. */
export interface RenderedPage<Rendered> extends EventPage<Rendered> {
  readonly dependsOn: Dependencies | null
}

/**
 * One page of rendered events. Returns null if it is to be rendered for this request alone.
 */
export async function listRendered<Rendered extends ShowsOthers>(
  scope: Scope,
  query: Payload,
  cached: CachedEvents<Rendered>,
): Promise<RenderedPage<Rendered> | null> {
  const asked = readRequest(scope, query)
  // Distances are specific to a request, and `list` reports invalid parameters.
  if (Object.keys(asked.problems).length > 0 || typeof asked.values.geoloc_lat === 'number') return null
  if (isSorted(asked.values)) return listSorted(scope, asked, cached)
  const { db } = scope
  const few = await findFew(scope, asked, cached)
  const known = few === null ? cached.lists.get(keyOf(scope, asked)) : undefined
  const list = few?.list ?? known ?? (await findShort(scope, asked, cached)) ?? (await findLong(scope, asked, cached))
  if (list !== undefined && hasPage(list, offsetOf(asked), asked.perPage)) {
    const rendered = await lookUpPage(scope, asked, list, cached)
    if (rendered !== null) {
      if (few !== null) cached.lists.put(few.key, few.list)
      return rendered
    }
    // Not by the thread that has found it: messages to it take longer than reading some rows.
    const page = await db.read(async (tx) =>
      (await db.isAt(tx, cached.version)) ? readPage(tx, scope, asked, list, cached.events) : undefined,
    )
    if (page !== undefined) return page
  }
  return db.readMany(async (tx) => {
    const { events, lists } = await cachedFor(tx, scope, cached)
    const { list } = await findList(tx, scope, asked, lists, true)
    if (known !== undefined) await readAllStubs(tx, scope, asked, list, lists)
    return readPage(tx, scope, asked, list, events)
  })
}

type Asked = ReturnType<typeof readRequest>

/** How much more of a searched list is put in order than is asked for. */
const FURTHER = 4

/** Time for lookups of words: of a very frequent one, a lookup may take half of what anybody may wait. */
const lookups = new TurnBudget()

/**
 * The events of a searched list that contain a text, looked up by the main thread, and the key of their list; null if they
 * are many, or the list is not known. The data may have changed since.
 */
async function findFew(
  scope: Scope,
  asked: Asked,
  { version, lists }: CachedEvents<unknown>,
): Promise<{ readonly key: string; readonly list: CachedList } | null> {
  const { db } = scope
  const { fewWords } = db
  const search = searchedText(asked.values)
  if (search === null || asked.values.collapse || fewWords === null) return null
  const wholeKey = keyOf(scope, withoutSearch(asked))
  const whole = lists.get(wholeKey)
  if (!isSearchable(whole)) return null
  const query = await fewWords.queryFor(db, search)
  if (query === null) return null
  // Texts that the same words contain are in the same events.
  const key = `${wholeKey} ${query.text}`
  const last = offsetOf(asked) + asked.perPage
  const get = () => {
    const list = lists.get(key)
    return list !== undefined && (list.ids?.length ?? 0) >= Math.min(last, list.total) ? list : undefined
  }
  let known = get()
  // Requests that have begun together take this step together.
  while (known === undefined && lookups.isSpent) {
    await lookups.wait()
    known = get()
  }
  const found = known === undefined ? await lookups.spend(() => fewWords.find(db, version, query, whole.inAll)) : null
  // Who reads on finds some further pages known.
  const first = known ?? (found && hitsOf(whole, found, FURTHER * last))
  if (first === null) return null
  const filter = { ...whole.filter, search }
  return { key, list: { filter, total: first.total, head: NO_STUBS, ids: first.ids, pageEnds: new Map() } }
}

/** A list, with all that were read for it. They are cached once it is known that they are of the right version. */
interface Found {
  readonly list: CachedList
  readonly all: ReadonlyMap<string, CachedList>
}

async function findWith(tx: Tx, scope: Scope, asked: Asked, lists: CachedLists, short?: ShortList): Promise<Found> {
  const all = new Map<string, CachedList>()
  const { list } = await findList(tx, scope, asked, { ...lists, put: (key, one) => all.set(key, one) }, true, short)
  return { list, all }
}

function keep(lists: CachedLists, { list, all }: Found): CachedList {
  for (const [key, one] of all) lists.put(key, one)
  return list
}

/** A list that the main thread can read; undefined for others, and if the data has changed. */
async function findShort(
  scope: Scope,
  asked: Asked,
  { version, lists }: CachedEvents<unknown>,
): Promise<CachedList | undefined> {
  if (!isNarrow(asked.values)) return undefined
  const found = await scope.db.readAt(version, async (tx) => {
    const short = await shortList(tx, scope, asked)
    return short && findWith(tx, scope, asked, lists, short)
  })
  return found ? keep(lists, found) : undefined
}

/** Any list; undefined if the data has changed. */
async function findLong(
  scope: Scope,
  asked: Asked,
  { version, lists }: CachedEvents<unknown>,
): Promise<CachedList | undefined> {
  const found = await scope.db.readMany(async (tx) => {
    const all = await findWith(tx, scope, asked, lists)
    return (await scope.db.isAt(tx, version, true)) ? all : null
  })
  return found ? keep(lists, found) : undefined
}

async function listSorted<Rendered extends ShowsOthers>(
  scope: Scope,
  asked: Asked,
  cached: CachedEvents<Rendered>,
): Promise<RenderedPage<Rendered> | null> {
  return scope.db.readMany(async (tx) => {
    const { events, lists } = await cachedFor(tx, scope, cached)
    const { list, stubs, next } = await readSorted(tx, scope, asked, lists)
    await fillUnprotected(tx, scope, events, stubs)
    return pageWith(asked, list, stubs, events, next)
  })
}

/** A page of a list from stored templates, without a transaction. Null if that does not suffice. */
async function lookUpPage<Rendered extends ShowsOthers>(
  { db }: Scope,
  asked: Asked,
  list: CachedList,
  cached: CachedEvents<Rendered>,
): Promise<RenderedPage<Rendered> | null> {
  const { events } = cached
  // The cursor after a search by words asks for more.
  if (events.form === null || db.hasReplicas || list.filter.words !== null) return null
  const offset = offsetOf(asked)
  const ids = idsAt(list, offset, asked.perPage)
  const stubs =
    ids === null
      ? await lookUpKnown(db, stubsAt(list, offset, asked.perPage) ?? [], events)
      : await lookUpHits(db, ids, list, cached)
  const next = knownCursor(asked, list, stubs, stubs.at(-1)?.start_local)
  return stubs.length === 0 || next === undefined ? null : pageWith(asked, list, stubs, events, next)
}

type LookedUp = readonly (EventStub & Partial<SortedStub>)[]

/** Takes the stored templates of known events. */
async function lookUpKnown(
  db: Scope['db'],
  stubs: readonly EventStub[],
  events: RenderedEventCache<unknown>,
): Promise<LookedUp> {
  const ids = stubs.map(({ id }) => id)
  if (ids.length > 0) for (const stored of await lookUpTemplates(db, ids, 'no reader: seen')) events.restore(stored)
  return stubs
}

/** Lists of more events are of frequent words. */
const FREQUENT = 100

/** Events of a page of a list of ids; takes their stored templates. None if the data has changed. */
async function lookUpHits(
  db: Scope['db'],
  ids: readonly number[],
  list: CachedList,
  { version, events, hits }: CachedEvents<unknown>,
): Promise<LookedUp> {
  const isFrequent = list.filter.search !== null && list.total > FREQUENT
  const found = new Map<number, RenderedStub>()
  if (isFrequent)
    for (const id of ids) {
      const known = hits.get(version, id)
      if (known !== undefined) found.set(id, known)
    }
  const missing = found.size === 0 ? ids : ids.filter((id) => !found.has(id))
  const read = missing.length === 0 ? [] : await lookUpRendered(db, missing, 'no reader: seen')
  for (const stub of read) found.set(stub.id, stub)
  if (found.size < ids.length || !(await db.isCurrent(version))) return []
  // Those without a template of this form may have one soon.
  const rendered = isFrequent ? read.filter(({ form }) => form === events.form) : []
  if (rendered.length > 0) hits.put(version, rendered)
  return ids.map((id) => {
    const stub = found.get(id) as RenderedStub
    const { revision, form, text } = stub
    if (form !== null && text !== null) events.restore({ event: id, revision, form, text })
    return stub
  })
}

/** A page of a list; null if not all of its events can be rendered for everybody. */
async function readPage<Rendered extends ShowsOthers>(
  tx: Tx,
  scope: Scope,
  asked: Asked,
  list: CachedList,
  events: RenderedEventCache<Rendered>,
): Promise<RenderedPage<Rendered> | null> {
  const stubs = await stubsOf(tx, list, offsetOf(asked), asked.perPage)
  await fillUnprotected(tx, scope, events, stubs)
  const cursor = knownCursor(asked, list, stubs)
  const next = cursor === undefined ? await nextCursor(tx, asked, list, stubs.at(-1)) : cursor
  return pageWith(asked, list, stubs, events, next)
}

/** Renders what is not cached. A page with a protected event cannot be made from it. */
async function fillUnprotected(
  tx: Tx,
  scope: Scope,
  events: RenderedEventCache<unknown>,
  stubs: readonly EventStub[],
): Promise<void> {
  if (!hasProtected(stubs)) await fill(tx, scope, events, stubs)
}

/** Null if an event is protected or damaged. */
function pageWith<Rendered extends ShowsOthers>(
  asked: Asked,
  list: CachedList,
  stubs: readonly EventStub[],
  events: RenderedEventCache<Rendered>,
  next: string | null,
): RenderedPage<Rendered> | null {
  if (hasProtected(stubs) || !events.hasAll(stubs)) return null
  const rendered = stubs.map((stub) => events.take(stub))
  const known = dependenciesOf(list.filter)
  const dependsOn = known && { ...known, ...shownBy(stubs, rendered, known.events) }
  return { ...pageOf(asked, list, rendered, next), dependsOn }
}

/** What an answer with these events shows, and other events that it depends on. */
function shownBy(
  stubs: readonly EventStub[],
  rendered: readonly ShowsOthers[],
  others: readonly number[] = [],
): Pick<Dependencies, 'events' | 'terms'> {
  const events: number[] = []
  const shown: number[] = []
  for (const { id } of stubs) events.push(id)
  for (const { terms, parents } of rendered) {
    events.push(...parents)
    shown.push(...terms)
  }
  events.push(...others)
  return { events, terms: shown }
}

function offsetOf({ page, perPage }: ListRequest): number {
  return (page - 1) * perPage
}

/** Cursor after a page; null on the last page, undefined if the start of its last event must be read. */
function knownCursor(
  { values, page, perPage }: ListRequest,
  { head, total }: CachedList,
  stubs: readonly EventStub[],
  lastStart?: string,
): string | null | undefined {
  const last = stubs.at(-1)
  if (last === undefined || page * perPage >= total) return null
  const start = lastStart ?? head.startAt((page - 1) * perPage + stubs.length - 1)
  return start === null ? undefined : cursorAfter(values, [start, last.id])
}

/** The parts of the cache that a transaction may use: lists and links only if it reads the same version. */
async function cachedFor<Rendered>(
  tx: Tx,
  { db }: Scope,
  cached: CachedEvents<Rendered>,
): Promise<Pick<CachedEvents<Rendered>, 'events' | 'lists'>> {
  const isCurrent = await db.isAt(tx, cached.version)
  return isCurrent ? cached : { events: cached.events.emptied(), lists: NO_LISTS }
}

/** Protected events are never cached. */
function hasProtected(stubs: readonly EventStub[]): boolean {
  return stubs.some(({ secret }) => secret === 1)
}

/** One rendered event and its revision; null if it cannot be built from the cache. */
export async function getRendered<Rendered extends ShowsOthers>(
  scope: Scope,
  ref: Ref,
  cached: CachedEvents<Rendered>,
): Promise<{ rendered: Rendered; revision: number; dependsOn: Dependencies } | null> {
  if ('id' in ref && !Number.isSafeInteger(ref.id)) return null
  const found = lookUpPublished(scope.db, ref)
  const [stub] = Array.isArray(found) ? found : await found
  if (stub === undefined || stub.secret === 1) return null
  const { id, revision, form, text } = stub
  const shown = (events: RenderedEventCache<Rendered>) => {
    const rendered = events.take(stub, true)
    const dependsOn = { list: null, ...shownBy([stub], [rendered]) }
    return { rendered, revision, dependsOn }
  }
  const { events } = cached
  if (form !== null && text !== null) events.restore({ event: id, revision, form, text })
  if (events.hasAll([stub], true) && (await scope.db.version()) === cached.version) return shown(events)
  return scope.db.read(async (tx) => {
    const { events } = await cachedFor(tx, scope, cached)
    await fill(tx, scope, events, [stub], true)
    // It may have changed since its revision was read.
    return events.hasAll([stub], true) ? shown(events) : null
  })
}
