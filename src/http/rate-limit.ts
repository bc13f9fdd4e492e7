import { isIP } from 'node:net'
import type { FastifyRequest } from 'fastify'
import { type Sender as PasswordSender, tooMany } from '../domain/guesses.ts'
import type { Limits } from '../domain/limits.ts'
import { isLoopback } from '../lib/loopback.ts'

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

/** From where a password comes, as those who count wrong ones need to know. */
export function senderOf(
  { rateLimitLoopback }: Pick<RateLimits, 'rateLimitLoopback'>,
  request: Sender,
): PasswordSender {
  return { network: networkOf(request.ip), isLimited: rateLimitLoopback || !isLocal(request) }
}

function refuseOver(most: number, { count, seconds }: Hits): void {
  if (count > most) throw tooMany(seconds)
}

/** What a limit counts as one: who has an IPv6 address has 2^64 of them. */
export function networkOf(sent: string): string {
  const ip = plainAddress(sent)
  if (!ip.includes(':')) return ip
  const [head = '', tail] = ip.split('::')
  const groups = head.split(':')
  const rest = tail === undefined ? [] : tail.split(':')
  const zeros = Array.from({ length: Math.max(0, 8 - groups.length - rest.length) }, () => '0')
  const network = [...groups, ...zeros, ...rest].slice(0, 4)
  return network.map((group) => Number.parseInt(group || '0', 16).toString(16)).join(':')
}

/** An address without the port that some proxies add to it. Whatever is no address counts as one sender. */
function plainAddress(sent: string): string {
  const text = isIP(sent) ? sent : sent.replace(/^\[(.*)\](:\d+)?$|:\d+$/, '$1')
  if (!isIP(text)) return 'unknown'
  return text.startsWith('::ffff:') ? text.slice(7) : text
}

/** Sent by a program on this machine, and not passed on by a proxy that runs on it. */
export function isLocal({ socket, headers }: Sender): boolean {
  return (
    isLoopback(socket.remoteAddress ?? '') &&
    headers['x-forwarded-for'] === undefined &&
    headers.forwarded === undefined &&
    headers['x-real-ip'] === undefined
  )
}
