import { AppError } from '../lib/errors.ts'
import type { TokenOwner, UserRow } from '../storage/users.ts'
import * as storage from '../storage/users.ts'
import type { Role } from './access.ts'
import type { Sender, Slowly } from './guesses.ts'
import type { Scope, User } from './scope.ts'
import { hashToken, isExpired, TOKEN_PREFIX } from './users.ts'

/** What a request says of who sends it. */
export type Credentials = { readonly token: string } | NamedCredentials

interface NamedCredentials {
  readonly name: string
  readonly password: string
}

type Store = Pick<Scope, 'db' | 'clock' | 'passwords' | 'guesses' | 'signIns'>

/**
 * Who somebody is, or the answer that the credentials are wrong. The user is read every time, so that a changed
 * password, a new role or a removed user counts at once, whichever process made the change. Null stands for credentials
 * that cannot be read, which are wrong as well.
 */
export async function identify(store: Store, credentials: Credentials | null, sender: Sender): Promise<User> {
  const row = await store.guesses.attempt(store.guesses.boundsOf(sender), async (slowly) => {
    if (credentials === null) return null
    const found: Found | undefined =
      'token' in credentials
        ? await byToken(store, credentials.token)
        : await byName(store, credentials, { sender, slowly })
    return found ?? null
  })
  if (row === null) throw new AppError('incorrect_password')
  if (row.token_id !== undefined) store.signIns.noteToken(store, row.token_id, row.used_utc ?? null)
  return { id: row.id, name: row.name, role: row.role as Role }
}

/** A user, and the token that says so, if one does. */
type Found = UserRow & Partial<Pick<TokenOwner, 'token_id' | 'used_utc'>>

async function byToken({ db, clock }: Store, token: string): Promise<TokenOwner | undefined> {
  if (!token.startsWith(TOKEN_PREFIX)) return undefined
  const [owner] = await db.lookUp(storage.BY_TOKEN, hashToken(token))
  return owner === undefined || isExpired(owner, clock()) ? undefined : owner
}

async function byName(
  store: Store,
  { name, password }: NamedCredentials,
  from: { readonly sender: Sender; readonly slowly: Slowly },
): Promise<Found | undefined> {
  // No name has a NUL, and PostgreSQL takes none in a query.
  const user = name.includes('\0') ? undefined : await store.db.read((tx) => storage.find(tx, name))
  if (password.startsWith(TOKEN_PREFIX)) {
    const owner = await byToken(store, password)
    return owner !== undefined && owner.id === user?.id ? owner : undefined
  }
  return (await store.signIns.check(store, { name, user }, password, from)) ? user : undefined
}
