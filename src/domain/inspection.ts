import { untilQuiet } from '../lib/quiet.ts'
import { type Repeated, repeat } from '../lib/repeat.ts'
import type { Database } from '../storage/database.ts'

/** How long after the start, and how often, an embedded database is inspected, in milliseconds. */
const FIRST = 10_000
const INTERVAL = 24 * 3600 * 1000
/** It reads the whole file: it waits while the process is busy, up to ten minutes. */
const PATIENCE = { watch: 20_000, most: 600_000 }

/**
 * Inspects the file of an embedded database for damage, and logs it. This is no job: each process has to know for itself
 * that its file is damaged, soon after each start.
 */
export function inspectRegularly(
  db: Database,
  log: Record<'warn' | 'error', (details: object, message: string) => void>,
): Repeated {
  const stopping = new AbortController()
  const inspect = async () => {
    try {
      await untilQuiet(PATIENCE, stopping.signal)
      const damage = await db.inspect()
      if (damage !== null) log.error({ damage }, 'the database is damaged: restore a backup')
    } catch (error) {
      if (!stopping.signal.aborted) log.warn({ err: error }, 'the database could not be looked through')
    }
  }
  const repeated = repeat(inspect, FIRST, INTERVAL)
  return {
    stop() {
      stopping.abort()
      repeated.stop()
    },
  }
}
