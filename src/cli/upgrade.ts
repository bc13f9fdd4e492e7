import type { createLogger, openStore } from '../app.ts'

type Db = ReturnType<typeof openStore>
type News = Parameters<NonNullable<NonNullable<Parameters<Db['migrate']>[0]>['onNews']>>[0]

/** How often progress is told, in milliseconds. */
const INTERVAL = 5000

/** The service was told to stop while its database was brought up to date. */
export class UpgradeStopped extends Error {}

/** Brings the database of a service up to date, tells the log of it, and can be stopped: then nothing of what ran is kept. */
export class Upgrade {
  readonly #db: Db
  readonly #log: Pick<ReturnType<typeof createLogger>, 'info'>
  readonly #abort = new AbortController()
  #isRunning = false

  constructor(db: Db, log: Pick<ReturnType<typeof createLogger>, 'info'>) {
    this.#db = db
    this.#log = log
  }

  /** Whether the tables are being changed, so that nobody can be answered. */
  get isRunning(): boolean {
    return this.#isRunning
  }

  /** Whether there is data of an earlier version, so that it may take long; from now on it counts as running then. */
  async isLong(): Promise<boolean> {
    this.#isRunning = await this.#db.isOutdated()
    return this.#isRunning
  }

  async run(): Promise<void> {
    await this.#db.migrate({
      signal: this.#abort.signal,
      onNews: teller((line) => this.#log.info(line), this.#isRunning),
    })
  }

  /** Called when requests can be answered. */
  end(): void {
    if (this.#isRunning) this.#log.info('the database is up to date')
    this.#isRunning = false
  }

  stop(): void {
    this.#abort.abort(new UpgradeStopped('stopped before the database was up to date'))
  }
}

/** Brings the database of a command up to date, and tells the person at the terminal if that may take long. */
export async function migrateFor(db: Db): Promise<string[]> {
  const isLong = await db.isOutdated()
  return db.migrate({ onNews: teller((line) => process.stderr.write(`kalends: ${line}\n`), isLong) })
}

/** Tells news in words, not too often. Making a new database is only told of when others are waited for. */
function teller(tell: (line: string) => void, isLong: boolean): (news: News) => void {
  let last = Number.NEGATIVE_INFINITY
  const seldom = (line: string) => {
    if (performance.now() - last < INTERVAL) return
    last = performance.now()
    tell(line)
  }
  return (news) => {
    if (news.kind === 'waiting') seldom(`waiting for another process that uses the database, ${round(news.seconds)} s`)
    else if (!isLong) return
    else if (news.kind === 'begun') {
      tell(`migrating the database: ${news.name}`)
      last = performance.now()
    } else if (news.kind === 'done') tell(`migrated the database: ${news.name}, ${round(news.seconds)} s`)
    else seldom(`migrating the database: ${news.name}, step ${news.done + 1} of ${news.of}${percent(news.part)}`)
  }
}

function round(seconds: number): number {
  return Math.round(seconds * 10) / 10
}

function percent(part: number): string {
  return part === 0 ? '' : `, ${Math.round(100 * part)} %`
}
