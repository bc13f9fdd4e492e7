import { type Driver, type Kysely, PostgresAdapter, PostgresDialect } from 'kysely'
import { type Dialect, postgres } from '../dialect.ts'
import type { Direct, DirectAdapter, OnQuery } from '../prepared.ts'
import type { Tables } from '../tables.ts'
import type { PostgresConnection } from './connection.ts'
import { PostgresDriver } from './driver.ts'
import type { PoolOptions, PoolPurpose } from './pool-options.ts'

/** Carries our dialect, so that storage functions get it from their transaction. */
class Adapter extends PostgresAdapter implements DirectAdapter {
  readonly dialect: Dialect = postgres
  /** Connections, and the numbers of their transactions, by what runs the statements of these. */
  readonly #transactions = new WeakMap<object, { readonly connection: PostgresConnection; readonly number: number }>()

  async begun(tx: Kysely<Tables>): Promise<void> {
    const executor = tx.getExecutor()
    await executor.provideConnection(async (provided) => {
      const connection = provided as PostgresConnection
      this.#transactions.set(executor, { connection, number: connection.transaction })
    })
  }
  /** Null for a transaction that has ended: its connection may have another one, and Kysely refuses its statements. */
  directOf(tx: Kysely<Tables>): Direct | null {
    const begun = this.#transactions.get(tx.getExecutor())
    return begun?.connection.transaction === begun?.number ? (begun?.connection ?? null) : null
  }
}

/** Kysely dialect on a connection pool. */
class PooledDialect extends PostgresDialect {
  readonly #driver: () => Driver
  readonly #adapter = new Adapter()

  constructor(driver: () => Driver) {
    super({ pool: async () => Promise.reject(new Error('the driver has its own pool')) })
    this.#driver = driver
  }
  override createAdapter(): Adapter {
    return this.#adapter
  }
  override createDriver(): Driver {
    return this.#driver()
  }
}

export function postgresDialect(
  url: string,
  onError: (error: Error) => void,
  purpose: PoolPurpose = 'answering',
  options?: PoolOptions,
  onQuery?: OnQuery,
): PostgresDialect {
  // Loaded on demand: a service on SQLite starts faster without it.
  const pool = async () => (await import('./pool.ts')).openPool(url, onError, purpose, options)
  return new PooledDialect(() => new PostgresDriver(pool, onQuery))
}
