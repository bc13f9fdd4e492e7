export interface DelayOptions {
  /** The shortest delay, and the time between two of one key, in milliseconds. */
  readonly shortest: number
  readonly interval: number
  /** The longest delay, in milliseconds. */
  readonly longest: number
  /** How many may wait, of all keys together. */
  readonly mostWaiting: number
}

/** Two a second of each key, and none waits for longer than clients and proxies do. */
const DEFAULTS: DelayOptions = { shortest: 1000, interval: 500, longest: 25_000, mostWaiting: 1000 }

interface Line {
  /** When the last of those who wait may go on, by the monotonic clock. */
  end: number
  waiting: number
}

/** Lets those of one key go on one after the other, at a bounded rate. */
export class Delays {
  readonly #options: DelayOptions
  readonly #lines = new Map<string, Line>()
  /** Ends the wait of each who waits: with true when it is their turn. */
  readonly #waiting = new Set<(isTurn: boolean) => void>()
  #isClosed = false

  constructor(options: Partial<DelayOptions> = {}) {
    this.#options = { ...DEFAULTS, ...options }
  }

  /** Resolves with true when it is the caller's turn; with false when too many wait, or when nobody may any more. */
  async wait(key: string): Promise<boolean> {
    const { shortest, interval, longest, mostWaiting } = this.#options
    const line = this.#lines.get(key) ?? { end: 0, waiting: 0 }
    const now = performance.now()
    const end = Math.max(now + shortest, line.end + interval)
    if (this.#isClosed || end - now > longest || this.#waiting.size >= mostWaiting) return false
    line.end = end
    line.waiting++
    this.#lines.set(key, line)
    const isTurn = await this.#sleep(end - now)
    line.waiting--
    if (line.waiting === 0) this.#lines.delete(key)
    return isTurn
  }

  /** Sends everybody away, so that a service which stops does not wait for them. */
  close(): void {
    this.#isClosed = true
    for (const end of this.#waiting) end(false)
  }

  #sleep(duration: number): Promise<boolean> {
    return new Promise((resolve) => {
      const end = (isTurn: boolean) => {
        clearTimeout(timer)
        this.#waiting.delete(end)
        resolve(isTurn)
      }
      const timer = setTimeout(end, duration, true)
      this.#waiting.add(end)
    })
  }
}
