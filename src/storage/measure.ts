import { gauge, histogram } from '../lib/metrics.ts'
import { currentTracer } from '../lib/traces.ts'

const durations = histogram('kalends_database_duration_seconds', 'Time of transactions, with waiting and retries.')
const [read, readMany, write, writeMany] = ['read', 'read_many', 'write', 'write_many'].map((kind) =>
  durations.with({ kind }),
)

/** Transactions that wait for a connection of this process. */
export const waiting = gauge('kalends_database_waiting', 'Transactions that wait for a connection.').with()
/** Connections to a server. */
export const connections = gauge('kalends_database_connections', 'Connections to PostgreSQL, by state.')

const KINDS = { read, readMany, write, writeMany }

/** Measures a transaction. */
export async function measured<T>(kind: keyof typeof KINDS, transaction: Promise<T>): Promise<T> {
  const began = performance.now()
  try {
    return await transaction
  } finally {
    const ms = performance.now() - began
    KINDS[kind]?.observe(ms / 1000)
    currentTracer()?.addChild(`database ${kind}`, ms, { 'db.operation.name': kind })
  }
}
