import type { RecordKind } from '../schema/linked.ts'
import { dialectOf, type Tx } from './dialect.ts'
import { type LinkedKind, RECORD_TABLE } from './records.ts'
import type { EventTable, RecordColumns } from './tables.ts'

/** As much of a record as its address is made of. */
export type Address = Pick<RecordColumns, 'id' | 'slug' | 'modified_utc'>

const TIMES = ['title', 'timezone', 'start_local', 'end_local', 'start_utc', 'end_utc', 'all_day', 'date_utc'] as const

/** The same of an event, with as much as tells whether it can be shown. */
export type EventAddress = Address & Pick<EventTable, (typeof TIMES)[number]>

const published = (tx: Tx, kind: RecordKind, from: number, below: number, limit: number) =>
  tx
    .selectFrom(RECORD_TABLE[kind] as 'events')
    .select(['id', 'slug', 'modified_utc'])
    .where('id', '>=', from)
    .where('id', '<', below)
    // By the range of ids: by its status, the database would look at all records and sort them.
    .where((eb) => eb(dialectOf(tx).plain(eb.ref('status')), '=', 'publish'))
    .orderBy('id')
    .limit(limit)

/** Published venues or organizers in a range of ids. */
export async function list(tx: Tx, kind: LinkedKind, from: number, below: number, limit: number): Promise<Address[]> {
  return published(tx, kind, from, below, limit).execute()
}

/** Published events in a range of ids that are neither protected nor kept out of lists. */
export async function listEvents(tx: Tx, from: number, below: number, limit: number): Promise<EventAddress[]> {
  return published(tx, 'event', from, below, limit)
    .select(TIMES)
    .where('password_hash', 'is', null)
    .where('hide_from_listings', '=', 0)
    .execute()
}

/** The highest id of a kind, or 0. */
export async function highestId(tx: Tx, kind: RecordKind): Promise<number> {
  const row = await tx
    .selectFrom(RECORD_TABLE[kind] as 'venues')
    .select('id')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.id ?? 0
}
