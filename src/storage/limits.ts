import type { Tx } from './dialect.ts'

/** Adds to the counts of a window; answers what they come to. Counts of earlier windows are dropped. */
export async function add(tx: Tx, window: number, counts: ReadonlyMap<string, number>): Promise<Map<string, number>> {
  await tx.deleteFrom('limits').where('window', '<', window).execute()
  const totals = new Map<string, number>()
  // In one order, so that two nodes do not wait for each other.
  for (const [key, count] of [...counts].sort(([one], [other]) => (one < other ? -1 : 1))) {
    const { total } = await tx
      .insertInto('limits')
      .values({ key, window, count })
      .onConflict((conflict) =>
        conflict.columns(['key', 'window']).doUpdateSet((eb) => ({ count: eb('limits.count', '+', count) })),
      )
      .returning('limits.count as total')
      .executeTakeFirstOrThrow()
    totals.set(key, total)
  }
  return totals
}
