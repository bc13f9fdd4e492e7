import { type Expression, type ExpressionBuilder, type Selectable, type SqlBool, sql } from 'kysely'
import type { Instant } from '../calendar/zone.ts'
import { dialectOf, type Tx } from './dialect.ts'
import type { ChangeTable } from './service-tables.ts'
import type { Tables } from './tables.ts'
import type { Visibility } from './visibility.ts'

/**
 * The table of changes has each record once, at its last change; triggers of the tables of records write it, so that no
 * write is forgotten. On a server, transactions commit in another order than they begin. So a change bears the id of its
 * transaction, and is told only when no transaction with a smaller id runs any more: see Dialect.lastChange.
 */

export type ChangeRow = Selectable<ChangeTable>

/** A place in the order of changes. */
export interface Place {
  readonly xid: number
  readonly position: number
}

export interface ChangeFilter {
  readonly visibility: Visibility
  readonly kinds: readonly ChangeRow['kind'][]
  readonly since: Place
  /** The last change that is told. */
  readonly until: Place
  /** Removals up to here are not told. */
  readonly silent: Place | null
}

type Where = ExpressionBuilder<Tables, 'changes'>

/** Changes that concern a reader, oldest first. */
export async function list(tx: Tx, filter: ChangeFilter, limit: number): Promise<ChangeRow[]> {
  const place = (eb: Where) => eb.refTuple('xid', 'position')
  const { since, until, silent, visibility } = filter
  return tx
    .selectFrom('changes')
    .selectAll()
    .where((eb) => eb(place(eb), '>', eb.tuple(since.xid, since.position)))
    .where((eb) => eb(place(eb), '<=', eb.tuple(until.xid, until.position)))
    .where('kind', 'in', filter.kinds)
    .where((eb) => {
      const isTold = wasVisible(eb, visibility)
      const told =
        silent === null ? isTold : eb.and([isTold, eb(place(eb), '>', eb.tuple(silent.xid, silent.position))])
      return eb.or([isVisible(eb, visibility), told])
    })
    .orderBy('xid')
    .orderBy('position')
    .limit(limit)
    .execute()
}

/** Condition: the reader sees the record in lists. */
function isVisible(eb: Where, { all, own }: Visibility): Expression<SqlBool> {
  const isThere = eb('status', 'not in', ['trash', 'gone'])
  if (all) return isThere
  const isPublic = eb.and([eb('status', '=', 'publish'), eb('is_open', '=', 1)])
  return own === null ? isPublic : eb.or([isPublic, eb.and([isThere, eb('is_open', '=', 1), eb('author', '=', own)])])
}

/** The same, decided for a row. */
export function isShown({ status, is_open, author }: ChangeRow, { all, own }: Visibility): boolean {
  const isThere = status !== 'trash' && status !== 'gone'
  return isThere && (all || (is_open === 1 && (status === 'publish' || (own !== null && author === own))))
}

/** Condition: the reader may have seen the record some time. What they never could see is not told. */
function wasVisible(eb: Where, { all, own }: Visibility): Expression<SqlBool> {
  if (all) return eb('was_live', '=', 1)
  const wasPublic = eb('was_public', '=', 1)
  return own === null ? wasPublic : eb.or([wasPublic, eb('readers', 'like', `%,${own},%`)])
}

/** The last change that may be told: all changes up to here are known, and all others come after it. */
export function last(tx: Tx): Promise<Place> {
  return dialectOf(tx).lastChange(tx)
}

/** Whether a change waits behind this place, until an older transaction ends. */
export async function isBehind(tx: Tx, { xid }: Place): Promise<boolean> {
  if (!dialectOf(tx).locksRows) return false
  const row = await tx.selectFrom('changes').select('record').where('xid', '>=', xid).limit(1).executeTakeFirst()
  return row !== undefined
}

/** Removes up to so many entries of records that are gone since before a time. Returns how many. */
export async function forget(tx: Tx, before: Instant, most: number): Promise<number> {
  const old = tx.selectFrom('changes').select(['kind', 'record']).where('status', '=', 'gone')
  const rows = await old.where('changed_utc', '<', before).limit(most).execute()
  for (const { kind, record } of rows)
    await tx.deleteFrom('changes').where('kind', '=', kind).where('record', '=', record).execute()
  return rows.length
}

/**
 * Numbers the changes anew if they bear ids of transactions that this server has not had: it was restored from a dump of
 * another one. Returns whether they did.
 */
export async function renumber(tx: Tx): Promise<boolean> {
  const isForeign = await dialectOf(tx).hasForeignChanges(tx)
  if (isForeign) await sql`update changes set xid = 0`.execute(tx)
  return isForeign
}
