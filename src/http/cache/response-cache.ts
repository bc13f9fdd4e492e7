import { FollowedChanges, type Versioned } from '../../domain/dependencies.ts'
import { BoundedCache } from '../../lib/bounded-cache.ts'
import { BufferPool } from '../../lib/buffer-pool.ts'
import type { Clock } from '../../lib/clock.ts'
import { cacheCounters } from '../../lib/metrics.ts'
import { hashOf } from '../../lib/text-cache.ts'
import type { CachedResponse, KeyedResponse } from './cached-response.ts'
import { readDependencies, withCounts } from './counts.ts'
import type { ScratchFile } from './scratch-file.ts'
import { StoredResponses } from './stored-responses.ts'

/** A response that is being made. */
interface PendingResponse {
  readonly key: string
  readonly response: Promise<CachedResponse | null>
  isShared: boolean
}

const memory = cacheCounters('response')
const scratch = cacheCounters('scratch file')

/** Memory for responses that are asked for often, in bytes. Compressed variants take about a quarter more. */
const MAX_BYTES = 24 * 2 ** 20
/** Size of an entry besides body and key, in bytes: mostly headers. */
const OVERHEAD = 3000

/**
 * Cache of responses. Those that a write may have changed are not valid any more, so no response is ever stale. Without a
 * scratch file the cache is off: it stores nothing.
 */
export class ResponseCache {
  readonly #clock: Clock
  readonly #stored: StoredResponses | null
  /** For the bodies of responses that are on their way. */
  readonly buffers = new BufferPool()
  readonly #changes: FollowedChanges
  readonly #isSettledAt: Versioned['isSettledAt']
  /** Position of the changes that pending responses are made at. */
  #pendingAt = 0
  /** Clock time of the last lookup. */
  #lastLookup = 0
  /** Keyed by hash, as those in the file are. Of two keys with the same hash, only one response is stored. */
  readonly #responses = new BoundedCache<number, KeyedResponse>(MAX_BYTES)
  #pending = new Map<number, PendingResponse>()

  constructor(clock: Clock, scratch: ScratchFile | null, db: Versioned) {
    this.#clock = clock
    this.#isSettledAt = db.isSettledAt
    this.#changes = new FollowedChanges(db.changesBetween)
    this.#stored = scratch && new StoredResponses(scratch, this.buffers)
  }

  get(key: string, version: string): CachedResponse | undefined {
    if (this.#stored === null) return undefined
    this.#follow(version)
    const hash = hashOf(key)
    const entry = this.#responses.get(hash, sizeOf)
    const isKnown = entry?.key === key
    if (isKnown) memory.hit.value++
    else memory.miss.value++
    const found = isKnown ? entry : this.#readBack(this.#stored, hash, key)
    if (found === undefined) return undefined
    const current = found.response.until > this.#lastLookup ? this.#currentOf(hash, found) : null
    if (current !== null) return current
    this.#responses.delete(hash)
    this.#stored.delete(hash)
    return undefined
  }

  /**
   * Calls `make` once for all concurrent requests of the same key. It returns null for a response that must not be
   * shared.
   */
  async make(key: string, version: string, make: () => Promise<CachedResponse | null>): Promise<CachedResponse | null> {
    if (this.#stored === null) return make()
    this.#follow(version)
    const pending = this.#pending
    const { position } = this.#changes
    // Counts that change while it is made may be in it already, and would be added once more.
    const isSettled = () => version === this.#changes.version && this.#isSettledAt(version)
    const isStored = isSettled()
    const began = this.#lastLookup
    const hash = hashOf(key)
    const other = pending.get(hash)
    if (other?.key === key) {
      other.isShared = true
      return kept(await other.response)
    }
    const own = { key, response: make(), isShared: false }
    pending.set(hash, own)
    try {
      const response = await own.response
      const now = this.#clock()
      const isCurrent = isStored && this.#pending === pending && isSettled()
      const isValid = response !== null && response.until > now && now >= began && isCurrent
      if (isValid) this.#store(this.#stored, hash, { key, response, position })
      return own.isShared ? kept(response) : response
    } finally {
      if (pending.get(hash) === own) pending.delete(hash)
    }
  }

  close(): void {
    this.#stored?.close()
  }

  #readBack(stored: StoredResponses, hash: number, key: string): KeyedResponse | undefined {
    const found = stored.get(hash, key)
    if (found === undefined) scratch.miss.value++
    else scratch.hit.value++
    if (found?.often) this.#put(hash, found)
    return found
  }

  /** The response with the present counts of terms; null if it is not valid any more. */
  #currentOf(hash: number, entry: KeyedResponse): CachedResponse | null {
    const { position } = this.#changes
    if (entry.position === position) return entry.response
    const { dependsOn } = entry.response
    const known = dependsOn === '' ? null : readDependencies(dependsOn)
    const added = this.#changes.countsSince(entry.position, known)
    if (known === null || added === null) return null
    if (added.size > 0) {
      const response = withCounts(entry.response, known, added, new Date(this.#lastLookup * 1000))
      // Memory that is given back once it is sent is not kept.
      const isKept = response?.release === undefined && this.#responses.has(hash)
      if (response !== null && isKept) this.#put(hash, { ...entry, response, position })
      return response
    }
    entry.position = position
    return entry.response
  }

  /** Most responses are asked for once: they do not take the memory of others, unless there is no room in the file. */
  #store(stored: StoredResponses, hash: number, keyed: KeyedResponse): void {
    this.#responses.delete(hash)
    if (stored.put(hash, keyed)) return
    stored.delete(hash)
    const { release, ...response } = keyed.response
    // `Buffer.from` would take it from memory that others share, and keep all of that.
    const body = Buffer.allocUnsafeSlow(response.body.length)
    response.body.copy(body)
    this.#put(hash, { ...keyed, response: { ...response, body, variants: {} } })
  }

  #put(hash: number, keyed: KeyedResponse): void {
    this.#responses.set(hash, keyed, sizeOf(keyed))
  }

  /** Follows the data. Clears the cache if all of it may have changed, or if the clock was set back: entries from a later day are not valid yet. */
  #follow(version: string): void {
    const now = this.#clock()
    const isSetBack = now < this.#lastLookup
    this.#lastLookup = now
    const isKnown = this.#changes.follow(version) !== null
    if (!isKnown || isSetBack) {
      this.#responses.clear()
      this.#stored?.clear()
    }
    if (this.#changes.position === this.#pendingAt && !isSetBack) return
    this.#pendingAt = this.#changes.position
    this.#pending = new Map()
  }
}

/** A response that several get: its memory is not given back. */
function kept<Response extends CachedResponse | null>(response: Response): Response {
  if (response?.release === undefined) return response
  const { release, ...others } = response
  return others as Response
}

/** Includes the key: an address may be far longer than the body. */
function sizeOf({ key, response: { body, dependsOn } }: KeyedResponse): number {
  return body.length + 2 * key.length + dependsOn.length + OVERHEAD
}
