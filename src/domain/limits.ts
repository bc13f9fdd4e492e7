import { BoundedCache } from '../lib/bounded-cache.ts'
import type { Database } from '../storage/database.ts'
import * as storage from '../storage/limits.ts'

/** The window in which things are counted, in milliseconds. */
const WINDOW = 60_000
/** How often those who share counts tell each other, in milliseconds. */
const EXCHANGE = 250
/** How many keys are counted. Of more, those are forgotten that were counted longest ago: what is counted often stays. */
const MAX_KEYS = 50_000
const one = () => 1

interface Count {
  /** What all together had counted when they last told each other. */
  shared: number
  /** What this one has counted since and is telling the others, and what it has not told yet. */
  told: number
  own: number
}

/** Where those who count together add up. */
export interface Sharing {
  /** Adds to the counts of a window; answers what those come to. */
  add(window: number, counts: ReadonlyMap<string, number>): Promise<ReadonlyMap<string, number>>
}

/** Nodes that share a database add up in it. */
export function throughDatabase(db: Database): Sharing {
  return { add: (window, counts) => db.writeWithoutInvalidating((tx) => storage.add(tx, window, counts)) }
}

/** What several processes of one machine have counted together, kept in the memory of one of them. */
export class Sums {
  #window = 0
  readonly #totals = new BoundedCache<string, { count: number }>(MAX_KEYS)

  /** Adds to the counts of a window; answers what those come to. */
  add(window: number, counts: Iterable<readonly [string, number]>): Map<string, number> {
    const given = [...counts]
    // One that comes late, from a window that is over, begins no window anew.
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
 * Counts by key what happens within a minute. Those who share their counts add them up a few times a second: a limit
 * holds for all of them together, but for what happens in between.
 */
export class Limits {
  readonly #sharing: Sharing | null
  #window = 0
  readonly #counts = new BoundedCache<string, Count>(MAX_KEYS)
  #timer: NodeJS.Timeout | undefined
  #exchange: Promise<void> = Promise.resolve()
  #nextExchange: Promise<void> | null = null

  /** Without others to share with, it counts for itself. */
  constructor(sharing: Sharing | null) {
    this.#sharing = sharing
  }

  /** Counts one more; answers how many there were in this window, and how many seconds are left of it. */
  hit(key: string): { count: number; seconds: number } {
    this.#current(key).own++
    return this.peek(key)
  }

  /** Takes back what was counted in a window. */
  giveBack(key: string, window: number): void {
    const count = this.#current(key)
    if (window === this.#window) count.own--
  }

  /** The window in which things are counted now. */
  get window(): number {
    return Math.floor(Date.now() / WINDOW)
  }

  /** The same, without counting. */
  peek(key: string): { count: number; seconds: number } {
    const { shared, told, own } = this.#current(key)
    return { count: shared + told + own, seconds: this.#secondsLeft() }
  }

  /** Tells the others, and hears from them, until it is stopped. */
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

  /** Adds all that was counted here so far to what was counted everywhere. Those who ask meanwhile share the next one. */
  exchange(): Promise<void> {
    this.#nextExchange ??= this.#exchange
      .catch(() => {})
      .then(() => {
        this.#nextExchange = null
        this.#exchange = this.#tell()
        return this.#exchange
      })
    return this.#nextExchange
  }

  async #tell(): Promise<void> {
    const window = this.#window
    const counts = new Map<string, number>()
    for (const [key, { own }] of this.#counts.entries()) if (own !== 0) counts.set(key, own)
    if (this.#sharing === null || counts.size === 0) return
    for (const key of counts.keys()) this.#move(key, 'own', 'told')
    try {
      const totals = await this.#sharing.add(window, counts)
      if (window !== this.#window) return
      for (const [key, total] of totals) Object.assign(this.#current(key), { shared: total, told: 0 })
    } catch (error) {
      if (window === this.#window) for (const key of counts.keys()) this.#move(key, 'told', 'own')
      throw error
    }
  }

  #move(key: string, from: 'own' | 'told', to: 'own' | 'told'): void {
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
    const count = { shared: 0, told: 0, own: 0 }
    this.#counts.set(key, count, 1)
    return count
  }

  #secondsLeft(): number {
    return Math.max(1, Math.ceil(((this.#window + 1) * WINDOW - Date.now()) / 1000))
  }
}
