import type { ExpressionBuilder, Selectable } from 'kysely'
import type { Instant } from '../../calendar/zone.ts'
import type { AuditAction, AuditKind, AuditRecord, Way } from '../../schema/audit.ts'
import type { Tx } from '../dialect.ts'
import type { AuditTable } from '../service-tables.ts'
import type { Tables } from '../tables.ts'
import { LOGGED, type TrackedKind } from './logged.ts'
import { readRows } from './reading.ts'

/** Reading the log, and forgetting the oldest of it. */

export type AuditRow = Omit<Selectable<AuditTable>, 'same_as'>

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

/** Rows with their content, which may be that of another row. */
function rows(tx: Tx) {
  return tx
    .selectFrom('audit')
    .leftJoin('audit as first', 'first.id', 'audit.same_as')
    .select(['audit.id', 'audit.at_utc', 'audit.user', 'audit.user_name', 'audit.address', 'audit.way'])
    .select(['audit.action', 'audit.kind', 'audit.record', 'audit.title'])
    .select((eb) => [
      eb.fn.coalesce('audit.before', 'first.before').as('before'),
      eb.fn.coalesce('audit.after', 'first.after').as('after'),
    ])
}

/** The newest rows first, from a place in that order on. */
export async function list(
  tx: Tx,
  filter: AuditFilter,
  {
    since,
    limit,
    offset,
  }: { readonly since: readonly [at: number, id: number] | null; readonly limit: number; readonly offset: number },
): Promise<AuditRow[]> {
  return rows(tx)
    .where((eb) => matches(eb as Where, filter))
    .$if(since !== null, (query) =>
      query.where((eb) => eb(eb.refTuple('audit.at_utc', 'audit.id'), '<', eb.tuple(since?.[0] ?? 0, since?.[1] ?? 0))),
    )
    .orderBy('audit.at_utc', 'desc')
    .orderBy('audit.id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute()
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

/** Rows of one record, the newest first, before a row. */
export async function ofRecord(
  tx: Tx,
  kind: AuditKind,
  record: number,
  { until, limit, offset = 0 }: { readonly until: number | null; readonly limit: number; readonly offset?: number },
): Promise<AuditRow[]> {
  return rows(tx)
    .where('audit.kind', '=', kind)
    .where('audit.record', '=', record)
    .$if(until !== null, (query) => query.where('audit.id', '<', until ?? 0))
    .orderBy('audit.id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute()
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

/** Names of records, by id. */
export async function getNames(tx: Tx, kind: TrackedKind, ids: readonly number[]): Promise<Map<number, string>> {
  const rows = await readRows(tx, kind, ids, [])
  return new Map([...rows].map(([id, row]) => [id, String(row[LOGGED[kind].title] ?? '')]))
}
