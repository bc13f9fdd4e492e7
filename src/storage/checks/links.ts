import { type RawBuilder, sql } from 'kysely'
import { LINKED_KINDS, RECORD_KINDS } from '../../schema/linked.ts'
import type { Tx } from '../dialect.ts'
import { LINK_TABLE, RECORD_TABLE } from '../records.ts'

/** A column that refers to the id of another table. */
interface Reference {
  readonly table: string
  readonly column: string
  readonly target: string
  /** What a row without its target becomes: it loses the reference, it is removed, or it can only be reported. */
  readonly repair: 'unset' | 'remove' | null
  /** Value of a column that refers to nothing. */
  readonly none?: number | null
}

const REFERENCES: readonly Reference[] = [
  ...LINKED_KINDS.flatMap((kind): Reference[] => [
    { table: LINK_TABLE[kind], column: 'event', target: 'events', repair: 'remove' },
    { table: LINK_TABLE[kind], column: 'linked', target: RECORD_TABLE[kind], repair: 'remove' },
  ]),
  ...RECORD_KINDS.flatMap((kind): Reference[] => [
    { table: RECORD_TABLE[kind], column: 'image', target: 'images', repair: 'unset' },
    { table: RECORD_TABLE[kind], column: 'author', target: 'users', repair: null },
  ]),
  { table: 'events', column: 'parent', target: 'events', repair: 'unset' },
  { table: 'events', column: 'series', target: 'series', repair: 'unset' },
  { table: 'terms', column: 'parent', target: 'terms', repair: 'unset', none: 0 },
  { table: 'terms', column: 'author', target: 'users', repair: 'unset' },
  { table: 'event_terms', column: 'event', target: 'events', repair: 'remove' },
  { table: 'event_terms', column: 'term', target: 'terms', repair: 'remove' },
  { table: 'tickets', column: 'event', target: 'events', repair: 'remove' },
  { table: 'free_events', column: 'event', target: 'events', repair: 'remove' },
  { table: 'images', column: 'author', target: 'users', repair: null },
  { table: 'tokens', column: 'user', target: 'users', repair: 'remove' },
  { table: 'sessions', column: 'user', target: 'users', repair: 'remove' },
  { table: 'invitations', column: 'user', target: 'users', repair: 'remove' },
  { table: 'import_changes', column: 'run', target: 'import_runs', repair: 'remove' },
]

export interface BrokenLinks {
  readonly text: string
  readonly isRepaired: boolean
}

/** References to rows that are not there. With `repair`, in a write transaction, those that can be are repaired. */
export async function findBrokenLinks(tx: Tx, repair: boolean): Promise<BrokenLinks[]> {
  const found: BrokenLinks[] = []
  for (const reference of REFERENCES) {
    const { table, column, target } = reference
    const { rows } = await sql<{ count: number }>`select count(*) as count from ${sql.table(table)} as broken
      where ${isBroken(reference)}`.execute(tx)
    const count = Number(rows[0]?.count)
    if (count === 0) continue
    if (repair) await repairLinks(tx, reference)
    const text = `${count} rows of ${table} refer by "${column}" to rows of ${target} that are not there`
    found.push({ text, isRepaired: repair && reference.repair !== null })
  }
  return found
}

function isBroken({ column, target, none = null }: Reference): RawBuilder<unknown> {
  const value = sql.ref(`broken.${column}`)
  const isSet = none === null ? sql`${value} is not null` : sql`${value} <> ${sql.lit(none)}`
  return sql`${isSet} and not exists (select 1 from ${sql.table(target)} as wanted where wanted.id = ${value})`
}

async function repairLinks(tx: Tx, reference: Reference): Promise<void> {
  const { table, column, repair, none = null } = reference
  if (repair === 'remove') await sql`delete from ${sql.table(table)} as broken where ${isBroken(reference)}`.execute(tx)
  if (repair === 'unset')
    await sql`update ${sql.table(table)} as broken set ${sql.ref(column)} = ${sql.lit(none)}
      where ${isBroken(reference)}`.execute(tx)
}
