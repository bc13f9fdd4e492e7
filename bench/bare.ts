import { join } from 'node:path'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import pg from 'pg'
import { SETTINGS } from '../src/storage/sqlite/connection.ts'
import type { Round } from './load.ts'

type Row = Record<string, SQLInputValue>

/** All rows of one event, by table; the event's own comes first. */
type Template = readonly (readonly [table: string, rows: readonly Row[]])[]

/** The database without a service: writes the rows that creates have written, one durable transaction for each event. */
export interface Bare {
  write(seconds: number): Promise<Round>
  close(): Promise<void>
}

/** How many connections write to PostgreSQL: as many as the service has. */
const POOL = 10

/** Learns the rows of some events that the service has created. */
export function openBare(where: string, ids: readonly number[]): Promise<Bare> {
  return where.startsWith('postgres') ? openPostgres(where, ids) : Promise.resolve(openSqlite(where, ids))
}

/** The row of another event: its own id, and a slug that is free. */
function moved(row: Row, table: string, id: number): SQLInputValue[] {
  const changed = table === 'events' ? { ...row, id, slug: `bare-${id}` } : { ...row, event: id }
  return Object.values(changed)
}

/** The terms of an event, in the order in which all who count take them. */
function termsOf(template: Template): SQLInputValue[] {
  const rows = template.find(([table]) => table === 'event_terms')?.[1] ?? []
  return rows.map((row) => row.term ?? null).sort((a, b) => Number(a) - Number(b))
}

function roundOf(times: number[], seconds: number): Round {
  times.sort((a, b) => a - b)
  const at = (part: number) => times[Math.floor(times.length * part)] ?? 0
  return { rate: times.length / seconds, p50: at(0.5), p99: at(0.99), failed: 0 }
}

/** Another instance writes while this one reads what it must repeat, so ids come from the sequence that the service uses. */
const COUNT = 'update terms set count = count + 1 where id = '

function openSqlite(folder: string, ids: readonly number[]): Bare {
  const database = new DatabaseSync(join(folder, 'kalends.sqlite'), { timeout: 5000 })
  database.exec(SETTINGS)
  const tables = database
    .prepare(
      `select m.name from sqlite_master m, pragma_table_info(m.name) c
       where m.type = 'table' and c.name = 'event' and m.sql not like 'create virtual%'`,
    )
    .all()
    .map(({ name }) => String(name))
  const all = (table: string, key: string, id: number) =>
    database.prepare(`select * from ${table} where ${key} = ?`).all(id) as Row[]
  const templates = ids.map(
    (id): Template => [
      ['events', all('events', 'id', id)],
      ...tables.map((table) => [table, all(table, 'event', id)] as const).filter(([, rows]) => rows.length > 0),
    ],
  )
  const inserts = new Map(
    templates.flat().map(([table, [row = {}]]) => {
      const places = Object.keys(row).map(() => '?')
      return [table, database.prepare(`insert into ${table} (${Object.keys(row).join()}) values (${places.join()})`)]
    }),
  )
  const nextId = database.prepare("update sequences set last = last + 1 where name = 'records' returning last")
  const count = database.prepare(`${COUNT}?`)
  const [begin, commit] = [database.prepare('begin immediate'), database.prepare('commit')]
  return {
    async write(seconds) {
      const began = performance.now()
      const times: number[] = []
      for (let now = began; now - began < seconds * 1000; ) {
        const template = templates[times.length % templates.length] ?? []
        begin.run()
        const id = Number(nextId.get()?.last)
        for (const [table, rows] of template) for (const row of rows) inserts.get(table)?.run(...moved(row, table, id))
        for (const term of termsOf(template)) count.run(term)
        commit.run()
        const ended = performance.now()
        times.push(ended - now)
        now = ended
      }
      return roundOf(times, (performance.now() - began) / 1000)
    },
    async close() {
      database.close()
    },
  }
}

async function openPostgres(url: string, ids: readonly number[]): Promise<Bare> {
  const pool = new pg.Pool({ connectionString: url, max: POOL })
  const { rows: named } = await pool.query<{ name: string }>(
    `select table_name as name from information_schema.columns where table_schema = current_schema() and column_name = 'event'`,
  )
  const all = async (table: string, key: string, id: number): Promise<Row[]> =>
    (await pool.query(`select * from ${table} where ${key} = $1`, [id])).rows
  const templates: Template[] = []
  for (const id of ids) {
    const parts: [string, Row[]][] = [['events', await all('events', 'id', id)]]
    for (const { name } of named) parts.push([name, await all(name, 'event', id)])
    templates.push(parts.filter(([, rows]) => rows.length > 0))
  }
  const insert = (table: string, row: Row) => {
    const places = Object.keys(row).map((_, n) => `$${n + 1}`)
    return `insert into ${table} (${Object.keys(row).map((name) => `"${name}"`)}) values (${places})`
  }
  const writeOne = async (client: pg.PoolClient, template: Template): Promise<void> => {
    await client.query('begin')
    const { rows } = await client.query({ name: 'id', text: "select nextval('kalends_records') as id" })
    const id = Number(rows[0]?.id)
    for (const [table, own] of template) {
      for (const row of own)
        await client.query({ name: table, text: insert(table, row), values: moved(row, table, id) })
    }
    for (const term of termsOf(template)) await client.query({ name: 'count', text: `${COUNT}$1`, values: [term] })
    await client.query('commit')
  }
  return {
    async write(seconds) {
      const began = performance.now()
      const times: number[] = []
      const writer = async (_: unknown, number: number) => {
        const client = await pool.connect()
        for (let now = began, n = number; now - began < seconds * 1000; n++) {
          await writeOne(client, templates[n % templates.length] ?? [])
          const ended = performance.now()
          times.push(ended - now)
          now = ended
        }
        client.release()
      }
      await Promise.all(Array.from({ length: POOL }, writer))
      return roundOf(times, (performance.now() - began) / 1000)
    },
    close: () => pool.end(),
  }
}
