import { type Kysely, sql } from 'kysely'

/**
 * Every commit writes a new stamp into the database header (`PRAGMA user_version`, 32 bits), which shows whether a
 * database file and a WAL belong together: see foreign-log.ts. The lower half of a stamp is random, the upper half is
 * the lower half of the previous stamp.
 */

const HALF = 16
const MASK = 0xffff

/** Returns a stamp that follows another. */
export function nextStamp(stamp: number): number {
  return ((stamp & MASK) << HALF) | Math.floor(Math.random() * (MASK + 1))
}

/** Whether a stamp belongs to the commit directly after another. */
export function follows(stamp: number, before: number): boolean {
  return stamp >>> HALF === (before & MASK)
}

/**
 * Stamps the database file itself while it has no WAL, so that a new WAL matches this file and no earlier copy of it.
 * The WAL begins with two commits, so that later copies match neither this file nor the first commit of its WAL. All
 * this is optional: the service also works without it, even on a full disk.
 */
export async function stampFile<T>(db: Kysely<T>): Promise<void> {
  try {
    await db.connection().execute(async (connection) => {
      await stamp(connection)
      await sql`pragma wal_checkpoint(truncate)`.execute(connection)
      await stamp(connection)
      await stamp(connection)
    })
  } catch {
    // The database is locked or not writable.
  }
}

async function stamp<T>(db: Kysely<T>): Promise<void> {
  const { rows } = await sql<{ user_version: number }>`pragma user_version`.execute(db)
  await sql`pragma user_version = ${sql.lit(nextStamp(rows[0]?.user_version ?? 0))}`.execute(db)
}
