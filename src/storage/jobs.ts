import { randomUUID } from 'node:crypto'
import { type Compilable, type Kysely, type RawBuilder, type Selectable, sql, type Updateable } from 'kysely'
import type { Database } from './database.ts'
import { dialectOf, type Tx } from './dialect.ts'
import type { JobTable } from './service-tables.ts'
import type { Tables } from './tables.ts'

/**
 * The table of background jobs. Every time in it is by the clock of the database and was set as a delay from now, so that nodes
 * whose clocks differ agree. A job may be claimed when it is due. Claiming makes it due again when the lease ends.
 */

export type JobRow = Selectable<JobTable>

/** How long a job that has failed for good is kept, in seconds. */
const KEPT = 30 * 24 * 3600
/** By how much the clock of the database may seem to be behind, in seconds; times are stored in whole seconds. */
const TOLERANCE = 2

/** So many seconds from now, in whole seconds. */
export function after(db: Kysely<Tables>, seconds: number): RawBuilder<number> {
  return sql<number>`cast(floor(${dialectOf(db).now}) + ${sql.lit(seconds)} as bigint)`
}

export interface NewJob {
  readonly kind: string
  /** Names the job among those of its kind: adding it again while it waits changes that one. Without it, each is a new job. */
  readonly key?: string
  /** Stored as JSON. */
  readonly payload?: unknown
  /** Seconds. */
  readonly delay?: number
}

/**
 * Adds a job, in the transaction of the write that it follows from: it is run if and only if that is committed. A job of the
 * same key that waits or has failed begins anew with this payload; one that runs is run again afterwards.
 */
export async function add(tx: Tx, { kind, key = randomUUID(), payload = null, delay = 0 }: NewJob): Promise<void> {
  const now = after(tx, 0)
  const times = { due_utc: after(tx, delay), set_utc: now, created_utc: now }
  await tx
    .insertInto('jobs')
    .values({ kind, key, payload: JSON.stringify(payload), attempts: 0, requests: 1, ...times })
    .onConflict((conflict) =>
      conflict.columns(['kind', 'key']).doUpdateSet((eb) => ({
        payload: eb.ref('excluded.payload'),
        requests: eb('jobs.requests', '+', 1),
        attempts: sql<number>`case when jobs.claimed_by is null then 0 else jobs.attempts end`,
        due_utc: sql<number>`case when jobs.claimed_by is not null or jobs.attempts = 0 and jobs.due_utc < excluded.due_utc
          then jobs.due_utc else excluded.due_utc end`,
        set_utc: now,
      })),
    )
    .execute()
}

/** Adds the recurring jobs that are not there, and writes nothing if all are. None waits longer than it is to from now on. */
export async function addRecurring(
  db: Database,
  kinds: readonly { readonly name: string; readonly every?: number | undefined }[],
): Promise<void> {
  const found = await db.read((tx) =>
    tx
      .selectFrom('jobs')
      .select(['kind', 'claimed_by', sql<number | null>`due_utc - ${dialectOf(tx).now}`.as('wait')])
      .where('key', '=', '')
      .execute(),
  )
  for (const { name, every = 0 } of kinds) {
    const isLate = found.some(({ kind, claimed_by, wait }) => kind === name && !claimed_by && Number(wait) > every + 1)
    // Its interval was longer before.
    if (isLate)
      await run(db, (on) =>
        on
          .updateTable('jobs')
          .set({ due_utc: after(on, every), set_utc: after(on, 0) })
          .where('kind', '=', name)
          .where('key', '=', '')
          .where('claimed_by', 'is', null),
      )
  }
  const missing = kinds.filter(({ name }) => !found.some(({ kind }) => kind === name))
  if (missing.length === 0) return
  await db.writeWithoutInvalidating(async (tx) => {
    for (const { name } of missing) await add(tx, { kind: name, key: '' })
  })
}

/** How many seconds it is until a job of these kinds is due, and whether the clock was set back since a job was written. */
export async function look(tx: Tx, kinds: readonly string[]): Promise<{ wait: number; isSetBack: boolean }> {
  const { now } = dialectOf(tx)
  const due = tx.selectFrom('jobs').select('due_utc').where('kind', 'in', kinds).where('due_utc', 'is not', null)
  const { rows } = await sql<{ wait: number | null; ahead: number | null }>`select
    (${due.orderBy('due_utc').limit(1)}) - ${now} as wait, (select max(set_utc) from jobs) - ${now} as ahead`.execute(
    tx,
  )
  return { wait: rows[0]?.wait ?? Number.POSITIVE_INFINITY, isSetBack: (rows[0]?.ahead ?? 0) > TOLERANCE }
}

/** Keeps the delays of jobs that were written before the clock was set back. A process that runs one renews its lease. */
export async function makeUpForClock(db: Database): Promise<void> {
  await run(db, (on) => {
    const now = after(on, 0)
    const due_utc = sql<number>`due_utc - set_utc + ${now}`
    return on.updateTable('jobs').set({ due_utc, set_utc: now }).where('set_utc', '>', after(on, TOLERANCE))
  })
}

/** Claims the job of these kinds that is overdue the longest, for a process and so many seconds, but none that it still runs. */
export async function claim(
  db: Database,
  kinds: readonly string[],
  claimed_by: string,
  lease: number,
  running: readonly number[] = [],
): Promise<JobRow | undefined> {
  const [job] = await run(db, (on) => {
    const { now, locksRows } = dialectOf(on)
    return on
      .with('picked', (query) =>
        query
          .selectFrom('jobs')
          .select('id')
          .where('kind', 'in', kinds)
          .where('due_utc', '<=', now)
          .orderBy('due_utc')
          .orderBy('id')
          .limit(1)
          .$if(running.length > 0, (picked) => picked.where('id', 'not in', running))
          .$if(locksRows, (picked) => picked.forUpdate().skipLocked()),
      )
      .updateTable('jobs')
      .set((eb) => ({ claimed_by, attempts: eb('attempts', '+', 1), due_utc: after(on, lease), set_utc: after(on, 0) }))
      .where('id', 'in', (eb) => eb.selectFrom('picked').select('id'))
      .returningAll()
  })
  return job
}

/** Makes the lease of a job last so many seconds from now; answers whether it is still claimed by the same process. */
export function renew(db: Database, job: JobRow, lease: number): Promise<boolean> {
  return change(db, job, (on) => ({ due_utc: after(on, lease) }))
}

/** Lets a job be claimed again after a delay in seconds, by whoever comes first. */
export async function release(db: Database, job: JobRow, delay: number, attempts: number, error: string | null) {
  await change(db, job, (on) => ({ ...ended(on), due_utc: after(on, delay), attempts, error }))
}

/** Removes a job that is done; one that was added again meanwhile is due at once. */
export async function finish(db: Database, job: JobRow): Promise<void> {
  const { id, claimed_by, requests } = job
  const removed = await run(db, (on) => {
    const own = on.deleteFrom('jobs').where('id', '=', id).where('claimed_by', '=', claimed_by)
    return own.where('requests', '=', requests).returning('id')
  })
  if (removed.length === 0) await release(db, job, 0, 0, null)
}

/** Keeps a job that has failed for good, and forgets those that did so long ago; one that was added again is due at once. */
export async function fail(db: Database, job: JobRow, error: string): Promise<void> {
  const unlessAdded = sql`case when requests = ${job.requests} then`
  await change(db, job, (on) => ({
    ...ended(on),
    due_utc: sql<number | null>`${unlessAdded} null else ${after(on, 0)} end`,
    attempts: sql<number>`${unlessAdded} attempts else 0 end`,
    error,
  }))
  await run(db, (on) => on.deleteFrom('jobs').where('due_utc', 'is', null).where('ended_utc', '<', after(on, -KEPT)))
}

/** Jobs that have failed for good, of one kind or of all, the latest first. */
export async function listFailed(tx: Tx, limit: number, kind: string | null = null): Promise<JobRow[]> {
  const failed = tx.selectFrom('jobs').selectAll().where('due_utc', 'is', null)
  return (kind === null ? failed : failed.where('kind', '=', kind)).orderBy('ended_utc', 'desc').limit(limit).execute()
}

function ended(on: Kysely<Tables>) {
  return { claimed_by: null, ended_utc: after(on, 0) }
}

/** Changes a job unless another process has claimed it since; answers whether that is so. */
async function change(
  db: Database,
  { id, claimed_by }: JobRow,
  values: (on: Kysely<Tables>) => Updateable<JobTable> | Record<string, unknown>,
): Promise<boolean> {
  const changed = await run(db, (on) =>
    on
      .updateTable('jobs')
      .set({ ...values(on), set_utc: after(on, 0) })
      .where('id', '=', id)
      .where('claimed_by', '=', claimed_by)
      .returning('id'),
  )
  return changed.length > 0
}

/** Runs a statement that invalidates no cache; if another process is in its way, as a transaction that waits for that. */
export async function run<Row>(db: Database, statement: (on: Kysely<Tables>) => Compilable<Row>): Promise<Row[]> {
  try {
    return await db.touch(statement)
  } catch {
    return db.writeWithoutInvalidating(async (tx) => (await tx.executeQuery(statement(tx).compile())).rows)
  }
}
