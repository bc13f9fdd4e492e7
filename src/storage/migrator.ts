import { setTimeout } from 'node:timers/promises'
import { CompiledQuery, type Kysely, sql } from 'kysely'
import type { Dialect } from './dialect.ts'
import { migrations, runMigration } from './migrations/index.ts'

/** Why the database cannot be brought up to date, in one sentence. */
export class MigrationError extends Error {
  readonly code = 'MIGRATION'
}

/** What is told while the database is brought up to date. Times are in seconds. */
export type MigrationNews =
  | { readonly kind: 'waiting'; readonly seconds: number }
  | { readonly kind: 'begun'; readonly name: string }
  /** Told before each statement: steps that are done, of all, and how much of the current one. */
  | { readonly kind: 'step'; readonly name: string; readonly done: number; readonly of: number; readonly part: number }
  | { readonly kind: 'done'; readonly name: string; readonly seconds: number }

export interface MigrateOptions {
  /** What it throws ends the migration that runs, of which nothing is kept. */
  readonly onNews?: (news: MigrationNews) => void
  /** Ends the migration that runs, of which nothing is kept; `migrate` rejects with the reason. */
  readonly signal?: AbortSignal
}

/** The names of all migrations, in order. */
export const ALL = Object.keys(migrations)

/** How long is waited before another attempt, in milliseconds. */
const PAUSE = 200

/** The names of the migrations that were run, in order. */
export async function listDone(db: Kysely<unknown>, dialect: Dialect): Promise<string[]> {
  // Asked first: another process may make the table at any time, and nobody removes it.
  if (!(await dialect.hasTable(db, 'kysely_migration'))) return []
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db)
  return rows.map(({ name }) => name)
}

/** Refuses a database that a later version has changed: this one does not know what is in it. */
export function refuseLater(done: readonly string[]): void {
  const unknown = done.filter((name) => !ALL.includes(name))
  if (unknown.length === 0) return
  throw new MigrationError(
    `the database was made by a later version (it has ${unknown.join(', ')}): start that version, or restore a copy from before its upgrade`,
  )
}

/** What a migration is run with. */
interface Run extends MigrateOptions {
  readonly dialect: Dialect
  /** Another connection, to end what this one is doing. */
  readonly other: Kysely<unknown>
}

/**
 * Runs what has not been run, on a connection of its own. Each migration is one transaction, with the row that says that
 * it was run. One process runs them; others wait. Answers the names of those that this one ran.
 */
export function migrate(db: Kysely<unknown>, run: Run): Promise<string[]> {
  // Opening a new file fails too while another process makes it.
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
        // A connection that broke has unlocked by that.
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

/** Runs the first migration that has not been run: answers its name, which is empty if there is none. */
async function runNext(tx: Kysely<unknown>, { dialect, onNews, signal }: Run): Promise<string> {
  await makeTables(tx)
  const done = await listDone(tx, dialect)
  refuseLater(done)
  const [name, migration] = Object.entries(migrations).find(([one]) => !done.includes(one)) ?? []
  if (name === undefined || migration === undefined) return ''
  onNews?.({ kind: 'begun', name })
  await runMigration(tx, migration, (finished, of, part) => {
    signal?.throwIfAborted()
    onNews?.({ kind: 'step', name, done: finished, of, part })
  })
  await sql`insert into kysely_migration (name, timestamp) values (${name}, ${new Date().toISOString()})`.execute(tx)
  signal?.throwIfAborted()
  return name
}

/** Attempts something again while another process holds what it needs, or it answers null. */
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

/** The tables that earlier versions had from Kysely's migrator, which took the second for its lock. */
const TABLES = [
  `create table if not exists "kysely_migration" ("name" varchar(255) not null primary key, "timestamp" varchar(255) not null)`,
  `create table if not exists "kysely_migration_lock" ("id" varchar(255) not null primary key, "is_locked" integer default 0 not null)`,
  `insert into kysely_migration_lock (id, is_locked) select 'migration_lock', 0
    where not exists (select 1 from kysely_migration_lock)`,
]

async function makeTables(db: Kysely<unknown>): Promise<void> {
  for (const statement of TABLES) await db.executeQuery(CompiledQuery.raw(statement))
}
