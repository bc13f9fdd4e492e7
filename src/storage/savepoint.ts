import { CompiledQuery } from 'kysely'
import { trackPart } from './audit/tracker.ts'
import { dialectOf, type Tx } from './dialect.ts'

const BEGIN = CompiledQuery.raw('savepoint part')
const ROLLBACK = CompiledQuery.raw('rollback to savepoint part')
const END = CompiledQuery.raw('release savepoint part')

/**
 * Runs a part of a transaction in a savepoint. If it fails, only that part is rolled back. Returns a function that
 * returns the result or throws the error of the part. Errors that end the whole transaction are thrown at once.
 */
export async function attemptInSavepoint<T>(tx: Tx, work: () => Promise<T>): Promise<() => T> {
  const { settle, forget } = dialectOf(tx)
  await settle(tx)
  await tx.executeQuery(BEGIN)
  const endPart = trackPart(tx)
  let outcome: () => T
  try {
    const result = await work()
    await settle(tx)
    endPart(true)
    outcome = () => result
  } catch (error) {
    endPart(false)
    forget(tx)
    const { isTransient, isUnreachable, faultOf } = dialectOf(tx)
    // These end the whole transaction; some can be retried.
    if (isTransient(error) || isUnreachable(error) || faultOf(error) !== null) throw error
    await tx.executeQuery(ROLLBACK)
    outcome = () => {
      throw error
    }
  }
  await tx.executeQuery(END)
  return outcome
}

/** The same, but throws the error of the part at once. */
export async function inSavepoint<T>(tx: Tx, work: () => Promise<T>): Promise<T> {
  return (await attemptInSavepoint(tx, work))()
}
