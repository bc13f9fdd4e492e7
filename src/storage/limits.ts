import type { Tx } from './dialect.ts'

/** Adds to the counters of a time window and returns the totals. Counters of earlier windows are deleted. */
export async function add(tx: Tx, window: number, counts: ReadonlyMap<string, number>): Promise<Map<string, number>> {
  await tx.deleteFrom('limits').where('window', '<', window).execute()
  const totals = new Map<string, number>()
  // Sorted, to avoid deadlocks between nodes.
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
