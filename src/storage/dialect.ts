import { type Expression, type Kysely, type RawBuilder, type SqlBool, sql, type Transaction } from 'kysely'
import { type Box, EARTH_RADIUS, type Point } from '../lib/geo.ts'
import type { Fault } from './faults.ts'
import { prepared } from './prepared.ts'
import * as wordIndex from './sqlite/word-index.ts'
import type { Tables } from './tables.ts'

/** How many rows the version of the data is spread over, so that writers seldom wait for each other's commit. */
export const SHARES = 32

/** What storage functions are given: always a transaction, so that all they read is of one moment. */
export type Tx = Transaction<Tables>

/** The ids that records draw from one sequence, and terms from another. */
export type Sequence = 'records' | 'terms'

/** Every difference between the databases. Nothing else asks which one it is. */
export interface Dialect {
  /** The time by the clock of the database, in seconds and fractions. */
  readonly now: RawBuilder<number>
  /** Draws the next id of a sequence; ids are never used twice. */
  nextId(tx: Tx, sequence: Sequence): Promise<number>
  /** Draws several ids at once. */
  nextIds(tx: Tx, sequence: Sequence, count: number): Promise<number[]>
  /** The id that was drawn last, 0 before the first. */
  lastId(tx: Tx, sequence: Sequence): Promise<number>
  /** Makes a sequence go on behind an id. */
  setLastId(tx: Tx, sequence: Sequence, id: number): Promise<void>
  /** Makes the ids that the database gives go on behind those that a table has. */
  passIdentity(tx: Tx, table: string): Promise<void>
  /** The events that contain a text, which an index tells; null if they are more than `most`, or it cannot tell. */
  containing(tx: Tx, part: string, most: number): Promise<number[] | null>
  /** The ids of the venues that the index has in a part of the map. */
  placesIn(box: Box): Expression<number>
  /** The way from a point to that of two columns, in kilometres, as lib/geo.ts measures it. */
  distance(lat: Expression<number | null>, lng: Expression<number | null>, from: Point): RawBuilder<number>
  /** A column, by which no index is to be chosen: another condition leaves less. */
  plain<T>(column: Expression<T>): Expression<T>
  /** That a column is one of many ids, which are one value, a list in JSON: a thousand by themselves take longer to write than to find. */
  among(column: Expression<number>, ids: Expression<string>): Expression<SqlBool>
  /** The ids of many rows as one value, a list in JSON, for the same reason. */
  gathered(column: Expression<number>): RawBuilder<string>
  /** Whether a text contains another, to the letter. */
  contains(text: Expression<string>, part: string): Expression<SqlBool>
  /** Keeps others who name the same thing waiting until this transaction ends; answers whether anything may have changed meanwhile. */
  lock(tx: Tx, name: string): Promise<boolean>
  /** Whether rows can be locked; else a transaction that writes is the only one. */
  readonly locksRows: boolean
  /** Writes something that changes nothing, to find out whether anything can be written. */
  probe(tx: Tx): Promise<void>
  hasTable(db: Kysely<unknown>, name: string): Promise<boolean>
  /** Lets no other process migrate until this one unlocks, or its connection ends; answers whether it may itself. */
  lockMigrations(db: Kysely<unknown>): Promise<boolean>
  unlockMigrations(db: Kysely<unknown>): Promise<void>
  /** The number of the server's process that a connection has, if it has one. */
  backendOf(db: Kysely<unknown>): Promise<number | null>
  /** Ends the statement that such a process runs. */
  cancel(db: Kysely<unknown>, backend: number): Promise<void>
  /** Whether an error says that others hold what is needed: the database, or a table. */
  isLocked(error: unknown): boolean
  /** Whether a transaction that failed with this error changed nothing and may succeed when it is tried again. */
  isPassing(error: unknown): boolean
  /** Whether an error says that the database cannot be reached for now. */
  isUnreachable(error: unknown): boolean
  /** What an error says to be wrong with the place where data is kept; its transaction has ended, and changed nothing. */
  faultOf(error: unknown): Fault | null
}

function codeOf(error: unknown, name: 'code' | 'errcode'): unknown {
  return error instanceof Error && name in error ? (error as unknown as Record<string, unknown>)[name] : undefined
}

/** The haversine formula; `least` is the function of the smaller of two numbers. */
function haversine(least: RawBuilder<unknown>): Dialect['distance'] {
  // Given a type, so that no database takes a whole number for an integer.
  const real = (value: number) => sql`cast(${value} as double precision)`
  return (lat, lng, from) => {
    const north = sql`power(sin(radians(${lat} - ${real(from.lat)}) / 2), 2)`
    const across = sql`power(sin(radians(${lng} - ${real(from.lng)}) / 2), 2)`
    const east = sql`cos(radians(${lat})) * cos(radians(${real(from.lat)})) * ${across}`
    return sql<number>`(${real(2 * EARTH_RADIUS)} * asin(${least}(1.0, sqrt(${north} + ${east}))))`
  }
}

const nextLast = prepared<{ last: number }, [Sequence]>((db, sequence) =>
  db
    .updateTable('sequences')
    .set((eb) => ({ last: eb('last', '+', 1) }))
    .where('name', '=', sequence)
    .returning('last'),
)

export const sqlite: Dialect = {
  now: sql<number>`unixepoch('subsec')`,
  async nextId(tx, sequence) {
    const [row] = await nextLast(tx, sequence)
    return row?.last ?? 0
  },
  async nextIds(tx, sequence, count) {
    const { last } = await tx
      .updateTable('sequences')
      .set((eb) => ({ last: eb('last', '+', count) }))
      .where('name', '=', sequence)
      .returning('last')
      .executeTakeFirstOrThrow()
    return Array.from({ length: count }, (_, place) => last - count + 1 + place)
  },
  async lastId(tx, sequence) {
    const { last } = await tx
      .selectFrom('sequences')
      .select('last')
      .where('name', '=', sequence)
      .executeTakeFirstOrThrow()
    return last
  },
  async setLastId(tx, sequence, id) {
    await tx.updateTable('sequences').set({ last: id }).where('name', '=', sequence).execute()
  },
  /** It notices by itself. */
  async passIdentity() {},
  async containing(tx, part, most) {
    const found = await wordIndex.containing(tx, part)
    return found === null ? null : unlessMore(most, found)
  },
  placesIn: ({ south, north, west, east }) =>
    sql<number>`(select id from venue_places where north >= ${south} and south <= ${north} and east >= ${west} and west <= ${east})`,
  distance: haversine(sql`min`),
  /** Without statistics it takes a long stretch of an index over a short list of ids. */
  plain: (column) => sql`+${column}`,
  among: (column, ids) => sql<SqlBool>`${column} in (select value from json_each(${ids}))`,
  gathered: (column) => sql<string>`json_group_array(${column})`,
  contains: (text, part) => sql<SqlBool>`instr(${text}, ${part}) > 0`,
  /** It has one writer at a time. */
  lock: async () => false,
  locksRows: false,
  async probe(tx) {
    await sql`insert into unused_files (file, since_utc, removing) values ('', 0, 1)`.execute(tx)
    await sql`delete from unused_files where file = ''`.execute(tx)
  },
  async hasTable(db, name) {
    const { rows } = await sql`select 1 from sqlite_master where type = 'table' and name = ${name}`.execute(db)
    return rows.length > 0
  },
  /** A transaction that writes locks the database. */
  lockMigrations: async () => true,
  async unlockMigrations() {},
  backendOf: async () => null,
  async cancel() {},
  isLocked: (error) => sqlite.isPassing(error),
  // SQLITE_BUSY and SQLITE_LOCKED, with their extended codes: another process holds the database.
  isPassing: (error) => [5, 6].includes(Number(codeOf(error, 'errcode') ?? 0) & 0xff),
  isUnreachable: () => false,
  faultOf(error) {
    if (codeOf(error, 'code') === 'DATABASE_MOVED') return 'moved'
    const code = Number(codeOf(error, 'errcode') ?? 0)
    return UNREADABLE.includes(code) ? 'damaged' : (FAULTS[code & 0xff] ?? null)
  },
}

/** By SQLite's result codes: https://www.sqlite.org/rescode.html. A quota that is used up is an error of writing. */
const FAULTS: Partial<Record<number, Fault>> = {
  8: 'unwritable',
  10: 'unwritable',
  11: 'damaged',
  13: 'full',
  14: 'unwritable',
  26: 'damaged',
}
/** SQLITE_IOERR_READ, SQLITE_IOERR_SHORT_READ and SQLITE_IOERR_CORRUPTFS. */
const UNREADABLE = [266, 522, 8458]

/** What PostgreSQL and the network say while the server is away, starting, stopping, no longer the primary or too slow (57014). */
const AWAY =
  /^(08...|57P0[1-5]|57014|53300|25006|55000|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EPIPE|ENOTFOUND|EHOSTUNREACH|EAI_AGAIN)$/
const AWAY_WORDS =
  /Connection terminated|connection timeout|timeout exceeded|not queryable|Client was closed|Query read timeout/i

/** The lock of those who migrate; earlier versions took the same. */
const MIGRATIONS = 3853314791062309107n

export const postgres: Dialect = {
  now: sql<number>`cast(extract(epoch from clock_timestamp()) as double precision)`,
  async nextId(tx, sequence) {
    const { rows } = await sql<{ id: number }>`select nextval(${`kalends_${sequence}`}) as id`.execute(tx)
    return rows[0]?.id ?? 0
  },
  async nextIds(tx, sequence, count) {
    const { rows } = await sql<{
      id: number
    }>`select nextval(${`kalends_${sequence}`}) as id from generate_series(1, ${count})`.execute(tx)
    return rows.map(({ id }) => id)
  },
  async lastId(tx, sequence) {
    const name = sql.ref(`kalends_${sequence}`)
    const { rows } = await sql<{
      last: number
    }>`select case when is_called then last_value else 0 end as last from ${name}`.execute(tx)
    return rows[0]?.last ?? 0
  },
  async setLastId(tx, sequence, id) {
    await sql`select setval(${`kalends_${sequence}`}, ${Math.max(id, 1)}, ${id > 0})`.execute(tx)
  },
  async passIdentity(tx, table) {
    const last = sql`(select max(id) from ${sql.table(table)})`
    await sql`select setval(pg_get_serial_sequence(${table}, 'id'), coalesce(${last}, 1), ${last} is not null)`.execute(
      tx,
    )
  },
  async containing(tx, part, most) {
    if ([...part].length < 3) return null
    const found = sql`(select id from events where ${postgres.contains(sql.ref('search'), part)} limit ${most + 1})`
    return unlessMore(most, await gather(tx, found))
  },
  placesIn: ({ south, north, west, east }) =>
    sql<number>`(select id from venues where geo_lat is not null
      and point(geo_lng, geo_lat) <@ box(point(${west}, ${south}), point(${east}, ${north})))`,
  distance: haversine(sql`least`),
  /** It has statistics. */
  plain: (column) => column,
  among: (column, ids) =>
    sql<SqlBool>`${column} = any(array(select json_array_elements_text(cast(${ids} as json))::bigint))`,
  gathered: (column) => sql<string>`coalesce(json_agg(${column}), '[]')::text`,
  contains: (text, part) => sql<SqlBool>`${text} like ${`%${part.replace(/[\\%_]/g, '\\$&')}%`}`,
  async lock(tx, name) {
    await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(tx)
    return true
  },
  locksRows: true,
  async probe(tx) {
    // A megabyte of new pages: a small change may find room in old ones.
    await sql`create temp table probe on commit drop as
      select repeat(md5(n::text), 32) as filler from generate_series(1, 1024) as n`.execute(tx)
    await sql`update data_version set version = version + 1 where share = 0`.execute(tx)
  },
  async hasTable(db, name) {
    const { rows } = await sql<{ found: string | null }>`select to_regclass(${name})::text as found`.execute(db)
    return rows[0]?.found != null
  },
  async lockMigrations(db) {
    const { rows } = await sql<{
      locked: boolean
    }>`select pg_try_advisory_lock(${sql.lit(MIGRATIONS)}) as locked`.execute(db)
    return rows[0]?.locked === true
  },
  async unlockMigrations(db) {
    await sql`select pg_advisory_unlock(${sql.lit(MIGRATIONS)})`.execute(db)
  },
  async backendOf(db) {
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db)
    return rows[0]?.pid ?? null
  },
  async cancel(db, backend) {
    await sql`select pg_cancel_backend(${backend})`.execute(db)
  },
  // A lock that was waited for too long, and a deadlock.
  isLocked: (error) => ['55P03', '40P01'].includes(String(codeOf(error, 'code'))),
  // Serialisation, deadlock, a unique value that two transactions made at once, a row that another one removed.
  isPassing: (error) => ['40001', '40P01', '23505', '23503'].includes(String(codeOf(error, 'code'))),
  isUnreachable: (error) =>
    AWAY.test(String(codeOf(error, 'code'))) || (error instanceof Error && AWAY_WORDS.test(error.message)),
  faultOf: (error) => SERVER_FAULTS[String(codeOf(error, 'code'))] ?? null,
}

/** By the codes of PostgreSQL: disk_full, io_error, data_corrupted and index_corrupted. */
const SERVER_FAULTS: Partial<Record<string, Fault>> = {
  '53100': 'full',
  '58030': 'unwritable',
  XX001: 'damaged',
  XX002: 'damaged',
}

/** The ids that a query finds, in its order. */
export async function gather(tx: Tx, query: Expression<unknown>): Promise<number[]> {
  const gathered = dialectOf(tx).gathered(sql.ref('found.id'))
  const { rows } = await sql<{ ids: string }>`select ${gathered} as ids from ${query} as found`.execute(tx)
  return JSON.parse(rows[0]?.ids ?? '[]')
}

function unlessMore(most: number, found: number[]): number[] | null {
  return found.length > most ? null : found
}

/** The dialect of the database that this transaction, or connection, is on. */
export function dialectOf(db: Kysely<Tables>): Dialect {
  const { adapter } = db.getExecutor()
  return 'dialect' in adapter ? (adapter.dialect as Dialect) : sqlite
}
