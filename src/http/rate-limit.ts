import { isIP } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Limits } from '../domain/limits.ts'
import { type Sender as PasswordSender, tooMany } from '../domain/password-attempts.ts'
import { isLoopback } from '../lib/loopback.ts'

export interface RateLimits {
  /** Requests per minute from one address, and of one user; 0 for no limit. */
  readonly rateLimit: number
  readonly userRateLimit: number
  /** Wrong credentials per minute from one address; 0 for no limit. */
  readonly loginLimit: number
  /** Whether requests from loopback count, too. */
  readonly rateLimitLoopback: boolean
}

/** The parts of a request that identify its sender. */
export type Sender = Pick<FastifyRequest, 'ip' | 'socket' | 'headers'>

/** Throws 429 if the address has sent too many requests. `tell` gets the state of the limit before. */
export function checkAddress(
  limits: Limits,
  options: RateLimits,
  sender: Sender,
  tell: Tell = () => {},
  hits = countHit(limits, options, sender),
): void {
  if (options.rateLimit > 0) tell('address', options.rateLimit, hits)
  if (hits !== null) throwIfOver(options.rateLimit, hits)
}

/** Called with a limit and its state; null if the sender is not limited. */
type Tell = (name: 'address' | 'user', most: number, hits: Hits | null) => void

/**
 * Values of the headers `RateLimit` and `RateLimit-Policy`, by draft-ietf-httpapi-ratelimit-headers. Requests of this machine
 * that do not count leave all of them.
 */
export function limitState(name: string, most: number, hits: Hits | null): string {
  const { count, seconds } = hits ?? { count: 0, seconds: SECONDS }
  return `"${name}";r=${Math.max(0, most - count)};t=${seconds}`
}

export function limitPolicy(name: string, most: number): string {
  return `"${name}";q=${most};w=${SECONDS}`
}

/** Length of the window of all limits. */
const SECONDS = 60

/** Adds the state of a limit to the headers of a reply. */
export function tellIn(reply: FastifyReply): Tell {
  return (name, most, hits) => {
    const add = (header: string, value: string) => {
      const before = reply.getHeader(header)
      reply.header(header, before === undefined ? value : `${before}, ${value}`)
    }
    add('ratelimit', limitState(name, most, hits))
    add('ratelimit-policy', limitPolicy(name, most))
  }
}

/** Whether an address is over the limit. */
export function isOver({ rateLimit }: RateLimits, hits: Hits | null): boolean {
  return hits !== null && hits.count > rateLimit
}

/** Header lines that tell the state of the limit. */
export function limitLines({ rateLimit }: RateLimits, hits: Hits | null): string {
  if (rateLimit === 0) return ''
  return `\r\nratelimit: ${limitState('address', rateLimit, hits)}\r\nratelimit-policy: ${limitPolicy('address', rateLimit)}`
}

/** Counts a request; null if its sender is not limited. */
export function countHit(limits: Limits, { rateLimit, rateLimitLoopback }: RateLimits, sender: Sender): Hits | null {
  if (rateLimit === 0 || (!rateLimitLoopback && isLocal(sender))) return null
  return limits.hit(`address ${networkOf(sender.ip)}`)
}

export type Hits = ReturnType<Limits['hit']>

/** Throws 429 if the user has sent too many requests. */
export function checkUser(
  limits: Limits,
  { userRateLimit, rateLimitLoopback }: RateLimits,
  request: Sender & Pick<FastifyRequest, 'user'>,
  tell: Tell = () => {},
): void {
  if (userRateLimit === 0 || request.user === null) return
  const hits = !rateLimitLoopback && isLocal(request) ? null : limits.hit(`user ${request.user.id}`)
  tell('user', userRateLimit, hits)
  if (hits !== null) throwIfOver(userRateLimit, hits)
}

/** Counts further requests that are sent within one. Throws 429 if there are too many, and counts no more of them. */
export function countMore(
  limits: Limits,
  options: RateLimits,
  request: Sender & Pick<FastifyRequest, 'user'>,
  more: number,
): void {
  for (let n = 0; n < more; n++) {
    checkAddress(limits, options, request)
    checkUser(limits, options, request)
  }
}

/** Sender of a password, for counting failed sign-ins. */
export function senderOf(
  { rateLimitLoopback }: Pick<RateLimits, 'rateLimitLoopback'>,
  request: Sender,
): PasswordSender {
  return { network: networkOf(request.ip), isLimited: rateLimitLoopback || !isLocal(request) }
}

function throwIfOver(most: number, { count, seconds }: Hits): void {
  if (count > most) throw tooMany(seconds)
}

/** Prefix of an IPv4 address that a socket for both versions tells. */
const MAPPED = '::ffff:'

/**
 * The unit that limits count: an IPv4 address, or an IPv6 /64 network, since one host has 2^64 addresses. Some proxies append a
 * port. All malformed addresses count as one sender.
 */
export function networkOf(sent: string): string {
  const text = isIP(sent) ? sent : sent.replace(/^\[(.*)\](:\d+)?$|:\d+$/, '$1')
  const ip = text.startsWith(MAPPED) && isIP(text.slice(MAPPED.length)) === 4 ? text.slice(MAPPED.length) : text
  const version = isIP(ip)
  if (version === 6) return networkOf6(ip)
  return version === 4 ? ip : 'unknown'
}

function networkOf6(ip: string): string {
  // A URL has every address in one spelling: without dots, capitals and leading zeros. It has no zone.
  const host = new URL(`http://[${ip.replace(/%.*/, '')}]`).hostname.slice(1, -1)
  const [head = [], tail = []] = host.split('::').map((half) => (half === '' ? [] : half.split(':')))
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => '0')
  const groups = [...head, ...zeros, ...tail]
  if (groups.slice(0, 6).join(':') !== '0:0:0:0:0:ffff') return groups.slice(0, 4).join(':')
  return groups
    .slice(6)
    .map((group) => Number.parseInt(group, 16))
    .map((pair) => `${pair >> 8}.${pair & 255}`)
    .join('.')
}

/** Sent from loopback and not forwarded by a proxy. */
export function isLocal({ socket, headers }: Sender): boolean {
  return (
    isLoopback(socket.remoteAddress ?? '') &&
    headers['x-forwarded-for'] === undefined &&
    headers.forwarded === undefined &&
    headers['x-real-ip'] === undefined
  )
}
