import type { FastifyBaseLogger } from 'fastify'
import type { CurrentSite } from '../domain/current-site.ts'
import type { Limits } from '../domain/limits.ts'
import type { Scope } from '../domain/scope.ts'
import type { ConnectionCounter, ConnectionLimits } from '../lib/connection-counts.ts'
import type { Health } from './health.ts'
import type { MetricsAccess } from './metrics.ts'
import type { RateLimits } from './rate-limit.ts'

export interface ServerOptions extends RateLimits, ConnectionLimits {
  readonly baseUrl: string
  readonly mounts: readonly string[]
  readonly languages: readonly string[]
  readonly writeOrigins: readonly string[]
  readonly trustProxy: readonly string[]
  readonly bodyLimit: number
  readonly uploadLimit: number
  /** In seconds. */
  readonly requestTimeout: number
  /** Whether responses are cached. */
  readonly cache: boolean
  readonly logger: FastifyBaseLogger | false
  /** Counts connections across processes. Without it, only this process's are counted. */
  readonly counter?: ConnectionCounter | undefined
  /** Limit on open connections of this process. */
  readonly roomForConnections: number
  /** Shows figures on this port. */
  readonly metrics?: MetricsAccess | null
}

/** Scope without a user, plus the state of the service. */
export interface Service extends Omit<Scope, 'user'>, Health {
  readonly limits: Limits
  readonly current: CurrentSite
}
