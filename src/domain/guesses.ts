import { AppError } from '../lib/errors.ts'
import type { Limits } from './limits.ts'

/** How many checks may wait for others to end, of all keys together. */
const MAX_WAITING = 1000

/** From where a password comes. */
export interface Sender {
  /** An address, or the network of an IPv6 address. */
  readonly network: string
  /** Whether limits per address count it. */
  readonly isLimited: boolean
}

/** At most so many wrong passwords a minute under one key. */
export interface GuessLimit {
  readonly key: string
  readonly most: number
}

/** Runs the slow part of a check, which answers whether a password is right. */
export type Slowly = (verify: () => Promise<boolean>) => Promise<boolean>

interface UnderWay {
  count: number
  /** Those of them that limits have counted already. */
  counted: number
  /** Resolved when one of them ends. */
  next: PromiseWithResolvers<void>
}

/**
 * Bounds how many wrong passwords are checked. A check takes its place before it begins and gives it back if the
 * password is right: however many come at once, no more than a bound are checked. Those that might still turn out to be
 * within the bound wait; they are refused when enough wrong ones were counted. Before a slow check all processes and nodes
 * are asked, so that the bound holds for all of them together.
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
  boundsOf(sender: Sender | undefined): GuessLimit[] {
    if (this.#perAddress === 0 || !sender?.isLimited) return []
    return [{ key: `login ${sender.network}`, most: this.#perAddress }]
  }

  /** How many were wrong this minute or are being checked. */
  count(key: string): number {
    return this.#wrong(key) + (this.#underWay.get(key)?.count ?? 0)
  }

  /** How many were wrong this minute, as far as is known here; of other processes also some that are being checked. */
  #wrong(key: string): number {
    return this.#limits.peek(key).count - (this.#underWay.get(key)?.counted ?? 0)
  }

  /** How long the minute goes on in which this was counted. */
  secondsLeft(key: string): number {
    return this.#limits.peek(key).seconds
  }

  /** Counts a wrong one. */
  note(bounds: readonly GuessLimit[]): void {
    for (const { key } of bounds) this.#limits.hit(key)
  }

  /** Checks a password within some bounds; `check` answers null if it is wrong, and is given what to do slow work with. */
  async attempt<T>(bounds: readonly GuessLimit[], check: (slowly: Slowly) => Promise<T | null>): Promise<T | null> {
    for (let full = this.#full(bounds); full !== undefined; full = this.#full(bounds)) await this.#otherEnds(full)
    for (const { key } of bounds) this.#begin(key)
    let isCounted = false
    try {
      const result = await check(async (verify) => {
        const isRight = await this.#verify(bounds, verify)
        isCounted = !isRight
        return isRight
      })
      if (result === null && !isCounted) this.note(bounds)
      return result
    } finally {
      for (const { key } of bounds) this.#end(key)
    }
  }

  /** Counts a password as wrong, asks whether it is one too many for all together, and takes it back if it is right. */
  async #verify(bounds: readonly GuessLimit[], verify: () => Promise<boolean>): Promise<boolean> {
    const { window } = this.#limits
    for (const { key } of bounds) this.#count(key, 1)
    let isWrong = false
    try {
      // Without others, what was counted here has to do.
      await this.#limits.exchange().catch(() => {})
      const full = bounds.find(({ key, most }) => this.#limits.peek(key).count > most)
      if (full !== undefined) throw tooMany(this.secondsLeft(full.key))
      isWrong = !(await verify())
      return !isWrong
    } finally {
      for (const { key } of bounds) this.#count(key, -1)
      if (!isWrong) for (const { key } of bounds) this.#limits.giveBack(key, window)
    }
  }

  #count(key: string, change: 1 | -1): void {
    if (change === 1) this.#limits.hit(key)
    const underWay = this.#underWay.get(key)
    if (underWay !== undefined) underWay.counted += change
  }

  /** The first bound that would be passed if all that is under way turned out to be wrong. */
  #full(bounds: readonly GuessLimit[]): GuessLimit | undefined {
    return bounds.find(({ key, most }) => this.count(key) >= most)
  }

  /** Waits until one that is under way ends; refuses when so many were wrong that this cannot help. */
  async #otherEnds({ key, most }: GuessLimit): Promise<void> {
    const underWay = this.#underWay.get(key)
    if (this.#wrong(key) >= most || underWay === undefined) throw tooMany(this.secondsLeft(key))
    if (this.#waiting >= MAX_WAITING) throw new AppError('rest_unavailable', { headers: { 'retry-after': '1' } })
    this.#waiting++
    await underWay.next.promise
    this.#waiting--
  }

  #begin(key: string): void {
    const underWay = this.#underWay.get(key) ?? { count: 0, counted: 0, next: Promise.withResolvers<void>() }
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
