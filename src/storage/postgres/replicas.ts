import { setTimeout } from 'node:timers/promises'
import { Kysely, sql } from 'kysely'
import type { Tables } from '../tables.ts'
import { postgresDialect } from './dialect.ts'
import type { PoolOptions } from './pool-options.ts'

/** How long to wait for a replica that lags, and how long to skip one that failed, in milliseconds. */
const CATCH_UP_WAIT = 5
const SKIP_TIME = 5000

interface Replica {
  readonly db: Kysely<Tables>
  skippedUntil: number
}

/**
 * Streaming replicas for reads. A replica is used only if it has replayed everything that the primary had written when
 * the read began, so clients never see older data than the primary has, least of all their own writes. The primary's
 * WAL position is queried once per turn of the event loop, for all reads of that turn.
 */
export class Replicas {
  readonly #primary: Kysely<Tables>
  readonly #replicas: Replica[]
  #chosen: Promise<Kysely<Tables>> | null = null
  #next = 0

  constructor(primary: Kysely<Tables>, urls: readonly string[], onError: (error: Error) => void, pool?: PoolOptions) {
    this.#primary = primary
    this.#replicas = urls.map((url) => ({
      db: new Kysely<Tables>({ dialect: postgresDialect(url, onError, 'answering', pool) }),
      skippedUntil: 0,
    }))
  }

  /** Database for the reads of this turn: a replica that is up to date, else the given connection to the primary. */
  choose(primary: Kysely<Tables>): Promise<Kysely<Tables>> {
    if (this.#replicas.length === 0) return Promise.resolve(primary)
    if (this.#chosen === null) {
      this.#chosen = this.#findUpToDate()
      setImmediate(() => {
        this.#chosen = null
      })
    }
    return this.#chosen
  }

  /** Skips a replica for a while. Returns whether it was one. */
  avoid(db: Kysely<Tables>): boolean {
    const replica = this.#replicas.find((one) => one.db === db)
    if (replica !== undefined) replica.skippedUntil = Date.now() + SKIP_TIME
    return replica !== undefined
  }

  async close(): Promise<void> {
    await Promise.all(this.#replicas.map(({ db }) => db.destroy()))
  }

  async #findUpToDate(): Promise<Kysely<Tables>> {
    const available = this.#replicas.filter(({ skippedUntil }) => skippedUntil < Date.now())
    if (available.length === 0) return this.#primary
    const { rows } = await sql<{ lsn: string }>`select pg_current_wal_flush_lsn()::text as lsn`.execute(this.#primary)
    const lsn = rows[0]?.lsn ?? ''
    const first = this.#next++ % available.length
    for (const { db } of [...available.slice(first), ...available.slice(0, first)]) {
      if (
        (await this.#isUpToDate(db, lsn)) ||
        (await setTimeout(CATCH_UP_WAIT, true).then(() => this.#isUpToDate(db, lsn)))
      )
        return db
    }
    return this.#primary
  }

  async #isUpToDate(db: Kysely<Tables>, lsn: string): Promise<boolean> {
    try {
      const { rows } = await sql<{
        fresh: boolean
      }>`select pg_last_wal_replay_lsn() >= ${lsn}::pg_lsn as fresh`.execute(db)
      return rows[0]?.fresh === true
    } catch {
      this.avoid(db)
      return false
    }
  }
}
