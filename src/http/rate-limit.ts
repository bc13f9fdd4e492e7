import rateLimit from '@fastify/rate-limit'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { AppError } from '../lib/errors.ts'

export interface RateLimits {
  /** Requests a minute from one address, and of one user; 0 for no limit. */
  readonly rateLimit: number
  readonly userRateLimit: number
  /** Whether requests from this machine count too. */
  readonly rateLimitLoopback: boolean
}

type Check = (request: FastifyRequest) => Promise<void>

/** Two checks, by address and by user, that refuse what is over the limit. */
export async function rateLimits(
  app: FastifyInstance,
  limits: RateLimits,
): Promise<{ byAddress: Check; byUser: Check }> {
  await app.register(rateLimit, { global: false })
  const check = (max: number, key: (request: FastifyRequest) => string | null): Check => {
    if (max === 0) return async () => {}
    const limit = app.createRateLimit({ max, timeWindow: 60_000, keyGenerator: (request) => key(request) ?? '' })
    return async (request) => {
      if (key(request) === null || (!limits.rateLimitLoopback && isLocal(request))) return
      const result = await limit(request)
      if (!result.isAllowed && result.isExceeded) {
        const seconds = Math.max(1, result.ttlInSeconds)
        throw new AppError('rest_too_many_requests', { fill: { seconds }, headers: { 'retry-after': String(seconds) } })
      }
    }
  }
  return {
    byAddress: check(limits.rateLimit, (request) => `address ${request.ip}`),
    byUser: check(limits.userRateLimit, ({ user }) => (user === null ? null : `user ${user.id}`)),
  }
}

/** Sent by a program on this machine, and not passed on by a proxy that runs on it. */
function isLocal({ socket, headers }: FastifyRequest): boolean {
  const address = socket.remoteAddress ?? ''
  const loopback = address === '::1' || /^(::ffff:)?127\./.test(address)
  return (
    loopback &&
    headers['x-forwarded-for'] === undefined &&
    headers.forwarded === undefined &&
    headers['x-real-ip'] === undefined
  )
}
