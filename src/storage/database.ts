import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { Kysely } from 'kysely'
import { Migrator } from 'kysely/migration'
import { AppError } from '../lib/errors.ts'
import { sqlite, type Tx } from './dialect.ts'
import { migrations } from './migrations/index.ts'
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

/** How long another process may hold the database before that is told, and how often it is tried, in milliseconds. */
const PATIENCE = 5000
const PAUSE = 50

/** Does work again while another process holds the database: what is refused for that has changed nothing. */
async function patiently<T>(work: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + PATIENCE
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!sqlite.isBusy(error)) throw error
      if (performance.now() > deadline) throw new AppError('rest_unavailable', { headers: { 'retry-after': '1' } })
      await setTimeout(PAUSE)
    }
  }
}

/** Told of every query; for tests that count them or ask for their plans. */
export type OnQuery = (sql: string, parameters: readonly unknown[]) => void

/** Opens the embedded database in a folder; `:memory:` keeps it in memory alone. */
export function openDatabase(folder: string, onQuery?: OnQuery): Database {
  const file = folder === ':memory:' ? folder : join(folder, 'kalends.sqlite')
  const db = new Kysely<Tables>({
    dialect: new SqliteDialect(file),
    log:
      onQuery &&
      (({ level, query }) => {
        if (level === 'query') onQuery(query.sql, query.parameters)
      }),
  })
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations } })
  return {
    read: (work) => patiently(() => db.transaction().setAccessMode('read only').execute(work)),
    write: (work) => patiently(() => db.transaction().execute(work)),
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
