import { type Kysely, sql } from 'kysely'
import { nextStamp } from './stamp.ts'

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
