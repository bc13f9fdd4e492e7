import { AppError } from '../lib/errors.ts'
import type { UserRow } from '../storage/users.ts'
import * as storage from '../storage/users.ts'
import type { Role } from './access.ts'
import type { Scope, User } from './scope.ts'
import { hashToken, TOKEN_PREFIX } from './users.ts'

/** What a request says of who sends it. */
export type Credentials = { readonly token: string } | { readonly name: string; readonly password: string }

type Store = Pick<Scope, 'db' | 'passwords'>

/**
 * Who somebody is, or the answer that the credentials are wrong. The user is read every time, so that a changed
 * password, a new role or a removed user counts at once, whichever process made the change.
 */
export async function identify(store: Store, credentials: Credentials): Promise<User> {
  const row =
    'token' in credentials
      ? await byToken(store, credentials.token)
      : await byName(store, credentials.name, credentials.password)
  if (row === undefined) throw new AppError('incorrect_password')
  return { id: row.id, name: row.name, role: row.role as Role }
}

async function byToken({ db }: Store, token: string): Promise<UserRow | undefined> {
  return token.startsWith(TOKEN_PREFIX) ? (await db.look(storage.BY_TOKEN, hashToken(token)))[0] : undefined
}

async function byName(store: Store, name: string, password: string): Promise<UserRow | undefined> {
  const user = await store.db.read((tx) => storage.find(tx, name))
  if (password.startsWith(TOKEN_PREFIX)) {
    const owner = await byToken(store, password)
    return owner !== undefined && owner.id === user?.id ? owner : undefined
  }
  return (await store.passwords.matches(user?.password_hash, password)) ? user : undefined
}
