import { randomInt } from 'node:crypto'
import { BoundedCache } from '../../lib/bounded-cache.ts'
import type { Clock } from '../../lib/clock.ts'
import type { CachedResponse, KeyedResponse } from './cached-response.ts'
import { DiskOverflow } from './disk-overflow.ts'
import type { ScratchFile } from './scratch-file.ts'

/** How much memory responses may take, in bytes; their compressed forms, where they are asked for, take a quarter more. */
const MOST_BYTES = 24 * 2 ** 20
/** What a response takes beside its body and its key: its headers. */
const OVERHEAD = 3000

/**
 * Responses by key, for one version of the data: another version empties the cache, so that no response is ever stale.
 * Without a scratch file the cache is off: it holds nothing, and every response is made anew.
 */
export class ResponseCache {
  readonly #clock: Clock
  readonly #overflow: DiskOverflow | null
  #version: string = ''
  /** The time of the last request. */
  #latest = 0
  /** By the hash of their keys, which is found faster; of two keys with the same hash, one response is kept. */
  readonly #responses: BoundedCache<number, KeyedResponse>
  #pending = new Map<string, Promise<CachedResponse | null>>()

  constructor(clock: Clock, scratch: ScratchFile | null) {
    this.#clock = clock
    this.#overflow = scratch && new DiskOverflow(scratch)
    this.#responses = new BoundedCache(MOST_BYTES, (dropped) => this.#overflow?.put(dropped))
  }

  get(key: string, version: string): CachedResponse | undefined {
    if (this.#overflow === null) return undefined
    this.#move(version)
    const number = hashOf(key)
    const held = this.#responses.get(number, sizeOf)
    const response = held?.key === key ? held.response : this.#readBack(this.#overflow, number, key)
    if (response === undefined || response.until > this.#latest) return response
    this.#responses.delete(number)
    this.#overflow.delete(number)
    return undefined
  }

  /** Calls `make` once for all who ask while it runs. It answers null for a response that is not for others. */
  async make(key: string, version: string, make: () => Promise<CachedResponse | null>): Promise<CachedResponse | null> {
    if (this.#overflow === null) return make()
    this.#move(version)
    const pending = this.#pending
    const began = this.#latest
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

  #readBack(overflow: DiskOverflow, number: number, key: string): CachedResponse | undefined {
    const found = overflow.get(number, key)
    if (found?.often) this.#put(number, { key, response: found.response })
    return found?.response
  }

  #put(number: number, keyed: KeyedResponse): void {
    this.#responses.set(number, keyed, sizeOf(keyed))
  }

  /** Empties the cache if the data has changed, or if the clock was set back: responses of a later day are not valid yet. */
  #move(version: string): void {
    const now = this.#clock()
    const isSetBack = now < this.#latest
    this.#latest = now
    if (version === this.#version && !isSetBack) return
    this.#version = version
    this.#responses.clear()
    this.#overflow?.clear()
    this.#pending = new Map()
  }
}

/** The key counts: an address may be far longer than the body. */
function sizeOf({ key, response: { body } }: KeyedResponse): number {
  return body.length + 2 * key.length + OVERHEAD
}

/** Random in every process: nobody can tell which addresses have the same hash. */
const SEED = randomInt(2 ** 32)

/** The hash of a key (FNV-1a). */
export function hashOf(key: string): number {
  let number = SEED
  for (let n = 0; n < key.length; n++) number = Math.imul(number ^ key.charCodeAt(n), 0x01000193)
  return number | 0
}
