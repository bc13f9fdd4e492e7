import { type Expression, type SqlBool, sql } from 'kysely'
import type { Tx } from './dialect.ts'
import { linksOf, type MergeKind } from './merging.ts'
import type { Page } from './records.ts'
import type { TermRow } from './terms.ts'
import { isEventFullyVisible, isTermVisible, type Visibility } from './visibility.ts'

/** Number of events of each record or term that a reader may see, without the trash. */
export async function countEvents(
  tx: Tx,
  kind: MergeKind,
  ids: readonly number[],
  visibility: Visibility,
): Promise<Map<number, number>> {
  if (ids.length === 0) return new Map()
  const { table, column } = linksOf(kind)
  const rows = await tx
    .selectFrom(table)
    .innerJoin('events', 'events.id', `${table}.event`)
    .select([`${table}.${column} as id`])
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .where(`${table}.${column}`, 'in', ids)
    .where((eb) => isEventFullyVisible(tx, eb, visibility))
    .groupBy(`${table}.${column}`)
    .execute()
  return new Map(rows.map(({ id, total }) => [id, Number(total)]))
}

/** A category with its depth in the tree, from 0. */
export type TreeRow = TermRow & { readonly depth: number }

/** Sorts before every character of a name. */
const BETWEEN = '\u0001'

/** One page of the tree of categories: each is followed by its children, siblings are in order of name. */
export async function tree(tx: Tx, visibility: Visibility, limit: number, offset: number): Promise<Page<TreeRow>> {
  const isShown = (eb: Parameters<typeof isTermVisible>[0]): Expression<SqlBool> =>
    eb.and([eb('terms.kind', '=', 'category'), isTermVisible(eb, visibility)])
  const key = sql<string>`terms.name_key || ${sql.lit(BETWEEN)} || cast(terms.id as text) || ${sql.lit(BETWEEN)}`
  const { total } = await tx
    .selectFrom('terms')
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .where(isShown)
    .executeTakeFirstOrThrow()
  const rows = await tx
    .withRecursive('tree(id, depth, place)', (db) =>
      db
        .selectFrom('terms')
        .select(['terms.id', sql<number>`0`.as('depth'), sql<string>`${key}`.as('place')])
        .where(isShown)
        .where('terms.parent', '=', 0)
        .unionAll(
          db
            .selectFrom('terms')
            .innerJoin('tree', 'tree.id', 'terms.parent')
            .select([
              'terms.id',
              sql<number>`tree.depth + 1`.as('depth'),
              sql<string>`tree.place || ${key}`.as('place'),
            ])
            .where((eb) => isShown(eb as unknown as Parameters<typeof isTermVisible>[0])),
        ),
    )
    .selectFrom('tree')
    .innerJoin('terms', 'terms.id', 'tree.id')
    .selectAll('terms')
    .select('tree.depth')
    .orderBy('tree.place')
    .limit(limit)
    .offset(offset)
    .execute()
  return { rows: rows.map((row) => ({ ...row, depth: Number(row.depth) })), total: Number(total) }
}
