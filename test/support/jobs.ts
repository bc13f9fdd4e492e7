import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, before } from 'node:test'
import { add, type JobKind, type JobOptions, Jobs, type NewJob } from '../../src/domain/jobs.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { type Database, openDatabase } from '../../src/storage/database.ts'
import type { JobRow } from '../../src/storage/jobs.ts'
import { freshStore, type Store } from './store.ts'

/** A job that remembers what it was run with. */
export interface Recorder extends JobKind {
  readonly ran: unknown[]
}

export function recorder(work: (n: number) => unknown = () => {}): Recorder {
  const ran: unknown[] = []
  return {
    name: 'record',
    ran,
    async run(payload) {
      ran.push(payload)
      await work(ran.length)
    },
  }
}

/** A database without jobs for each test of a suite, and runners that end with the test. */
export class JobSuite {
  folder = ''
  /** All queries that were sent by way of the query builder. */
  queries: string[] = []
  logged: { level: string; message: string; job?: string }[] = []
  #store: Store | undefined
  #db: Database | undefined
  readonly #running: Jobs[] = []

  constructor() {
    before(async () => {
      this.folder = mkdtempSync(join(tmpdir(), 'kalends-jobs-'))
      this.#store = await freshStore(this.folder)
      this.#db = openDatabase(this.#store.where, { onQuery: (query) => this.queries.push(query) })
      await this.#db.migrate()
    })
    after(async () => {
      await this.#db?.close()
      await this.#store?.drop()
      rmSync(this.folder, { recursive: true })
    })
    afterEach(async () => {
      await Promise.all(this.#running.splice(0).map((jobs) => jobs.stop()))
      await this.db.write((tx) => tx.deleteFrom('jobs').execute())
      this.logged = []
    })
  }

  get db(): Database {
    if (this.#db === undefined) throw new Error('the suite has not begun')
    return this.#db
  }

  start(kinds: readonly JobKind[], options: Partial<JobOptions> = {}): Jobs {
    const to = (level: string) => (details: object, message: string) => this.logged.push({ level, message, ...details })
    const log = { warn: to('warn'), error: to('error') }
    const jobs = new Jobs({ db: this.db, clock: systemClock, poll: 1000, log, ...options }, kinds)
    this.#running.push(jobs)
    jobs.start()
    return jobs
  }

  add(...jobs: NewJob[]): Promise<void> {
    return this.db.write(async (tx) => {
      for (const job of jobs) await add(tx, job)
    })
  }

  rows(): Promise<JobRow[]> {
    return this.db.read((tx) => tx.selectFrom('jobs').selectAll().orderBy('id').execute())
  }

  async isEmpty(): Promise<boolean> {
    return (await this.rows()).length === 0
  }

  /** Changes all rows, as if time had passed. */
  async change(values: Partial<JobRow>): Promise<void> {
    await this.db.write((tx) => tx.updateTable('jobs').set(values).execute())
  }
}
