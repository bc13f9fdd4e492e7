import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Limits } from '../domain/limits.ts'
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

/** From where a request comes. */
export type Sender = Pick<FastifyRequest, 'ip' | 'socket' | 'headers'>

/** Refuses a request from an address that has sent too many. */
export function checkAddress(limits: Limits, options: RateLimits, sender: Sender): void {
  const hits = hitsOf(limits, options, sender)
  if (hits !== null) refuseOver(options.rateLimit, hits)
}

/** Counts a request; whether its address has sent too many. */
export function isOverLimit(limits: Limits, options: RateLimits, sender: Sender): boolean {
  const hits = hitsOf(limits, options, sender)
  return hits !== null && hits.count > options.rateLimit
}

function hitsOf(limits: Limits, { rateLimit, rateLimitLoopback }: RateLimits, sender: Sender): Hits | null {
  if (rateLimit === 0 || (!rateLimitLoopback && isLocal(sender))) return null
  return limits.hit(`address ${networkOf(sender.ip)}`)
}

type Hits = ReturnType<Limits['hit']>

/** Refuses a request of a user who has sent too many. */
export function checkUser(
  limits: Limits,
  { userRateLimit, rateLimitLoopback }: RateLimits,
  request: FastifyRequest,
): void {
  if (userRateLimit === 0 || request.user === null || (!rateLimitLoopback && isLocal(request))) return
  refuseOver(userRateLimit, limits.hit(`user ${request.user.id}`))
}

/** Checks credentials, unless too many from this address were wrong of late: no slow hash for whoever only guesses. */
export async function checkLogin<T>(
  limits: Limits,
  { loginLimit, rateLimitLoopback }: RateLimits,
  request: FastifyRequest,
  check: () => Promise<T>,
): Promise<T> {
  if (loginLimit === 0 || request.headers.authorization === undefined || (!rateLimitLoopback && isLocal(request)))
    return check()
  const key = `login ${networkOf(request.ip)}`
  const { count, seconds } = limits.peek(key)
  refuseOver(loginLimit, { count: count + 1, seconds })
  try {
    return await check()
  } catch (error) {
    if (error instanceof AppError && error.code === 'incorrect_password') limits.hit(key)
    throw error
  }
}

/** Answers a form that takes a password, unless too many from this address were wrong of late. */
export async function checkGuess<T>(
  limits: Limits,
  { loginLimit, rateLimitLoopback }: RateLimits,
  request: FastifyRequest,
  reply: FastifyReply,
  answer: () => Promise<T>,
): Promise<T> {
  if (loginLimit === 0 || request.method !== 'POST' || (!rateLimitLoopback && isLocal(request))) return answer()
  const key = `login ${networkOf(request.ip)}`
  const { count, seconds } = limits.peek(key)
  refuseOver(loginLimit, { count: count + 1, seconds })
  const answered = await answer()
  if (reply.statusCode === 403) limits.hit(key)
  return answered
}

function refuseOver(most: number, { count, seconds }: Hits): void {
  if (count <= most) return
  throw new AppError('rest_too_many_requests', { fill: { seconds }, headers: { 'retry-after': String(seconds) } })
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
function isLocal({ socket, headers }: Sender): boolean {
  const address = socket.remoteAddress ?? ''
  const loopback = address.startsWith('127.') || address === '::1' || address.startsWith('::ffff:127.')
  return (
    loopback &&
    headers['x-forwarded-for'] === undefined &&
    headers.forwarded === undefined &&
    headers['x-real-ip'] === undefined
  )
}
