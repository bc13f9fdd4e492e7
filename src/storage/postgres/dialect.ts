import { PostgresAdapter, PostgresDialect } from 'kysely'
import { type Dialect, postgres } from '../dialect.ts'
import type { PoolOptions, PoolPurpose } from './pool.ts'

/** Carries our own dialect, so that storage functions find it from the transaction they are given. */
class Adapter extends PostgresAdapter {
  readonly dialect: Dialect = postgres
}

/** Kysely on a pool of connections. */
export function postgresDialect(
  url: string,
  onError: (error: Error) => void,
  purpose: PoolPurpose = 'answering',
  options?: PoolOptions,
): PostgresDialect {
  // Loaded when it is asked for: a service on SQLite starts in less time without it.
  const pool = async () => (await import('./pool.ts')).openPool(url, onError, purpose, options)
  const dialect = new PostgresDialect({ pool })
  dialect.createAdapter = () => new Adapter()
  return dialect
}
