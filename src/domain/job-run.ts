import type { Instant } from '../calendar/zone.ts'
import { counter } from '../lib/metrics.ts'
import type { Database } from '../storage/database.ts'
import type { Tx } from '../storage/dialect.ts'
import * as storage from '../storage/jobs.ts'

const runs = counter('kalends_job_runs_total', 'Runs of background jobs, by kind and result: done or failed.')

/** A kind of background job, and the function that does it. */
export interface JobKind {
  readonly name: string
  /** Seconds from the end of a run of a recurring job to the next; without it, a job is run once each time it is added. */
  readonly every?: number
  /** When a recurring job has something to do, by the clock of the node; null for never. Asked often: one short query. */
  readonly next?: (tx: Tx) => Promise<Instant | null>
  /** How long a killed process keeps it from others, in seconds, if that must be less than usual. */
  readonly lease?: number
  /**
   * Does a job. It may be called twice for one job, also at once: when a process is killed, or cannot reach the database for
   * longer than a lease. So it must be repeatable. It must not hold the event loop: see lib/time-slices.ts. The signal tells
   * it to stop soon; what it throws then is no failure.
   */
  readonly run: (payload: unknown, signal: AbortSignal) => Promise<unknown>
}

export interface RunOptions {
  readonly db: Database
  readonly log: Record<'warn' | 'error', (details: object, message: string) => void>
  /** In place of LEASE and PAUSES, for tests. */
  readonly lease?: number
  readonly pauses?: readonly number[]
}

/** How long a process that was killed, or cannot renew its claim, keeps a job from others, in seconds. */
export const LEASE = 60
/** Pauses after failed attempts, in seconds, lengthened at random by up to a half. After the last, a job has failed for good. */
const PAUSES = [2, 10, 60, 300, 900, 3600, 3600, 3600]
/** A recurring job does not give up: it goes on with the third pause. */
const RECURRING_PAUSE = 3
/** The longest error that is stored. */
const MAX_ERROR = 1000

/** The run of a job that this process has claimed. */
export class JobRun {
  readonly kind: JobKind
  readonly job: storage.JobRow
  /** Settled when the job has ended and that is stored; never rejects. */
  readonly ended: Promise<void>
  readonly #options: RunOptions

  constructor(options: RunOptions, kind: JobKind, job: storage.JobRow, stopping: AbortSignal) {
    this.#options = options
    this.kind = kind
    this.job = job
    this.ended = this.#run(stopping)
  }

  /** Lets another process run the job, as if this one had not begun. */
  giveBack(): Promise<void> {
    return storage.release(this.#options.db, this.job, 0, this.job.attempts - 1, this.job.error)
  }

  async #run(stopping: AbortSignal): Promise<void> {
    const { job, kind } = this
    const { db, log, lease = kind.lease ?? LEASE, pauses = PAUSES } = this.#options
    const lost = new AbortController()
    const signal = AbortSignal.any([stopping, lost.signal])
    const renew = () => storage.renew(db, job, lease).then((isOurs) => isOurs || lost.abort())
    const renewal = setInterval(() => void renew().catch(() => {}), (lease * 1000) / 3).unref()
    try {
      signal.throwIfAborted()
      if (kind.lease !== undefined) await renew()
      if (kind.every === undefined && job.attempts > pauses.length + 1) throw new Error('the process ended each time')
      await kind.run(JSON.parse(job.payload), signal)
      if (kind.every === undefined) await storage.finish(db, job)
      else await storage.release(db, job, kind.every, 0, null)
      runs.with({ kind: kind.name, result: 'done' }).add()
    } catch (error) {
      if (!signal.aborted) runs.with({ kind: kind.name, result: 'failed' }).add()
      const settled = signal.aborted ? this.giveBack() : this.#fail(error, pauses)
      // Without an answer of the database, the job is run again when its lease ends.
      await settled.catch((why) => log.warn({ err: why, job: kind.name }, 'the end of a job could not be stored'))
    } finally {
      clearInterval(renewal)
    }
  }

  async #fail(error: unknown, pauses: readonly number[]): Promise<void> {
    const { db, log } = this.#options
    const { key, attempts } = this.job
    const text = String(error).slice(0, MAX_ERROR)
    const details = { err: error, job: this.kind.name, key, attempts }
    const pause = pauses[(this.kind.every === undefined ? attempts : Math.min(attempts, RECURRING_PAUSE)) - 1]
    if (pause === undefined) {
      log.error(details, 'job failed for good')
      return storage.fail(db, this.job, text)
    }
    const seconds = Math.ceil(pause * (1 + Math.random() / 2))
    log.warn({ ...details, seconds }, 'job failed: it is tried again')
    await storage.release(db, this.job, seconds, attempts, text)
  }
}
