import { PostgresAdapter, PostgresDialect } from 'kysely'
import { type Dialect, postgres } from '../dialect.ts'
import type { PoolOptions, PoolPurpose } from './pool-options.ts'

/** Carries our dialect, so that storage functions get it from their transaction. */
class Adapter extends PostgresAdapter {
  readonly dialect: Dialect = postgres
}

/** Kysely dialect on a connection pool. */
export function postgresDialect(
  url: string,
  onError: (error: Error) => void,
  purpose: PoolPurpose = 'answering',
  options?: PoolOptions,
): PostgresDialect {
  // Loaded on demand: a service on SQLite starts faster without it.
  const pool = async () => (await import('./pool.ts')).openPool(url, onError, purpose, options)
  const dialect = new PostgresDialect({ pool })
  dialect.createAdapter = () => new Adapter()
  return dialect
}
