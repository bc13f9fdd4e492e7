import { hash } from 'node:crypto'
import { NO_LISTS } from '../../domain/cached-lists.ts'
import { type EventPage, list } from '../../domain/event-list.ts'
import { type Event, get } from '../../domain/events.ts'
import { type CachedEvents, getRendered, listRendered } from '../../domain/rendered-list.ts'
import type { Site } from '../../domain/scope.ts'
import type { Answer, Call } from '../../http/endpoint.ts'
import { fieldsIn } from '../../http/sparse.ts'
import { writeValidInSlices } from '../../http/write-valid.ts'
import { TimeSlice } from '../../lib/time-slices.ts'
import { type ListPage, listAnswer, renderedListAnswer } from '../list-response.ts'
import { event, singleEvent } from '../present-event.ts'
import type { Lookup } from '../routes/lookup.ts'
import { EventCache, type RenderedEvent } from './event-cache.ts'
import { ListCache } from './list-cache.ts'
import { TemplateMemory, type TemplateStore } from './template-store.ts'

/** Cache for one version of the data. */
interface CachedVersion {
  readonly version: string
  readonly lists: ListCache
  /** By language, and base address of the REST interface. */
  readonly events: Map<string, EventCache>
}

/**
 * Answers requests for events. What everybody sees is assembled from cached JSON: see docs/decisions. What a user sees, or
 * a request for some fields, is rendered for this request. Without the cache, nothing outlives the request; the answers are
 * the same.
 */
export class RenderedEvents {
  readonly #isCached: boolean
  readonly #templates = new TemplateMemory()
  /** By the address of the REST interface. Other settings of the site make others of them. */
  readonly #stores = new Map<string, { readonly site: Site; readonly store: TemplateStore }>()
  #current: CachedVersion | null = null

  constructor(isCached: boolean) {
    this.#isCached = isCached
  }

  async list(call: Call): Promise<Answer> {
    const cached = this.#cacheFor(call)
    const page = cached && (await listRendered(call.scope, call.query, cached))
    if (page !== null) return renderedListAnswer(call, page.events, listPageOf(page))
    const found = await list(call.scope, call.query, 'start', this.#listsFor(call.version))
    const items = await writeValidInSlices(call.scope, found.events, (shown) =>
      event(shown, call.addresses, call.scope.site),
    )
    if (fieldsIn(call.search) !== null) return listAnswer(call, items, listPageOf(found))
    return renderedListAnswer(call, await serializeInSlices(items), listPageOf(found))
  }

  async single(call: Call, ref: ReturnType<Lookup['ref']>): Promise<Answer> {
    const cached = this.#cacheFor(call)
    const found = cached && (await getRendered(call.scope, ref, cached))
    if (found === null) return singleAnswer(call, await get(call.scope, ref, call.query))
    const { json, mark } = found.rendered
    return { revision: String(found.revision), body: Buffer.from(json), mark }
  }

  /** Null if the answer depends on more than the address. */
  #cacheFor({ scope, addresses, search, version }: Call): CachedEvents<RenderedEvent> | null {
    if (version === null || scope.user !== null || fieldsIn(search) !== null) return null
    if (!this.#isCached)
      return { version, events: new EventCache(addresses, scope.site, new TemplateMemory().open()), lists: NO_LISTS }
    const { lists, events } = this.#at(version)
    const key = `${addresses.language} ${addresses.rest}`
    const known = events.get(key)
    if (known !== undefined && !known.isFull) return { version, events: known, lists }
    const made = new EventCache(addresses, scope.site, this.#templatesFor(addresses.rest, scope.site))
    events.set(key, made)
    return { version, events: made, lists }
  }

  #listsFor(version: string | null): { readonly version: string; readonly lists: ListCache } | null {
    return version === null || !this.#isCached ? null : this.#at(version)
  }

  #at(version: string): CachedVersion {
    if (this.#current?.version !== version) this.#current = { version, lists: new ListCache(), events: new Map() }
    return this.#current
  }

  #templatesFor(rest: string, site: Site): TemplateStore {
    const known = this.#stores.get(rest)
    if (known?.site === site) return known.store
    const store = this.#templates.open()
    this.#stores.set(rest, { site, store })
    return store
  }
}

/** Serializes the events of a list one by one: with long descriptions, all together would take too long. */
async function serializeInSlices(items: readonly object[]): Promise<RenderedEvent[]> {
  const turn = new TimeSlice()
  const rendered: RenderedEvent[] = []
  for (const item of items) {
    if (turn.isOver) await turn.yield()
    const json = JSON.stringify(item)
    rendered.push({ json, mark: hash('sha1', json, 'base64url') })
  }
  return rendered
}

/** Response for a single event. */
export function singleAnswer({ addresses, scope }: Call, shown: Event, status = 200): Answer {
  return {
    status,
    ...(status === 201 && { headers: { location: `${addresses.rest}/events/${shown.row.id}` } }),
    revision: revisionOf(shown),
    // Full response for a reader who sent the password; never cached.
    ...(shown.row.password_hash !== null && { secret: true }),
    body: singleEvent(shown, addresses, scope.site),
  }
}

export const revisionOf = ({ row }: Event) => String(row.revision)

function listPageOf({ window, strict, total, page, perPage, next, byCursor }: EventPage<unknown>): ListPage {
  // Exact times are kept as sent: they may have an offset.
  const settled = strict ? {} : { ...window }
  return { name: 'events', pastEnd: 'event-archive-page-not-found', settled, total, page, perPage, next, byCursor }
}
