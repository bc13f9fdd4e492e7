/** Pool settings. Times are in seconds. */
export interface PoolOptions {
  /** Limit on connections of this process to one server. */
  readonly connections: number
  /** Timeout for getting a connection. */
  readonly connectTimeout: number
  readonly queryTimeout: number
  /** Idle connections are closed after this; 0 for never. */
  readonly idleTimeout: number
}

export const DEFAULT_POOL: PoolOptions = { connections: 10, connectTimeout: 3, queryTimeout: 10, idleTimeout: 30 }

/** Purpose of a pool. */
export type PoolPurpose = 'answering' | 'migrating' | 'copying'
