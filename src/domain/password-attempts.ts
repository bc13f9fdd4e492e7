import { AppError } from '../lib/errors.ts'
import type { Limits } from './limits.ts'

/** Limit on waiting checks of all keys together. */
const MAX_WAITING = 1000

/** Sender of a password. */
export interface Sender {
  /** IPv4 address, or the network of an IPv6 address. */
  readonly network: string
  /** Whether limits per address apply. */
  readonly isLimited: boolean
}

/** Limit on wrong passwords per minute under a key. */
export interface AttemptLimit {
  readonly key: string
  readonly most: number
}

/** Runs the slow hash of a check, which returns whether the password is right. */
export type SlowCheck = (verify: () => Promise<boolean>) => Promise<boolean>

interface RunningChecks {
  count: number
  /** Running checks that are already counted in the limits. */
  counted: number
  /** Resolves when one of them ends. */
  next: PromiseWithResolvers<void>
}

/**
 * Limits wrong passwords. A check reserves its slot before it begins, and releases it if the password is right: however
 * many arrive at once, no more than the limit are checked. Checks that may still be within the limit wait; they are
 * refused once enough wrong ones were counted. Before a slow check, counts are exchanged with all processes and nodes,
 * so that the limit holds for all of them together.
 */
export class PasswordAttempts {
  readonly #limits: Limits
  readonly #perAddress: number
  readonly #running = new Map<string, RunningChecks>()
  #waiting = 0

  /** `perAddress` is the limit per address and minute; 0 for none. */
  constructor(limits: Limits, perAddress: number) {
    this.#limits = limits
    this.#perAddress = perAddress
  }

  /** Limits of a sender, for any password. */
  limitsFor(sender: Sender | undefined): AttemptLimit[] {
    if (this.#perAddress === 0 || !sender?.isLimited) return []
    return [{ key: `login ${sender.network}`, most: this.#perAddress }]
  }

  /** Wrong passwords of this minute, plus running checks. */
  count(key: string): number {
    return this.#wrong(key) + (this.#running.get(key)?.count ?? 0)
  }

  /** Wrong passwords of this minute, as known here. Counts of other processes may include running checks. */
  #wrong(key: string): number {
    return this.#limits.peek(key).count - (this.#running.get(key)?.counted ?? 0)
  }

  /** Seconds until the counters are reset. */
  secondsLeft(key: string): number {
    return this.#limits.peek(key).seconds
  }

  /** Counts a wrong password. */
  countWrong(limits: readonly AttemptLimit[]): void {
    for (const { key } of limits) this.#limits.hit(key)
  }

  /** Checks a password within limits. `check` returns null if it is wrong, and gets a function for slow work. */
  async attempt<T>(
    limits: readonly AttemptLimit[],
    check: (slowly: SlowCheck) => Promise<T | null>,
  ): Promise<T | null> {
    for (let full = this.#findFull(limits); full !== undefined; full = this.#findFull(limits))
      await this.#waitForSlot(full)
    for (const { key } of limits) this.#begin(key)
    let isCounted = false
    try {
      const result = await check(async (verify) => {
        const isRight = await this.#verify(limits, verify)
        isCounted = !isRight
        return isRight
      })
      if (result === null && !isCounted) this.countWrong(limits)
      return result
    } finally {
      for (const { key } of limits) this.#end(key)
    }
  }

  /**
   * Counts a password as wrong, exchanges counts, throws if a limit is exceeded, and takes the count back if the
   * password is right.
   */
  async #verify(limits: readonly AttemptLimit[], verify: () => Promise<boolean>): Promise<boolean> {
    const { window } = this.#limits
    for (const { key } of limits) this.#count(key, 1)
    let isWrong = false
    try {
      // If the exchange fails, local counts apply.
      await this.#limits.exchange().catch(() => {})
      const full = limits.find(({ key, most }) => this.#limits.peek(key).count > most)
      if (full !== undefined) throw tooMany(this.secondsLeft(full.key))
      isWrong = !(await verify())
      return !isWrong
    } finally {
      for (const { key } of limits) this.#count(key, -1)
      if (!isWrong) for (const { key } of limits) this.#limits.takeBack(key, window)
    }
  }

  #count(key: string, change: 1 | -1): void {
    if (change === 1) this.#limits.hit(key)
    const running = this.#running.get(key)
    if (running !== undefined) running.counted += change
  }

  /** The first limit that would be exceeded if all running checks failed. */
  #findFull(limits: readonly AttemptLimit[]): AttemptLimit | undefined {
    return limits.find(({ key, most }) => this.count(key) >= most)
  }

  /** Waits until a running check ends. Throws if enough were wrong already. */
  async #waitForSlot({ key, most }: AttemptLimit): Promise<void> {
    const running = this.#running.get(key)
    if (this.#wrong(key) >= most || running === undefined) throw tooMany(this.secondsLeft(key))
    if (this.#waiting >= MAX_WAITING) throw new AppError('rest_unavailable', { headers: { 'retry-after': '1' } })
    this.#waiting++
    await running.next.promise
    this.#waiting--
  }

  #begin(key: string): void {
    const running = this.#running.get(key) ?? { count: 0, counted: 0, next: Promise.withResolvers<void>() }
    running.count++
    this.#running.set(key, running)
  }

  #end(key: string): void {
    const running = this.#running.get(key)
    if (running === undefined) return
    running.count--
    running.next.resolve()
    running.next = Promise.withResolvers<void>()
    if (running.count === 0) this.#running.delete(key)
  }
}

/** 429 with `Retry-After`. */
export function tooMany(seconds: number): AppError {
  return new AppError('rest_too_many_requests', { fill: { seconds }, headers: { 'retry-after': String(seconds) } })
}
