import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { type Compilable, Kysely, sql } from 'kysely'
import { AppError, unavailable } from '../lib/errors.ts'
import { WorkQueue } from '../lib/work-queue.ts'
import { type Dialect, postgres, sqlite, type Tx } from './dialect.ts'
import { type Fault, Faults, isFull } from './faults.ts'
import { type Lookup, Lookups } from './lookup.ts'
import { ALL, listDone, type MigrateOptions, migrate, refuseLater, untilUnlocked } from './migrator.ts'
import { postgresDialect } from './postgres/dialect.ts'
import { DEFAULT_POOL, type PoolOptions } from './postgres/pool.ts'
import { Replicas } from './postgres/replicas.ts'
import { snapshotOf } from './snapshot.ts'
import { SqliteDialect } from './sqlite/dialect.ts'
import { FileIdentity } from './sqlite/file-identity.ts'
import { closeFile, openFile } from './sqlite/foreign-log.ts'
import { GroupCommit } from './sqlite/group-commit.ts'
import { stampFile } from './sqlite/stamp.ts'
import { findDamage } from './sqlite/thread.ts'
import type { Tables } from './tables.ts'
import { refuseUnfinished, unfinishedCopy } from './unfinished-copy.ts'
import { LocalVersions, SharedVersions, type Version } from './version.ts'

/** The database: whatever is done on it is done by one of these. */
export interface Database {
  /** Several reads of one moment, each of a few rows by their keys: on SQLite, nobody is answered while they run. */
  read<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /** Several reads of one moment that look at many rows, such as lists and searches: on SQLite, they run in a thread of their own. */
  readMany<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /**
   * Gives a database of which all reads are of one moment until the work ends, for what reads in several places. The work
   * may be done again, so it must not write, nor wait for anything but its reads.
   */
  snapshot<T>(work: (db: Database) => Promise<T>): Promise<T>
  /** Whether what a transaction reads is of this version of the data. */
  isAt(tx: Tx, version: Version): Promise<boolean>
  /** Reads and writes, of which all or none happen. */
  write<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /** The same, of so much that nobody's commit is to wait for it: on SQLite, in a thread of its own. */
  writeMany<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /** The same as `write`, of what is in no answer: the version of the data stays. */
  writeWithoutInvalidating<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /** Runs one statement that changes nothing which is in an answer: the version of the data stays, on SQLite too. */
  touch<Row>(statement: (db: Kysely<Tables>) => Compilable<Row>): Promise<Row[]>
  /** Calls a function after each `write` of this process; the result ends that. */
  onWrite(listener: () => void): () => void
  /** Asks one question that is asked over and over, without a transaction. */
  lookUp<Row>(question: Lookup<Row>, value: string | number): Row[] | Promise<Row[]>
  /** What the data is at now; asked once per turn of the event loop. */
  version(): Version | Promise<Version>
  /** Gets ready for the first reads of many rows, which would have to wait for their thread. */
  warmUp(): Promise<void>
  /** Brings the tables up to date, or waits until another process has; answers the names of what was run here. */
  migrate(options?: MigrateOptions): Promise<string[]>
  /** Whether it has tables of an earlier version, so that bringing them up to date may take long. */
  isOutdated(): Promise<boolean>
  /** Names of the migrations that are still to run. */
  pending(): Promise<string[]>
  /** What a copy into it was made from that was begun and not finished; null if there is none. */
  unfinishedCopy(): Promise<string | null>
  /** What keeps it from being used, if anything; a write that failed before is tried again. */
  trouble(): Promise<Fault | null>
  /** Reads all of an embedded database, in a thread of its own, and answers what is damaged, if anything. */
  inspect(): Promise<string | null>
  close(): Promise<void>
}

/** How long a transaction is tried again, and how long it waits in between, in milliseconds. */
const PATIENCE = 5000
const PAUSE = 50

/** How many may wait for their turn. */
const MOST_WAITING = 500

/** Told of every query; for tests that count them or ask for their plans. */
export type OnQuery = (sql: string, parameters: readonly unknown[]) => void

export interface DatabaseOptions {
  readonly onQuery?: OnQuery | undefined
  /** Told of connections that break while nobody uses them. */
  readonly onError?: (error: Error) => void
  /** Addresses of streaming replicas that reads may go to. */
  readonly replicas?: readonly string[]
  /** Whether it is opened to be copied, or copied to, which takes long. */
  readonly isCopied?: boolean
  readonly pool?: PoolOptions
}

/** Opens PostgreSQL at an address `postgres://…`, or the embedded database in a folder; `:memory:` keeps it in memory alone. */
export function openDatabase(
  where: string,
  { onQuery, onError = () => {}, replicas: urls = [], isCopied = false, pool }: DatabaseOptions = {},
): Database {
  const isAddress = /^postgres(ql)?:\/\//.test(where)
  const file = where === ':memory:' ? where : join(where, 'kalends.sqlite')
  const isFile = !isAddress && file !== ':memory:'
  const identity = isFile ? new FileIdentity(file) : null
  const faults = new Faults(() => identity?.isMoved ?? false)
  const open = (place: 'here' | 'thread' = 'here') =>
    new Kysely<Tables>({
      dialect: isAddress
        ? postgresDialect(where, onError, isCopied ? 'copying' : 'answering', pool)
        : new SqliteDialect(file, place, identity),
      log:
        onQuery &&
        (({ level, query }) => {
          if (level === 'query') onQuery(query.sql, query.parameters)
        }),
    })
  const hadLog = isFile && openFile(file)
  const db = open()
  // Readers of a file have a connection of their own, so that they do not wait for a writer.
  const reader = isFile ? open() : db
  // What looks at many rows has a thread, so that nobody else waits for it; a database in memory has one connection.
  const manyReader = isFile ? open('thread') : reader
  const manyWriter = isFile ? open('thread') : db
  const dialect = isAddress ? postgres : sqlite
  const replicas = new Replicas(reader, isAddress ? urls : [], onError, pool)
  const local = isAddress ? null : new LocalVersions(file, identity)
  const versions = local ?? new SharedVersions(db)
  const looker = new Lookups(db, local === null || file === ':memory:' ? null : (text) => local.prepare(text))
  // Two who change the same thing wait for each other by dialect.lock; those who do not, do not.
  const transaction = <T>(work: (tx: Tx) => Promise<T>, alone = false): Promise<T> =>
    withRetry(
      dialect,
      (beforeCommit) =>
        (alone ? manyWriter : db)
          .transaction()
          .setIsolationLevel('read committed')
          .execute(async (tx) => {
            const result = await work(tx)
            beforeCommit()
            return result
          }),
      faults,
    )
  const commits = isAddress ? null : new GroupCommit(transaction)
  const writing = <T>(work: (tx: Tx) => Promise<T>, alone: boolean): Promise<T> =>
    commits === null ? transaction(work) : commits.write(work, alone)
  const listeners = new Set<() => void>()
  const changing = async <T>(work: (tx: Tx) => Promise<T>, alone: boolean): Promise<T> => {
    try {
      return await writing(async (tx) => {
        const result = await work(tx)
        await versions.move(tx)
        return result
      }, alone)
    } finally {
      // Also when it failed: a commit whose answer was lost may have happened.
      versions.moved()
      for (const listener of listeners) listener()
    }
  }
  const done = () => listDone(db as Kysely<unknown>, dialect)
  const reading = <T>(from: Kysely<Tables>, work: (tx: Tx) => Promise<T>): Promise<T> =>
    withRetry(
      dialect,
      async () => {
        const chosen = await replicas.choose(from)
        const read = (db: Kysely<Tables>) =>
          db.transaction().setAccessMode('read only').setIsolationLevel('repeatable read').execute(work)
        // A replica that fails, or has to cancel a query to keep up, is no reason to fail the reader.
        return read(chosen).catch((error) => {
          if (!replicas.avoid(chosen) || error instanceof AppError) throw error
          return read(from)
        })
      },
      faults,
    )
  const bringUpToDate = async (options: MigrateOptions): Promise<string[]> => {
    const run = { ...options, dialect, other: db as Kysely<unknown> }
    const before = await untilUnlocked(run, done)
    refuseLater(before)
    if (before.length === ALL.length) return []
    // A new database is made at once; what is in an older one may be much.
    if (!isAddress && (before.length === 0 || !isFile)) return migrate(db as Kysely<unknown>, run)
    const own = new Kysely<unknown>({
      dialect: isAddress
        ? postgresDialect(where, onError, 'migrating', pool)
        : new SqliteDialect(file, 'thread', identity),
    })
    return migrate(own, run).finally(() => own.destroy())
  }
  // Half of the pool, so that other queries have the other half. On SQLite they take turns by their connection.
  const { connections } = pool ?? DEFAULT_POOL
  const moments = new WorkQueue(isAddress ? Math.ceil(connections / 2) : Number.POSITIVE_INFINITY, MOST_WAITING)
  const database: Database = {
    read: (work) => reading(reader, work),
    readMany: (work) => reading(manyReader, work),
    snapshot: (work) =>
      moments.run(() =>
        reading(manyReader, async (tx) => {
          const snapshot = snapshotOf(database, tx)
          return work(snapshot.db).finally(snapshot.end)
        }),
      ),
    isAt: (tx, version) => versions.isAt(tx, version),
    write: (work) => changing(work, false),
    writeMany: (work) => changing(work, true),
    writeWithoutInvalidating: (work) => writing(work, false),
    async touch<Row>(statement: (on: Kysely<Tables>) => Compilable<Row>) {
      const query = statement(db).compile()
      if (local === null || file === ':memory:') return (await db.executeQuery(query)).rows
      // While no transaction of this process holds the file.
      return db.connection().execute(async () => local.run(query.sql, query.parameters) as Row[])
    },
    onWrite(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    lookUp(question, value) {
      const rows = telling(dialect, faults, () => looker.ask(question, value))
      return Array.isArray(rows)
        ? rows
        : withRetry(
            dialect,
            anew(rows, () => looker.ask(question, value)),
            faults,
          )
    },
    version() {
      const current = telling(dialect, faults, () => versions.current())
      return typeof current === 'string'
        ? current
        : withRetry(
            dialect,
            anew(current, () => versions.current()),
            faults,
          )
    },
    async warmUp() {
      await reading(manyReader, async (tx) => sql`select 1`.execute(tx))
    },
    async migrate(options = {}) {
      if (!options.intoCopy) await untilUnlocked({ ...options, dialect }, () => refuseUnfinished(db))
      const ran = await bringUpToDate(options)
      if (isFile && !hadLog) await stampFile(db)
      identity?.noteLog()
      return ran
    },
    async isOutdated() {
      const before = await untilUnlocked({ dialect }, done)
      return before.length > 0 && ALL.some((name) => !before.includes(name))
    },
    async pending() {
      const before = await done()
      return ALL.filter((name) => !before.includes(name))
    },
    unfinishedCopy: () => withRetry(dialect, () => unfinishedCopy(db), faults),
    async trouble() {
      if (identity?.isMoved) return 'moved'
      if (faults.isDamaged) return 'damaged'
      if (isFile && (await isFull(where))) return 'full'
      if (!faults.hasFailed) return null
      try {
        await writing((tx) => dialect.probe(tx), false)
        faults.hasFailed = false
        return null
      } catch (error) {
        return dialect.faultOf((error as Error).cause) ?? 'unwritable'
      }
    },
    async inspect() {
      if (!isFile) return null
      const found = await findDamage(file, identity).catch((error) => {
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
      await db.destroy()
      if (isFile) closeFile(file)
    },
  }
  return database
}

/** How often a transaction is begun anew on another connection, when its own turns out to be broken. */
const BROKEN = 3

/**
 * Does a transaction again while its failure is of the passing kind, or its connection was broken: what failed before it
 * was told to commit has changed nothing. A commit whose answer was lost may have happened, so it is not done again.
 */
async function withRetry<T>(
  dialect: Dialect,
  attempt: (beforeCommit: () => void) => Promise<T>,
  faults: Faults,
): Promise<T> {
  const deadline = performance.now() + PATIENCE
  for (let broken = 0; ; ) {
    let committing = false
    try {
      return await attempt(() => {
        committing = true
      })
    } catch (error) {
      const fault = dialect.faultOf(error)
      if (fault !== null) throw faults.tell(fault, error)
      const passing = dialect.isPassing(error)
      const unreachable = dialect.isUnreachable(error)
      if (!passing && !unreachable) throw error
      if (unreachable && (committing || ++broken > BROKEN || performance.now() > deadline)) throw unavailable()
      if (passing && performance.now() > deadline) throw unavailable()
      // At random, so that those who met do not meet again.
      await setTimeout(Math.random() * PAUSE)
    }
  }
}

/** Asks at once; what is wrong with the database is remembered and told. */
function telling<T>(dialect: Dialect, faults: Faults, ask: () => T): T {
  try {
    return ask()
  } catch (error) {
    const fault = dialect.faultOf(error)
    throw fault === null ? error : faults.tell(fault, error)
  }
}

/** Attempts of which the first has been made: another asks again, as what has failed stays failed. */
function anew<T>(made: Promise<T>, ask: () => T | Promise<T>): () => Promise<T> {
  let first: Promise<T> | null = made
  return async () => {
    const asked = first ?? ask()
    first = null
    return asked
  }
}
