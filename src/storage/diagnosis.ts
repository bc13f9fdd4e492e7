import { sql } from 'kysely'
import type { Database } from './database.ts'

/** Settings of a PostgreSQL server that matter to a calendar. */
export interface ServerSettings {
  /** Such as 150004. */
  readonly version: number
  readonly encoding: string
  readonly fsync: string
  readonly max_connections: number
  /** Seconds since 1970, by the clock of the server. */
  readonly now: number
  readonly has_trigrams: boolean
}

export async function serverSettings(db: Database): Promise<ServerSettings> {
  const { rows } = await db.read((tx) =>
    sql<ServerSettings>`select current_setting('server_version_num')::int as version,
      current_setting('server_encoding') as encoding, current_setting('fsync') as fsync,
      current_setting('max_connections')::int as max_connections,
      extract(epoch from clock_timestamp())::double precision as now,
      exists (select 1 from pg_available_extensions where name = 'pg_trgm') as has_trigrams`.execute(tx),
  )
  const [settings] = rows
  if (settings === undefined) throw new Error('the server does not tell its settings')
  return settings
}

/** How an SQLite file is written. */
export async function journalMode(db: Database): Promise<string> {
  const { rows } = await db.read((tx) => sql<{ journal_mode: string }>`pragma journal_mode`.execute(tx))
  return rows[0]?.journal_mode ?? ''
}
