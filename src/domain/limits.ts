import type { Database } from '../storage/database.ts'
import * as storage from '../storage/limits.ts'

/** The window in which things are counted, in milliseconds. */
const WINDOW = 60_000
/** How often nodes tell each other what they counted, in milliseconds. */
const EXCHANGE = 250
const MOST_KEYS = 50_000

interface Count {
  /** What all nodes together had counted when they last told each other. */
  shared: number
  /** What this one has counted since. */
  own: number
}

/**
 * Counts by key what happens within a minute. Nodes that share a database add their counts up a few times a second: a
 * limit holds for all of them together, but for what happens in between.
 */
export class Limits {
  readonly #db: Database | null
  #window = 0
  #counts = new Map<string, Count>()
  #timer: NodeJS.Timeout | undefined

  /** Without a database to share, a node counts for itself. */
  constructor(db: Database | null) {
    this.#db = db
  }

  /** Counts one more; answers how many there were in this window, and how many seconds are left of it. */
  hit(key: string): { count: number; seconds: number } {
    const count = this.#current(key)
    count.own++
    return { count: count.shared + count.own, seconds: this.#secondsLeft() }
  }

  /** The same, without counting. */
  peek(key: string): { count: number; seconds: number } {
    const { shared, own } = this.#current(key)
    return { count: shared + own, seconds: this.#secondsLeft() }
  }

  /** Tells the other nodes, and hears from them, until it is stopped. */
  share(onError: (error: unknown) => void): void {
    if (this.#db === null) return
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

  /** Adds what was counted here to what was counted everywhere. */
  async exchange(): Promise<void> {
    const window = this.#window
    const told = new Map([...this.#counts].filter(([, { own }]) => own > 0).map(([key, { own }]) => [key, own]))
    if (this.#db === null || told.size === 0) return
    const totals = await this.#db.note((tx) => storage.add(tx, window, told))
    if (window !== this.#window) return
    for (const [key, total] of totals) {
      const count = this.#current(key)
      count.shared = total
      count.own -= told.get(key) ?? 0
    }
  }

  #current(key: string): Count {
    const window = Math.floor(Date.now() / WINDOW)
    if (window !== this.#window || this.#counts.size > MOST_KEYS) {
      this.#window = window
      this.#counts = new Map()
    }
    const count = this.#counts.get(key) ?? { shared: 0, own: 0 }
    this.#counts.set(key, count)
    return count
  }

  #secondsLeft(): number {
    return Math.max(1, Math.ceil(((this.#window + 1) * WINDOW - Date.now()) / 1000))
  }
}
