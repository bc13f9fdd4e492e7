import { AppError, type Problems, refuse } from '../lib/errors.ts'
import { hashPassword } from '../lib/passwords.ts'
import { readFields } from '../schema/field.ts'
import { accountFields, passwordFields, tokenFields } from '../schema/user.ts'
import type { TokenRow, UserRow } from '../storage/users.ts'
import * as storage from '../storage/users.ts'
import type { Role, User } from './access.ts'
import { findTaken } from './accounts.ts'
import type { Sender } from './password-attempts.ts'
import type { Payload, Scope } from './scope.ts'
import type { Session } from './sessions.ts'
import { changePassword, hashToken, newToken } from './users.ts'

/** One's own account. */
export interface OwnAccount {
  readonly id: number
  readonly name: string
  readonly email: string
  readonly role: Role
  readonly language: string | null
}

/** A token without its hash. */
export type Token = Omit<TokenRow, 'hash' | 'user'>

/** Limit on tokens of one user. */
const MAX_TOKENS = 100

const READING = { today: '' }

export async function get({ db, user }: Pick<Scope, 'db' | 'user'>): Promise<OwnAccount> {
  return db.read(async (tx) => ownAccount(await storage.get(tx, needUser(user).id)))
}

/**
 * Changes the named fields of one's own account. An empty language means that of the browser. With a new password, all
 * sessions end but the one that is used; a wrong current password is counted like a wrong sign-in.
 */
export async function update(scope: Scope, session: Session | null, payload: Payload): Promise<OwnAccount> {
  const { id } = needUser(scope.user)
  const raw = payload()
  const fields = accountFields(scope.site.languages)
  const { values, problems } = readFields(fields, raw, { mode: 'update', reading: READING })
  const password =
    isGiven(raw.password) || isGiven(raw.current_password) ? await readPassword(scope, raw, problems) : ''
  if (password !== '') refuse(problems)
  const password_hash = password === '' ? null : await hashPassword(password)
  return scope.db.write(async (tx) => {
    await storage.lock(tx)
    await findTaken(tx, values, id, problems)
    refuse(problems)
    if (Object.keys(values).length > 0) await storage.update(tx, id, values)
    if (password_hash !== null) await changePassword(tx, id, password_hash, session?.id ?? null)
    return ownAccount(await storage.get(tx, id))
  })
}

const isGiven = (value: unknown) => value !== undefined && value !== ''

/** Sender of a request without one: such requests are counted together. */
const UNKNOWN: Sender = { network: 'unknown', isLimited: true }

/** The new password, if the current one is right. */
async function readPassword(scope: Scope, raw: Record<string, unknown>, problems: Problems): Promise<string> {
  const { db, attempts, signIns, sender = UNKNOWN } = scope
  const read = readFields(passwordFields, raw, { mode: 'create', reading: READING })
  Object.assign(problems, read.problems)
  const { current_password: current = '', password = '' } = read.values
  const user = await db.read((tx) => storage.get(tx, needUser(scope.user).id))
  if (user === undefined) throw new AppError('user-not-found')
  if (problems.current_password !== undefined) return ''
  const isRight = await attempts.attempt(
    attempts.limitsFor(sender),
    async (slowly) => (await signIns.check(scope, { name: user.name, user }, current, { sender, slowly })) || null,
  )
  if (isRight === null) problems.current_password = { problem: 'wrong_password' }
  return password
}

export async function listTokens({ db, user }: Pick<Scope, 'db' | 'user'>): Promise<Token[]> {
  return db.read(async (tx) => (await storage.listTokens(tx, needUser(user).id)).map(tokenOf))
}

/** Creates a token, which is returned only here. */
export async function createToken(
  { db, clock, user }: Pick<Scope, 'db' | 'clock' | 'user'>,
  payload: Payload,
): Promise<{ token: string; row: Token }> {
  const { id } = needUser(user)
  const { values, problems } = readFields(tokenFields, payload(), { mode: 'create', reading: READING })
  const secret = newToken()
  const created_utc = clock()
  const expires_utc = values.expires ? created_utc + values.expires : null
  return db.write(async (tx) => {
    if ((await storage.listTokens(tx, id)).length >= MAX_TOKENS)
      problems.token_name = { problem: 'too_many', most: MAX_TOKENS }
    refuse(problems)
    const row = { name: values.token_name ?? '', created_utc, expires_utc, used_utc: null }
    const made = await storage.createToken(tx, { ...row, user: id, hash: hashToken(secret) })
    return { token: secret, row: { id: made, ...row } }
  })
}

/** Revokes one of one's own tokens. */
export async function revokeToken({ db, user }: Pick<Scope, 'db' | 'user'>, id: number): Promise<Token> {
  const own = needUser(user).id
  return db.write(async (tx) => {
    const row = (await storage.listTokens(tx, own)).find((token) => token.id === id)
    if (row === undefined) throw new AppError('token-not-found')
    await storage.removeToken(tx, id, own)
    return tokenOf(row)
  })
}

function needUser(user: User | null): User {
  if (user === null) throw new AppError('rest_not_signed_in')
  return user
}

function ownAccount(row: UserRow | undefined): OwnAccount {
  if (row === undefined) throw new AppError('user-not-found')
  const { id, name, email, role, language } = row
  return { id, name, email, role: role as Role, language }
}

function tokenOf({ hash: _, user: __, ...token }: TokenRow): Token {
  return token
}
