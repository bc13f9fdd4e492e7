import { type ExpressionBuilder, type Selectable, sql } from 'kysely'
import type { Instant } from '../../calendar/zone.ts'
import type { AuditAction, AuditKind, AuditRecord, Way } from '../../schema/audit.ts'
import { dialectOf, type Tx } from '../dialect.ts'
import type { AuditTable } from '../service-tables.ts'
import { firstOf, MOST_ROWS } from '../stored-bytes.ts'
import type { Tables } from '../tables.ts'

/** Reading the log, and forgetting the oldest of it. */

export interface AuditRow extends Omit<Selectable<AuditTable>, 'same_as' | 'merges'> {
  /** JSON: names of the fields; null if the content was read. */
  readonly names: string | null
}

export interface AuditFilter {
  readonly record: AuditRecord | null
  /** Ids of users; null for all. */
  readonly users: readonly number[] | null
  readonly way: Way | null
  readonly action: AuditAction | null
  readonly after: Instant | null
  readonly before: Instant | null
}

type Where = ExpressionBuilder<Tables, 'audit'>

function matches(eb: Where, { record, users, way, action, after, before }: AuditFilter) {
  return eb.and([
    ...(record === null ? [] : [eb('audit.kind', '=', record.kind)]),
    ...(record?.id == null ? [] : [eb('audit.record', '=', record.id)]),
    ...(users === null ? [] : [users.length === 0 ? eb.lit(false) : eb('audit.user', 'in', users)]),
    ...(way === null ? [] : [eb('audit.way', '=', way)]),
    ...(action === null ? [] : [eb('audit.action', '=', action)]),
    ...(after === null ? [] : [eb('audit.at_utc', '>=', after)]),
    ...(before === null ? [] : [eb('audit.at_utc', '<=', before)]),
  ])
}

const BEFORE = sql<string | null>`coalesce(audit.before, first.before)`
const AFTER = sql<string | null>`coalesce(audit.after, first.after)`
const SIZE = sql<number>`coalesce(octet_length(${BEFORE}), 0) + coalesce(octet_length(${AFTER}), 0)`

/** Rows whose content may be that of another row. */
function joined(tx: Tx) {
  return tx.selectFrom('audit').leftJoin('audit as first', 'first.id', 'audit.same_as')
}

/** Some rows of the log, in order. */
export type Page = (tx: Tx) => ReturnType<typeof joined>

/** The newest rows first, from a place in that order on. */
export function pageOf(
  filter: AuditFilter,
  since: readonly [at: number, id: number] | null,
  limit: number,
  offset: number,
): Page {
  return (tx) =>
    joined(tx)
      .where((eb) => matches(eb as Where, filter))
      .$if(since !== null, (query) =>
        query.where((eb) =>
          eb(eb.refTuple('audit.at_utc', 'audit.id'), '<', eb.tuple(since?.[0] ?? 0, since?.[1] ?? 0)),
        ),
      )
      .orderBy('audit.at_utc', 'desc')
      .orderBy('audit.id', 'desc')
      .limit(limit)
      .offset(offset)
}

/** Rows of one record, the newest first, before a row. */
export function pageOfRecord(
  kind: AuditKind,
  record: number,
  { until, limit, offset = 0 }: { readonly until: number | null; readonly limit: number; readonly offset?: number },
): Page {
  return (tx) =>
    joined(tx)
      .where('audit.kind', '=', kind)
      .where('audit.record', '=', record)
      .$if(until !== null, (query) => query.where('audit.id', '<', until ?? 0))
      .orderBy('audit.id', 'desc')
      .limit(limit)
      .offset(offset)
}

/** A row by its id. */
export function pageOfOne(id: number): Page {
  return (tx) => joined(tx).where('audit.id', '=', id)
}

/** Reads rows with their content; of those with more than so many bytes of it, only its names. */
export async function read(tx: Tx, page: Page, longest: number = Number.MAX_SAFE_INTEGER): Promise<AuditRow[]> {
  const isRead = sql`${SIZE} <= ${sql.lit(longest)}`
  const names = dialectOf(tx).jsonKeys(sql`coalesce(${AFTER}, ${BEFORE})`)
  return page(tx)
    .select(['audit.id', 'audit.at_utc', 'audit.user', 'audit.user_name', 'audit.address', 'audit.way'])
    .select(['audit.action', 'audit.kind', 'audit.record', 'audit.title'])
    .select([
      sql<string | null>`case when ${isRead} then ${BEFORE} end`.as('before'),
      sql<string | null>`case when ${isRead} then ${AFTER} end`.as('after'),
      sql<string | null>`case when ${isRead} then null else ${names} end`.as('names'),
    ])
    .execute()
}

/** Bytes of the content of each row. */
export async function sizes(tx: Tx, page: Page): Promise<number[]> {
  const rows = await page(tx).select(SIZE.as('size')).execute()
  return rows.map(({ size }) => Number(size))
}

export async function count(tx: Tx, filter: AuditFilter): Promise<number> {
  const { total } = await tx
    .selectFrom('audit')
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .where((eb) => matches(eb, filter))
    .executeTakeFirstOrThrow()
  return Number(total)
}

/** Ids of the users who have a name, or had it. */
export async function usersNamed(tx: Tx, name: string, key: string): Promise<number[]> {
  const now = await tx.selectFrom('users').select('id').where('name_key', '=', key).execute()
  const once = await tx
    .selectFrom('audit')
    .select('record as id')
    .where('kind', '=', 'user')
    .where('title', '=', name)
    .distinct()
    .execute()
  return [...new Set([...now, ...once].map(({ id }) => id))]
}

/** How many rows a record has, and whether the first one is its creation. */
export async function countOf(tx: Tx, kind: AuditKind, record: number): Promise<{ total: number; isWhole: boolean }> {
  const each = tx.selectFrom('audit').where('kind', '=', kind).where('record', '=', record)
  const { total } = await each.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  const created = await each.select('id').where('action', '=', 'created').limit(1).executeTakeFirst()
  return { total: Number(total), isWhole: created !== undefined }
}

/** Removes up to so many rows from before a time. A row whose content others have goes after them. */
export async function forget(tx: Tx, before: Instant, most: number): Promise<number> {
  const old = await tx
    .selectFrom('audit')
    .select('id')
    .where('at_utc', '<', before)
    .orderBy('at_utc')
    .orderBy('id', 'desc')
    .limit(most)
    .execute()
  if (old.length === 0) return 0
  await tx
    .deleteFrom('audit')
    .where(
      'id',
      'in',
      old.map(({ id }) => id),
    )
    .execute()
  return old.length
}

/** The last row of a user. */
export async function newestOf(tx: Tx, user: number): Promise<number | null> {
  const row = await tx
    .selectFrom('audit')
    .select((eb) => eb.fn.max('id').as('id'))
    .where('user', '=', user)
    .executeTakeFirst()
  return row?.id ?? null
}

/**
 * Forgets some rows of a user up to one, the oldest first. Where a row of somebody else is the next older one of the same
 * record, one stays, without content and user: it tells that older versions are not known.
 */
export async function forgetOf(tx: Tx, user: number, upto: number): Promise<number> {
  const rows = await tx
    .selectFrom('audit')
    .select(['id', sql<number>`coalesce(octet_length(before), 0) + coalesce(octet_length(after), 0)`.as('size')])
    .where('user', '=', user)
    .where('id', '<=', upto)
    .orderBy('id')
    .limit(MOST_ROWS)
    .execute()
  const old = firstOf(rows)
  if (old.length === 0) return 0
  const ids = old.map(({ id }) => id)
  const gaps = await tx
    .selectFrom('audit')
    .innerJoin('audit as older', (join) =>
      join.on('older.id', '=', (eb) =>
        eb
          .selectFrom('audit as any')
          .select((e) => e.fn.max('any.id').as('id'))
          .whereRef('any.kind', '=', 'audit.kind')
          .whereRef('any.record', '=', 'audit.record')
          .whereRef('any.id', '<', 'audit.id'),
      ),
    )
    .select('audit.id')
    .where('audit.id', 'in', ids)
    .where((eb) => eb.or([eb('older.user', 'is', null), eb('older.user', '<>', user)]))
    .where((eb) =>
      eb.or([
        eb('older.before', 'is not', null),
        eb('older.after', 'is not', null),
        eb('older.same_as', 'is not', null),
      ]),
    )
    .execute()
  const kept = new Set(gaps.map(({ id }) => id))
  const gone = ids.filter((id) => !kept.has(id))
  if (gone.length > 0) await tx.deleteFrom('audit').where('id', 'in', gone).execute()
  if (kept.size > 0)
    await tx
      .updateTable('audit')
      .set({ user: null, before: null, after: null, same_as: null, merges: 0 })
      .where('id', 'in', [...kept])
      .execute()
  return old.length
}
