import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { type Kysely, sql } from 'kysely'
import { SHARES, type Tx } from './dialect.ts'
import { type FileIdentity, MovedError } from './sqlite/file-identity.ts'
import type { Tables } from './tables.ts'

/** Names a state of the data: what was read after a version was, and while it stays the same, is still true. */
export type Version = string

/** Tells whether the data has changed, to all who ask in one turn of the event loop by one look. */
export interface Versions {
  current(): Version | Promise<Version>
  /** Whether what a transaction reads is of a version that was current before it began. */
  isAt(tx: Tx, version: Version): Promise<boolean>
  /** Called by every write, last thing before its transaction commits. */
  move(tx: Tx): Promise<void>
  /** Called when it has been committed, before anybody is told. */
  moved(): void
  close(): void
}

/** How long another process is waited for, to read and to write, in milliseconds. */
const PATIENT = 1000
const BRIEF = 20

/** SQLite tells a connection when others have committed: this one does nothing else, so it hears of everybody. */
export class LocalVersions implements Versions {
  readonly #file: string
  readonly #identity: FileIdentity | null
  #watch: { database: DatabaseSync; statement: StatementSync } | null = null
  /** Counts our own commits, which a database in memory tells nobody. */
  #own = 0
  #turn: Version | null = null

  constructor(file: string, identity: FileIdentity | null) {
    this.#file = file
    this.#identity = identity
  }

  current(): Version {
    if (this.#turn === null) {
      this.#turn = this.#now()
      setImmediate(() => this.#forget())
    }
    return this.#turn
  }
  async isAt(tx: Tx, version: Version): Promise<boolean> {
    // What a transaction reads is fixed by its first read.
    await sql`pragma data_version`.execute(tx)
    return this.#now() === version
  }
  async move(): Promise<void> {}
  moved(): void {
    this.#own++
    this.#turn = null
  }
  /** Prepares a statement on the same connection, which is never in a transaction: what it reads is of the present. */
  prepare(sql: string): StatementSync {
    return this.#open().database.prepare(sql)
  }
  /**
   * Runs a statement on the same connection, which does not take its own commits for changes. It waits for another
   * process hardly at all, and then fails: nothing else runs meanwhile. Answers the rows that it returns.
   */
  run(sql: string, parameters: readonly unknown[]): unknown[] {
    const { database } = this.#open()
    database.exec(`pragma busy_timeout = ${BRIEF}`)
    try {
      return database.prepare(sql).all(...(parameters as SQLInputValue[]))
    } finally {
      database.exec(`pragma busy_timeout = ${PATIENT}`)
    }
  }
  close(): void {
    this.#watch?.database.close()
    this.#watch = null
  }

  #forget(): void {
    this.#turn = null
  }

  #now(): Version {
    return `${this.#look()}.${this.#own}`
  }

  #look(): unknown {
    return this.#file === ':memory:' ? 0 : this.#open().statement.get()
  }

  #open(): { database: DatabaseSync; statement: StatementSync } {
    if (this.#watch === null) {
      if (this.#identity?.isMoved) throw new MovedError(this.#file)
      const database = new DatabaseSync(this.#file, { timeout: PATIENT })
      // Those who write do so: here others would wait for it.
      database.exec('pragma wal_autocheckpoint = 0')
      this.#watch = { database, statement: database.prepare('pragma data_version') }
      this.#watch.statement.setReturnArrays(true)
    }
    return this.#watch
  }
}

/** On a server, every write moves the version in its transaction: it shows when the write does, on every node. */
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

  /** By a number nobody guesses: a state that a failover lost is never taken for another. */
  async move(tx: Tx): Promise<void> {
    await tx
      .updateTable('data_version')
      .set((eb) => ({ version: eb('version', '+', 1 + Math.floor(Math.random() * 1e6)) }))
      .where('share', '=', Math.floor(Math.random() * SHARES))
      .execute()
  }
  moved(): void {
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
