import { hash } from 'node:crypto'
import { audienceOf } from '../../domain/access.ts'
import { type CachedLists, NO_LISTS } from '../../domain/cached-lists.ts'
import { type ChangesBetween, FollowedChanges } from '../../domain/dependencies.ts'
import { type EventPage, list } from '../../domain/event-list.ts'
import type { EventRenderer } from '../../domain/event-rendering.ts'
import { type Event, get } from '../../domain/events.ts'
import { RecentHits } from '../../domain/recent-hits.ts'
import { type CachedEvents, getRendered, listRendered } from '../../domain/rendered-list.ts'
import type { Site } from '../../domain/scope.ts'
import type { Answer, Call } from '../../http/endpoint.ts'
import { JsonText } from '../../http/json-text.ts'
import { fieldsIn } from '../../http/sparse.ts'
import { writeValidInSlices } from '../../http/write-valid.ts'
import { TimeSlice } from '../../lib/time-slices.ts'
import { type ListPage, listAnswer, renderedListAnswer } from '../list-response.ts'
import { event, singleEvent } from '../present-event.ts'
import type { Lookup } from '../routes/lookup.ts'
import { EventCache, type RenderedEvent } from './event-cache.ts'
import { formOf, packed, templateOf } from './event-template.ts'
import { LinkedCache } from './linked-cache.ts'
import { ListCache } from './list-cache.ts'

/**
 * Answers requests for events. What everybody sees, or everybody who may edit all, is assembled from cached JSON: see
 * docs/decisions. What another user sees, or a request for some fields, is rendered for this request. Without the cache, nothing outlives the request; the answers are
 * the same.
 */
export class RenderedEvents {
  readonly #isCached: boolean
  readonly #changes: FollowedChanges
  readonly #lists: ListCache
  readonly #hits = new RecentHits()
  /** Records that events are linked to, by audience, language, and base address of the REST interface. */
  readonly #linked = new Map<string, { readonly site: Site; readonly cache: LinkedCache }>()

  /** Without changes to follow, nothing is cached. */
  constructor(between: ChangesBetween | null) {
    this.#isCached = between !== null
    this.#changes = new FollowedChanges(between ?? (() => null))
    this.#lists = new ListCache(this.#changes)
  }

  async list(call: Call): Promise<Answer> {
    const cached = this.#cacheFor(call)
    const page = cached && (await listRendered(call.scope, call.query, cached))
    if (page !== null) return { ...renderedListAnswer(call, page.events, listPageOf(page)), dependsOn: page.dependsOn }
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
    const { json, mark, counts } = found.rendered
    return { revision: String(found.revision), body: new JsonText(json), mark, counts, dependsOn: found.dependsOn }
  }

  /** Null if the answer depends on more than the address. */
  #cacheFor({ scope, addresses, search, version }: Call): CachedEvents<RenderedEvent> | null {
    const audience = audienceOf(scope.user)
    if (version === null || audience === null || fieldsIn(search) !== null) return null
    const hits = this.#hits
    if (!this.#isCached) return { version, events: new EventCache(addresses, scope.site, false), lists: NO_LISTS, hits }
    const { lists } = this.#listsAt(version)
    const key = `${audience} ${addresses.language} ${addresses.rest}`
    const linked = this.#isAt(version) ? this.#linkedFor(key, scope.site) : undefined
    const events = new EventCache(addresses, scope.site, true, linked, this.#changes.position)
    return { version, events, lists, hits }
  }

  #listsFor(version: string | null): { readonly version: string; readonly lists: CachedLists } | null {
    return version === null || !this.#isCached ? null : this.#listsAt(version)
  }

  #listsAt(version: string): { readonly version: string; readonly lists: CachedLists } {
    return { version, lists: this.#isAt(version) ? this.#lists.atCurrent() : NO_LISTS }
  }

  /** Follows the data to a version. Answers false for a request that began at an earlier one. */
  #isAt(version: string): boolean {
    const changes = this.#changes.follow(version)
    if (changes === null) {
      this.#lists.clear()
      this.#linked.clear()
    } else if (changes.length > 0)
      for (const { cache } of this.#linked.values()) cache.follow(changes, this.#changes.position)
    return this.#changes.version === version
  }

  #linkedFor(key: string, site: Site): LinkedCache {
    const known = this.#linked.get(key)
    if (known?.site === site && !known.cache.isFull) return known.cache
    const cache = new LinkedCache(this.#changes.position)
    this.#linked.set(key, { site, cache })
    return cache
  }
}

/** Renders events for the database. */
export const eventRenderer: EventRenderer = {
  formOf,
  render: (own, site) => packed(templateOf(own, site, true)),
}

/** Serializes the events of a list one by one: with long descriptions, all together would take too long. */
async function serializeInSlices(items: readonly object[]): Promise<RenderedEvent[]> {
  const turn = new TimeSlice()
  const rendered: RenderedEvent[] = []
  for (const item of items) {
    if (turn.isOver) await turn.yield()
    const json = JSON.stringify(item)
    rendered.push({ json, mark: hash('sha1', json, 'base64url'), terms: [], counts: [], parents: [] })
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
