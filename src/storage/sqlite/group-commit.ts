import type { Tx } from '../dialect.ts'
import { attemptInSavepoint } from '../savepoint.ts'

/** How long a group may run before it is committed, in milliseconds. */
const MAX_GROUP_TIME = 30

/** How long every write has a savepoint after one was refused, in milliseconds. */
const CAREFUL_TIME = 1000

/** A waiting write. */
interface Writer {
  work(tx: Tx): Promise<unknown>
  /** A long write gets a commit of its own. */
  readonly alone: boolean
  settle(outcome: () => unknown): void
}

/**
 * Group commit. SQLite has one writer at a time, and a commit (fsync) takes as long as the writes themselves. So
 * waiting writes run one after the other in one transaction, each in its savepoint, with a single commit. No caller
 * gets a result before the commit.
 */
export class GroupCommit {
  readonly #transaction: (work: (tx: Tx) => Promise<void>, alone: boolean) => Promise<void>
  #waiting: Writer[] = []
  #running: Promise<void> | null = null
  #carefulUntil = 0

  /**
   * `transaction` runs work in a transaction, with retries. If it throws, nothing was changed. `alone` tells it that
   * the work takes long.
   */
  constructor(transaction: (work: (tx: Tx) => Promise<void>, alone: boolean) => Promise<void>) {
    this.#transaction = transaction
  }

  write<T>(work: (tx: Tx) => Promise<T>, alone: boolean): Promise<T> {
    return new Promise((resolve, reject) => {
      const settle = (outcome: () => unknown) => {
        try {
          resolve(outcome() as T)
        } catch (error) {
          reject(error)
        }
      }
      this.#waiting.push({ work, alone, settle })
      this.#running ??= this.#run()
    })
  }

  /** Resolves when no write is waiting. */
  async end(): Promise<void> {
    while (this.#running !== null) await this.#running
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) {
      // Lets writes that have already arrived join, and reads run between two commits.
      await new Promise(setImmediate)
      await this.#commit()
    }
    this.#running = null
  }

  async #commit(): Promise<void> {
    const writers = this.#waiting[0]?.alone ? this.#waiting.splice(0, 1) : this.#takeWaiting()
    const outcomes = await this.#outcomesOf(writers)
    this.#waiting = [...writers.splice(outcomes.length), ...this.#waiting]
    for (const [n, { settle }] of writers.entries()) settle(outcomes[n] ?? (() => {}))
  }

  /** Takes the writes that may share a commit. */
  #takeWaiting(): Writer[] {
    const firstAlone = this.#waiting.findIndex(({ alone }) => alone)
    return this.#waiting.splice(0, firstAlone === -1 ? Infinity : firstAlone)
  }

  /** Commits the first of some writes, as many as there is time for. Tells what each came to. Others may join them. */
  async #outcomesOf(writers: Writer[]): Promise<(() => unknown)[]> {
    // A single write needs no savepoint: it rolls back with the transaction.
    const isSingle = writers.length === 1
    const isCareful = !isSingle && performance.now() < this.#carefulUntil
    let outcomes: (() => unknown)[] = []
    let isRefused = false
    try {
      await this.#transaction(async (tx) => {
        outcomes = []
        isRefused = false
        const began = performance.now()
        for (const { work } of writers) {
          if (outcomes.length > 0 && performance.now() - began > MAX_GROUP_TIME) break
          if (isCareful) outcomes.push(await attemptInSavepoint(tx, () => work(tx)))
          else {
            isRefused = true
            outcomes.push(succeeded(await work(tx)))
            isRefused = false
          }
          if (isSingle || isCareful || outcomes.length < writers.length) continue
          // Those that have arrived meanwhile join.
          await new Promise(setImmediate)
          writers.push(...this.#takeWaiting())
        }
      }, writers[0]?.alone === true)
      return outcomes
    } catch (error) {
      if (!isSingle && isRefused) {
        this.#carefulUntil = performance.now() + CAREFUL_TIME
        return this.#outcomesOf(writers)
      }
      return writers.map(() => () => {
        throw error
      })
    }
  }
}

function succeeded<T>(result: T): () => T {
  return () => result
}
