import { BoundedCache } from '../lib/bounded-cache.ts'
import { type Clock, systemClock } from '../lib/clock.ts'
import type { Database } from '../storage/database.ts'
import * as storage from '../storage/limits.ts'

/** Length of a counting window, in seconds. */
const WINDOW = 60
/** Interval between exchanges of counts, in milliseconds. */
const EXCHANGE = 250
/** Limit on counted keys. Beyond it, the least recently counted are evicted. */
const MAX_KEYS = 50_000
const one = () => 1

interface Count {
  /** Total of all processes at the last exchange. */
  shared: number
  /** Local counts: those being exchanged now, and those not exchanged yet. */
  pending: number
  own: number
}

/** Sums the counts of several processes or nodes. */
export interface Sharing {
  /** Adds to the counters of a window and returns the totals. */
  add(window: number, counts: ReadonlyMap<string, number>): Promise<ReadonlyMap<string, number>>
}

/** Sums counts of several nodes in their database. */
export function throughDatabase(db: Database): Sharing {
  return { add: (window, counts) => db.writeWithoutInvalidating((tx) => storage.add(tx, window, counts)) }
}

/** Sums counts of several processes of one machine, in the memory of one of them. */
export class Sums {
  #window = 0
  readonly #totals = new BoundedCache<string, { count: number }>(MAX_KEYS)

  /** Adds to the counters of a window and returns the totals. */
  add(window: number, counts: Iterable<readonly [string, number]>): Map<string, number> {
    const given = [...counts]
    // Ignore late counts of a past window.
    if (window < this.#window) return new Map(given)
    if (window > this.#window) {
      this.#window = window
      this.#totals.clear()
    }
    return new Map(
      given.map(([key, count]) => {
        const known = this.#totals.get(key, one)
        const total = known ?? { count: 0 }
        if (known === undefined) this.#totals.set(key, total, 1)
        total.count += count
        return [key, total.count]
      }),
    )
  }
}

/**
 * Counts events per key and minute. Counts are exchanged a few times per second: a limit holds for all processes
 * together, except for the time in between.
 */
export class Limits {
  readonly #sharing: Sharing | null
  readonly #clock: Clock
  #window = 0
  readonly #counts = new BoundedCache<string, Count>(MAX_KEYS)
  #timer: NodeJS.Timeout | undefined
  #exchange: Promise<void> = Promise.resolve()
  #nextExchange: Promise<void> | null = null

  /** Without `sharing`, only this process counts. */
  constructor(sharing: Sharing | null, clock: Clock = systemClock) {
    this.#sharing = sharing
    this.#clock = clock
  }

  /** Counts one more. Returns the count of this window, and the seconds until it ends. */
  hit(key: string): { count: number; seconds: number } {
    this.#current(key).own++
    return this.peek(key)
  }

  /** Takes back a count of a window. */
  takeBack(key: string, window: number): void {
    const count = this.#current(key)
    if (window === this.#window) count.own--
  }

  /** The current window. */
  get window(): number {
    return Math.floor(this.#clock() / WINDOW)
  }

  /** Returns the count without incrementing it. */
  peek(key: string): { count: number; seconds: number } {
    const { shared, pending, own } = this.#current(key)
    return { count: shared + pending + own, seconds: this.#secondsLeft() }
  }

  /** Exchanges counts periodically, until `stop`. */
  share(onError: (error: unknown) => void): void {
    if (this.#sharing === null) return
    this.#timer = setTimeout(() => {
      void this.exchange()
        .catch(onError)
        .finally(() => this.#timer !== undefined && this.share(onError))
    }, EXCHANGE).unref()
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  /** Exchanges counts now. Concurrent callers share the next exchange. */
  exchange(): Promise<void> {
    this.#nextExchange ??= this.#exchange
      .catch(() => {})
      .then(() => {
        this.#nextExchange = null
        this.#exchange = this.#exchangeNow()
        return this.#exchange
      })
    return this.#nextExchange
  }

  async #exchangeNow(): Promise<void> {
    const window = this.#window
    const counts = new Map<string, number>()
    for (const [key, { own }] of this.#counts.entries()) if (own !== 0) counts.set(key, own)
    if (this.#sharing === null || counts.size === 0) return
    for (const key of counts.keys()) this.#move(key, 'own', 'pending')
    try {
      const totals = await this.#sharing.add(window, counts)
      if (window !== this.#window) return
      for (const [key, total] of totals) Object.assign(this.#current(key), { shared: total, pending: 0 })
    } catch (error) {
      if (window === this.#window) for (const key of counts.keys()) this.#move(key, 'pending', 'own')
      throw error
    }
  }

  #move(key: string, from: 'own' | 'pending', to: 'own' | 'pending'): void {
    const count = this.#current(key)
    count[to] += count[from]
    count[from] = 0
  }

  #current(key: string): Count {
    const { window } = this
    if (window !== this.#window) {
      this.#window = window
      this.#counts.clear()
    }
    const known = this.#counts.get(key, one)
    if (known !== undefined) return known
    const count = { shared: 0, pending: 0, own: 0 }
    this.#counts.set(key, count, 1)
    return count
  }

  #secondsLeft(): number {
    return Math.max(1, (this.#window + 1) * WINDOW - this.#clock())
  }
}
