import pg from 'pg'
import { beforeReading } from '../../lib/metrics.ts'
import { connections, waiting } from '../measure.ts'
import { DEFAULT_POOL, type PoolOptions, type PoolPurpose } from './pool-options.ts'

/** Parses bigint as number: ids, counts and instants are all safe integers. */
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === pg.types.builtins.INT8
      ? Number
      : format === 'binary'
        ? pg.types.getTypeParser(oid, 'binary')
        : pg.types.getTypeParser(oid),
}

/**
 * Timeouts for requests. The server cancels a slow query; if it does not respond, the client gives up a little later.
 */
function requestLimits({ connections, queryTimeout }: PoolOptions): pg.PoolConfig {
  const timeout = queryTimeout * 1000
  return {
    max: connections,
    query_timeout: timeout,
    statement_timeout: queryTimeout * 900,
    idle_in_transaction_session_timeout: timeout,
  }
}

/**
 * A migration may take hours. Its lock timeout is short, and it retries: all other queries on the table queue up behind
 * its lock request.
 */
const MIGRATING = { max: 1, statement_timeout: 0, idle_in_transaction_session_timeout: 0, lock_timeout: 5000 }

/** A copy reads in one transaction, which idles while the target is written. */
const COPYING = { max: 4, statement_timeout: 0, idle_in_transaction_session_timeout: 0 }

function limitsOf(purpose: PoolPurpose, options: PoolOptions): pg.PoolConfig {
  if (purpose === 'answering') return requestLimits(options)
  return purpose === 'migrating' ? MIGRATING : COPYING
}

const pools = new Set<pg.Pool>()

/** Tells the figures of pools when somebody reads them. */
function watch(pool: pg.Pool): void {
  if (pools.size === 0) {
    beforeReading(() => {
      const all = [...pools].filter(({ ended }) => !ended)
      const sum = (count: (one: pg.Pool) => number) => all.reduce((total, one) => total + count(one), 0)
      waiting.set(sum(({ waitingCount }) => waitingCount))
      connections.with({ state: 'idle' }).set(sum(({ idleCount }) => idleCount))
      connections.with({ state: 'busy' }).set(sum(({ totalCount, idleCount }) => totalCount - idleCount))
    })
  }
  pools.add(pool)
  pool.on('remove', () => pool.ended && pools.delete(pool))
}

/** Opens a connection pool. */
export function openPool(
  url: string,
  onError: (error: Error) => void,
  purpose: PoolPurpose,
  options: PoolOptions = DEFAULT_POOL,
): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    types,
    connectionTimeoutMillis: options.connectTimeout * 1000,
    idleTimeoutMillis: options.idleTimeout * 1000,
    keepAlive: true,
    application_name: 'kalends',
    ...limitsOf(purpose, options),
  })
  // A broken idle connection is replaced on the next use.
  pool.on('error', onError)
  // A connection that breaks in use fails its query. Without this listener it would also end the process.
  pool.on('connect', (client) => client.on('error', onError))
  if (purpose === 'answering') watch(pool)
  return pool
}
