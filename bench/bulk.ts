import { join } from 'node:path'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import pg from 'pg'

type Row = Readonly<Record<string, string | number | null>>

/** A database that is filled as fast as it goes: if the machine fails meanwhile, one begins anew. */
export interface Bulk {
  insert(table: string, rows: readonly object[]): Promise<void>
  /** Does the work without the indexes that can be made again afterwards, which is cheaper than keeping them in order. */
  withoutIndexes(work: () => Promise<void>): Promise<void>
  close(): Promise<void>
}

/** Opens PostgreSQL at an address, or the embedded database in a folder, whose tables exist. */
export function openBulk(where: string): Promise<Bulk> {
  return where.startsWith('postgres') ? openPostgres(where) : Promise.resolve(openSqlite(where))
}

function openSqlite(folder: string): Bulk {
  const database = new DatabaseSync(join(folder, 'kalends.sqlite'))
  database.exec('PRAGMA synchronous = OFF; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -400000')
  return {
    async insert(table, rows) {
      const columns = Object.keys(rows[0] ?? {})
      const places = columns.map(() => '?').join()
      const statement = database.prepare(`insert into ${table} (${columns.join()}) values (${places})`)
      database.exec('begin')
      for (const row of rows) statement.run(...(Object.values(row) as SQLInputValue[]))
      database.exec('commit')
    },
    async withoutIndexes(work) {
      const indexes = database
        .prepare(
          "select name, sql from sqlite_master where type = 'index' and tbl_name like 'event%' and sql is not null",
        )
        .all()
      for (const { name } of indexes) database.exec(`drop index ${name}`)
      await work()
      for (const { sql } of indexes) database.exec(String(sql))
    },
    async close() {
      database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
      database.close()
    },
  }
}

async function openPostgres(url: string): Promise<Bulk> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query('set synchronous_commit = off; set maintenance_work_mem = 262144')
  return {
    async insert(table, rows) {
      const columns = Object.keys(rows[0] ?? {}).join()
      await client.query(
        `insert into ${table} (${columns}) select ${columns} from json_populate_recordset(null::${table}, $1)`,
        [JSON.stringify(rows as readonly Row[])],
      )
    },
    async withoutIndexes(work) {
      const { rows } = await client.query<{ name: string; sql: string }>(
        `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as sql from pg_index
         where indrelid::regclass::text like 'event%' and indexrelid not in (select conindid from pg_constraint)`,
      )
      for (const { name } of rows) await client.query(`drop index ${name}`)
      await work()
      for (const { sql } of rows) await client.query(sql)
      // As a server that has run for a while would have done by itself.
      await client.query('vacuum analyze')
    },
    close: () => client.end(),
  }
}
