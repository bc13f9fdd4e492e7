import { type Kysely, sql } from 'kysely'
import type { Tables } from '../tables.ts'

/** See Dialect.lastChange. */
export async function lastChange(tx: Kysely<Tables>): Promise<{ xid: number; position: number }> {
  // Like pg_snapshot_xmin, but without the transactions of other databases on the server, which last as they please. One
  // that has ended since the snapshot is counted, as its database is not known. An id of 64 bits ends in one of 32.
  const { rows } = await sql<{ xid: number }>`select coalesce(min(running::text::bigint),
        pg_snapshot_xmax(pg_current_snapshot())::text::bigint) as xid
      from pg_snapshot_xip(pg_current_snapshot()) as running where not exists (select 1 from pg_stat_activity
        where backend_xid is not null and datname <> current_database()
        and backend_xid::text::bigint = running::text::bigint % 4294967296)`.execute(tx)
  return { xid: Number(rows[0]?.xid ?? 0), position: 0 }
}

/** See Dialect.hasForeignChanges. */
export async function hasForeignChanges(tx: Kysely<Tables>): Promise<boolean> {
  const { rows } = await sql<{
    found: boolean
  }>`select coalesce((select xid from changes order by xid desc limit 1) >=
      pg_snapshot_xmax(pg_current_snapshot())::text::bigint, false) as found`.execute(tx)
  return rows[0]?.found === true
}
