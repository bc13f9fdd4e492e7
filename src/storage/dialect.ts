import { type Expression, type Kysely, type RawBuilder, type SqlBool, sql, type Transaction } from 'kysely'
import { type Box, EARTH_RADIUS, type Point } from '../lib/geo.ts'
import type { Tables } from './tables.ts'

/** What storage functions are given: always a transaction, so that all they read is of one moment. */
export type Tx = Transaction<Tables>

/** The ids that records draw from one sequence, and terms from another. */
export type Sequence = 'records' | 'terms'

/** Every difference between the databases. Nothing else asks which one it is. PostgreSQL will be a second value of this type. */
export interface Dialect {
  /** Draws the next id of a sequence; ids are never used twice. */
  nextId(tx: Tx, sequence: Sequence): Promise<number>
  /** Makes the index by which venues are found in a part of the map. */
  createPlaceIndex(db: Kysely<unknown>): Promise<void>
  /** The ids of the venues that the index has in a part of the map. */
  placesIn(box: Box): Expression<number>
  /** The way from a point to that of two columns, in kilometres, as lib/geo.ts measures it. */
  distance(lat: Expression<number | null>, lng: Expression<number | null>, from: Point): RawBuilder<number>
  /** Whether a text contains another, to the letter. */
  contains(text: Expression<string>, part: string): Expression<SqlBool>
  /** Whether an error says that another process holds the database, and that waiting may help. */
  isBusy(error: unknown): boolean
}

export const sqlite: Dialect = {
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
  async nextId(tx, sequence) {
    const { last } = await tx
      .updateTable('sequences')
      .set((eb) => ({ last: eb('last', '+', 1) }))
      .where('name', '=', sequence)
      .returning('last')
      .executeTakeFirstOrThrow()
    return last
  },
  distance: (lat, lng, from) => {
    const north = sql`pow(sin(radians(${lat} - ${from.lat}) / 2), 2)`
    const east = sql`cos(radians(${lat})) * cos(radians(${from.lat})) * pow(sin(radians(${lng} - ${from.lng}) / 2), 2)`
    return sql<number>`(2 * ${EARTH_RADIUS} * asin(min(1.0, sqrt(${north} + ${east}))))`
  },
  contains: (text, part) => sql<SqlBool>`instr(${text}, ${part}) > 0`,
  // SQLITE_BUSY and SQLITE_LOCKED, with their extended codes.
  isBusy: (error) =>
    error instanceof Error &&
    'errcode' in error &&
    typeof error.errcode === 'number' &&
    [5, 6].includes(error.errcode & 0xff),
}

/** The dialect of the database that this transaction, or connection, is on. */
export function dialectOf(db: Kysely<Tables>): Dialect {
  const { adapter } = db.getExecutor()
  return 'dialect' in adapter ? (adapter.dialect as Dialect) : sqlite
}
