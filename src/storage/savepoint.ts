import { CompiledQuery } from 'kysely'
import { dialectOf, type Tx } from './dialect.ts'
import { execute } from './prepared.ts'

const BEGIN = CompiledQuery.raw('savepoint part')
const UNDO = CompiledQuery.raw('rollback to savepoint part')
const END = CompiledQuery.raw('release savepoint part')

/**
 * Does a part of a transaction that leaves nothing behind if it fails, and does not fail the rest; answers what gives its
 * result, or throws what it failed with. What ends the whole transaction is thrown at once.
 */
export async function settleInSavepoint<T>(tx: Tx, work: () => Promise<T>): Promise<() => T> {
  await execute(tx, BEGIN)
  let told: () => T
  try {
    const result = await work()
    told = () => result
  } catch (error) {
    const { isPassing, isUnreachable, faultOf } = dialectOf(tx)
    // These end the whole transaction; some are a reason to do it again.
    if (isPassing(error) || isUnreachable(error) || faultOf(error) !== null) throw error
    await execute(tx, UNDO)
    told = () => {
      throw error
    }
  }
  await execute(tx, END)
  return told
}

/** The same, which fails as its part does. */
export async function inSavepoint<T>(tx: Tx, work: () => Promise<T>): Promise<T> {
  return (await settleInSavepoint(tx, work))()
}
