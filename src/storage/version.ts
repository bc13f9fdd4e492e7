import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { type Kysely, type SqlBool, sql } from 'kysely'
import type { DataChange } from './data-change.ts'
import { type Tx, VERSION_ROWS } from './dialect.ts'
import { askOnce, INDEPENDENT, prepared } from './prepared.ts'
import { type FileIdentity, MovedError } from './sqlite/file-identity.ts'
import type { Tables } from './tables.ts'
import { type Version, VersionHistory } from './version-history.ts'

export type { Version } from './version-history.ts'

/** A write of this process, from before its commit until its outcome is known. */
export interface OwnWrite {
  /** Called with what was changed, null if that is not known, after the commit and before the caller gets its result. */
  end(changed: DataChange | null): void
  /** Called instead if nothing was committed, or nothing that responses show. */
  endUnchanged(): void
  /** What it adds to the version on PostgreSQL: a random number, so that a version that was lost in a failover never occurs again for other data. */
  readonly added: number
}

/** Source of the data version. It is read once per turn of the event loop. */
export interface Versions {
  current(): Version | Promise<Version>
  /** Whether a transaction reads a version that was current before it began. `hasRead` saves a statement if it has read something. */
  isAt(tx: Tx, version: Version, hasRead?: boolean): Promise<boolean>
  /** Whether the data has this version now. */
  isCurrent(version: Version): boolean | Promise<boolean>
  /** All changes from one version to a later one; null if they are not known. */
  changesBetween(from: Version, to: Version): readonly DataChange[] | null
  /**
   * Whether no write of this process has changed the data since it had this version, nor is about to. Data that is read
   * while that is so has no change of ours that is yet to be counted.
   */
  isSettledAt(version: Version): boolean
  /** Called by every write, before its commit. */
  begin(): OwnWrite
  /**
   * Called by every write that responses show, as the last statement before the commit. Returns whether triggers have noted
   * changes: then more is written. On PostgreSQL, the transaction is tried again if they have unexpectedly.
   */
  increment(tx: Tx, write: OwnWrite): Promise<boolean>
  close(): void
}

const firstNoted = prepared<object, []>((db) => db.selectFrom('webhook_changes').select('record').limit(1))

/** Whether changes may have been noted. Without an active webhook, rows that wait to be inserted will not be. */
const firstActive = prepared<object, []>(
  (db) => ({
    compile: () =>
      sql<object>`select 1 where exists (select 1 from webhooks where active = 1)
        or exists (select 1 from webhook_changes)`.compile(db),
  }),
  INDEPENDENT,
)

const incrementShare = prepared<{ noted: SqlBool }, [added: number, share: number]>((db, added, share) =>
  db
    .updateTable('data_version')
    .set((eb) => ({ version: eb('version', '+', added) }))
    .where('share', '=', share)
    .returning((eb) => eb.exists(eb.selectFrom('webhook_changes').select('record').limit(1)).as('noted')),
)

/** Divides by zero if changes have been noted. */
const incrementUnlessNoted = prepared<object, [added: number, share: number]>((db, added, share) =>
  db
    .updateTable('data_version')
    .set((eb) => ({
      version: sql`${eb.ref('version')} + ${added} / (case when exists (select 1 from webhook_changes) then 0 else 1 end)`,
    }))
    .where('share', '=', share),
)

/** Any read fixes the snapshot of a transaction. */
const touchSnapshot = prepared<object, []>((db) => ({ compile: () => sql<object>`pragma data_version`.compile(db) }))

/** SQLite busy timeouts for reads and writes, in milliseconds. */
const READ_TIMEOUT = 1000
const WRITE_TIMEOUT = 20
/** Cache of the connection that looks up single records, in KiB: the upper levels of large tables stay in it. SQLite's default is 2,000. */
const CACHE = 8000

/** A connection's own `PRAGMA data_version`: it changes when other connections commit. */
type DataVersion = unknown

/**
 * Counts the commits of others, as `PRAGMA data_version` of a connection that never writes shows them, and our own writes.
 * The connection that writes does not see its own commits in that pragma. So if the pragma has changed for the first, but
 * not for the second, every commit was ours, and what it changed is known.
 */
export class LocalVersions implements Versions {
  readonly #file: string
  readonly #identity: FileIdentity | null
  /** Reads the pragma on the connection that writes; undefined if it is not open. */
  readonly #readAtWriter: () => DataVersion
  #connection: { database: DatabaseSync; statement: StatementSync } | null = null
  readonly #history = new VersionHistory()
  #number = 0
  #seen: DataVersion = undefined
  #seenAtWriter: DataVersion = undefined
  /** What our own writes have changed since the last look. */
  #changes: (DataChange | null)[] = []
  /** Number of our own writes of which nobody knows yet whether they are committed. */
  #inDoubt = 0
  #cached: Version | null = null

  constructor(file: string, identity: FileIdentity | null, readAtWriter: () => DataVersion) {
    this.#file = file
    this.#identity = identity
    this.#readAtWriter = readAtWriter
  }

  current(): Version {
    if (this.#cached === null) {
      this.#look()
      this.#cached = String(this.#number)
      setImmediate(() => this.#clearCached())
    }
    return this.#cached
  }
  async isAt(tx: Tx, version: Version, hasRead = false): Promise<boolean> {
    if (!hasRead) await touchSnapshot(tx)
    return this.isCurrent(version)
  }
  isCurrent(version: Version): boolean {
    this.#look()
    return this.#inDoubt === 0 && String(this.#number) === version
  }
  changesBetween(from: Version, to: Version): readonly DataChange[] | null {
    return this.#history.between(from, to)
  }
  isSettledAt(version: Version): boolean {
    return this.#inDoubt === 0 && this.#changes.length === 0 && String(this.#number) === version
  }
  begin(): OwnWrite {
    this.#inDoubt++
    const endUnchanged = () => {
      this.#inDoubt--
    }
    const end = (changed: DataChange | null) => {
      endUnchanged()
      this.#changes.push(changed)
      this.#cached = null
    }
    return { end, endUnchanged, added: 0 }
  }
  async increment(tx: Tx): Promise<boolean> {
    return (await askOnce(tx, firstActive)).length > 0 && (await firstNoted(tx)).length > 0
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
    this.#look()
    database.exec(`pragma busy_timeout = ${WRITE_TIMEOUT}`)
    try {
      return database.prepare(sql).all(...(parameters as SQLInputValue[]))
    } finally {
      database.exec(`pragma busy_timeout = ${READ_TIMEOUT}`)
      // The connection that writes takes it for a commit of another process, unless there was one.
      const atWriter = this.#readAtWriter()
      if (this.#read() === this.#seen) this.#seenAtWriter = atWriter
    }
  }
  close(): void {
    this.#connection?.database.close()
    this.#connection = null
  }

  #clearCached(): void {
    this.#cached = null
  }

  /**
   * Counts what has happened since the last look. A commit of ours whose write has not ended yet is counted when it has:
   * nobody was told of it.
   */
  #look(): void {
    const seen = this.#read()
    if (seen === this.#seen && this.#changes.length === 0) return
    let isOurs = true
    if (seen !== this.#seen) {
      const atWriter = this.#readAtWriter()
      const after = this.#read()
      isOurs = atWriter === this.#seenAtWriter && atWriter !== undefined && after === seen
      this.#seen = after
      this.#seenAtWriter = atWriter
    }
    const changes = this.#changes
    if (isOurs && changes.length === 0) return
    this.#changes = []
    const from = String(this.#number++)
    this.#history.add(from, String(this.#number), isOurs && isKnown(changes) ? changes : null)
  }

  #read(): DataVersion {
    if (this.#file === ':memory:') return 0
    return (this.#open().statement.get() as unknown as unknown[])[0]
  }

  #open(): { database: DatabaseSync; statement: StatementSync } {
    if (this.#connection === null) {
      if (this.#identity?.isMoved) throw new MovedError(this.#file)
      const database = new DatabaseSync(this.#file, { timeout: READ_TIMEOUT })
      // Writers do checkpoints: here they would block the event loop.
      database.exec(`pragma wal_autocheckpoint = 0; pragma cache_size = -${CACHE}`)
      this.#connection = { database, statement: database.prepare('pragma data_version') }
      this.#connection.statement.setReturnArrays(true)
    }
    return this.#connection
  }
}

/**
 * On PostgreSQL, every write changes the version in its own transaction, so both become visible together, on every
 * node. The version is a number. If it has grown by as much as our own writes have added, what has changed is known.
 */
export class SharedVersions implements Versions {
  readonly #db: Kysely<Tables>
  #turn: Promise<Version> | null = null
  readonly #history = new VersionHistory()
  #last: Version | null = null
  /** Our own writes since the last look: what they have added, and what they have changed. */
  #writes: { readonly added: number; readonly changed: DataChange | null }[] = []
  #inDoubt = 0
  /** Whether the next write is expected to note changes, as the last one has. */
  #isNoting = true

  constructor(db: Kysely<Tables>) {
    this.#db = db
  }

  current(): Promise<Version> {
    if (this.#turn === null) {
      const writes = this.#writes
      const ended = writes.length
      this.#turn = this.#read(this.#db).then((version) => {
        // Readers have seen these before they ended, and they were counted as unknown.
        if (version === this.#last && this.#writes === writes) this.#writes = writes.slice(ended)
        return this.#follow(version)
      })
      setImmediate(() => {
        this.#turn = null
      })
    }
    return this.#turn
  }
  async isAt(tx: Tx, version: Version): Promise<boolean> {
    return (await this.#read(tx)) === version
  }
  async isCurrent(version: Version): Promise<boolean> {
    return (await this.#read(this.#db)) === version
  }
  changesBetween(from: Version, to: Version): readonly DataChange[] | null {
    return this.#history.between(from, to)
  }
  isSettledAt(version: Version): boolean {
    return this.#inDoubt === 0 && this.#writes.length === 0 && this.#last === version
  }
  begin(): OwnWrite {
    this.#inDoubt++
    const endUnchanged = () => {
      this.#inDoubt--
    }
    const added = 1 + Math.floor(Math.random() * 1e6)
    const end = (changed: DataChange | null) => {
      endUnchanged()
      this.#turn = null
      this.#writes.push({ added, changed })
    }
    return { end, endUnchanged, added }
  }

  async increment(tx: Tx, { added }: OwnWrite): Promise<boolean> {
    const share = Math.floor(Math.random() * VERSION_ROWS)
    if (!this.#isNoting) {
      // Nobody waits for it: it goes with the commit, which fails with it.
      incrementUnlessNoted(tx, added, share).catch(() => {
        this.#isNoting = true
      })
      return false
    }
    const rows = await incrementShare(tx, added, share)
    this.#isNoting = rows.some(({ noted }) => Boolean(noted))
    return this.#isNoting
  }
  close(): void {}

  #follow(version: Version): Version {
    const last = this.#last
    if (version === last) return version
    this.#last = version
    const writes = this.#writes
    this.#writes = []
    const added = writes.reduce((sum, write) => sum + write.added, 0)
    const changes = writes.map(({ changed }) => changed)
    const isOurs = last !== null && Number(version) - Number(last) === added
    if (last !== null) this.#history.add(last, version, isOurs && isKnown(changes) ? changes : null)
    return version
  }

  async #read(db: Kysely<Tables>): Promise<Version> {
    const { version } = await db
      .selectFrom('data_version')
      .select((eb) => eb.fn.sum('version').as('version'))
      .executeTakeFirstOrThrow()
    return String(version)
  }
}

function isKnown(changes: readonly (DataChange | null)[]): changes is readonly DataChange[] {
  return !changes.includes(null)
}
