import { setTimeout } from 'node:timers/promises'
import { Kysely, sql } from 'kysely'
import type { Tables } from '../tables.ts'
import { postgresDialect } from './dialect.ts'
import type { PoolOptions } from './pool.ts'

/** How long a replica that is behind is waited for, and how long one that failed is left alone, in milliseconds. */
const GRACE = 5
const REST = 5000

interface Replica {
  readonly db: Kysely<Tables>
  restsUntil: number
}

/**
 * Streaming replicas that reads may go to. A replica serves only if it has replayed everything that the primary had
 * written when it was asked, so that nobody ever sees older data than the primary shows, their own writes least of all.
 * The primary is asked once per turn of the event loop, for all reads of that turn.
 */
export class Replicas {
  readonly #primary: Kysely<Tables>
  readonly #replicas: Replica[]
  #turn: Promise<Kysely<Tables>> | null = null
  #next = 0

  constructor(primary: Kysely<Tables>, urls: readonly string[], onError: (error: Error) => void, pool?: PoolOptions) {
    this.#primary = primary
    this.#replicas = urls.map((url) => ({
      db: new Kysely<Tables>({ dialect: postgresDialect(url, onError, 'answering', pool) }),
      restsUntil: 0,
    }))
  }

  /** The database that reads of this turn go to: a replica that is up to date, else the given connection to the primary. */
  choose(primary: Kysely<Tables>): Promise<Kysely<Tables>> {
    if (this.#replicas.length === 0) return Promise.resolve(primary)
    if (this.#turn === null) {
      this.#turn = this.#find()
      setImmediate(() => {
        this.#turn = null
      })
    }
    return this.#turn
  }

  /** Leaves a replica alone for a while; whether it was one. */
  avoid(db: Kysely<Tables>): boolean {
    const replica = this.#replicas.find((one) => one.db === db)
    if (replica !== undefined) replica.restsUntil = Date.now() + REST
    return replica !== undefined
  }

  async close(): Promise<void> {
    await Promise.all(this.#replicas.map(({ db }) => db.destroy()))
  }

  async #find(): Promise<Kysely<Tables>> {
    const awake = this.#replicas.filter(({ restsUntil }) => restsUntil < Date.now())
    if (awake.length === 0) return this.#primary
    const { rows } = await sql<{ lsn: string }>`select pg_current_wal_flush_lsn()::text as lsn`.execute(this.#primary)
    const lsn = rows[0]?.lsn ?? ''
    const first = this.#next++ % awake.length
    for (const { db } of [...awake.slice(first), ...awake.slice(0, first)]) {
      if ((await this.#has(db, lsn)) || (await setTimeout(GRACE, true).then(() => this.#has(db, lsn)))) return db
    }
    return this.#primary
  }

  async #has(db: Kysely<Tables>, lsn: string): Promise<boolean> {
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
