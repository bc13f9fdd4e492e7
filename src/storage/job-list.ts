import { sql } from 'kysely'
import type { Database } from './database.ts'
import type { Tx } from './dialect.ts'
import { after, type JobRow, run } from './jobs.ts'

/** Jobs for administrators: failed ones first, then those that run, then those that wait, by time. */
export async function listAll(tx: Tx, limit: number): Promise<{ rows: JobRow[]; total: number }> {
  const rank = sql`case when due_utc is null then 0 when claimed_by is not null then 1 else 2 end`
  const rows = await tx
    .selectFrom('jobs')
    .selectAll()
    .orderBy(rank)
    .orderBy(sql`case when due_utc is null then -ended_utc else due_utc end`)
    .orderBy('id')
    .limit(limit)
    .execute()
  const { total } = await tx
    .selectFrom('jobs')
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  return { rows, total: Number(total) }
}

/** Makes a job that does not run due at once. */
export async function retry(db: Database, id: number): Promise<boolean> {
  const changed = await run(db, (on) =>
    on
      .updateTable('jobs')
      .set({ due_utc: after(on, 0), set_utc: after(on, 0), attempts: 0 })
      .where('id', '=', id)
      .where('claimed_by', 'is', null)
      .returning('id'),
  )
  return changed.length > 0
}

/** Removes a job that does not run; a recurring one stays. */
export async function remove(db: Database, id: number): Promise<boolean> {
  const removed = await run(db, (on) =>
    on.deleteFrom('jobs').where('id', '=', id).where('claimed_by', 'is', null).where('key', '<>', '').returning('id'),
  )
  return removed.length > 0
}
