import type { Selectable } from 'kysely'
import type { Tx } from './dialect.ts'
import type { StoredBytesTable } from './service-tables.ts'

/**
 * How many bytes each user has stored of what is forgotten from the oldest on. Each row tells how many were stored up to an
 * entry, since the row before it. So nothing is ever counted again, and a wrong count is forgotten with what it counts.
 */
type Row = Selectable<StoredBytesTable>

/** Of whom, and of what. */
export type Stored = Pick<Row, 'user' | 'kind'>

export async function add(tx: Tx, row: Row): Promise<void> {
  await tx
    .insertInto('stored_bytes')
    .values(row)
    .onConflict((conflict) =>
      conflict
        .columns(['user', 'kind', 'upto'])
        .doUpdateSet((eb) => ({ bytes: eb('stored_bytes.bytes', '+', eb.ref('excluded.bytes')) })),
    )
    .execute()
}

/** The entry up to which the oldest are too many: what is left are at most so many bytes, or the newest row. Null if all may stay. */
export async function surplus(tx: Tx, { user, kind }: Stored, most: number): Promise<number | null> {
  const rows = await tx
    .selectFrom('stored_bytes')
    .select(['upto', 'bytes'])
    .where('user', '=', user)
    .where('kind', '=', kind)
    .orderBy('upto', 'desc')
    .execute()
  let bytes = 0
  for (const [n, row] of rows.entries()) {
    bytes += row.bytes
    if (n > 0 && bytes > most) return row.upto
  }
  return null
}

/** Forgets the count up to an entry. */
export async function remove(tx: Tx, { user, kind }: Stored, upto: number): Promise<void> {
  await tx
    .deleteFrom('stored_bytes')
    .where('user', '=', user)
    .where('kind', '=', kind)
    .where('upto', '<=', upto)
    .execute()
}

/** Rows, and bytes, that are forgotten at once. The first row always is. */
export const MOST_ROWS = 500
const MOST_BYTES = 1_000_000

/** The first rows, as many as are forgotten at once. */
export function firstOf<T extends { readonly size: number }>(rows: readonly T[]): readonly T[] {
  let bytes = 0
  const end = rows.findIndex(({ size }, n) => {
    bytes += Number(size)
    return n > 0 && bytes > MOST_BYTES
  })
  return end === -1 ? rows : rows.slice(0, end)
}
