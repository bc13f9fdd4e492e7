import { type Kysely, sql } from 'kysely'
import { AppError } from '../../lib/errors.ts'
import type { Tx } from '../dialect.ts'
import { ManyRows } from '../snapshot.ts'
import type { Tables } from '../tables.ts'
import type { LocalVersions, Version } from '../version.ts'
import type { Adapter } from './dialect.ts'

/**
 * Reads without a transaction, on a connection whose statements each see the latest committed data. If the data has the same version
 * before and after, all of them have seen the same. So readers need not wait for each other, and those that begin together
 * take the same steps in turn: the processor finds the code of each step in its cache.
 */
export class SingleReads {
  readonly #db: Kysely<Tables>
  readonly #versions: LocalVersions

  /** `db` has a `single` connection: see SqliteDialect. */
  constructor(db: Kysely<Tables>, versions: LocalVersions) {
    this.#db = db
    this.#versions = versions
  }

  /** Does work that reads what is there now; null as for `at`. */
  async now<T>(work: (tx: Tx) => Promise<T>): Promise<{ readonly result: T } | null> {
    const version = this.#current()
    return version === null ? null : this.at(version, work)
  }

  /** Does work that reads; null if a transaction has to do it again: the data has changed meanwhile, or the database has failed. */
  async at<T>(version: Version, work: (tx: Tx) => Promise<T>): Promise<{ readonly result: T } | null> {
    try {
      // The first statement opens the connection.
      if ((this.#db.getExecutor().adapter as Adapter).local === null) await sql`select 1`.execute(this.#db)
      const result = await work(this.#db as Tx)
      return this.#isStillAt(version) ? { result } : null
    } catch (error) {
      if (error instanceof ManyRows || (error instanceof AppError && this.#isStillAt(version))) throw error
      return null
    }
  }

  #current(): Version | null {
    try {
      return this.#versions.current()
    } catch {
      return null
    }
  }

  #isStillAt(version: Version): boolean {
    try {
      return this.#versions.isCurrent(version)
    } catch {
      return false
    }
  }

  close(): Promise<void> {
    return this.#db.destroy()
  }
}
