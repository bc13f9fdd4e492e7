import type { Database } from '../storage/database.ts'
import type { Tx } from '../storage/dialect.ts'
import type { JobKind } from './job-run.ts'

/** Rows that one transaction removes. */
const BATCH = 500

/** Removes up to `most` rows, and returns how many. */
type Forget = (tx: Tx, most: number) => Promise<number>

/** Removes old rows, some in each transaction, so that others can write in between. */
export async function sweep(db: Database, signal: AbortSignal, forget: Forget): Promise<void> {
  const removeSome = () => db.writeWithoutInvalidating((tx) => forget(tx, BATCH))
  while (!signal.aborted && (await removeSome()) >= BATCH);
}

/** A job that removes old rows every so many seconds. */
export function sweepingJob(db: Database, name: string, every: number, forget: Forget): JobKind {
  return { name, every, run: (_, signal) => sweep(db, signal, forget) }
}
