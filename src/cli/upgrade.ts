import type { createLogger } from '../log.ts'
import type { openStore } from '../store.ts'

type Db = ReturnType<typeof openStore>
type News = Parameters<NonNullable<NonNullable<Parameters<Db['migrate']>[0]>['onNews']>>[0]

/** Interval between progress messages, in milliseconds. */
const INTERVAL = 5000

/** Thrown when the service is stopped during its migrations. */
export class UpgradeStopped extends Error {}

/** Migrates the database of a service and logs progress. A stopped migration is rolled back. */
export class Upgrade {
  readonly #db: Db
  readonly #log: Pick<ReturnType<typeof createLogger>, 'info'>
  readonly #abort = new AbortController()
  #isRunning = false

  constructor(db: Db, log: Pick<ReturnType<typeof createLogger>, 'info'>) {
    this.#db = db
    this.#log = log
  }

  /** Whether migrations run, so that requests cannot be answered. */
  get isRunning(): boolean {
    return this.#isRunning
  }

  /** Whether there is data of an earlier version, so that migrations may take long. If so, they count as running from now on. */
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

  /** Call when requests can be answered. */
  end(): void {
    if (this.#isRunning) this.#log.info('the database is up to date')
    this.#isRunning = false
  }

  stop(): void {
    this.#abort.abort(new UpgradeStopped('stopped before the database was up to date'))
  }
}

/** Migrates the database of a command, with progress on standard error if that may take long. */
export async function migrateFor(db: Db): Promise<string[]> {
  const isLong = await db.isOutdated()
  return db.migrate({ onNews: teller((line) => process.stderr.write(`kalends: ${line}\n`), isLong) })
}

/** Formats migration progress as lines, at a limited rate. A new database is reported only if it waits for another process. */
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
