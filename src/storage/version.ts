import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { type Kysely, sql } from 'kysely'
import { type Tx, VERSION_ROWS } from './dialect.ts'
import { prepared } from './prepared.ts'
import { type FileIdentity, MovedError } from './sqlite/file-identity.ts'
import type { Tables } from './tables.ts'

/** Identifies a state of the data. Data read after the version was, is valid as long as the version is the same. */
export type Version = string

/** Source of the data version. It is read once per turn of the event loop. */
export interface Versions {
  current(): Version | Promise<Version>
  /** Whether a transaction reads a version that was current before it began. `hasRead` saves a statement if it has read something. */
  isAt(tx: Tx, version: Version, hasRead?: boolean): Promise<boolean>
  /**
   * Called by every write, as the last statement before the commit. Returns whether triggers have noted changes: then more
   * is written.
   */
  increment(tx: Tx): Promise<boolean>
  /** Called after the commit, before the caller gets its result. */
  onCommit(): void
  close(): void
}

const firstNoted = prepared<object, []>((db) => db.selectFrom('webhook_changes').select('record').limit(1))

/** Any read fixes the snapshot of a transaction. */
const touchSnapshot = prepared<object, []>((db) => ({ compile: () => sql<object>`pragma data_version`.compile(db) }))

/** SQLite busy timeouts for reads and writes, in milliseconds. */
const READ_TIMEOUT = 1000
const WRITE_TIMEOUT = 20

/**
 * Uses `PRAGMA data_version`, which changes when other connections commit. This connection never writes cached data
 * itself, so it sees all commits.
 */
export class LocalVersions implements Versions {
  readonly #file: string
  readonly #identity: FileIdentity | null
  #connection: { database: DatabaseSync; statement: StatementSync } | null = null
  /** Number of our own commits: a database in memory does not report them. */
  #ownCommits = 0
  #cached: Version | null = null

  constructor(file: string, identity: FileIdentity | null) {
    this.#file = file
    this.#identity = identity
  }

  current(): Version {
    if (this.#cached === null) {
      this.#cached = this.#readNow()
      setImmediate(() => this.#clearCached())
    }
    return this.#cached
  }
  async isAt(tx: Tx, version: Version, hasRead = false): Promise<boolean> {
    if (!hasRead) await touchSnapshot(tx)
    return this.#readNow() === version
  }
  async increment(tx: Tx): Promise<boolean> {
    return (await firstNoted(tx)).length > 0
  }
  onCommit(): void {
    this.#ownCommits++
    this.#cached = null
  }
  /** Prepares a statement on this connection, which is never in a transaction: it reads the latest committed data. */
  prepare(sql: string): StatementSync {
    return this.#open().database.prepare(sql)
  }
  /**
   * Runs a statement on the same connection, which does not take its own commits for changes. It waits for another
   * process hardly at all, and then fails: nothing else runs meanwhile. Answers the rows that it returns.
   */
  run(sql: string, parameters: readonly unknown[]): unknown[] {
    const { database } = this.#open()
    database.exec(`pragma busy_timeout = ${WRITE_TIMEOUT}`)
    try {
      return database.prepare(sql).all(...(parameters as SQLInputValue[]))
    } finally {
      database.exec(`pragma busy_timeout = ${READ_TIMEOUT}`)
    }
  }
  close(): void {
    this.#connection?.database.close()
    this.#connection = null
  }

  #clearCached(): void {
    this.#cached = null
  }

  #readNow(): Version {
    return `${this.#read()}.${this.#ownCommits}`
  }

  #read(): unknown {
    return this.#file === ':memory:' ? 0 : this.#open().statement.get()
  }

  #open(): { database: DatabaseSync; statement: StatementSync } {
    if (this.#connection === null) {
      if (this.#identity?.isMoved) throw new MovedError(this.#file)
      const database = new DatabaseSync(this.#file, { timeout: READ_TIMEOUT })
      // Writers do checkpoints: here they would block the event loop.
      database.exec('pragma wal_autocheckpoint = 0')
      this.#connection = { database, statement: database.prepare('pragma data_version') }
      this.#connection.statement.setReturnArrays(true)
    }
    return this.#connection
  }
}

/**
 * On PostgreSQL, every write changes the version in its own transaction, so both become visible together, on every
 * node.
 */
export class SharedVersions implements Versions {
  readonly #db: Kysely<Tables>
  #turn: Promise<Version> | null = null

  constructor(db: Kysely<Tables>) {
    this.#db = db
  }

  current(): Promise<Version> {
    if (this.#turn === null) {
      this.#turn = this.#look(this.#db)
      setImmediate(() => {
        this.#turn = null
      })
    }
    return this.#turn
  }
  async isAt(tx: Tx, version: Version): Promise<boolean> {
    return (await this.#look(tx)) === version
  }

  /** Adds a random number: a version that was lost in a failover never occurs again for other data. */
  async increment(tx: Tx): Promise<boolean> {
    const rows = await tx
      .updateTable('data_version')
      .set((eb) => ({ version: eb('version', '+', 1 + Math.floor(Math.random() * 1e6)) }))
      .where('share', '=', Math.floor(Math.random() * VERSION_ROWS))
      .returning((eb) => eb.exists(eb.selectFrom('webhook_changes').select('record').limit(1)).as('noted'))
      .execute()
    return rows.some(({ noted }) => Boolean(noted))
  }
  onCommit(): void {
    this.#turn = null
  }
  close(): void {}

  async #look(db: Kysely<Tables>): Promise<Version> {
    const { version } = await db
      .selectFrom('data_version')
      .select((eb) => eb.fn.sum('version').as('version'))
      .executeTakeFirstOrThrow()
    return String(version)
  }
}
