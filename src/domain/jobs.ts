import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../lib/clock.ts'
import type { Tx } from '../storage/dialect.ts'
import * as storage from '../storage/jobs.ts'
import { type JobKind, JobRun, LEASE, type RunOptions } from './job-run.ts'

export { add, listFailed, type NewJob } from '../storage/jobs.ts'
export type { JobKind } from './job-run.ts'

export interface JobOptions extends RunOptions {
  readonly clock: Clock
  /** The longest time between two looks for jobs that other processes have added, in milliseconds. */
  readonly poll: number
}

/** How many jobs of one kind a process runs at once. */
const AT_ONCE = 4
/** The time between two looks that follow writes, and before another look when another process was faster, in milliseconds. */
const BRIEF = 1000
/** How long a stop waits for running jobs, in milliseconds. */
const GRACE = 5000

/** Runs background jobs in this process, beside those that other processes run on the same database. */
export class Jobs {
  readonly #options: JobOptions
  readonly #kinds: readonly JobKind[]
  readonly #name = `${hostname()} ${process.pid} ${randomUUID()}`
  readonly #running = new Set<JobRun>()
  readonly #stopping = new AbortController()
  #unsubscribe = (): void => {}
  #stopped: Promise<void> | undefined
  #looking: Promise<void> = Promise.resolve()
  #timer: NodeJS.Timeout | undefined
  /** When the timer ends and when the last look began, by the monotonic clock. */
  #wakesAt = Number.POSITIVE_INFINITY
  #lookedAt = 0
  #isReady = false
  #hasFailed = false

  constructor(options: JobOptions, kinds: readonly JobKind[]) {
    this.#options = options
    this.#kinds = kinds
  }

  /** The tables must be up to date. */
  start(): void {
    if (this.#stopping.signal.aborted) return
    this.#unsubscribe = this.#options.db.onWrite(() => this.#wake(this.#lookedAt + BRIEF - performance.now()))
    this.#wake(0)
  }

  /** Claims no more jobs, waits for those that run, and gives back those that do not end soon. */
  stop(): Promise<void> {
    this.#stopped ??= this.#stop()
    return this.#stopped
  }

  async #stop(): Promise<void> {
    this.#stopping.abort()
    this.#unsubscribe()
    clearTimeout(this.#timer)
    const ended = this.#looking.then(() => Promise.all([...this.#running].map((run) => run.ended)))
    await Promise.race([ended, sleep(GRACE, undefined, { ref: false })])
    const given = Promise.allSettled([...this.#running].map((run) => run.giveBack()))
    await Promise.race([given, sleep(BRIEF, undefined, { ref: false })])
  }

  /** Looks for jobs after so many milliseconds, unless it does sooner. */
  #wake(delay: number): void {
    const at = performance.now() + Math.max(delay, 0)
    if (this.#stopping.signal.aborted || at >= this.#wakesAt) return
    this.#wakesAt = at
    clearTimeout(this.#timer)
    this.#timer = setTimeout(
      () => {
        this.#wakesAt = Number.POSITIVE_INFINITY
        this.#looking = this.#looking.then(() => this.#look())
      },
      Math.max(delay, 0),
    ).unref()
  }

  async #look(): Promise<void> {
    this.#lookedAt = performance.now()
    try {
      await this.#begin()
      this.#hasFailed = false
    } catch (error) {
      // Told once, however long the database is away.
      if (!this.#hasFailed) this.#options.log.warn({ err: error }, 'jobs cannot be looked for')
      this.#hasFailed = true
      this.#wake(this.#options.poll)
    }
  }

  /** Claims and starts a job if one is due; else sets the timer to when one is. */
  async #begin(): Promise<void> {
    const { db, poll, lease = LEASE } = this.#options
    if (this.#stopping.signal.aborted) return
    if (!this.#isReady) {
      const recurring = this.#kinds.filter(({ every }) => every !== undefined)
      await storage.addRecurring(db, recurring)
      this.#isReady = true
    }
    const { kinds, wait, isSetBack } = await db.read((tx) => this.#outlook(tx))
    if (isSetBack) await storage.makeUpForClock(db)
    if (wait > 0) return this.#wake(Math.min(poll, isSetBack ? BRIEF : wait))
    const running = [...this.#running].map(({ job }) => job.id)
    const job = await storage.claim(db, kinds, this.#name, lease, running)
    const kind = this.#kinds.find(({ name }) => name === job?.kind)
    if (job === undefined || kind === undefined) return this.#wake(BRIEF)
    const run = new JobRun(this.#options, kind, job, this.#stopping.signal)
    this.#running.add(run)
    void run.ended.then(() => {
      this.#running.delete(run)
      this.#wake(0)
    })
    this.#wake(0)
  }

  /** The kinds that may be claimed now, and how long it is until one of them is due, in milliseconds. */
  async #outlook(tx: Tx): Promise<{ kinds: string[]; wait: number; isSetBack: boolean }> {
    const now = this.#options.clock()
    const kinds: string[] = []
    let wait = Number.POSITIVE_INFINITY
    for (const kind of this.#kinds) {
      const running = [...this.#running].filter((run) => run.kind === kind)
      const due = running.length >= AT_ONCE ? null : kind.next === undefined ? now : await kind.next(tx)
      // The clock tells whole seconds.
      if (due !== null && due > now) wait = Math.min(wait, (due - now) * 1000 - (Date.now() % 1000))
      else if (due !== null) kinds.push(kind.name)
    }
    if (kinds.length === 0) return { kinds, wait, isSetBack: false }
    const found = await storage.look(tx, kinds)
    return { kinds, wait: Math.min(wait, found.wait * 1000), isSetBack: found.isSetBack }
  }
}
