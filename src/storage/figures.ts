import { sql } from 'kysely'
import { dialectOf, type Tx } from './dialect.ts'

export interface JobCount {
  readonly kind: string
  readonly state: 'waiting' | 'running' | 'failed'
  readonly count: number
}

/** Numbers of jobs, and for how many seconds the one has been due that waits longest. */
export async function countJobs(tx: Tx): Promise<{ jobs: JobCount[]; delay: number }> {
  const state = sql<JobCount['state']>`case when due_utc is null then 'failed'
    when claimed_by is not null then 'running' else 'waiting' end`
  const { rows } = await sql<JobCount & { due: number | null }>`select kind, ${state} as state, count(*) as count,
    min(case when key <> '' then due_utc end) as due from jobs group by kind, ${state} order by kind, state`.execute(tx)
  const { rows: clock } = await sql<{ now: number }>`select ${dialectOf(tx).now} as now`.execute(tx)
  // Recurring jobs, which have no key, wait until there is something to do.
  const due = rows.filter((row) => row.state === 'waiting' && row.due !== null).map((row) => Number(row.due))
  const jobs = rows.map((row) => ({ kind: row.kind, state: row.state, count: Number(row.count) }))
  return { jobs, delay: Math.max(0, ...due.map((one) => Number(clock[0]?.now) - one)) }
}

/** Numbers of imports by state. */
export async function countImports(tx: Tx): Promise<{ state: string; count: number }[]> {
  const rows = await tx
    .selectFrom('import_runs')
    .select((eb) => ['state', eb.fn.countAll<number>().as('count')])
    .groupBy('state')
    .execute()
  return rows.map(({ state, count }) => ({ state, count: Number(count) }))
}

/** Requests that active webhooks have to send, and for how many seconds the oldest waits. */
export async function countDeliveries(tx: Tx): Promise<{ pending: number; lag: number }> {
  // Of an index alone: there may be very many.
  const { first, pending } = await tx
    .selectFrom('webhook_deliveries')
    .select((eb) => [eb.fn.min('id').as('first'), eb.fn.countAll<number>().as('pending')])
    .where('status', '=', 'pending')
    .where('hook', 'in', (eb) => eb.selectFrom('webhooks').select('webhooks.id').where('active', '=', 1))
    .executeTakeFirstOrThrow()
  const oldest = await tx
    .selectFrom('webhook_deliveries')
    .select(['created_utc', dialectOf(tx).now.as('now')])
    .where('id', '=', first ?? 0)
    .executeTakeFirst()
  const lag = oldest === undefined ? 0 : Math.max(0, Number(oldest.now) - oldest.created_utc)
  return { pending: Number(pending), lag }
}
