import type { RecordKind } from '../schema/record.ts'
import { dialectOf, type Tx } from './dialect.ts'
import { RECORD_TABLE } from './records.ts'
import type { RecordColumns } from './tables.ts'

/** As much of a record as its address is made of. */
export type Address = Pick<RecordColumns, 'id' | 'slug' | 'modified_utc'>

/** Published records in a range of ids; of events those that are neither protected nor kept out of lists. */
export async function list(tx: Tx, kind: RecordKind, from: number, below: number, limit: number): Promise<Address[]> {
  const published = tx
    .selectFrom(RECORD_TABLE[kind] as 'events')
    .select(['id', 'slug', 'modified_utc'])
    .where('id', '>=', from)
    .where('id', '<', below)
    // By the range of ids: by its status, the database would look at all records and sort them.
    .where((eb) => eb(dialectOf(tx).plain(eb.ref('status')), '=', 'publish'))
    .orderBy('id')
    .limit(limit)
  if (kind !== 'event') return published.execute()
  return published.where('password_hash', 'is', null).where('hide_from_listings', '=', 0).execute()
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
