import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Instant } from '../calendar/zone.ts'
import type { Clock } from '../lib/clock.ts'
import type { Database } from '../storage/database.ts'
import type { Tx } from '../storage/dialect.ts'
import * as storage from '../storage/jobs.ts'

export { add, listFailed, type NewJob } from '../storage/jobs.ts'

/** A kind of background job, and the function that does it. */
export interface JobKind {
  readonly name: string
  /** Seconds from the end of a run of a recurring job to the next; without it, a job is run once each time it is added. */
  readonly every?: number
  /** When a recurring job has something to do, by the clock of the node; null for never. Asked often: one short query. */
  readonly next?: (tx: Tx) => Promise<Instant | null>
  /**
   * Does a job. It may be called twice for one job, also at once: when a process is killed, or cannot reach the database for
   * longer than a lease. So it must be repeatable. It must not hold the event loop: see lib/time-slices.ts. The signal tells
   * it to stop soon; what it throws then is no failure.
   */
  readonly run: (payload: unknown, signal: AbortSignal) => Promise<unknown>
}

export interface JobOptions {
  readonly db: Database
  readonly clock: Clock
  /** The longest time between two looks for jobs that other processes have added, in milliseconds. */
  readonly poll: number
  readonly log: Record<'warn' | 'error', (details: object, message: string) => void>
  /** In place of PAUSES and LEASE, for tests. */
  readonly pauses?: readonly number[]
  readonly lease?: number
}

/** How long a process that was killed, or cannot renew its claim, keeps a job from others, in seconds. */
const LEASE = 60

/** Pauses after failed attempts, in seconds, lengthened at random by up to a half. After the last, a job has failed for good. */
const PAUSES = [2, 10, 60, 300, 900, 3600, 3600, 3600]
/** A recurring job does not give up: it goes on with the third pause. */
const RECURRING_PAUSE = 3
/** How many jobs of one kind a process runs at once. */
const AT_ONCE = 4
/** The time between two looks that are due to writes, and before another look when another process was faster, in milliseconds. */
const BRIEF = 1000
/** How long a stop waits for running jobs, in milliseconds. */
const GRACE = 5000
/** The longest error that is stored. */
const MOST_ERROR = 1000

/** Runs background jobs in this process, beside those that other processes run on the same database. */
export class Jobs {
  readonly #options: JobOptions
  readonly #kinds: ReadonlyMap<string, JobKind>
  readonly #pauses: readonly number[]
  readonly #lease: number
  readonly #name = `${hostname()} ${process.pid} ${randomUUID()}`
  readonly #running = new Map<storage.JobRow, Promise<void>>()
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
    this.#kinds = new Map(kinds.map((kind) => [kind.name, kind]))
    this.#pauses = options.pauses ?? PAUSES
    this.#lease = options.lease ?? LEASE
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
    const ended = this.#looking.then(() => Promise.all(this.#running.values()))
    await Promise.race([ended, sleep(GRACE, undefined, { ref: false })])
    const given = Promise.allSettled([...this.#running.keys()].map((job) => this.#giveBack(job)))
    await Promise.race([given, sleep(BRIEF, undefined, { ref: false })])
  }

  /** Looks for jobs after so many milliseconds, unless it does sooner. */
  #wake(delay: number): void {
    const at = performance.now() + Math.max(delay, 0)
    if (this.#stopping.signal.aborted || at >= this.#wakesAt) return
    this.#wakesAt = at
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      this.#wakesAt = Number.POSITIVE_INFINITY
      this.#looking = this.#looking.then(() => this.#look())
    }, delay).unref()
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
    if (this.#stopping.signal.aborted) return
    const { db, poll } = this.#options
    if (!this.#isReady) {
      const recurring = [...this.#kinds.values()].filter(({ every }) => every !== undefined)
      const names = recurring.map(({ name }) => name)
      await storage.addRecurring(db, names)
      this.#isReady = true
    }
    const { kinds, wait, isSetBack } = await db.read((tx) => this.#outlook(tx))
    if (isSetBack) await storage.makeUpForClock(db)
    if (wait > 0) return this.#wake(Math.min(poll, isSetBack ? BRIEF : wait))
    const job = await storage.claim(db, kinds, this.#name, this.#lease)
    const kind = this.#kinds.get(job?.kind ?? '')
    if (job === undefined || kind === undefined) return this.#wake(BRIEF)
    const run = this.#run(kind, job).finally(() => {
      this.#running.delete(job)
      this.#wake(0)
    })
    this.#running.set(job, run)
    this.#wake(0)
  }

  /** The kinds that may be claimed now, and how long it is until one of them is due, in milliseconds. */
  async #outlook(tx: Tx): Promise<{ kinds: string[]; wait: number; isSetBack: boolean }> {
    const now = this.#options.clock()
    const kinds: string[] = []
    let wait = Number.POSITIVE_INFINITY
    for (const { name, next } of this.#kinds.values()) {
      const running = [...this.#running.keys()].filter((job) => job.kind === name)
      if (running.length >= AT_ONCE) continue
      const due = next === undefined ? now : await next(tx)
      // The clock tells whole seconds.
      if (due !== null && due > now) wait = Math.min(wait, (due - now) * 1000 - (Date.now() % 1000))
      else if (due !== null) kinds.push(name)
    }
    if (kinds.length === 0) return { kinds, wait, isSetBack: false }
    const outlook = await storage.look(tx, kinds)
    if (outlook.wait !== null) wait = Math.min(wait, outlook.wait * 1000)
    return { kinds, wait, isSetBack: storage.isSetBack(outlook) }
  }

  async #run(kind: JobKind, job: storage.JobRow): Promise<void> {
    const { db, log } = this.#options
    const lost = new AbortController()
    const signal = AbortSignal.any([this.#stopping.signal, lost.signal])
    const renew = () => storage.renew(db, job, this.#lease).then((isOurs) => isOurs || lost.abort())
    const renewal = setInterval(() => void renew().catch(() => {}), (this.#lease * 1000) / 3).unref()
    try {
      signal.throwIfAborted()
      if (kind.every === undefined && job.attempts > this.#pauses.length + 1) throw new Error('the process ended')
      await kind.run(JSON.parse(job.payload), signal)
      if (kind.every === undefined) await storage.finish(db, job)
      else await storage.release(db, job, kind.every, 0, null)
    } catch (error) {
      const settled = signal.aborted ? this.#giveBack(job) : this.#fail(kind, job, error)
      // Without an answer of the database, the job is run again when its lease ends.
      await settled.catch((why) => log.warn({ err: why, ...nameOf(job) }, 'the end of a job could not be stored'))
    } finally {
      clearInterval(renewal)
    }
  }

  async #giveBack(job: storage.JobRow): Promise<void> {
    await storage.release(this.#options.db, job, 0, job.attempts - 1, job.error)
  }

  async #fail(kind: JobKind, job: storage.JobRow, error: unknown): Promise<void> {
    const { db, log } = this.#options
    const text = String(error).slice(0, MOST_ERROR)
    const failures = kind.every === undefined ? job.attempts : Math.min(job.attempts, RECURRING_PAUSE)
    const pause = this.#pauses[failures - 1]
    const details = { err: error, ...nameOf(job), attempts: job.attempts }
    if (pause === undefined) {
      log.error(details, 'job failed for good')
      return storage.fail(db, job, text)
    }
    const seconds = Math.ceil(pause * (1 + Math.random() / 2))
    log.warn({ ...details, seconds }, 'job failed: it is tried again')
    await storage.release(db, job, seconds, job.attempts, text)
  }
}

function nameOf({ kind, key }: storage.JobRow): { job: string; key: string } {
  return { job: kind, key }
}
