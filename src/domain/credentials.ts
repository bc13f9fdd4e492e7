import { AppError } from '../lib/errors.ts'
import type { TokenOwner, UserRow } from '../storage/users.ts'
import * as storage from '../storage/users.ts'
import type { Version } from '../storage/version-history.ts'
import type { Role } from './access.ts'
import type { Sender, SlowCheck } from './password-attempts.ts'
import type { Scope, User } from './scope.ts'
import { hashToken, isExpired, TOKEN_PREFIX } from './users.ts'

/** Credentials of a request. */
export type Credentials = { readonly token: string } | NamedCredentials

interface NamedCredentials {
  readonly name: string
  readonly password: string
}

type Store = Pick<Scope, 'db' | 'clock' | 'passwords' | 'attempts' | 'signIns'>

/**
 * Returns the user, or throws if the credentials are wrong. The user is read whenever data has changed, so that a changed
 * password or role takes effect at once, whichever process changed it. Null means malformed credentials, which are wrong as well.
 */
export async function identify(store: Store, credentials: Credentials | null, sender: Sender): Promise<User> {
  const row = await store.attempts.attempt(store.attempts.limitsFor(sender), async (slowly) => {
    if (credentials === null) return null
    const found: Found | undefined =
      'token' in credentials
        ? await byToken(store, credentials.token)
        : await byName(store, credentials, { sender, slowly })
    return found === undefined || found.disabled_utc !== null ? null : found
  })
  if (row === null) throw new AppError('incorrect_password')
  if (row.token_id !== undefined) store.signIns.recordTokenUse(store, row.token_id, row.used_utc ?? null)
  const isToken = row.token_id !== undefined
  return { id: row.id, name: row.name, role: row.role as Role, ...(isToken && { byToken: true }) }
}

/** A user, and their token if one was used. */
type Found = UserRow & Partial<Pick<TokenOwner, 'token_id' | 'used_utc'>>

async function byToken({ db, clock }: Store, token: string): Promise<TokenOwner | undefined> {
  if (!token.startsWith(TOKEN_PREFIX)) return undefined
  const owner = await ownerOf(db, hashToken(token))
  return owner === undefined || isExpired(owner, clock()) ? undefined : owner
}

/** Owners of tokens at one version of the data. */
interface Owners {
  readonly version: Version
  readonly byHash: Map<string, TokenOwner>
}

const owners = new WeakMap<Scope['db'], Owners>()

async function ownerOf(db: Scope['db'], hash: string): Promise<TokenOwner | undefined> {
  if (!db.knowsVersion) return (await db.lookUp(storage.BY_TOKEN, hash))[0]
  const version = await db.version()
  let known = owners.get(db)
  if (known?.version !== version) {
    known = { version, byHash: new Map() }
    owners.set(db, known)
  }
  const owner = known.byHash.get(hash) ?? (await db.lookUp(storage.BY_TOKEN, hash))[0]
  if (owner !== undefined) known.byHash.set(hash, owner)
  return owner
}

async function byName(
  store: Store,
  { name, password }: NamedCredentials,
  from: { readonly sender: Sender; readonly slowly: SlowCheck },
): Promise<Found | undefined> {
  // Names have no NUL, and PostgreSQL does not accept one in a query.
  const user = name.includes('\0') ? undefined : await store.db.read((tx) => storage.find(tx, name))
  if (password.startsWith(TOKEN_PREFIX)) {
    const owner = await byToken(store, password)
    return owner !== undefined && owner.id === user?.id ? owner : undefined
  }
  return (await store.signIns.check(store, { name, user }, password, from)) ? user : undefined
}
