import { type Expression, type SqlBool, sql } from 'kysely'

/** Pages by the sort key of the last record before them: they stay right while others write, and far ones are cheap. */

/** One column of an order. The last one is unique. */
export interface SortKey {
  readonly by: Expression<unknown>
  readonly direction: 'asc' | 'desc'
}

export type SortValues = readonly (string | number)[]

/** Condition: a row comes after the one with these values. */
export function isAfter(keys: readonly SortKey[], values: SortValues): Expression<SqlBool> {
  const [first] = keys
  if (first === undefined) return sql<SqlBool>`1 = 0`
  const least = first.direction === 'asc' ? sql`>=` : sql`<=`
  // The first condition is for the index.
  return sql<SqlBool>`(${first.by} ${least} ${values[0]} and ${follows(keys, values)})`
}

function follows([key, ...others]: readonly SortKey[], [value, ...rest]: SortValues): Expression<SqlBool> {
  if (key === undefined) return sql<SqlBool>`1 = 0`
  const beyond = sql<SqlBool>`${key.by} ${key.direction === 'asc' ? sql`>` : sql`<`} ${value}`
  return others.length === 0 ? beyond : sql<SqlBool>`(${beyond} or (${key.by} = ${value} and ${follows(others, rest)}))`
}
