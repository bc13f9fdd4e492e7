import { type Credentials, identify } from '../domain/credentials.ts'
import type { Sender } from '../domain/password-attempts.ts'
import type { User } from '../domain/scope.ts'

/** Returns the user of a request, or null without an `Authorization` header. Throws on wrong credentials. */
export async function authenticate(
  store: Parameters<typeof identify>[0],
  header: string | undefined,
  sender: Sender,
): Promise<User | null> {
  return header === undefined ? null : identify(store, readHeader(header), sender)
}

/** Returns null for a header that cannot be parsed. */
function readHeader(header: string): Credentials | null {
  const [, scheme = '', value = ''] = /^(\w+) +(\S+) *$/.exec(header) ?? []
  if (scheme.toLowerCase() === 'bearer') return { token: value }
  const pair = scheme.toLowerCase() === 'basic' ? Buffer.from(value, 'base64').toString('utf8') : ''
  const colon = pair.indexOf(':')
  return colon < 1 ? null : { name: pair.slice(0, colon), password: pair.slice(colon + 1) }
}
