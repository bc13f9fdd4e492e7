import type { Expression, SqlBool } from 'kysely'
import type { Instant } from '../calendar/zone.ts'
import type { Status } from '../schema/record.ts'
import { dialectOf, type Tx } from './dialect.ts'
import { LINK_TABLE, type LinkedKind, type Page, RECORD_TABLE, type RecordRow } from './records.ts'
import { eventShownTo, type Sight, visible } from './sight.ts'

export interface LinkedFilter {
  readonly sight: Sight
  readonly status: readonly Status[] | null
  /** Case-folded. */
  readonly search: string | null
  readonly event: number | null
  readonly hasEvents: boolean | null
  /** Only with an event that ends after this. */
  readonly upcomingAt: Instant | null
}

/** Venues or organizers, the newest first. */
export async function list(
  tx: Tx,
  kind: LinkedKind,
  filter: LinkedFilter,
  limit: number,
  offset: number,
): Promise<Page<RecordRow>> {
  const matching = tx.selectFrom(RECORD_TABLE[kind] as 'venues').where((eb) => {
    const conditions: Expression<SqlBool>[] = [visible(eb, filter.sight, filter.status)]
    if (filter.search !== null) conditions.push(dialectOf(tx).contains(eb.ref('search'), filter.search))
    const events = () =>
      eb
        .selectFrom(LINK_TABLE[kind])
        .innerJoin('events', 'events.id', `${LINK_TABLE[kind]}.event`)
        .select('events.id')
        .whereRef(`${LINK_TABLE[kind]}.linked`, '=', `${RECORD_TABLE[kind]}.id` as 'venues.id')
        .where((e) => eventShownTo(e, filter.sight))
    if (filter.event !== null) conditions.push(eb.exists(events().where('events.id', '=', filter.event)))
    if (filter.hasEvents !== null) conditions.push(filter.hasEvents ? eb.exists(events()) : eb.not(eb.exists(events())))
    if (filter.upcomingAt !== null) conditions.push(eb.exists(events().where('events.end_utc', '>', filter.upcomingAt)))
    return eb.and(conditions)
  })
  const { total } = await matching.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  const rows = await matching
    .selectAll()
    .orderBy('date_utc', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute()
  return { rows: rows as unknown as RecordRow[], total: Number(total) }
}

/** The oldest record that is readable, not trashed, and equal in every given column. */
export async function findEqual(
  tx: Tx,
  kind: LinkedKind,
  sight: Sight,
  columns: Partial<RecordRow>,
): Promise<RecordRow | undefined> {
  await dialectOf(tx).lock(tx, `equal ${kind} ${columns[kind]}`)
  const row = await tx
    .selectFrom(RECORD_TABLE[kind] as 'venues')
    .selectAll()
    .where((eb) => visible(eb, sight, null))
    .where((eb) =>
      eb.and(
        Object.entries(columns).map(([name, value]) =>
          value === null ? eb(name as 'id', 'is', null) : eb(name as 'id', '=', value as number),
        ),
      ),
    )
    .orderBy('id')
    .executeTakeFirst()
  return row as RecordRow | undefined
}
