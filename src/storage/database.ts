import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { Kysely } from 'kysely'
import { Migrator } from 'kysely/migration'
import { AppError } from '../lib/errors.ts'
import { type Dialect, postgres, sqlite, type Tx } from './dialect.ts'
import { migrations } from './migrations/index.ts'
import { postgresDialect } from './postgres.ts'
import { SqliteDialect } from './sqlite.ts'
import type { Tables } from './tables.ts'

/** The database: all work on it is done in one of these two. */
export interface Database {
  /** Several reads of one moment. */
  read<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /** Reads and writes, of which all or none happen. */
  write<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /** Brings the tables up to date; answers the names of what was run. */
  migrate(): Promise<string[]>
  /** Names of the migrations that are still to run. */
  pending(): Promise<string[]>
  close(): Promise<void>
}

/** How long a transaction is tried again, and how long it waits in between, in milliseconds. */
const PATIENCE = 5000
const PAUSE = 50

/** Told of every query; for tests that count them or ask for their plans. */
export type OnQuery = (sql: string, parameters: readonly unknown[]) => void

export interface DatabaseOptions {
  readonly onQuery?: OnQuery | undefined
  /** Told of connections that break while nobody uses them. */
  readonly onError?: (error: Error) => void
}

/** Opens PostgreSQL at an address `postgres://…`, or the embedded database in a folder; `:memory:` keeps it in memory alone. */
export function openDatabase(where: string, { onQuery, onError = () => {} }: DatabaseOptions = {}): Database {
  const isAddress = /^postgres(ql)?:\/\//.test(where)
  const file = where === ':memory:' ? where : join(where, 'kalends.sqlite')
  const db = new Kysely<Tables>({
    dialect: isAddress ? postgresDialect(where, onError) : new SqliteDialect(file),
    log:
      onQuery &&
      (({ level, query }) => {
        if (level === 'query') onQuery(query.sql, query.parameters)
      }),
  })
  const dialect = isAddress ? postgres : sqlite
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations } })
  return {
    read: (work) =>
      patiently(dialect, () =>
        db.transaction().setAccessMode('read only').setIsolationLevel('repeatable read').execute(work),
      ),
    // Two editors who save at once: one of them is tried again, on what the other left.
    write: (work) => patiently(dialect, () => db.transaction().setIsolationLevel('serializable').execute(work)),
    async migrate() {
      const { error, results } = await migrator.migrateToLatest()
      if (error !== undefined) throw error
      return (results ?? []).map((result) => result.migrationName)
    },
    async pending() {
      const all = await migrator.getMigrations()
      return all.filter((migration) => migration.executedAt === undefined).map((migration) => migration.name)
    },
    close: () => db.destroy(),
  }
}

/** Does a transaction again while its failure is of the passing kind: what failed has changed nothing. */
async function patiently<T>(dialect: Dialect, work: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + PATIENCE
  for (;;) {
    try {
      return await work()
    } catch (error) {
      const passing = dialect.isPassing(error)
      if (dialect.isUnreachable(error) || (passing && performance.now() > deadline)) {
        throw new AppError('rest_unavailable', { headers: { 'retry-after': '1' } })
      }
      if (!passing) throw error
      // At random, so that those who met do not meet again.
      await setTimeout(Math.random() * PAUSE)
    }
  }
}
