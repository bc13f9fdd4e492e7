import type { Socket } from 'node:net'
import pg from 'pg'

/** Whole numbers come as numbers: ids, counts and instants are all within what JavaScript holds exactly. */
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === pg.types.builtins.INT8
      ? Number
      : format === 'binary'
        ? pg.types.getTypeParser(oid, 'binary')
        : pg.types.getTypeParser(oid),
}

/** Settings of connections to PostgreSQL; times are in seconds. */
export interface PoolOptions {
  /** The most connections of this process to one server. */
  readonly connections: number
  /** How long to wait for a connection. */
  readonly connectTimeout: number
  readonly queryTimeout: number
  /** After which an unused connection is closed; 0 for never. */
  readonly idleTimeout: number
}

export const DEFAULT_POOL: PoolOptions = { connections: 10, connectTimeout: 3, queryTimeout: 10, idleTimeout: 30 }

/** A connection that does not answer is closed, so that nobody else is given it: the server may be gone without a word. */
class Client extends pg.Client {
  // biome-ignore lint/suspicious/noExplicitAny: passes on whatever of pg's many forms of query it was called in
  override query(...args: any[]): any {
    // biome-ignore lint/suspicious/noExplicitAny: the same
    const answer = (super.query as any)(...args)
    if (answer instanceof Promise) {
      answer.catch((error: Error) => {
        if (/Query read timeout/.test(error.message))
          (this as unknown as { connection: { stream: Socket } }).connection.stream.destroy()
      })
    }
    return answer
  }
}

/** Limits of connections that requests are answered with. The server ends a query; if it does not answer, we do, a little later. */
function answering({ connections, queryTimeout }: PoolOptions): pg.PoolConfig {
  const longest = queryTimeout * 1000
  return {
    max: connections,
    query_timeout: longest,
    statement_timeout: queryTimeout * 900,
    idle_in_transaction_session_timeout: longest,
  }
}

/**
 * A migration may take hours. It waits for a table for a short time only and then tries again, as all who need the table
 * wait behind it.
 */
const MIGRATING = { max: 1, statement_timeout: 0, idle_in_transaction_session_timeout: 0, lock_timeout: 5000 }

/** A copy reads in one transaction, which waits while the target is written to. */
const COPYING = { max: 4, statement_timeout: 0, idle_in_transaction_session_timeout: 0 }

/** What the connections of a pool are for. */
export type PoolPurpose = 'answering' | 'migrating' | 'copying'

function limitsOf(purpose: PoolPurpose, options: PoolOptions): pg.PoolConfig {
  if (purpose === 'answering') return answering(options)
  return purpose === 'migrating' ? MIGRATING : COPYING
}

/** A pool of connections. */
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
    Client,
    application_name: 'kalends',
    ...limitsOf(purpose, options),
  })
  // An idle connection that breaks is replaced when one is needed next.
  pool.on('error', onError)
  // One that breaks in use fails the query it was used for; without this it would end the process as well.
  pool.on('connect', (client) => client.on('error', onError))
  return pool
}
