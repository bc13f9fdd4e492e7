import type { Tx } from '../dialect.ts'
import { settleInSavepoint } from '../savepoint.ts'

/** How long writers wait for others to be done before all are committed, in milliseconds. */
const LONGEST = 20

/** Somebody who writes, and is told when that is on the disk. */
interface Writer {
  work(tx: Tx): Promise<unknown>
  /** What takes long shares its commit with nobody. */
  readonly alone: boolean
  tell(told: () => unknown): void
}

/**
 * SQLite has one writer at a time, and a commit takes as long as what is written: so those who wait when it is free are
 * written one after the other, each as if alone, and committed at once. Nobody is told anything before that.
 */
export class GroupCommit {
  readonly #transaction: (work: (tx: Tx) => Promise<void>, alone: boolean) => Promise<void>
  #waiting: Writer[] = []
  #running: Promise<void> | null = null

  /** `transaction` does work in one, again if need be; what it throws has changed nothing. It is told of what takes long. */
  constructor(transaction: (work: (tx: Tx) => Promise<void>, alone: boolean) => Promise<void>) {
    this.#transaction = transaction
  }

  write<T>(work: (tx: Tx) => Promise<T>, alone: boolean): Promise<T> {
    return new Promise((resolve, reject) => {
      const tell = (told: () => unknown) => {
        try {
          resolve(told() as T)
        } catch (error) {
          reject(error)
        }
      }
      this.#waiting.push({ work, alone, tell })
      this.#running ??= this.#run()
    })
  }

  /** Resolves when nobody waits. */
  async end(): Promise<void> {
    while (this.#running !== null) await this.#running
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) {
      // Whoever has been heard by now comes along; and readers are answered between two commits.
      await new Promise(setImmediate)
      await this.#commit()
    }
    this.#running = null
  }

  async #commit(): Promise<void> {
    const few = this.#waiting.findIndex(({ alone }) => alone)
    const writers = this.#waiting.splice(0, few === -1 ? Infinity : Math.max(1, few))
    let told: (() => unknown)[] = []
    try {
      await this.#transaction(async (tx) => {
        told = []
        const began = performance.now()
        for (const { work } of writers) {
          if (told.length > 0 && performance.now() - began > LONGEST) break
          // Who is alone is undone with the transaction.
          told.push(writers.length === 1 ? asItIs(await work(tx)) : await settleInSavepoint(tx, () => work(tx)))
        }
      }, writers[0]?.alone === true)
      this.#waiting = [...writers.splice(told.length), ...this.#waiting]
    } catch (error) {
      told = writers.map(() => () => {
        throw error
      })
    }
    for (const [place, { tell }] of writers.entries()) tell(told[place] ?? (() => {}))
  }
}

function asItIs<T>(result: T): () => T {
  return () => result
}
