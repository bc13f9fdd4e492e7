import type { Tx } from './dialect.ts'

/** A key that all nodes share; undefined if none was made yet. */
export async function find(tx: Tx, name: string): Promise<string | undefined> {
  const row = await tx.selectFrom('secrets').select('value').where('name', '=', name).executeTakeFirst()
  return row?.value
}

/** Removes a key, so that another one is made. */
export async function remove(tx: Tx, name: string): Promise<void> {
  await tx.deleteFrom('secrets').where('name', '=', name).execute()
}

/** Stores a key, unless another node was faster. */
export async function create(tx: Tx, name: string, value: string): Promise<void> {
  await tx
    .insertInto('secrets')
    .values({ name, value })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute()
}
