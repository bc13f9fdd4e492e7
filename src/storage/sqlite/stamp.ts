import { type Kysely, sql } from 'kysely'

/**
 * Every commit on SQLite writes a new stamp into the header of the database (`PRAGMA user_version`, 32 bits), so that the
 * database file and its log can be told to belong together: see foreign-log.ts. The lower half of a stamp is random, the
 * upper half is the lower half of the stamp before it.
 */

const HALF = 16
const MASK = 0xffff

/** A stamp that follows another. */
export function nextStamp(stamp: number): number {
  return ((stamp & MASK) << HALF) | Math.floor(Math.random() * (MASK + 1))
}

/** Whether a stamp is of the commit right after another. */
export function follows(stamp: number, before: number): boolean {
  return stamp >>> HALF === (before & MASK)
}

/**
 * Stamps the database file itself, when it has no log: a log that begins now belongs to this file, and to no copy that was
 * made before. The log begins with two commits, so that the file of no copy that is made from now on looks like this file
 * or like the first commit of its log. The service works without all that, also on a full disk.
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
    // Another process has it, or nothing can be written.
  }
}

async function stamp<T>(db: Kysely<T>): Promise<void> {
  const { rows } = await sql<{ user_version: number }>`pragma user_version`.execute(db)
  await sql`pragma user_version = ${sql.lit(nextStamp(rows[0]?.user_version ?? 0))}`.execute(db)
}
