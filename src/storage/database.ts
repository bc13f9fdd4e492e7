import { join } from 'node:path'
import { type Compilable, Kysely, sql } from 'kysely'
import { AppError } from '../lib/errors.ts'
import { WorkQueue } from '../lib/work-queue.ts'
import { type Tracker, tracked } from './audit/tracker.ts'
import { writeLog } from './audit/writing.ts'
import { changeOf, type DataChange } from './data-change.ts'
import { postgres, sqlite, type Tx } from './dialect.ts'
import { type Fault, Faults, isFull } from './faults.ts'
import type { FewWords } from './few-words.ts'
import { type Lookup, Lookups } from './lookup.ts'
import { measured } from './measure.ts'
import { ALL_MIGRATIONS, listDone, type MigrateOptions, migrate, throwIfLater, untilUnlocked } from './migrator.ts'
import { postgresDialect } from './postgres/dialect.ts'
import { DEFAULT_POOL, type PoolOptions } from './postgres/pool-options.ts'
import { Replicas } from './postgres/replicas.ts'
import { begun, type OnQuery } from './prepared.ts'
import { reportingFaults, withRetry } from './retries.ts'
import { inFewThenMany, inSnapshot, type SnapshotSize } from './snapshot.ts'
import { type Adapter, type ConnectionThread, SqliteDialect } from './sqlite/dialect.ts'
import { FileIdentity } from './sqlite/file-identity.ts'
import { registerFile, unregisterFile } from './sqlite/foreign-log.ts'
import { GroupCommit } from './sqlite/group-commit.ts'
import { DATABASE_FILE } from './sqlite/private-files.ts'
import { SingleReads } from './sqlite/single-reads.ts'
import { stampFile } from './sqlite/stamp-file.ts'
import { findDamage } from './sqlite/thread.ts'
import type { Tables } from './tables.ts'
import { refuseUnfinished, unfinishedCopy } from './unfinished-copy.ts'
import { LocalVersions, type OwnWrite, SharedVersions, type Version } from './version.ts'

/** The only access to the database. */
export interface Database {
  /** Read transaction for a few rows by key. On SQLite it blocks the event loop. */
  read<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /**
   * Reads a few rows of a version of the data; undefined if it has another one by then. On SQLite there is no transaction, so
   * readers need not wait for each other: if nothing was committed meanwhile, all statements have read the same. The work must keep nothing
   * before it knows that.
   */
  readAt<T>(version: Version, work: (tx: Tx) => Promise<T>): Promise<T | undefined>
  /** Read transaction for many rows, such as lists and searches. On SQLite it runs in a worker thread. */
  readMany<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /** The same on the primary server, never on a replica. */
  readPrimary<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /**
   * Runs work on a database whose reads all share one snapshot. The work may be retried, so it must not write, and must
   * not wait for anything but its reads. Work that is likely to read only `few` rows begins in the main thread on SQLite,
   * and begins again in a worker thread when it calls `readMany`.
   */
  snapshot<T>(work: (db: Database) => Promise<T>, size?: SnapshotSize): Promise<T>
  /** Whether a transaction reads this version of the data. */
  isAt(tx: Tx, version: Version, hasRead?: boolean): Promise<boolean>
  /** What has changed from one version of the data to a later one; null if that is not known. */
  changesBetween(from: Version, to: Version): readonly DataChange[] | null
  /** Whether no write of this process has changed the data since it had this version, nor is about to. */
  isSettledAt(version: Version): boolean
  /** Write transaction. */
  write<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /** Write transaction for many rows, in a commit of its own. On SQLite it runs in a worker thread. */
  writeMany<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /** Write transaction for data that no response shows: the data version stays, so caches stay valid. */
  writeWithoutInvalidating<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /** Runs one statement that changes nothing which is in an answer: the version of the data stays, on SQLite too. */
  touch<Row>(statement: (db: Kysely<Tables>) => Compilable<Row>): Promise<Row[]>
  /**
   * Calls a function in each `write` and `writeMany` that has changed records, before it is committed. It takes the place
   * of an earlier one of the same name.
   */
  beforeCommit(name: string, listener: (tx: Tx) => Promise<void>): void
  /** Calls a function after each commit of this process that has logged changes of a user, with the bytes; the write waits for it. */
  onLogged(listener: (user: number, bytes: number) => Promise<void>): void
  /** Calls a function after each `write` of this process; the result ends that. */
  onWrite(listener: () => void): () => void
  /** Asks one question that is asked over and over, without a transaction. */
  lookUp<Row>(question: Lookup<Row>, ...values: (string | number)[]): Row[] | Promise<Row[]>
  /** Looks up events by words; null if that needs a transaction. */
  readonly fewWords: FewWords | null
  /** Whether the template of an event is removed when it changes: see event-templates.ts. */
  readonly removesTemplates: boolean
  /** Whether the data has this version now: what was looked up since it had is of this version. */
  isCurrent(version: Version): boolean | Promise<boolean>
  /** Whether replicas answer reads. They do not answer what is looked up. */
  readonly hasReplicas: boolean
  /** Current version of the data, read once per turn of the event loop. */
  version(): Version | Promise<Version>
  /** Whether the version is known at once, and tells of every change. On PostgreSQL, a change by hand may leave it as it is. */
  readonly knowsVersion: boolean
  /** Starts the worker thread, so that the first list does not wait for it. */
  warmUp(): Promise<void>
  /** Runs pending migrations, or waits until another process has. Returns the names of those run here. */
  migrate(options?: MigrateOptions): Promise<string[]>
  /** Whether existing data has to be migrated, which may take long. */
  isOutdated(): Promise<boolean>
  /** Names of pending migrations. */
  pending(): Promise<string[]>
  /** Names of finished migrations. Throws if a later version has run some that this one cannot live with. */
  finished(): Promise<string[]>
  /** Source of an unfinished copy into this database; null if there is none. */
  unfinishedCopy(): Promise<string | null>
  /** Current fault of the database, if any. After a failed write, another write is attempted. */
  trouble(): Promise<Fault | null>
  /** Checks the integrity of a SQLite database in a worker thread: its pages or, if thorough, its indexes, too. Returns the damage, if any. */
  inspect(isThorough?: boolean): Promise<string | null>
  close(): Promise<void>
}

/** Limit on waiting snapshots. */
const MAX_WAITING = 500

export interface DatabaseOptions {
  readonly onQuery?: OnQuery | undefined
  /** Called when an idle connection breaks. */
  readonly onError?: (error: Error) => void
  /** URLs of streaming replicas for reads. */
  readonly replicas?: readonly string[]
  /** Opened for a copy, which needs longer timeouts. */
  readonly isCopied?: boolean
  readonly pool?: PoolOptions
  /** A serialized database that one in memory begins with. */
  readonly contents?: Uint8Array | undefined
}

/** Opens PostgreSQL at a `postgres://` URL, or SQLite in a folder; `:memory:` is for tests. */
export function openDatabase(
  location: string,
  { onQuery, onError = () => {}, replicas: urls = [], isCopied = false, pool, contents }: DatabaseOptions = {},
): Database {
  const isUrl = /^postgres(ql)?:\/\//.test(location)
  const file = location === ':memory:' ? location : join(location, DATABASE_FILE)
  const isFile = !isUrl && file !== ':memory:'
  const identity = isFile ? new FileIdentity(file) : null
  const faults = new Faults(() => identity?.isMoved ?? false)
  const open = (thread: ConnectionThread = 'main') =>
    new Kysely<Tables>({
      dialect: isUrl
        ? postgresDialect(location, onError, isCopied ? 'copying' : 'answering', pool, onQuery)
        : new SqliteDialect(file, thread, identity, onQuery, contents),
      log:
        onQuery &&
        (({ level, query }) => {
          if (level === 'query') onQuery(query.sql, query.parameters)
        }),
    })
  const hadLog = isFile && registerFile(file)
  const db = open()
  // Separate connection for reads, so that they do not wait for a writer.
  const reader = isFile ? open() : db
  // Queries on many rows run in worker threads, off the event loop. A database in memory has one connection.
  const manyReader = isFile ? open('worker') : reader
  const manyWriter = isFile ? open('worker') : db
  const dialect = isUrl ? postgres : sqlite
  const replicas = new Replicas(reader, isUrl ? urls : [], onError, pool)
  const writer = () => db.getExecutor().adapter as Adapter
  const local = isUrl ? null : new LocalVersions(file, identity, () => writer().local?.dataVersion())
  const versions = local ?? new SharedVersions(db)
  const singles = local !== null && isFile ? new SingleReads(open('single'), local) : null
  const lookups = new Lookups(db, local === null || file === ':memory:' ? null : (text) => local.prepare(text))
  // Read committed is enough: writers of the same record wait for each other by dialect.lock.
  const transaction = <T>(work: (tx: Tx) => Promise<T>, alone = false): Promise<T> =>
    withRetry(
      dialect,
      (beforeCommit) =>
        (alone ? manyWriter : db)
          .transaction()
          .setIsolationLevel('read committed')
          .execute(async (tx) => {
            await begun(tx)
            const result = await work(tx)
            await dialect.complete(tx)
            beforeCommit()
            return result
          }),
      faults,
    )
  const commits = isUrl ? null : new GroupCommit(transaction)
  const writeTransaction = <T>(work: (tx: Tx) => Promise<T>, alone: boolean): Promise<T> =>
    commits === null ? transaction(work) : commits.write(work, alone)
  /** Runs work and writes the log. Returns what was changed, too; null if that is not known. */
  const logged = async <T>(
    tx: Tx,
    work: (tx: Tx) => Promise<T>,
  ): Promise<{ result: T; changed: DataChange | null; user: number | null; bytes: number }> => {
    let changed: DataChange | null = null
    let user: number | null = null
    let bytes = 0
    const end = async (tracker: Tracker) => {
      bytes = await writeLog(tx, tracker)
      user = tracker.actor.user?.id ?? null
      changed = await changeOf(tx, tracker)
    }
    const result = await tracked(tx, () => work(tx), end)
    return { result, changed, user, bytes }
  }
  let onLogged: Parameters<Database['onLogged']>[0] = async () => {}
  const listeners = new Set<() => void>()
  const beforeCommit = new Map<string, (tx: Tx) => Promise<void>>()
  /** `isShown` says whether responses show what is written. */
  const write = async <T>(work: (tx: Tx) => Promise<T>, alone: boolean, isShown = true): Promise<T> => {
    // Set from before the commit on. A transaction that is tried again begins another one.
    const own = new Set<OwnWrite>()
    let change: DataChange | null = null
    const log: { user: number | null; bytes: number } = { user: null, bytes: 0 }
    let result: T
    const endUnchanged = () => {
      for (const one of own) one.endUnchanged()
      own.clear()
    }
    try {
      result = await writeTransaction(async (tx) => {
        endUnchanged()
        const { result, changed, user, bytes } = await logged(tx, work)
        const one = versions.begin()
        own.add(one)
        change = changed
        Object.assign(log, { user, bytes })
        const hasNoted = isShown && (await versions.increment(tx, one))
        if (hasNoted) for (const listener of beforeCommit.values()) await listener(tx)
        return result
      }, alone)
    } catch (error) {
      // A commit whose answer was lost may have happened.
      change = null
      throw error
    } finally {
      if (isShown) for (const one of own) one.end(change)
      else endUnchanged()
      if (isShown) for (const listener of listeners) listener()
    }
    if (log.user !== null && log.bytes > 0) await onLogged(log.user, log.bytes)
    return result
  }
  const finished = () => listDone(db as Kysely<unknown>, dialect)
  const snapshotRead = <T>(on: Kysely<Tables>, work: (tx: Tx) => Promise<T>): Promise<T> =>
    on
      .transaction()
      .setAccessMode('read only')
      .setIsolationLevel('repeatable read')
      .execute(async (tx) => {
        await begun(tx)
        return work(tx)
      })
  const readTransaction = <T>(from: Kysely<Tables>, work: (tx: Tx) => Promise<T>): Promise<T> =>
    withRetry(
      dialect,
      async () => {
        const chosen = await replicas.choose(from)
        const read = (db: Kysely<Tables>) => snapshotRead(db, work)
        // A replica that fails or cancels a query falls back to the primary.
        return read(chosen).catch((error) => {
          if (!replicas.avoid(chosen) || error instanceof AppError) throw error
          return read(from)
        })
      },
      faults,
    )
  const bringUpToDate = async (options: MigrateOptions): Promise<string[]> => {
    const run = { ...options, dialect, other: db as Kysely<unknown> }
    const before = await untilUnlocked(run, finished)
    await throwIfLater(db as Kysely<unknown>, dialect)
    if (ALL_MIGRATIONS.every((name) => before.includes(name))) return []
    // An empty database is migrated on the main thread. An older one may have much data.
    if (!isUrl && (before.length === 0 || !isFile)) return migrate(db as Kysely<unknown>, run)
    const own = new Kysely<unknown>({
      dialect: isUrl
        ? postgresDialect(location, onError, 'migrating', pool)
        : new SqliteDialect(file, 'worker', identity),
    })
    return migrate(own, run).finally(() => own.destroy())
  }
  /** What is answered at once on SQLite is tried again on PostgreSQL. */
  const asked = <T>(ask: () => T | Promise<T>): T | Promise<T> => {
    const answer = reportingFaults(dialect, faults, ask)
    if (!(answer instanceof Promise)) return answer
    let first: Promise<T> | null = answer
    const attempt = async () => {
      const made = first ?? ask()
      first = null
      return made
    }
    return withRetry(dialect, attempt, faults)
  }
  // Snapshots may use half of the pool. On SQLite they queue for the connection.
  const { connections } = pool ?? DEFAULT_POOL
  const snapshotQueue = new WorkQueue(isUrl ? Math.ceil(connections / 2) : Number.POSITIVE_INFINITY, MAX_WAITING)
  const database: Database = {
    readPrimary: (work) => withRetry(dialect, () => snapshotRead(manyReader, work), faults),
    read: (work) => measured('read', readTransaction(reader, work)),
    async readAt(version, work) {
      if (singles !== null) return (await measured('read', singles.at(version, work)))?.result
      return database.read(async (tx) => {
        const result = await work(tx)
        return (await versions.isAt(tx, version, true)) ? result : undefined
      })
    },
    readMany: (work) => measured('readMany', readTransaction(manyReader, work)),
    snapshot: (work, size = 'many') =>
      snapshotQueue.run(() =>
        size === 'many' || reader === manyReader
          ? readTransaction(manyReader, (tx) => inSnapshot(database, tx, work))
          : inFewThenMany(database, work, {
              few: async (inTx) => {
                const found = await singles?.now(inTx)
                return found ? found.result : readTransaction(reader, inTx)
              },
              many: (inTx) => readTransaction(manyReader, inTx),
            }),
      ),
    isAt: (tx, version, hasRead) => versions.isAt(tx, version, hasRead),
    isCurrent: (version) => asked(() => versions.isCurrent(version)),
    hasReplicas: isUrl && urls.length > 0,
    changesBetween: (from, to) => versions.changesBetween(from, to),
    isSettledAt: (version) => versions.isSettledAt(version),
    write: (work) => measured('write', write(work, false)),
    writeMany: (work) => measured('writeMany', write(work, true)),
    writeWithoutInvalidating: (work) => write(work, false, false),
    async touch<Row>(statement: (on: Kysely<Tables>) => Compilable<Row>) {
      const query = statement(db).compile()
      if (local === null || file === ':memory:') return (await db.executeQuery(query)).rows
      // While no transaction of this process holds the file.
      return db.connection().execute(async () => local.run(query.sql, query.parameters) as Row[])
    },
    beforeCommit(name, listener) {
      beforeCommit.set(name, listener)
    },
    onLogged(listener) {
      onLogged = listener
    },
    onWrite(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    lookUp: (question, ...values) => asked(() => lookups.run(question, values)),
    fewWords: dialect.fewWords,
    removesTemplates: dialect.blocks,
    version: () => asked(() => versions.current()),
    knowsVersion: local !== null,
    async warmUp() {
      await readTransaction(manyReader, async (tx) => sql`select 1`.execute(tx))
    },
    async migrate(options = {}) {
      if (!options.intoCopy) await untilUnlocked({ ...options, dialect }, () => refuseUnfinished(db))
      const ran = await bringUpToDate(options)
      if (isFile && !hadLog) await stampFile(db)
      identity?.recordLog()
      return ran
    },
    async isOutdated() {
      const before = await untilUnlocked({ dialect }, finished)
      return before.length > 0 && ALL_MIGRATIONS.some((name) => !before.includes(name))
    },
    async pending() {
      const before = await finished()
      return ALL_MIGRATIONS.filter((name) => !before.includes(name))
    },
    async finished() {
      await throwIfLater(db as Kysely<unknown>, dialect)
      return finished()
    },
    unfinishedCopy: () => withRetry(dialect, () => unfinishedCopy(db), faults),
    async trouble() {
      if (identity?.isMoved) return 'moved'
      if (faults.isDamaged) return 'damaged'
      if (isFile && (await isFull(location))) return 'full'
      if (!faults.hasFailed) return null
      try {
        await writeTransaction((tx) => dialect.probe(tx), false)
        faults.hasFailed = false
        return null
      } catch (error) {
        return dialect.faultOf((error as Error).cause) ?? 'unwritable'
      }
    },
    async inspect(isThorough = false) {
      if (!isFile) return null
      const found = await findDamage(file, identity, isThorough).catch((error) => {
        if (dialect.faultOf(error) !== 'damaged') throw error
        return String(error)
      })
      if (found !== null && !identity?.isMoved) faults.isDamaged = true
      return found
    },
    async close() {
      await commits?.end()
      await replicas.close()
      versions.close()
      if (isFile) await Promise.all([reader, manyReader, manyWriter].map((one) => one.destroy()))
      await singles?.close()
      await db.destroy()
      if (isFile) unregisterFile(file)
    },
  }
  return database
}
