import rateLimit from '@fastify/rate-limit'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { AppError } from '../lib/errors.ts'

export interface RateLimits {
  /** Requests a minute from one address, and of one user; 0 for no limit. */
  readonly rateLimit: number
  readonly userRateLimit: number
  /** Wrong credentials a minute from one address; 0 for no limit. */
  readonly loginLimit: number
  /** Whether requests from this machine count too. */
  readonly rateLimitLoopback: boolean
}

/** In milliseconds. */
const WINDOW = 60_000
const MOST_REMEMBERED = 10_000

type Check = (request: FastifyRequest) => Promise<void>

export interface Limits {
  readonly byAddress: Check
  readonly byUser: Check
  /** Checks credentials, unless too many from this address were wrong of late. */
  login<T>(request: FastifyRequest, check: () => Promise<T>): Promise<T>
}

/** What refuses requests that are over a limit. */
export async function rateLimits(app: FastifyInstance, limits: RateLimits): Promise<Limits> {
  await app.register(rateLimit, { global: false })
  const check = (max: number, key: (request: FastifyRequest) => string | null): Check => {
    if (max === 0) return async () => {}
    const limit = app.createRateLimit({ max, timeWindow: WINDOW, keyGenerator: (request) => key(request) ?? '' })
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
    byAddress: check(limits.rateLimit, ({ ip }) => `address ${networkOf(ip)}`),
    byUser: check(limits.userRateLimit, ({ user }) => (user === null ? null : `user ${user.id}`)),
    login: loginLimit(limits),
  }
}

/** A slow hash is not computed for whoever only guesses. */
function loginLimit({ loginLimit: most, rateLimitLoopback }: RateLimits): Limits['login'] {
  const wrong = new Map<string, { count: number; until: number }>()
  return async (request, check) => {
    if (most === 0 || request.headers.authorization === undefined || (!rateLimitLoopback && isLocal(request)))
      return check()
    const now = Date.now()
    const key = networkOf(request.ip)
    const known = wrong.get(key)
    const entry = known !== undefined && known.until > now ? known : { count: 0, until: now + WINDOW }
    if (entry.count >= most) throw tooMany((entry.until - now) / 1000)
    try {
      return await check()
    } catch (error) {
      entry.count++
      wrong.delete(key)
      wrong.set(key, entry)
      const oldest = wrong.keys().next().value
      if (wrong.size > MOST_REMEMBERED && oldest !== undefined) wrong.delete(oldest)
      throw error
    }
  }
}

function tooMany(ttl: number): AppError {
  const seconds = Math.max(1, Math.ceil(ttl))
  return new AppError('rest_too_many_requests', { fill: { seconds }, headers: { 'retry-after': String(seconds) } })
}

/** Who has an IPv6 address has 2^64 of them. */
function networkOf(ip: string): string {
  if (!ip.includes(':') || ip.startsWith('::ffff:')) return ip
  const [head = '', tail] = ip.split('::')
  const groups = head.split(':')
  const rest = tail === undefined ? [] : tail.split(':')
  const zeros = Array.from({ length: Math.max(0, 8 - groups.length - rest.length) }, () => '0')
  return [...groups, ...zeros, ...rest].slice(0, 4).join(':')
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
