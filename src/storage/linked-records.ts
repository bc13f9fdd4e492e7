import { type Expression, type SelectQueryBuilder, type SqlBool, sql } from 'kysely'
import type { Instant } from '../calendar/zone.ts'
import type { Status } from '../schema/record.ts'
import { dialectOf, type Tx } from './dialect.ts'
import { isModifiedIn, type ModifiedRange } from './event-filter.ts'
import { isAfter, type SortKey, type SortValues } from './keyset.ts'
import { LINK_TABLE, type LinkedKind, RECORD_TABLE, type RecordRow } from './records.ts'
import type { Tables } from './tables.ts'
import { isEventFullyVisible, isVisible, type Visibility } from './visibility.ts'

export interface LinkedFilter {
  readonly visibility: Visibility
  readonly status: readonly Status[] | null
  /** Case-folded. */
  readonly search: string | null
  /** Exact. */
  readonly slugs: readonly string[] | null
  readonly title: string | null
  readonly event: number | null
  readonly hasEvents: boolean | null
  /** Only records with an event that ends after this time. */
  readonly upcomingAt: Instant | null
  readonly modified?: ModifiedRange
  /** Sort values of the record before the first one, for the default order. */
  readonly after?: SortValues | null
}

/** The default order: newest first. */
const NEWEST: readonly SortKey[] = [
  { by: sql.ref('date_utc'), direction: 'desc' },
  { by: sql.ref('id'), direction: 'desc' },
]

/** How a list is sorted. The searchable text begins with the name. */
const ORDERS = { newest: 'date_utc', name: 'search', modified: 'modified_utc' } as const
export interface LinkedOrder {
  readonly by: keyof typeof ORDERS
  readonly direction: 'asc' | 'desc'
}

/** Venues or organizers, newest first unless another order is given. */
export async function list(
  tx: Tx,
  kind: LinkedKind,
  filter: LinkedFilter,
  limit: number,
  offset: number,
  { by, direction }: LinkedOrder = { by: 'newest', direction: 'desc' },
): Promise<RecordRow[]> {
  const rows = await matching(tx, kind, filter)
    .$if(Boolean(filter.after), (query) => query.where(isAfter(NEWEST, filter.after ?? [])))
    .selectAll()
    .orderBy(ORDERS[by], direction)
    .orderBy('id', direction)
    .limit(limit)
    .offset(offset)
    .execute()
  return rows as unknown as RecordRow[]
}

/** Number of matching venues or organizers. */
export async function count(tx: Tx, kind: LinkedKind, filter: LinkedFilter): Promise<number> {
  const { total } = await matching(tx, kind, filter)
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  return Number(total)
}

function matching(tx: Tx, kind: LinkedKind, filter: LinkedFilter): SelectQueryBuilder<Tables, 'venues', object> {
  const links = LINK_TABLE[kind]
  return tx.selectFrom(RECORD_TABLE[kind] as 'venues').where((eb) => {
    const conditions: Expression<SqlBool>[] = [isVisible(eb, filter.visibility, filter.status)]
    if (filter.search !== null) conditions.push(dialectOf(tx).contains(eb.ref('search'), filter.search))
    if (filter.slugs !== null) conditions.push(eb('slug', 'in', filter.slugs))
    if (filter.title !== null) conditions.push(eb(kind as 'venue', '=', filter.title))
    if (filter.modified !== undefined) conditions.push(...isModifiedIn(filter.modified, 'modified_utc'))
    // Latest first: an upcoming event is found at once. In `exists`, SQLite leaves the order out, and reads the past first.
    const events = () =>
      eb
        .selectFrom(links)
        .innerJoin('events', 'events.id', `${links}.event`)
        .select('events.id')
        .whereRef(`${links}.linked`, '=', `${RECORD_TABLE[kind]}.id` as 'venues.id')
        .where((e) => isEventFullyVisible(tx, e, filter.visibility))
        .orderBy(`${links}.start_local`, 'desc')
        .limit(1)
    if (filter.event !== null) conditions.push(eb.exists(events().where('events.id', '=', filter.event)))
    if (filter.hasEvents !== null) conditions.push(filter.hasEvents ? eb.exists(events()) : eb.not(eb.exists(events())))
    if (filter.upcomingAt !== null)
      conditions.push(eb(events().where('events.end_utc', '>', filter.upcomingAt), 'is not', null))
    return eb.and(conditions)
  })
}

/** The oldest visible record, not in the trash, that is equal in every given column. */
export async function findEqual(
  tx: Tx,
  kind: LinkedKind,
  visibility: Visibility,
  columns: Partial<RecordRow>,
): Promise<RecordRow | undefined> {
  await dialectOf(tx).lock(tx, `equal ${kind} ${columns[kind]}`)
  return findWith(tx, kind, visibility, columns)
}

/** The first record with these values, without a lock. */
export async function findWith(
  tx: Tx,
  kind: LinkedKind,
  visibility: Visibility,
  columns: Partial<RecordRow>,
): Promise<RecordRow | undefined> {
  const row = await tx
    .selectFrom(RECORD_TABLE[kind] as 'venues')
    .selectAll()
    .where((eb) => isVisible(eb, visibility, null))
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
