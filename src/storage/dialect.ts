import { type Expression, type Kysely, type RawBuilder, type SqlBool, sql, type Transaction } from 'kysely'
import { type Box, EARTH_RADIUS, type Point } from '../lib/geo.ts'
import type { DerivedIndex } from './derived-index.ts'
import type { Fault } from './faults.ts'
import type { FewWords } from './few-words.ts'
import type { PartedIndex } from './parted-index.ts'
import * as changeOrder from './postgres/change-order.ts'
import { NAME_FAILED } from './postgres/statement-names.ts'
import { textIndex as postgresTexts } from './postgres/text-index.ts'
import { prepared, settled } from './prepared.ts'
import { fullTextIndexes } from './sqlite/full-text.ts'
import { placeIndex } from './sqlite/place-index.ts'
import * as reservedIds from './sqlite/reserved-ids.ts'
import { forget as forgetTexts, textIndex as sqliteTexts } from './sqlite/text-index.ts'
import * as wordIndex from './sqlite/word-index.ts'
import type { Tables } from './tables.ts'
import type { TextIndex } from './text-index.ts'

/** Number of rows that the data version is spread over, so that writers seldom wait for each other's row lock. */
export const VERSION_ROWS = 32

/** Every storage function takes a transaction, so that all its reads are consistent. */
export type Tx = Transaction<Tables>

/** Sequences: ids of records, ids of terms, and positions of changes. */
export type Sequence = 'records' | 'terms' | 'changes'

/** All differences between the databases. No other code checks which database it is. */
export interface Dialect {
  /** The time by the clock of the database, in seconds and fractions. */
  readonly now: RawBuilder<number>
  /** Draws the next id of a sequence; ids are never used twice. */
  nextId(tx: Tx, sequence: Exclude<Sequence, 'changes'>): Promise<number>
  nextIds(tx: Tx, sequence: Sequence, count: number): Promise<number[]>
  /** Last used id; 0 before the first. */
  lastId(tx: Tx, sequence: Sequence): Promise<number>
  /** Continues a sequence after an id. */
  setLastId(tx: Tx, sequence: Sequence, id: number): Promise<void>
  /** Continues an identity column after the highest id of its table. */
  syncIdentity(tx: Tx, table: string): Promise<void>
  /**
   * Ids of the events that contain a text, found by an index; null if there are more than `most`, or the index cannot
   * answer.
   */
  eventsContaining(tx: Tx, part: string, most: number): Promise<number[] | null>
  /** Looks up events by the words that contain a text; null if that takes a transaction. */
  readonly fewWords: FewWords | null
  /** Index for searches by words. */
  readonly texts: TextIndex
  /** Ends what a transaction has put off: at both ends of a savepoint. */
  settle(tx: Tx): Promise<void>
  /** Called before the commit: ends what a transaction has put off, unless the commit does. */
  complete(tx: Tx): Promise<void>
  /** Forgets that: a part of the transaction was rolled back. */
  forget(tx: Tx): void
  /** Ids of the venues in a bounding box, found by an index. */
  venuesIn(box: Box): Expression<number>
  /** Distance from a point to the coordinates in two columns, in kilometres, as in lib/geo.ts. */
  distance(lat: Expression<number | null>, lng: Expression<number | null>, from: Point): RawBuilder<number>
  /** The column in a form that hides it from index selection, if another condition is more selective. */
  unindexed<T>(column: Expression<T>): Expression<T>
  /**
   * Condition: a column is one of many ids, passed as one JSON list. A thousand parameters take longer to bind than to
   * find.
   */
  isInJson(column: Expression<number>, ids: Expression<string>): Expression<SqlBool>
  /** The same for a list that may be as long as the table. */
  isInLongJson(column: Expression<number>, ids: Expression<string>): Expression<SqlBool>
  /** A table of the given columns from a JSON list of objects. */
  jsonRows(
    json: Expression<string>,
    columns: readonly (readonly [name: string, type: 'whole' | 'text'])[],
  ): RawBuilder<unknown>
  /** Aggregates ids, or those that meet a condition, as one JSON list, for the same reason. */
  jsonList(column: Expression<number>, where?: Expression<SqlBool>): RawBuilder<string>
  /** Names of the members of a JSON object, as a JSON list. */
  jsonKeys(json: Expression<unknown>): RawBuilder<string>
  /** Name of the first of some columns of text that is no text, which only damaged rows have; else null. */
  notText(columns: Readonly<Record<string, Expression<unknown>>>): RawBuilder<string | null>
  /** Case-sensitive substring match. */
  contains(text: Expression<string>, part: string): Expression<SqlBool>
  /** Takes an advisory lock until the transaction ends. Returns whether data may have changed while it waited. */
  lock(tx: Tx, name: string): Promise<boolean>
  /** Takes such a lock, too, but it may be the next statement that waits for it. */
  lockNext(tx: Tx, name: string): Promise<void>
  /** Indexes that triggers maintain beside the tables, each with a check and a repair. */
  readonly derived: readonly DerivedIndex[]
  /** Indexes whose parts are merged in the background. */
  readonly parted: readonly PartedIndex[]
  /** Changes rows of a table without its triggers, such as those that count changes. Needs its owner. */
  withoutTriggers(tx: Tx, table: string, work: () => Promise<void>): Promise<void>
  /** Whether a read of few rows holds up the event loop: the database is in this process. */
  readonly blocks: boolean
  /** Whether rows can be locked. Otherwise, there is only one write transaction at a time. */
  readonly locksRows: boolean
  /**
   * Place of the last change that may be told. Later transactions write behind it, as well as those that still run. The
   * transaction must be one of the primary.
   */
  lastChange(tx: Tx): Promise<{ xid: number; position: number }>
  /** Whether a change bears the id of a transaction that this server has not had yet. */
  hasForeignChanges(tx: Tx): Promise<boolean>
  /** Writes without effect, to test whether writing works. */
  probe(tx: Tx): Promise<void>
  hasTable(db: Kysely<unknown>, name: string): Promise<boolean>
  /** Tries to take the migration lock, until it is unlocked or the connection closes. Returns whether it was taken. */
  lockMigrations(db: Kysely<unknown>): Promise<boolean>
  unlockMigrations(db: Kysely<unknown>): Promise<void>
  /** Process id of the server backend of a connection, if any. */
  backendOf(db: Kysely<unknown>): Promise<number | null>
  /** Cancels the statement that a backend runs. */
  cancel(db: Kysely<unknown>, backend: number): Promise<void>
  /** Whether an error means that another process holds the database or a table. */
  isLocked(error: unknown): boolean
  /** Whether an error is transient: the transaction changed nothing, and a retry may succeed. */
  isTransient(error: unknown): boolean
  /** Whether an error means that the database cannot be reached. */
  isUnreachable(error: unknown): boolean
  /** The storage fault that an error reports, if any. Its transaction was rolled back. */
  faultOf(error: unknown): Fault | null
}

function codeOf(error: unknown, name: 'code' | 'errcode'): unknown {
  return error instanceof Error && name in error ? (error as unknown as Record<string, unknown>)[name] : undefined
}

/** Haversine formula. `least` is the SQL function for the smaller of two numbers. */
function haversine(least: RawBuilder<unknown>): Dialect['distance'] {
  // Cast, so that whole numbers are not bound as integers.
  const real = (value: number) => sql`cast(${value} as double precision)`
  return (lat, lng, from) => {
    const north = sql`power(sin(radians(${lat} - ${real(from.lat)}) / 2), 2)`
    const across = sql`power(sin(radians(${lng} - ${real(from.lng)}) / 2), 2)`
    const east = sql`cos(radians(${lat})) * cos(radians(${real(from.lat)})) * ${across}`
    return sql<number>`(${real(2 * EARTH_RADIUS)} * asin(${least}(1.0, sqrt(${north} + ${east}))))`
  }
}

export const sqlite: Dialect = {
  now: sql<number>`unixepoch('subsec')`,
  nextId: reservedIds.nextId,
  async nextIds(tx, sequence, count) {
    await reservedIds.returnIds(tx)
    const { last } = await tx
      .updateTable('sequences')
      .set((eb) => ({ last: eb('last', '+', count) }))
      .where('name', '=', sequence)
      .returning('last')
      .executeTakeFirstOrThrow()
    return Array.from({ length: count }, (_, offset) => last - count + 1 + offset)
  },
  async lastId(tx, sequence) {
    await reservedIds.returnIds(tx)
    const { last } = await tx
      .selectFrom('sequences')
      .select('last')
      .where('name', '=', sequence)
      .executeTakeFirstOrThrow()
    return last
  },
  async setLastId(tx, sequence, id) {
    await reservedIds.returnIds(tx)
    await tx.updateTable('sequences').set({ last: id }).where('name', '=', sequence).execute()
  },
  /** SQLite does so itself. */
  async syncIdentity() {},
  async eventsContaining(tx, part, most) {
    const found = await wordIndex.containing(tx, part)
    return found === null ? null : nullIfMore(most, found)
  },
  fewWords: wordIndex.fewWords,
  texts: sqliteTexts,
  async settle(tx) {
    await sqliteTexts.settle(tx)
    await reservedIds.returnIds(tx)
  },
  complete: (tx) => sqlite.settle(tx),
  forget(tx) {
    forgetTexts(tx)
    reservedIds.forgetIds(tx)
  },
  venuesIn: ({ south, north, west, east }) =>
    sql<number>`(select id from venue_places where north >= ${south} and south <= ${north} and east >= ${west} and west <= ${east})`,
  distance: haversine(sql`min`),
  /** Without statistics SQLite prefers a large index range to a short list of ids. */
  unindexed: (column) => sql`+${column}`,
  isInJson: (column, ids) => sql<SqlBool>`${column} in (select value from json_each(${ids}))`,
  isInLongJson: (column, ids) => sql<SqlBool>`${column} in (select value from json_each(${ids}))`,
  jsonRows: (json, columns) => {
    const values = columns.map(([name]) => sql`value ->> ${sql.lit(`$.${name}`)} as ${sql.ref(name)}`)
    return sql`(select ${sql.join(values)} from json_each(${json}))`
  },
  jsonList: (column, where) => sql<string>`json_group_array(${column})${filtered(where)}`,
  jsonKeys: (json) => sql<string>`(select json_group_array(key) from json_each(${json}))`,
  notText: (columns) => {
    const cases = Object.entries(columns).map(
      ([name, column]) => sql`when typeof(${column}) = 'blob' then ${sql.lit(name)}`,
    )
    return sql<string | null>`case ${sql.join(cases, sql` `)} end`
  },
  contains: (text, part) => sql<SqlBool>`instr(${text}, ${part}) > 0`,
  /** SQLite has one writer at a time. */
  lock: async () => false,
  async lockNext() {},
  derived: [placeIndex, wordIndex.derivedIndex],
  parted: fullTextIndexes,
  async withoutTriggers(tx, table, work) {
    const { rows } = await sql<{
      name: string
      sql: string
    }>`select name, sql from sqlite_master where type = 'trigger' and tbl_name = ${table}`.execute(tx)
    for (const { name } of rows) await sql`drop trigger ${sql.ref(name)}`.execute(tx)
    await work()
    for (const { sql: text } of rows) await sql.raw(text).execute(tx)
  },
  /** There is one writer at a time. */
  async lastChange(tx) {
    return { xid: 0, position: await sqlite.lastId(tx, 'changes') }
  },
  hasForeignChanges: async () => false,
  blocks: true,
  locksRows: false,
  async probe(tx) {
    await sql`insert into unused_files (file, since_utc, removing) values ('', 0, 1)`.execute(tx)
    await sql`delete from unused_files where file = ''`.execute(tx)
  },
  async hasTable(db, name) {
    const { rows } = await sql`select 1 from sqlite_master where type = 'table' and name = ${name}`.execute(db)
    return rows.length > 0
  },
  /** A write transaction locks the database. */
  lockMigrations: async () => true,
  async unlockMigrations() {},
  backendOf: async () => null,
  async cancel() {},
  isLocked: (error) => sqlite.isTransient(error),
  // SQLITE_BUSY and SQLITE_LOCKED, with their extended codes: another process has the database locked.
  isTransient: (error) => [5, 6].includes(Number(codeOf(error, 'errcode') ?? 0) & 0xff),
  isUnreachable: () => false,
  faultOf(error) {
    if (codeOf(error, 'code') === 'DATABASE_MOVED') return 'moved'
    const code = Number(codeOf(error, 'errcode') ?? 0)
    return SQLITE_READ_ERRORS.includes(code) ? 'damaged' : (SQLITE_FAULTS[code & 0xff] ?? null)
  },
}

/** By SQLite result code: https://www.sqlite.org/rescode.html. An exceeded disk quota is an I/O error. */
const SQLITE_FAULTS: Partial<Record<number, Fault>> = {
  8: 'unwritable',
  10: 'unwritable',
  11: 'damaged',
  13: 'full',
  14: 'unwritable',
  26: 'damaged',
}
/** SQLITE_IOERR_READ, SQLITE_IOERR_SHORT_READ and SQLITE_IOERR_CORRUPTFS. */
const SQLITE_READ_ERRORS = [266, 522, 8458]

/** Error codes while the server is down, starting, stopping, no longer the primary or too slow (57014). */
const UNREACHABLE_CODES =
  /^(08...|57P0[1-5]|57014|53300|25006|55000|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EPIPE|ENOTFOUND|EHOSTUNREACH|EAI_AGAIN)$/
const UNREACHABLE_MESSAGES =
  /Connection terminated|connection timeout|timeout exceeded|not queryable|Client was closed|Query read timeout/i

/** Advisory lock for migrations. Earlier versions used the same number. */
const MIGRATION_LOCK = 3853314791062309107n

const nextValue = prepared<{ id: number }, [string]>((db, sequence) => ({
  compile: () => sql<{ id: number }>`select nextval(${sequence}) as id`.compile(db),
}))
const advisoryLock = prepared<object, [string]>((db, name) => ({
  compile: () => sql<object>`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.compile(db),
}))

export const postgres: Dialect = {
  now: sql<number>`cast(extract(epoch from clock_timestamp()) as double precision)`,
  async nextId(tx, sequence) {
    const [row] = await nextValue(tx, `kalends_${sequence}`)
    return row?.id ?? 0
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
  async syncIdentity(tx, table) {
    const last = sql`(select max(id) from ${sql.table(table)})`
    await sql`select setval(pg_get_serial_sequence(${table}, 'id'), coalesce(${last}, 1), ${last} is not null)`.execute(
      tx,
    )
  },
  async eventsContaining(tx, part, most) {
    if ([...part].length < 3) return null
    const found = sql`(select id from events where ${postgres.contains(sql.ref('search'), part)} limit ${most + 1})`
    return nullIfMore(most, await selectIds(tx, found))
  },
  fewWords: null,
  texts: postgresTexts,
  settle: settled,
  async complete() {},
  forget() {},
  venuesIn: ({ south, north, west, east }) =>
    sql<number>`(select id from venues where geo_lat is not null
      and point(geo_lng, geo_lat) <@ box(point(${west}, ${south}), point(${east}, ${north})))`,
  distance: haversine(sql`least`),
  /** PostgreSQL has statistics. */
  unindexed: (column) => column,
  isInJson: (column, ids) =>
    sql<SqlBool>`${column} = any(array(select json_array_elements_text(cast(${ids} as json))::bigint))`,
  // A hash table: an array would be searched from its beginning for each row.
  isInLongJson: (column, ids) =>
    sql<SqlBool>`${column} in (select json_array_elements_text(cast(${ids} as json))::bigint)`,
  jsonRows: (json, columns) => {
    const types = columns.map(([name, type]) => sql`${sql.ref(name)} ${sql.raw(type === 'whole' ? 'bigint' : 'text')}`)
    return sql`(select * from json_to_recordset(cast(${json} as json)) as rows(${sql.join(types)}))`
  },
  jsonList: (column, where) => sql<string>`coalesce(json_agg(${column})${filtered(where)}, '[]')::text`,
  jsonKeys: (json) => sql<string>`(select json_agg(key)::text from json_object_keys(cast(${json} as json)) as key)`,
  notText: () => sql<null>`null`,
  contains: (text, part) => sql<SqlBool>`${text} like ${`%${part.replace(/[\\%_]/g, '\\$&')}%`}`,
  async lock(tx, name) {
    await advisoryLock(tx, name)
    return true
  },
  lockNext: (tx, name) => advisoryLock.later(tx, name),
  /** PostgreSQL maintains its indexes itself. */
  derived: [],
  parted: [],
  async withoutTriggers(tx, table, work) {
    await sql`alter table ${sql.table(table)} disable trigger user`.execute(tx)
    await work()
    await sql`alter table ${sql.table(table)} enable trigger user`.execute(tx)
  },
  ...changeOrder,
  blocks: false,
  locksRows: true,
  async probe(tx) {
    // Writes a megabyte of new pages: a small change might fit in existing ones.
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
    }>`select pg_try_advisory_lock(${sql.lit(MIGRATION_LOCK)}) as locked`.execute(db)
    return rows[0]?.locked === true
  },
  async unlockMigrations(db) {
    await sql`select pg_advisory_unlock(${sql.lit(MIGRATION_LOCK)})`.execute(db)
  },
  async backendOf(db) {
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db)
    return rows[0]?.pid ?? null
  },
  async cancel(db, backend) {
    await sql`select pg_cancel_backend(${backend})`.execute(db)
  },
  // Lock timeout and deadlock.
  isLocked: (error) => ['55P03', '40P01'].includes(String(codeOf(error, 'code'))),
  // Serialization failure, deadlock, unique violation by a concurrent insert, foreign key of a concurrently deleted
  // row, changes that were noted unexpectedly (see version.ts), name of a statement.
  isTransient: (error) =>
    ['40001', '40P01', '23505', '23503', '22012', NAME_FAILED].includes(String(codeOf(error, 'code'))),
  isUnreachable: (error) =>
    UNREACHABLE_CODES.test(String(codeOf(error, 'code'))) ||
    (error instanceof Error && UNREACHABLE_MESSAGES.test(error.message)),
  faultOf: (error) => POSTGRES_FAULTS[String(codeOf(error, 'code'))] ?? null,
}

/** By SQLSTATE: disk_full, io_error, data_corrupted and index_corrupted. */
const POSTGRES_FAULTS: Partial<Record<string, Fault>> = {
  '53100': 'full',
  '58030': 'unwritable',
  XX001: 'damaged',
  XX002: 'damaged',
}

/** Limits an aggregate to rows that meet a condition. */
function filtered(where: Expression<SqlBool> | undefined): RawBuilder<unknown> {
  return where === undefined ? sql`` : sql` filter (where ${where})`
}

/** Ids that a query returns, in its order. */
export async function selectIds(tx: Tx, query: Expression<unknown>): Promise<number[]> {
  const gathered = dialectOf(tx).jsonList(sql.ref('found.id'))
  const { rows } = await sql<{ ids: string }>`select ${gathered} as ids from ${query} as found`.execute(tx)
  return JSON.parse(rows[0]?.ids ?? '[]')
}

function nullIfMore(most: number, found: number[]): number[] | null {
  return found.length > most ? null : found
}

/** Dialect of a transaction or connection. */
export function dialectOf(db: Kysely<Tables>): Dialect {
  const { adapter } = db.getExecutor()
  return 'dialect' in adapter ? (adapter.dialect as Dialect) : sqlite
}
