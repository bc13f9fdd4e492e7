import { AppError } from '../lib/errors.ts'
import type { Limits } from './limits.ts'

/** How many checks may wait for others to end, of all keys together. */
const MOST_WAITING = 1000

/** From where a password comes. */
export interface Sender {
  /** An address, or the network of an IPv6 address. */
  readonly network: string
  /** Whether limits per address count it. */
  readonly isLimited: boolean
}

/** At most so many wrong passwords a minute under one key. */
export interface Bound {
  readonly key: string
  readonly most: number
}

interface UnderWay {
  count: number
  /** Resolved when one of them ends. */
  next: PromiseWithResolvers<void>
}

/**
 * Bounds how many wrong passwords are checked. A check takes its place before it begins and gives it back if the
 * password is right: however many come at once, no more than a bound are checked. Those that might still turn out to be
 * within the bound wait; they are refused when enough wrong ones were counted.
 */
export class Guesses {
  readonly #limits: Limits
  readonly #perAddress: number
  readonly #underWay = new Map<string, UnderWay>()
  #waiting = 0

  /** `perAddress` is how many may be wrong from one address a minute; 0 for no limit. */
  constructor(limits: Limits, perAddress: number) {
    this.#limits = limits
    this.#perAddress = perAddress
  }

  /** What binds a sender, whatever they guess at. */
  boundsOf(sender: Sender | undefined): Bound[] {
    if (this.#perAddress === 0 || !sender?.isLimited) return []
    return [{ key: `login ${sender.network}`, most: this.#perAddress }]
  }

  /** How many were wrong this minute or are being checked. */
  count(key: string): number {
    return this.#limits.peek(key).count + (this.#underWay.get(key)?.count ?? 0)
  }

  /** How long the minute goes on in which this was counted. */
  secondsLeft(key: string): number {
    return this.#limits.peek(key).seconds
  }

  /** Counts a wrong one. */
  note(bounds: readonly Bound[]): void {
    for (const { key } of bounds) this.#limits.hit(key)
  }

  /** Checks a password within some bounds; `check` answers null if it is wrong. */
  async attempt<T>(bounds: readonly Bound[], check: () => Promise<T | null>): Promise<T | null> {
    for (let full = this.#full(bounds); full !== undefined; full = this.#full(bounds)) await this.#otherEnds(full)
    for (const { key } of bounds) this.#begin(key)
    try {
      const result = await check()
      if (result === null) this.note(bounds)
      return result
    } finally {
      for (const { key } of bounds) this.#end(key)
    }
  }

  /** The first bound that would be passed if all that is under way turned out to be wrong. */
  #full(bounds: readonly Bound[]): Bound | undefined {
    return bounds.find(({ key, most }) => this.count(key) >= most)
  }

  /** Waits until one that is under way ends; refuses when so many were wrong that this cannot help. */
  async #otherEnds({ key, most }: Bound): Promise<void> {
    const { count, seconds } = this.#limits.peek(key)
    const underWay = this.#underWay.get(key)
    if (count >= most || underWay === undefined) throw tooMany(seconds)
    if (this.#waiting >= MOST_WAITING) throw new AppError('rest_unavailable', { headers: { 'retry-after': '1' } })
    this.#waiting++
    await underWay.next.promise
    this.#waiting--
  }

  #begin(key: string): void {
    const underWay = this.#underWay.get(key) ?? { count: 0, next: Promise.withResolvers<void>() }
    underWay.count++
    this.#underWay.set(key, underWay)
  }

  #end(key: string): void {
    const underWay = this.#underWay.get(key)
    if (underWay === undefined) return
    underWay.count--
    underWay.next.resolve()
    underWay.next = Promise.withResolvers<void>()
    if (underWay.count === 0) this.#underWay.delete(key)
  }
}

/** The answer to whoever has used a limit up. */
export function tooMany(seconds: number): AppError {
  return new AppError('rest_too_many_requests', { fill: { seconds }, headers: { 'retry-after': String(seconds) } })
}
