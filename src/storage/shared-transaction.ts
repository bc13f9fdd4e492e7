import type { CompiledQuery } from 'kysely'
import { TimeSlice } from '../lib/time-slices.ts'
import { WorkQueue } from '../lib/work-queue.ts'
import type { Database } from './database.ts'
import type { Tx } from './dialect.ts'
import { bindValues, placeholder } from './prepared.ts'
import { attemptInSavepoint, inSavepoint } from './savepoint.ts'

/** A piece of work that shares a transaction with others. */
export interface Part<T> {
  readonly run: (db: Database) => Promise<T>
  /** Set if it does nothing before its turn: a read must see the writes before it. */
  readonly waits?: boolean
}

/** Results in the order of the parts, as functions that return the result or throw the error of the part. */
export type Outcomes<T> = readonly (() => T)[]

/** How many parts prepare their writes at once. */
const AT_ONCE = 4

/** Thrown to begin anew: the transaction is repeated, but its parts have ended. */
class Repeated extends Error {}

/**
 * Runs parts in one write transaction, one after the other. A part that fails is rolled back alone. Slow work that a part
 * does before its first write is done before the transaction begins. `finish` is called at its end with all outcomes: it
 * may write, or throw to roll everything back. Other requests have their turn between two parts.
 */
export async function runInOneTransaction<T>(
  database: Database,
  parts: readonly Part<T>[],
  finish: (tx: Tx, outcomes: Outcomes<T>) => Promise<void>,
): Promise<Outcomes<T>> {
  for (;;) {
    const gates = parts.map((part) => new Gate(database, part))
    try {
      return await attempt(database, gates, finish)
    } catch (error) {
      for (const gate of gates) gate.abandon(error)
      if (!(error instanceof Repeated)) throw error
    }
  }
}

async function attempt<T>(
  database: Database,
  gates: readonly Gate<T>[],
  finish: (tx: Tx, outcomes: Outcomes<T>) => Promise<void>,
): Promise<Outcomes<T>> {
  const queue = new WorkQueue(AT_ONCE, Number.POSITIVE_INFINITY)
  await Promise.all(gates.map((gate) => queue.run(() => gate.prepare())))
  let isRepeated = false
  const outcomes: (() => T)[] = []
  const isRead = gates.every((gate) => gate.outcome !== null)
  const isLong = gates.some((gate) => gate.isLong)
  const write = isRead ? database.writeWithoutInvalidating : isLong ? database.writeMany : database.write
  await write(async (tx) => {
    if (isRepeated) throw new Repeated('begin anew')
    isRepeated = true
    const slice = new TimeSlice()
    for (const gate of gates) {
      outcomes.push(gate.outcome ?? (await attemptInSavepoint(tx, () => gate.enter(tx))))
      if (slice.isOver) await slice.yield()
    }
    await finish(tx, outcomes)
  })
  return outcomes
}

/** Lets a part prepare its first write, and holds it there until its turn in the transaction. */
class Gate<T> {
  /** Set if the part has ended before its turn, without a write. */
  outcome: (() => T) | null = null
  /** Set if its write takes long. */
  isLong = false
  readonly #database: Database
  readonly #part: Part<T>
  readonly #arrived = Promise.withResolvers<void>()
  readonly #turn = Promise.withResolvers<Tx>()
  #running: Promise<T> | null = null
  #tx: Tx | null = null
  #isOver = false

  constructor(database: Database, part: Part<T>) {
    this.#database = database
    this.#part = part
    // It may be abandoned while nobody waits.
    this.#turn.promise.catch(() => {})
  }

  /** Resolves when the part wants to write, or has ended. */
  async prepare(): Promise<void> {
    if (this.#part.waits) return
    const ended = this.#start().then(
      (result) => {
        this.outcome = () => result
      },
      (error) => {
        this.outcome = () => {
          throw error
        }
      },
    )
    await Promise.race([ended, this.#arrived.promise])
  }

  /** Lets the part write and end. */
  async enter(tx: Tx): Promise<T> {
    this.#tx = tx
    this.#turn.resolve(tx)
    try {
      return await this.#start()
    } finally {
      this.#isOver = true
    }
  }

  abandon(error: unknown): void {
    this.#turn.reject(error)
  }

  #start(): Promise<T> {
    if (this.#running === null) {
      this.#running = this.#part.run(this.#shared())
      this.#running.catch(() => {})
    }
    return this.#running
  }

  #shared(): Database {
    const own = this.#database
    const tx = () => (this.#isOver ? null : this.#tx)
    const write = async <R>(work: (tx: Tx) => Promise<R>): Promise<R> => {
      if (this.#isOver) return own.write(work)
      this.#arrived.resolve()
      const at = tx() ?? (await this.#turn.promise)
      // The part may catch what its write throws, and go on.
      return inSavepoint(at, () => work(at))
    }
    const read =
      (outside: Database['read']): Database['read'] =>
      (work) => {
        const at = tx()
        return at === null ? outside(work) : work(at)
      }
    const shared: Database = {
      ...own,
      read: read(own.read),
      readMany: read(own.readMany),
      readAt: (version, work) => {
        const at = tx()
        return at === null ? own.readAt(version, work) : work(at)
      },
      snapshot: (work, size) => (tx() === null ? own.snapshot(work, size) : work(shared)),
      write,
      writeMany: (work) => {
        this.isLong ||= tx() === null
        return write(work)
      },
      writeWithoutInvalidating: (work) => {
        const at = tx()
        return at === null ? own.writeWithoutInvalidating(work) : inSavepoint(at, () => work(at))
      },
      lookUp(question, ...values) {
        const at = tx()
        if (at === null) return own.lookUp(question, ...values)
        const query = bindValues(question.build(at, ...values.map((_, n) => placeholder(n))).compile(), values)
        return at.executeQuery(query as CompiledQuery<never>).then(({ rows }) => rows)
      },
      async touch(statement) {
        const at = tx()
        return at === null ? own.touch(statement) : (await at.executeQuery(statement(at).compile())).rows
      },
    }
    return shared
  }
}
