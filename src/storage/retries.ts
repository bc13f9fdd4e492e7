import { setTimeout } from 'node:timers/promises'
import { unavailable } from '../lib/errors.ts'
import type { Dialect } from './dialect.ts'
import type { Faults } from './faults.ts'

/** How long a transaction is retried, and the longest pause between attempts, in milliseconds. */
const RETRY_TIMEOUT = 5000
const MAX_PAUSE = 50

/** Retries of a transaction whose connection broke. */
const MAX_RECONNECTS = 3

/**
 * Retries a transaction after a transient error or a broken connection: until the commit was sent, nothing has changed.
 * A commit whose reply was lost may have happened, so it is not retried.
 */
export async function withRetry<T>(
  dialect: Dialect,
  attempt: (beforeCommit: () => void) => Promise<T>,
  faults: Faults,
): Promise<T> {
  const deadline = performance.now() + RETRY_TIMEOUT
  for (let reconnects = 0; ; ) {
    let committing = false
    try {
      return await attempt(() => {
        committing = true
      })
    } catch (error) {
      const fault = dialect.faultOf(error)
      if (fault !== null) throw faults.report(fault, error)
      const isTransient = dialect.isTransient(error)
      const isUnreachable = dialect.isUnreachable(error)
      if (!isTransient && !isUnreachable) throw error
      if (isUnreachable && (committing || ++reconnects > MAX_RECONNECTS || performance.now() > deadline))
        throw unavailable()
      if (isTransient && performance.now() > deadline) throw unavailable()
      // Random pause, so that conflicting transactions do not collide again.
      await setTimeout(Math.random() * MAX_PAUSE)
    }
  }
}

/** Runs a synchronous query. Records faults of the database, and converts them to client errors. */
export function reportingFaults<T>(dialect: Dialect, faults: Faults, ask: () => T): T {
  try {
    return ask()
  } catch (error) {
    const fault = dialect.faultOf(error)
    throw fault === null ? error : faults.report(fault, error)
  }
}
