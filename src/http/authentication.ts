import type { FastifyRequest } from 'fastify'
import { type Credentials, identify } from '../domain/credentials.ts'
import type { Sender } from '../domain/password-attempts.ts'
import type { User } from '../domain/scope.ts'
import { TOKEN_PREFIX } from '../domain/users.ts'
import { AppError } from '../lib/errors.ts'
import type { Endpoint } from './endpoint.ts'

/**
 * Returns the user of a request, or null without an `Authorization` header. Throws on wrong credentials. A read with
 * credentials of another system is anonymous, as in WordPress; a write with such is refused.
 */
export async function authenticate(
  store: Parameters<typeof identify>[0],
  { method, headers: { authorization } }: Pick<FastifyRequest, 'method' | 'headers'>,
  sender: Sender,
): Promise<User | null> {
  if (authorization === undefined) return null
  const isRead = method === 'GET' || method === 'HEAD'
  return isRead && !OURS.test(authorization) ? null : identify(store, readHeader(authorization), sender)
}

/** Throws unless a user may call an endpoint at all. Stored answers may hold secrets, so this precedes them. */
export function checkAccess({ access }: Pick<Endpoint, 'access'>, user: User | null): void {
  if (access === 'anyone') return
  if (user === null) throw new AppError('rest_not_signed_in')
  if (access === 'by-password' && user.byToken) throw new AppError('rest_token_forbidden')
}

/** Headers that are meant for this service: Basic, or a token of ours. */
const OURS = new RegExp(`^(?:basic\\b|bearer +${TOKEN_PREFIX})`, 'i')

/** Returns null for a header that cannot be parsed. */
function readHeader(header: string): Credentials | null {
  const [, scheme = '', value = ''] = /^(\w+) +(\S+) *$/.exec(header) ?? []
  if (scheme.toLowerCase() === 'bearer') return { token: value }
  const pair = scheme.toLowerCase() === 'basic' ? Buffer.from(value, 'base64').toString('utf8') : ''
  const colon = pair.indexOf(':')
  return colon < 1 ? null : { name: pair.slice(0, colon), password: pair.slice(colon + 1) }
}
