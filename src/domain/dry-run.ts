import type { Database } from '../storage/database.ts'
import { withRollback } from '../storage/rollback.ts'
import { runInOneTransaction } from '../storage/shared-transaction.ts'

/** Runs work and returns its result, but writes nothing. Everything is checked as if it were written. */
export function dryRun<T>(db: Database, run: (db: Database) => Promise<T>): Promise<T> {
  return withRollback(async (rollBack) => {
    await runInOneTransaction(db, [{ run }], async (_, [outcome]) => rollBack((outcome as () => T)()))
    throw new Error('a dry run was committed')
  })
}
