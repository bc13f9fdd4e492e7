import { type Repeated, repeat } from '../lib/repeat.ts'
import type { Database } from '../storage/database.ts'

/** How long after the start, and how often, an embedded database is inspected, in milliseconds. */
const FIRST = 15_000
const INTERVAL = 24 * 3600 * 1000

/**
 * Inspects the file of an embedded database for damage, and logs it. This is no job: each process has to know for itself
 * that its file is damaged, soon after each start.
 */
export function inspectRegularly(
  db: Database,
  log: Record<'warn' | 'error', (details: object, message: string) => void>,
): Repeated {
  const inspect = async () => {
    try {
      const damage = await db.inspect()
      if (damage !== null) log.error({ damage }, 'the database is damaged: restore a backup')
    } catch (error) {
      log.warn({ err: error }, 'the database could not be looked through')
    }
  }
  return repeat(inspect, FIRST, INTERVAL)
}
