import type { Database } from '../storage/database.ts'
import { runInOneTransaction } from '../storage/shared-transaction.ts'

/** Ends a transaction whose result is only looked at. */
class Looked<T> extends Error {
  readonly result: T
  constructor(result: T) {
    super('looked at')
    this.result = result
  }
}

/** Runs work and returns its result, but writes nothing. Everything is checked as if it were written. */
export async function dryRun<T>(db: Database, run: (db: Database) => Promise<T>): Promise<T> {
  try {
    const [outcome] = await runInOneTransaction(db, [{ run }], async (_, [made]) => {
      throw new Looked(made?.())
    })
    throw new Error(`a dry run has ended with ${typeof outcome}`)
  } catch (error) {
    if (error instanceof Looked) return error.result as T
    throw error
  }
}
