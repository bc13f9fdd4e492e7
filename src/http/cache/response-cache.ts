import { randomInt } from 'node:crypto'
import { BoundedCache } from '../../lib/bounded-cache.ts'
import type { Clock } from '../../lib/clock.ts'
import { cacheCounters } from '../../lib/metrics.ts'
import type { CachedResponse, KeyedResponse } from './cached-response.ts'
import { DiskOverflow } from './disk-overflow.ts'
import type { ScratchFile } from './scratch-file.ts'

const memory = cacheCounters('response')
const scratch = cacheCounters('scratch file')

/** Memory for responses, in bytes. Compressed variants take about a quarter more. */
const MAX_BYTES = 24 * 2 ** 20
/** Size of an entry besides body and key, in bytes: mostly headers. */
const OVERHEAD = 3000

/**
 * Cache of responses for one version of the data. A new version clears it, so no response is ever stale. Without a
 * scratch file the cache is off: it stores nothing.
 */
export class ResponseCache {
  readonly #clock: Clock
  readonly #overflow: DiskOverflow | null
  #version: string = ''
  /** Clock time of the last lookup. */
  #lastLookup = 0
  /** Keyed by hash, which is faster to look up. Of two keys with the same hash, only one response is stored. */
  readonly #responses: BoundedCache<number, KeyedResponse>
  #pending = new Map<string, Promise<CachedResponse | null>>()

  constructor(clock: Clock, scratch: ScratchFile | null) {
    this.#clock = clock
    this.#overflow = scratch && new DiskOverflow(scratch)
    this.#responses = new BoundedCache(MAX_BYTES, (dropped) => this.#overflow?.put(dropped))
  }

  get(key: string, version: string): CachedResponse | undefined {
    if (this.#overflow === null) return undefined
    this.#clearIfOutdated(version)
    const hash = hashOf(key)
    const entry = this.#responses.get(hash, sizeOf)
    const isKnown = entry?.key === key
    if (isKnown) memory.hit.value++
    else memory.miss.value++
    const response = isKnown ? entry.response : this.#readBack(this.#overflow, hash, key)
    if (response === undefined || response.until > this.#lastLookup) return response
    this.#responses.delete(hash)
    this.#overflow.delete(hash)
    return undefined
  }

  /**
   * Calls `make` once for all concurrent requests of the same key. It returns null for a response that must not be
   * shared.
   */
  async make(key: string, version: string, make: () => Promise<CachedResponse | null>): Promise<CachedResponse | null> {
    if (this.#overflow === null) return make()
    this.#clearIfOutdated(version)
    const pending = this.#pending
    const began = this.#lastLookup
    const other = pending.get(key)
    if (other !== undefined) return other
    const own = make()
    pending.set(key, own)
    try {
      const response = await own
      const now = this.#clock()
      if (response !== null && response.until > now && now >= began && this.#pending === pending)
        this.#put(hashOf(key), { key, response })
      return response
    } finally {
      pending.delete(key)
    }
  }

  close(): void {
    this.#overflow?.close()
  }

  #readBack(overflow: DiskOverflow, hash: number, key: string): CachedResponse | undefined {
    const found = overflow.get(hash, key)
    if (found === undefined) scratch.miss.value++
    else scratch.hit.value++
    if (found?.often) this.#put(hash, { key, response: found.response })
    return found?.response
  }

  #put(hash: number, keyed: KeyedResponse): void {
    this.#responses.set(hash, keyed, sizeOf(keyed))
  }

  /** Clears the cache if the data changed, or if the clock was set back: entries from a later day are not valid yet. */
  #clearIfOutdated(version: string): void {
    const now = this.#clock()
    const isSetBack = now < this.#lastLookup
    this.#lastLookup = now
    if (version === this.#version && !isSetBack) return
    this.#version = version
    this.#responses.clear()
    this.#overflow?.clear()
    this.#pending = new Map()
  }
}

/** Includes the key: an address may be far longer than the body. */
function sizeOf({ key, response: { body } }: KeyedResponse): number {
  return body.length + 2 * key.length + OVERHEAD
}

/** Random per process, so that clients cannot provoke collisions. */
const SEED = randomInt(2 ** 32)

/** FNV-1a. */
export function hashOf(key: string): number {
  let hash = SEED
  for (let n = 0; n < key.length; n++) hash = Math.imul(hash ^ key.charCodeAt(n), 0x01000193)
  return hash | 0
}
