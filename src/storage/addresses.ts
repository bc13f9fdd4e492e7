import type { RecordKind } from '../schema/linked.ts'
import { dialectOf, type Tx } from './dialect.ts'
import { type LinkedKind, RECORD_TABLE } from './records.ts'
import type { EventTable, RecordColumns } from './tables.ts'

/** The columns that a record's URL and `lastmod` are built from. */
export type Address = Pick<RecordColumns, 'id' | 'slug' | 'modified_utc'>

const TIMES = ['title', 'timezone', 'start_local', 'end_local', 'start_utc', 'end_utc', 'all_day', 'date_utc'] as const

/** The same for an event, plus the columns that tell whether it can be rendered. */
export type EventAddress = Address & Pick<EventTable, (typeof TIMES)[number]>

const published = (tx: Tx, kind: RecordKind, from: number, below: number, limit: number) =>
  tx
    .selectFrom(RECORD_TABLE[kind] as 'events')
    .select(['id', 'slug', 'modified_utc'])
    .where('id', '>=', from)
    .where('id', '<', below)
    // Forces the primary key: with the index on status, the database would read all records and sort them.
    .where((eb) => eb(dialectOf(tx).unindexed(eb.ref('status')), '=', 'publish'))
    .orderBy('id')
    .limit(limit)

/** Published venues or organizers in a range of ids. */
export async function list(tx: Tx, kind: LinkedKind, from: number, below: number, limit: number): Promise<Address[]> {
  return published(tx, kind, from, below, limit).execute()
}

/** Published events in a range of ids, without protected and unlisted ones. */
export async function listEvents(tx: Tx, from: number, below: number, limit: number): Promise<EventAddress[]> {
  return published(tx, 'event', from, below, limit)
    .select(TIMES)
    .where('password_hash', 'is', null)
    .where('hide_from_listings', '=', 0)
    .execute()
}

/** Highest id of the published records of a kind, or 0. */
export async function highestId(tx: Tx, kind: RecordKind): Promise<number> {
  const row = await tx
    .selectFrom(RECORD_TABLE[kind] as 'venues')
    .select('id')
    .where((eb) => eb(dialectOf(tx).unindexed(eb.ref('status')), '=', 'publish'))
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.id ?? 0
}
