export interface DelayOptions {
  /** Minimum delay, and time between two callers with the same key, in milliseconds. */
  readonly minDelay: number
  readonly interval: number
  /** Maximum delay, in milliseconds. */
  readonly maxDelay: number
  /** Limit on waiting callers of all keys together. */
  readonly maxWaiting: number
}

/** Two per second and key. The maximum delay is below the timeouts of clients and proxies. */
const DEFAULTS: DelayOptions = { minDelay: 1000, interval: 500, maxDelay: 25_000, maxWaiting: 1000 }

interface KeyQueue {
  /** When the last waiting caller is released, by the monotonic clock. */
  end: number
  waiting: number
}

/** Rate limiter that delays: callers with the same key proceed one after the other. */
export class Delays {
  readonly #options: DelayOptions
  readonly #queues = new Map<string, KeyQueue>()
  /** Callbacks that end each wait, with true if it is the caller's turn. */
  readonly #waiting = new Set<(isTurn: boolean) => void>()
  #isClosed = false

  constructor(options: Partial<DelayOptions> = {}) {
    this.#options = { ...DEFAULTS, ...options }
  }

  /** Resolves with true when it is the caller's turn; with false when too many wait, or after `close`. */
  async wait(key: string): Promise<boolean> {
    const { minDelay, interval, maxDelay, maxWaiting } = this.#options
    const queue = this.#queues.get(key) ?? { end: 0, waiting: 0 }
    const now = performance.now()
    const end = Math.max(now + minDelay, queue.end + interval)
    if (this.#isClosed || end - now > maxDelay || this.#waiting.size >= maxWaiting) return false
    queue.end = end
    queue.waiting++
    this.#queues.set(key, queue)
    const isTurn = await this.#sleep(end - now)
    queue.waiting--
    if (queue.waiting === 0) this.#queues.delete(key)
    return isTurn
  }

  /** Releases all waiting callers with false, so that a stopping service does not wait for them. */
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
