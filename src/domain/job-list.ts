import type { Instant } from '../calendar/zone.ts'
import { AppError } from '../lib/errors.ts'
import * as storage from '../storage/job-list.ts'
import { rightsOf } from './access.ts'
import type { Scope } from './scope.ts'

/** A background job, for administrators. */
export interface JobView {
  readonly id: number
  readonly kind: string
  readonly state: 'failed' | 'running' | 'waiting'
  readonly isRecurring: boolean
  readonly attempts: number
  readonly error: string | null
  /** When it may be run; null if it has failed for good. */
  readonly due: Instant | null
  /** When an attempt last ended. */
  readonly ended: Instant | null
}

/** Jobs that are listed: the rest waits behind them. */
const SHOWN = 200

type AdminScope = Pick<Scope, 'db' | 'user'>

/** The first jobs, failed ones first, and the number of all. */
export async function listAll(scope: AdminScope): Promise<{ jobs: JobView[]; total: number }> {
  refuseOthers(scope)
  const { rows, total } = await scope.db.read((tx) => storage.listAll(tx, SHOWN))
  const jobs = rows.map((row): JobView => {
    const state = row.due_utc === null ? 'failed' : row.claimed_by === null ? 'waiting' : 'running'
    const { id, kind, attempts, error } = row
    return { id, kind, state, isRecurring: row.key === '', attempts, error, due: row.due_utc, ended: row.ended_utc }
  })
  return { jobs, total }
}

/** Makes a job due at once, as if it had never been tried. Answers whether it is there and does not run. */
export function retry(scope: AdminScope, id: number): Promise<boolean> {
  refuseOthers(scope)
  return storage.retry(scope.db, id)
}

/** Removes a job that does not run. Answers whether it was there. Recurring ones stay. */
export function remove(scope: AdminScope, id: number): Promise<boolean> {
  refuseOthers(scope)
  return storage.remove(scope.db, id)
}

function refuseOthers({ user }: AdminScope): void {
  if (!rightsOf(user).administer) throw new AppError('rest_forbidden')
}
