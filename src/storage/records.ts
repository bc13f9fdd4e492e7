import { randomInt } from 'node:crypto'
import { type Compilable, type ExpressionBuilder, type Kysely, type Selectable, sql, type Updateable } from 'kysely'
import type { Instant } from '../calendar/zone.ts'
import { withSuffix } from '../lib/slug.ts'
import { byLinkedKind, type LinkedKind, RECORD_KINDS, type RecordKind } from '../schema/linked.ts'
import { hasCreated, willRemove, willUpdate } from './audit/tracker.ts'
import { dialectOf, type Tx } from './dialect.ts'
import { withDefaults } from './event-defaults.ts'
import {
  askOnce,
  INDEPENDENT,
  insertLater,
  insertRows,
  type Placeholder,
  prepared,
  preparedBy,
  preparedList,
  waitingIn,
} from './prepared.ts'
import type { RecordColumns, Tables } from './tables.ts'
import {
  isVisibleByKey,
  SHARED_VISIBILITIES,
  type SharedVisibility,
  sharedVisibility,
  type Visibility,
  type WithoutReader,
} from './visibility.ts'

/** The tables of records: what they share is asked for here, whichever it is. */
export const RECORD_TABLE = forEach((kind) => `${kind}s`) as { readonly [K in RecordKind]: `${K}s` }

export type { LinkedKind } from '../schema/linked.ts'

export const LINK_TABLE = byLinkedKind((kind) => `event_${kind}s`) as { readonly [K in LinkedKind]: `event_${K}s` }

/** All tables with an author. The type checker sees them as one. */
const TABLES_WITH_AUTHOR = [...Object.values(RECORD_TABLE), 'images', 'series'] as 'venues'[]

/** A row of any of them, for what needs no more of it. */
export type RecordRow = Selectable<RecordColumns> & Record<string, string | number | null>

/** One page of a list, and the total of all pages. */
export interface Page<R> {
  readonly rows: R[]
  readonly total: number
}

/** Reference to a record. */
export type Ref = { readonly id: number } | { readonly slug: string }

/** Queries on a shared column are the same for all tables of records; for the type checker one of them stands for all. */
function table(kind: RecordKind): 'venues' {
  return RECORD_TABLE[kind] as 'venues'
}

/** One for each kind of record. */
function forEach<T>(make: (kind: RecordKind) => T): Record<RecordKind, T> {
  return Object.fromEntries(RECORD_KINDS.map((kind) => [kind, make(kind)])) as Record<RecordKind, T>
}

const byId = forEach((kind) =>
  prepared<object, [id: number]>(
    (db, id) => db.selectFrom(table(kind)).selectAll().where('id', '=', id),
    kind === 'event' ? '' : INDEPENDENT,
  ),
)
const bySlug = forEach((kind) =>
  prepared<object, [slug: string]>((db, slug) => db.selectFrom(table(kind)).selectAll().where('slug', '=', slug)),
)
/** Of records that do not wait to be inserted. */
const idBySlug = forEach((kind) =>
  prepared<{ id: number }, [slug: string]>(
    (db, slug) => db.selectFrom(table(kind)).select('id').where('slug', '=', slug),
    INDEPENDENT,
  ),
)

export async function get(tx: Tx, kind: RecordKind, ref: Ref, _reason: WithoutReader): Promise<RecordRow | undefined> {
  const [row] = await (!('id' in ref)
    ? bySlug[kind](tx, ref.slug)
    : kind === 'event'
      ? byId[kind](tx, ref.id)
      : askOnce(tx, byId[kind], ref.id))
  return row as RecordRow | undefined
}

/** Gets a record and locks it until the transaction ends. */
export async function getLocked(
  tx: Tx,
  kind: RecordKind,
  ref: Ref,
  reason: WithoutReader,
): Promise<RecordRow | undefined> {
  const row = await get(tx, kind, ref, reason)
  if (row === undefined || !(await dialectOf(tx).lock(tx, `record ${row.id}`))) return row
  return get(tx, kind, ref, reason)
}

/** The given records that a reader may see and that are not in the trash: their ids. */
export async function readable(
  tx: Tx,
  kind: RecordKind,
  ids: readonly number[],
  visibility: Visibility,
): Promise<Set<number>> {
  if (ids.length === 0) return new Set()
  const rows = await tx
    .selectFrom(table(kind))
    .select('id')
    .where('id', 'in', ids)
    .where((eb) => isVisibleByKey(tx, eb as unknown as ExpressionBuilder<Tables, 'venues'>, visibility))
    .execute()
  return new Set(rows.map((row) => row.id))
}

/** The same, as rows. */
export async function getAll(
  tx: Tx,
  kind: RecordKind,
  ids: readonly number[],
  visibility: Visibility,
): Promise<RecordRow[]> {
  if (ids.length === 0) return []
  const shared = sharedVisibility(visibility)
  if (shared !== null) return someVisible(`${kind} ${shared} all`)(tx, ids)
  return (await tx.executeQuery(visibleRows(tx, kind, ids, visibility).compile())).rows
}

/** What calendars show of venues, and what tells that they are damaged. */
const PLACE = ['id', 'slug', 'date_utc', 'modified_utc', 'revision', 'venue', 'city'] as const

export type PlaceRow = Pick<Selectable<Tables['venues']>, (typeof PLACE)[number]>

/** The same of venues, as calendars show them. */
export async function getPlaces(tx: Tx, ids: readonly number[], visibility: Visibility): Promise<PlaceRow[]> {
  if (ids.length === 0) return []
  const shared = sharedVisibility(visibility)
  const rows = shared === null ? getAll(tx, 'venue', ids, visibility) : someVisible(`venue ${shared} place`)(tx, ids)
  return (await rows) as unknown as PlaceRow[]
}

const someVisible = preparedBy((form: `${RecordKind} ${SharedVisibility} ${'all' | 'place'}`) => {
  const [kind, shared, columns] = form.split(' ') as [RecordKind, SharedVisibility, string]
  return preparedList<RecordRow>((db, ids) =>
    visibleRows(db, kind, ids, SHARED_VISIBILITIES[shared], columns === 'place' ? PLACE : null),
  )
})

function visibleRows(
  db: Kysely<Tables>,
  kind: RecordKind,
  ids: readonly (number | Placeholder)[],
  visibility: Visibility,
  columns: readonly (keyof Tables['venues'])[] | null = null,
): Compilable<RecordRow> {
  const rows = db.selectFrom(table(kind))
  return (columns === null ? rows.selectAll() : rows.select(columns))
    .where('id', 'in', ids as readonly number[])
    .where((eb) =>
      isVisibleByKey(db as Tx, eb as unknown as ExpressionBuilder<Tables, 'venues'>, visibility),
    ) as unknown as Compilable<RecordRow>
}

/** The given records that exist, whoever may see them. */
export async function getAny(
  tx: Tx,
  kind: RecordKind,
  ids: readonly number[],
  _reason: WithoutReader,
): Promise<RecordRow[]> {
  if (ids.length === 0) return []
  const rows = await tx.selectFrom(table(kind)).selectAll().where('id', 'in', ids).execute()
  return rows as unknown as RecordRow[]
}

/** Reserves the id of a new record. */
export function reserveId(tx: Tx): Promise<number> {
  return dialectOf(tx).nextId(tx, 'records')
}

/** Reserves ids for new records. */
export function reserveIds(tx: Tx, count: number): Promise<number[]> {
  return dialectOf(tx).nextIds(tx, 'records', count)
}

/** Inserts a record under a reserved or new id. Returns the stored row. */
export async function create(
  tx: Tx,
  kind: RecordKind,
  row: Omit<RecordRow, 'id' | 'revision'>,
  reserved: number | null = null,
): Promise<RecordRow> {
  const id = reserved ?? (await reserveId(tx))
  const stored = kind === 'event' ? await createEvent(tx, { ...row, id }) : await insert(tx, kind, { ...row, id })
  hasCreated(tx, kind, id, stored)
  return stored
}

async function insert(tx: Tx, kind: RecordKind, row: object): Promise<RecordRow> {
  const [stored] = await insertRows(tx, table(kind), [row], 'returning')
  if (stored === undefined) throw new Error('a new record was not returned')
  return stored as unknown as RecordRow
}

/** Nobody waits until an event is inserted, so what is stored is put together here. */
async function createEvent(tx: Tx, row: Readonly<Record<string, unknown>>): Promise<RecordRow> {
  const stored = withDefaults(row)
  await insertLater(tx, 'events', [stored])
  return stored as unknown as RecordRow
}

export async function update(tx: Tx, kind: RecordKind, id: number, changes: Partial<RecordRow>): Promise<void> {
  await willUpdate(tx, kind, id, changes)
  await tx
    .updateTable(table(kind))
    .set(changes as Updateable<Tables['venues']>)
    .where('id', '=', id)
    .execute()
}

export async function remove(tx: Tx, kind: RecordKind, id: number): Promise<void> {
  await willRemove(tx, kind, id)
  await dialectOf(tx).texts.settle(tx)
  await tx.deleteFrom(table(kind)).where('id', '=', id).execute()
}

/** Number of records and images of a user. */
export async function countBy(tx: Tx, author: number): Promise<number> {
  let total = 0
  for (const owned of TABLES_WITH_AUTHOR) {
    const { count } = await tx
      .selectFrom(owned)
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('author', '=', author)
      .executeTakeFirstOrThrow()
    total += Number(count)
  }
  return total
}

/** Changes the author of all records of a user. */
export async function reassign(tx: Tx, from: number, to: number): Promise<void> {
  for (const owned of TABLES_WITH_AUTHOR)
    await tx.updateTable(owned).set({ author: to }).where('author', '=', from).execute()
}

/** Returns the slug if it is free, else with the first free suffix `-2`, `-3` … */
export async function freeSlug(tx: Tx, kind: RecordKind, wanted: string, except = 0): Promise<string> {
  await dialectOf(tx).lockNext(tx, `slug ${kind} ${wanted}`)
  return firstFree(wanted, async (slug) => {
    if (waitingIn(tx)?.has(RECORD_TABLE[kind], 'slug', slug)) return false
    const [row] = await idBySlug[kind](tx, slug)
    return row === undefined || row.id === except
  })
}

/** Highest suffix that is tried. */
const MAX_SUFFIX = 2 ** 24

/**
 * Suffixes are assigned in sequence, so the end of the sequence is found by exponential and binary search: a title that
 * was used a thousand times costs twenty lookups. With gaps, a free number inside the sequence may be found. If the
 * search exceeds the limit, which only a malicious client achieves, the suffix is random.
 */
export async function firstFree(wanted: string, isFree: (slug: string) => Promise<boolean>): Promise<string> {
  if (await isFree(wanted)) return wanted
  const numbered = (n: number) => withSuffix(wanted, `-${n}`)
  let taken = 1
  let free = 2
  while (!(await isFree(numbered(free)))) {
    taken = free
    free *= 2
    if (free > MAX_SUFFIX) return numbered(randomInt(MAX_SUFFIX, 2 ** 47))
  }
  while (free - taken > 1) {
    const middle = Math.floor((taken + free) / 2)
    if (await isFree(numbered(middle))) free = middle
    else taken = middle
  }
  return numbered(free)
}

/** Keeps other nodes from publishing until this transaction ends. */
export function lockPublishing(tx: Tx): Promise<boolean> {
  return dialectOf(tx).lock(tx, 'publishing')
}

/** When the next scheduled record is to be published; null if none is scheduled. */
export async function nextScheduled(tx: Tx): Promise<Instant | null> {
  const each = Object.values(RECORD_TABLE).map(
    (name) => sql`select min(date_utc) as due from ${sql.table(name)} where status = 'future'`,
  )
  const { rows } = await sql<{ due: Instant | null }>`select min(due) as due
    from (${sql.join(each, sql` union all `)}) as scheduled`.execute(tx)
  return rows[0]?.due ?? null
}

/** The scheduled records whose time has come, the longest overdue first. */
export async function due(
  tx: Tx,
  kind: RecordKind,
  now: Instant,
  limit: number,
): Promise<Pick<RecordRow, 'id' | 'author'>[]> {
  return tx
    .selectFrom(table(kind))
    .select(['id', 'author'])
    .where('status', '=', 'future')
    .where('date_utc', '<=', now)
    .orderBy('date_utc')
    .limit(limit)
    .execute()
}
