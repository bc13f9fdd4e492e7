import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { CompiledQuery, Kysely } from 'kysely'
import { postgres, sqlite } from '../../src/storage/dialect.ts'
import { type MigrationProgress, migrate } from '../../src/storage/migrator.ts'
import { postgresDialect } from '../../src/storage/postgres/dialect.ts'
import { SqliteDialect } from '../../src/storage/sqlite/dialect.ts'
import { ROOT } from './sources.ts'
import { ON_POSTGRES } from './store.ts'

/**
 * Databases as earlier versions left them. Up to 0006 each statement of a migration ran by itself on SQLite, so that a
 * version that was interrupted left the first few of them, and no row that says that the migration was run.
 */

const FOLDER = join(ROOT, 'test/storage/fixtures')

/** The statements that the migrations of earlier versions ran, by their names. */
export const STATEMENTS: Record<string, readonly string[]> = JSON.parse(
  readFileSync(join(FOLDER, `statements.${ON_POSTGRES ? 'postgres' : 'sqlite'}.json`), 'utf8'),
)

export const EARLIER = Object.keys(STATEMENTS)

/** Rows that users of a version had written, by the migration that made it. */
const ROWS: Record<string, readonly string[]> = JSON.parse(readFileSync(join(FOLDER, 'rows.json'), 'utf8'))

const OWN_TABLES = [
  'create table if not exists "kysely_migration" ("name" varchar(255) not null primary key, "timestamp" varchar(255) not null)',
  'create table if not exists "kysely_migration_lock" ("id" varchar(255) not null primary key, "is_locked" integer default 0 not null)',
  `insert into "kysely_migration_lock" ("id", "is_locked") values ('migration_lock', 0)`,
]

/** Opens a database as it is, without migrating it. */
export function openRaw(where: string): Kysely<unknown> {
  const file = where === ':memory:' ? where : join(where, 'kalends.sqlite')
  return new Kysely<unknown>({
    dialect: ON_POSTGRES ? postgresDialect(where, () => {}, 'migrating') : new SqliteDialect(file),
  })
}

/** Migrates a database by itself, in this thread: faster than by openDatabase, where it is done hundreds of times. */
export async function migrateRaw(
  where: string,
  onNews: (news: MigrationProgress) => void = () => {},
): Promise<string[]> {
  const db = openRaw(where)
  try {
    return await migrate(db, { dialect: ON_POSTGRES ? postgres : sqlite, other: db, onNews })
  } finally {
    await db.destroy()
  }
}

/** Makes of an empty database that of an earlier version, and runs the first few statements of the next migration. */
export async function makeEarlier(where: string, versions: number, further = 0): Promise<void> {
  const db = openRaw(where)
  const run = (statement: string) => db.executeQuery(CompiledQuery.raw(statement))
  try {
    for (const statement of OWN_TABLES) await run(statement)
    for (const name of EARLIER.slice(0, versions)) {
      for (const statement of [...(STATEMENTS[name] ?? []), ...(ROWS[name] ?? [])]) await run(statement)
      await run(`insert into kysely_migration (name, timestamp) values ('${name}', '2026-01-01T00:00:00.000Z')`)
    }
    for (const statement of STATEMENTS[EARLIER[versions] ?? '']?.slice(0, further) ?? []) await run(statement)
  } finally {
    await db.destroy()
  }
}
