import { hash, randomBytes } from 'node:crypto'
import type { Instant } from '../calendar/zone.ts'
import * as passwords from '../lib/passwords.ts'
import { Refused } from '../schema/field.ts'
import { isUserName, MIN_PASSWORD, passwordProblem, readLifetime as readSeconds, TOKEN_PREFIX } from '../schema/user.ts'
import * as types from '../schema/value-types.ts'
import type { Tx } from '../storage/dialect.ts'
import * as invitations from '../storage/invitations.ts'
import * as records from '../storage/records.ts'
import * as sessions from '../storage/sessions.ts'
import type { TokenRow, UserRow } from '../storage/users.ts'
import * as storage from '../storage/users.ts'
import { ROLES, type Role, rightsOf, type User } from './access.ts'
import { isLastAdministrator } from './administrators.ts'
import type { Scope } from './scope.ts'

export { TOKEN_PREFIX } from '../schema/user.ts'

/** A command of the operator failed; the message says why. */
export class UserError extends Error {}

type Store = Pick<Scope, 'db' | 'clock'>

export interface NewUser {
  readonly name: string
  readonly email: string
  readonly role: string
  readonly password: string
}

export async function list({ db }: Store): Promise<UserRow[]> {
  return db.read((tx) => storage.list(tx))
}

export async function create({ db, clock }: Store, user: NewUser): Promise<number> {
  if (!isUserName(user.name)) {
    throw new UserError(
      `"${user.name}" is not a user name: use up to 60 letters, digits, dots, dashes, underscores, @ or spaces, starting with a letter or digit`,
    )
  }
  checkRole(user.role)
  checkEmail(user.email)
  const password_hash = await hashPassword(user.password)
  return db.write(async (tx) => {
    await storage.lock(tx)
    for (const key of [user.name, user.email]) {
      if ((await storage.find(tx, key)) !== undefined) throw new UserError(`there is a user "${key}" already`)
    }
    return storage.create(tx, {
      name: user.name,
      email: user.email,
      role: user.role,
      password_hash,
      created_utc: clock(),
    })
  })
}

/** Removes a user. Their records go to `heir`; without one, a user with records is not removed. */
export async function remove({ db }: Store, name: string, heir: string | null): Promise<void> {
  await db.write(async (tx) => {
    const user = await find(tx, name)
    if (await isLastAdministrator(tx, user.id)) throw lastAdministrator(user.name, 'removed')
    const count = await records.countBy(tx, user.id)
    if (heir !== null) {
      const { id } = await find(tx, heir)
      if (id === user.id) throw new UserError('a user cannot inherit their own records')
      await records.reassign(tx, user.id, id)
    } else if (count > 0) {
      throw new UserError(`"${user.name}" is the author of ${count} records: name who gets them with --reassign USER`)
    }
    await storage.remove(tx, user.id)
  })
}

/** Changes the role of a user. */
export async function setRole({ db }: Store, name: string, role: string): Promise<void> {
  checkRole(role)
  await db.write(async (tx) => {
    const user = await find(tx, name)
    if (role !== user.role && (await isLastAdministrator(tx, user.id)))
      throw lastAdministrator(user.name, `made ${role}`)
    await storage.update(tx, user.id, { role })
  })
}

/** Whether nobody can sign in and administer, though there are users. */
export async function lacksAdministrator({ db }: Store): Promise<boolean> {
  return db.read(async (tx) => (await storage.countAdministrators(tx)) === 0 && (await storage.list(tx)).length > 0)
}

/**
 * Sets a password; with `revokeTokens`, also revokes the user's tokens. Returns the number of revoked and of valid
 * tokens.
 */
export async function setPassword(
  { db, clock }: Store,
  name: string,
  password: string,
  revokeTokens = false,
): Promise<{ revoked: number; left: number }> {
  const password_hash = await hashPassword(password)
  return db.write(async (tx) => {
    const { id } = await find(tx, name)
    await changePassword(tx, id, password_hash)
    if (revokeTokens) return { revoked: await storage.removeTokens(tx, id), left: 0 }
    const tokens = await storage.listTokens(tx, id)
    return { revoked: 0, left: tokens.filter((token) => !isExpired(token, clock())).length }
  })
}

/** Stores a new password. All sessions end, but the given one, and so does a link by which the user could set another. */
export async function changePassword(
  tx: Tx,
  id: number,
  password_hash: string,
  kept: number | null = null,
): Promise<void> {
  await storage.update(tx, id, { password_hash })
  await sessions.removeAll(tx, id, kept)
  await invitations.remove(tx, id)
}

/** Creates a token and returns it: only its hash is stored. It expires after `lifetime` seconds, or never. */
export async function createToken(
  { db, clock }: Store,
  userName: string,
  name: string,
  lifetime: number | null = null,
): Promise<string> {
  const token = newToken()
  await db.write(async (tx) => {
    const user = await find(tx, userName)
    const created_utc = clock()
    const expires_utc = lifetime === null ? null : created_utc + lifetime
    await storage.createToken(tx, {
      user: user.id,
      name,
      hash: hashToken(token),
      created_utc,
      expires_utc,
      used_utc: null,
    })
  })
  return token
}

export function newToken(): string {
  return TOKEN_PREFIX + randomBytes(32).toString('base64url')
}

export function isExpired({ expires_utc }: Pick<TokenRow, 'expires_utc'>, now: Instant): boolean {
  return expires_utc !== null && expires_utc <= now
}

/** Parses a lifetime, such as `12h`, `90d` or `8w`, to seconds. */
export function readLifetime(text: string): number {
  const seconds = readSeconds(text)
  if (seconds !== null) return seconds
  throw new UserError(
    `"${text}" is not how long a token can live: use hours, days or weeks, such as 12h, 90d or 8w, up to a hundred years`,
  )
}

export async function listTokens({ db }: Store, userName: string | null): Promise<(TokenRow & { userName: string })[]> {
  return db.read(async (tx) => {
    const names = new Map((await storage.list(tx)).map((user) => [user.id, user.name]))
    const tokens = await storage.listTokens(tx, userName === null ? null : (await find(tx, userName)).id)
    return tokens.map((token) => ({ ...token, userName: names.get(token.user) ?? '' }))
  })
}

export async function revokeToken({ db }: Store, id: number): Promise<void> {
  if (!(await db.write((tx) => storage.removeToken(tx, id)))) throw new UserError(`there is no token ${id}`)
}

/** The user who imports: by name or, without one, the first administrator. */
export async function importer({ db }: Pick<Store, 'db'>, name: string | null): Promise<User> {
  const user = await db.read(async (tx) =>
    name === null ? (await storage.list(tx)).find(({ role }) => role === 'administrator') : find(tx, name),
  )
  if (user === undefined)
    throw new UserError('there is no administrator: name the author of the events with --user NAME')
  if (rightsOf(asUser(user)).edit !== 'all')
    throw new UserError(`"${user.name}" may not import: only editors and administrators may`)
  return asUser(user)
}

/** The user with a name, for commands that act as one. */
export async function named({ db }: Pick<Store, 'db'>, name: string): Promise<User> {
  const user = await db.read((tx) => find(tx, name))
  if (user.disabled_utc !== null) throw new UserError(`"${user.name}" is disabled`)
  return asUser(user)
}

function asUser({ id, name, role }: UserRow): User {
  return { id, name, role: role as Role }
}

/** Creates the first administrator if there are no users; null otherwise. */
export async function createFirst(store: Store): Promise<{ name: string; password: string } | null> {
  if ((await list(store)).length > 0) return null
  const password = randomPassword()
  try {
    await create(store, {
      name: 'admin',
      email: 'admin@localhost.localdomain',
      role: 'administrator' satisfies Role,
      password,
    })
  } catch (error) {
    // Another node has created it.
    if (error instanceof UserError) return null
    throw error
  }
  return { name: 'admin', password }
}

/** A random password that is easy to type. */
export function randomPassword(): string {
  return randomBytes(15).toString('base64url')
}

/** Tokens are long and random, so a fast hash is enough. */
export function hashToken(token: string): string {
  return hash('sha256', token, 'hex')
}

async function hashPassword(password: string): Promise<string> {
  const problem = passwordProblem(password)
  if (problem === 'password_too_short') throw new UserError(`a password has at least ${MIN_PASSWORD} characters`)
  if (problem === 'password_like_token')
    throw new UserError(`a password does not start with ${TOKEN_PREFIX}: tokens do`)
  return passwords.hashPassword(password)
}

function checkRole(role: string): void {
  if (!(ROLES as readonly string[]).includes(role))
    throw new UserError(`"${role}" is not a role: use one of ${ROLES.join(', ')}`)
}

function lastAdministrator(name: string, done: string): UserError {
  return new UserError(`"${name}" is the last administrator, and cannot be ${done}: make another one first`)
}

function checkEmail(email: string): void {
  try {
    types.email.read(email, { today: '' })
  } catch (error) {
    if (error instanceof Refused) throw new UserError(`"${email}" is not an e-mail address`)
    throw error
  }
}

async function find(tx: Tx, name: string): Promise<UserRow> {
  const user = await storage.find(tx, name)
  if (user === undefined) throw new UserError(`there is no user "${name}"`)
  return user
}
