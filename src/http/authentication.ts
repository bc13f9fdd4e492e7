import { type Credentials, identify } from '../domain/credentials.ts'
import type { Scope, User } from '../domain/scope.ts'
import { AppError } from '../lib/errors.ts'

/** Who sends a request: nobody without an `Authorization` header, an error with a wrong one. */
export async function authenticate(
  store: Pick<Scope, 'db' | 'passwords'>,
  header: string | undefined,
): Promise<User | null> {
  return header === undefined ? null : identify(store, readHeader(header))
}

function readHeader(header: string): Credentials {
  const [, scheme = '', value = ''] = /^(\w+) +(\S+) *$/.exec(header) ?? []
  if (scheme.toLowerCase() === 'bearer') return { token: value }
  const pair = scheme.toLowerCase() === 'basic' ? Buffer.from(value, 'base64').toString('utf8') : ''
  const colon = pair.indexOf(':')
  if (colon < 1) throw new AppError('incorrect_password')
  return { name: pair.slice(0, colon), password: pair.slice(colon + 1) }
}
