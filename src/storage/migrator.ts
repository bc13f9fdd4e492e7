import { setTimeout } from 'node:timers/promises'
import { CompiledQuery, type Kysely, sql } from 'kysely'
import type { Dialect } from './dialect.ts'
import { CONTRACTING, migrations, runMigration } from './migrations/index.ts'

/** The database cannot be migrated. The message is one sentence. */
export class MigrationError extends Error {
  readonly code = 'MIGRATION'
}

/** Progress of migrations. Times are in seconds. */
export type MigrationProgress =
  | { readonly kind: 'waiting'; readonly seconds: number }
  | { readonly kind: 'begun'; readonly name: string }
  /** Reported before each statement: finished steps, all steps, and the finished share of the current one. */
  | { readonly kind: 'step'; readonly name: string; readonly done: number; readonly of: number; readonly part: number }
  | { readonly kind: 'done'; readonly name: string; readonly seconds: number }

export interface MigrateOptions {
  /** Allows a database with an unfinished copy. */
  readonly intoCopy?: boolean
  /** An exception from it aborts and rolls back the current migration. */
  readonly onNews?: (news: MigrationProgress) => void
  /** Aborts and rolls back the current migration; `migrate` rejects with the reason. */
  readonly signal?: AbortSignal
}

/** Names of all migrations, in order. */
export const ALL_MIGRATIONS = Object.keys(migrations)

/** Pause between attempts, in milliseconds. */
const PAUSE = 200

/** Names of the finished migrations, in order. */
export async function listDone(db: Kysely<unknown>, dialect: Dialect): Promise<string[]> {
  // Checked first: another process may create the table at any time. No one drops it.
  if (!(await dialect.hasTable(db, 'kysely_migration'))) return []
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db)
  return rows.map(({ name }) => name)
}

/** Migrations that this version does not know. */
export function unknownMigrations(done: readonly string[]): string[] {
  return done.filter((name) => !ALL_MIGRATIONS.includes(name))
}

/** Ends the time of a migration that earlier versions can live with. There is no other column that they do not read. */
const EXPANDS = ' expands'

/** Throws if a later version has changed the database in a way that this one cannot live with: see CONTRACTING. */
export async function throwIfLater(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  if (!(await dialect.hasTable(db, 'kysely_migration'))) return
  const { rows } = await sql<{
    name: string
    timestamp: string
  }>`select name, timestamp from kysely_migration order by name`.execute(db)
  const unknown = unknownMigrations(
    rows.filter(({ timestamp }) => !timestamp.endsWith(EXPANDS)).map(({ name }) => name),
  )
  if (unknown.length === 0) return
  throw new MigrationError(
    `the database was made by a later version (it has ${unknown.join(', ')}): start that version, or restore a copy from before its upgrade`,
  )
}

interface Run extends MigrateOptions {
  readonly dialect: Dialect
  /** Another connection, to cancel statements of this one. */
  readonly other: Kysely<unknown>
}

/**
 * Runs pending migrations on a connection of its own. Each is one transaction that includes its row in
 * `kysely_migration`. One process runs them, others wait. Returns the names of those run here.
 */
export function migrate(db: Kysely<unknown>, run: Run): Promise<string[]> {
  // Opening a new file may fail, too, while another process creates it.
  return untilUnlocked(run, () =>
    db.connection().execute(async (connection) => {
      await untilUnlocked(run, async () => (await run.dialect.lockMigrations(connection)) || null)
      const backend = await run.dialect.backendOf(connection)
      const cancel = () => backend !== null && void run.dialect.cancel(run.other, backend).catch(() => {})
      run.signal?.addEventListener('abort', cancel)
      try {
        return await runAll(connection, run)
      } finally {
        run.signal?.removeEventListener('abort', cancel)
        // A broken connection has released the lock.
        await run.dialect.unlockMigrations(connection).catch(() => {})
      }
    }),
  )
}

async function runAll(db: Kysely<unknown>, run: Run): Promise<string[]> {
  for (const ran: string[] = []; ; ) {
    const began = performance.now()
    const name = await untilUnlocked(run, () => db.transaction().execute((tx) => runNext(tx, run)))
    if (name === '') return ran
    ran.push(name)
    run.onNews?.({ kind: 'done', name, seconds: (performance.now() - began) / 1000 })
  }
}

/** Runs the first pending migration. Returns its name, or an empty string if there is none. */
async function runNext(tx: Kysely<unknown>, { dialect, onNews, signal }: Run): Promise<string> {
  await createTables(tx)
  const done = await listDone(tx, dialect)
  await throwIfLater(tx, dialect)
  const [name, load] = Object.entries(migrations).find(([one]) => !done.includes(one)) ?? []
  if (name === undefined || load === undefined) return ''
  onNews?.({ kind: 'begun', name })
  await runMigration(tx, await load(), (finished, of, part) => {
    signal?.throwIfAborted()
    onNews?.({ kind: 'step', name, done: finished, of, part })
  })
  const time = `${new Date().toISOString()}${CONTRACTING.has(name) ? '' : EXPANDS}`
  await sql`insert into kysely_migration (name, timestamp) values (${name}, ${time})`.execute(tx)
  signal?.throwIfAborted()
  return name
}

/** Retries while another process holds the lock, or the attempt returns null. */
export async function untilUnlocked<T>(
  { dialect, onNews, signal }: Pick<Run, 'dialect' | 'onNews' | 'signal'>,
  attempt: () => Promise<T | null>,
): Promise<T> {
  for (const began = performance.now(); ; ) {
    signal?.throwIfAborted()
    try {
      const result = await attempt()
      if (result !== null) return result
    } catch (error) {
      signal?.throwIfAborted()
      if (!dialect.isLocked(error)) throw error
    }
    onNews?.({ kind: 'waiting', seconds: (performance.now() - began) / 1000 })
    await setTimeout(PAUSE, undefined, signal && { signal })
  }
}

/** Tables of Kysely's migrator, which earlier versions used. The second was its lock. */
const TABLES = [
  `create table if not exists "kysely_migration" ("name" varchar(255) not null primary key, "timestamp" varchar(255) not null)`,
  `create table if not exists "kysely_migration_lock" ("id" varchar(255) not null primary key, "is_locked" integer default 0 not null)`,
  `insert into kysely_migration_lock (id, is_locked) select 'migration_lock', 0
    where not exists (select 1 from kysely_migration_lock)`,
]

async function createTables(db: Kysely<unknown>): Promise<void> {
  for (const statement of TABLES) await db.executeQuery(CompiledQuery.raw(statement))
}
