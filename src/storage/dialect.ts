import {
  type ColumnDefinitionBuilder,
  type Expression,
  type Kysely,
  type RawBuilder,
  type SqlBool,
  sql,
  type Transaction,
} from 'kysely'
import { type Box, EARTH_RADIUS, type Point } from '../lib/geo.ts'
import { prepared } from './prepared.ts'
import type { Tables } from './tables.ts'
import * as wordIndex from './word-index.ts'

/** How many rows the version of the data is spread over, so that writers seldom wait for each other's commit. */
export const SHARES = 32

/** What storage functions are given: always a transaction, so that all they read is of one moment. */
export type Tx = Transaction<Tables>

/** The ids that records draw from one sequence, and terms from another. */
export type Sequence = 'records' | 'terms'

type Type = 'text' | 'integer' | 'bigint' | 'double precision' | RawBuilder<unknown>

/** Every difference between the databases. Nothing else asks which one it is. */
export interface Dialect {
  /** The types of columns: texts order by code point, numbers hold every whole number that JavaScript does. */
  readonly types: { readonly text: Type; readonly whole: Type; readonly real: Type }
  /** Makes a column a key whose values the database gives. */
  identity(column: ColumnDefinitionBuilder): ColumnDefinitionBuilder
  createSequences(db: Kysely<unknown>): Promise<void>
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
  /** Makes what tells nodes that the data has changed: see version.ts. */
  createVersion(db: Kysely<unknown>): Promise<void>
  /** Makes every change to a row of a table move its `revision`. */
  keepRevision(db: Kysely<unknown>, table: string): Promise<void>
  /** Makes the rows of tables that link events carry their event's `start_local`. */
  keepStarts(db: Kysely<unknown>, tables: readonly string[]): Promise<void>
  /** Makes the index by which events are found that contain a text; createSearchIndexes came before it. */
  createWordIndex(db: Kysely<unknown>): Promise<void>
  /** Makes another in its place. */
  renewWordIndex(db: Kysely<unknown>): Promise<void>
  /** The events that contain a text, which an index tells; null if they are more than `most`, or it cannot tell. */
  containing(tx: Tx, part: string, most: number): Promise<number[] | null>
  /** Makes the index by which venues are found in a part of the map. */
  createPlaceIndex(db: Kysely<unknown>): Promise<void>
  /** The ids of the venues that the index has in a part of the map. */
  placesIn(box: Box): Expression<number>
  /** The way from a point to that of two columns, in kilometres, as lib/geo.ts measures it. */
  distance(lat: Expression<number | null>, lng: Expression<number | null>, from: Point): RawBuilder<number>
  /** Makes the indexes by which a part of a text is found. */
  createSearchIndexes(db: Kysely<unknown>): Promise<void>
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
  /** Whether a transaction that failed with this error changed nothing and may succeed when it is tried again. */
  isPassing(error: unknown): boolean
  /** Whether an error says that the database cannot be reached for now. */
  isUnreachable(error: unknown): boolean
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
  types: { text: 'text', whole: 'integer', real: 'double precision' },
  identity: (column) => column.primaryKey().autoIncrement(),
  async createSequences(db) {
    await sql`create table sequences (name text primary key, last integer not null)`.execute(db)
    await sql`insert into sequences (name, last) values ('records', 0), ('terms', 0)`.execute(db)
  },
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
  /** It tells by itself. */
  async createVersion() {},
  async keepStarts(db, tables) {
    for (const name of tables) {
      const table = sql.table(name)
      await sql`create trigger ${sql.ref(`${name}_start_set`)} after insert on ${table} begin
        update ${table} set start_local = (select start_local from events where id = new.event) where rowid = new.rowid; end`.execute(
        db,
      )
      await sql`create trigger ${sql.ref(`${name}_start_moved`)} after update of start_local on events
        when new.start_local <> old.start_local begin
        update ${table} set start_local = new.start_local where event = new.id; end`.execute(db)
    }
  },
  createWordIndex: wordIndex.createTrigrams,
  renewWordIndex: wordIndex.renew,
  async containing(tx, part, most) {
    const found = await wordIndex.containing(tx, part)
    return found === null ? null : unlessMore(most, found)
  },
  async keepRevision(db, table) {
    await sql`create trigger ${sql.ref(`${table}_revised`)} after update on ${sql.table(table)} when new.revision = old.revision
      begin update ${sql.table(table)} set revision = revision + 1 where id = new.id; end`.execute(db)
  },
  /** Triggers keep the R*Tree in step. It holds 32-bit numbers, rounded outwards: what it finds is measured again. */
  async createPlaceIndex(db) {
    await sql`create virtual table venue_places using rtree(id, south, north, west, east)`.execute(db)
    const insert = sql`insert into venue_places select new.id, new.geo_lat, new.geo_lat, new.geo_lng, new.geo_lng
      where new.geo_lat is not null and new.geo_lng is not null;`
    await sql`create trigger venue_placed after insert on venues begin ${insert} end`.execute(db)
    await sql`create trigger venue_moved after update of geo_lat, geo_lng on venues
      begin delete from venue_places where id = old.id; ${insert} end`.execute(db)
    await sql`create trigger venue_removed after delete on venues
      begin delete from venue_places where id = old.id; end`.execute(db)
  },
  placesIn: ({ south, north, west, east }) =>
    sql<number>`(select id from venue_places where north >= ${south} and south <= ${north} and east >= ${west} and west <= ${east})`,
  distance: haversine(sql`min`),
  /** An ordered scan does without. */
  async createSearchIndexes() {},
  /** Without statistics it takes a long stretch of an index over a short list of ids. */
  plain: (column) => sql`+${column}`,
  among: (column, ids) => sql<SqlBool>`${column} in (select value from json_each(${ids}))`,
  gathered: (column) => sql<string>`json_group_array(${column})`,
  contains: (text, part) => sql<SqlBool>`instr(${text}, ${part}) > 0`,
  /** It has one writer at a time. */
  lock: async () => false,
  // SQLITE_BUSY and SQLITE_LOCKED, with their extended codes: another process holds the database.
  isPassing: (error) => [5, 6].includes(Number(codeOf(error, 'errcode') ?? 0) & 0xff),
  isUnreachable: () => false,
}

/** What PostgreSQL and the network say while the server is away, starting, stopping or no longer the primary. */
const AWAY =
  /^(08...|57P0[1-5]|53300|25006|55000|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EPIPE|ENOTFOUND|EHOSTUNREACH|EAI_AGAIN)$/
const AWAY_WORDS =
  /Connection terminated|connection timeout|timeout exceeded|not queryable|Client was closed|Query read timeout/i

export const postgres: Dialect = {
  types: { text: sql`text collate "C"`, whole: 'bigint', real: 'double precision' },
  identity: (column) => column.generatedByDefaultAsIdentity().primaryKey(),
  async createSequences(db) {
    for (const name of ['records', 'terms']) await sql`create sequence ${sql.ref(`kalends_${name}`)}`.execute(db)
  },
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
  async createVersion(db) {
    await sql`create table data_version (share bigint primary key, version bigint not null)`.execute(db)
    await sql`insert into data_version select share, 0 from generate_series(0, ${sql.lit(SHARES - 1)}) as share`.execute(
      db,
    )
  },
  async keepStarts(db, tables) {
    await sql`create function kalends_set_start() returns trigger language plpgsql as
      $$ begin select start_local into new.start_local from events where id = new.event; return new; end $$`.execute(db)
    const moves = tables.map(
      (name) => sql`update ${sql.table(name)} set start_local = new.start_local where event = new.id;`,
    )
    await sql`create function kalends_move_starts() returns trigger language plpgsql as
      $$ begin ${sql.join(moves, sql` `)} return null; end $$`.execute(db)
    for (const name of tables)
      await sql`create trigger ${sql.ref(`${name}_start_set`)} before insert on ${sql.table(name)}
        for each row execute function kalends_set_start()`.execute(db)
    await sql`create trigger starts_moved after update of start_local on events for each row
      when (new.start_local <> old.start_local) execute function kalends_move_starts()`.execute(db)
  },
  /** It has one: see createSearchIndexes. */
  async createWordIndex() {},
  async renewWordIndex() {},
  async containing(tx, part, most) {
    if ([...part].length < 3) return null
    const found = sql`(select id from events where ${postgres.contains(sql.ref('search'), part)} limit ${most + 1})`
    return unlessMore(most, await gather(tx, found))
  },
  /** By a number nobody guesses: a state that a failover lost is never taken for another. */
  async keepRevision(db, table) {
    await sql`create or replace function kalends_revise() returns trigger language plpgsql as
      $$ begin new.revision := old.revision + 1 + floor(random() * 1000000)::bigint; return new; end $$`.execute(db)
    await sql`create trigger ${sql.ref(`${table}_revised`)} before update on ${sql.table(table)}
      for each row execute function kalends_revise()`.execute(db)
  },
  async createPlaceIndex(db) {
    await sql`create index venue_places on venues using gist (point(geo_lng, geo_lat)) where geo_lat is not null`.execute(
      db,
    )
  },
  placesIn: ({ south, north, west, east }) =>
    sql<number>`(select id from venues where geo_lat is not null
      and point(geo_lng, geo_lat) <@ box(point(${west}, ${south}), point(${east}, ${north})))`,
  distance: haversine(sql`least`),
  async createSearchIndexes(db) {
    await sql`create extension if not exists pg_trgm`.execute(db)
    await sql`create index events_search on events using gin (search gin_trgm_ops, title_search gin_trgm_ops)`.execute(
      db,
    )
  },
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
  // Serialisation, deadlock, a unique value that two transactions made at once, a row that another one removed.
  isPassing: (error) => ['40001', '40P01', '23505', '23503'].includes(String(codeOf(error, 'code'))),
  isUnreachable: (error) =>
    AWAY.test(String(codeOf(error, 'code'))) || (error instanceof Error && AWAY_WORDS.test(error.message)),
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
