import type { Instant } from '../calendar/zone.ts'
import { AppError, type Problems, refuse } from '../lib/errors.ts'
import { DEFAULT_LANGUAGE } from '../lib/texts.ts'
import { readFields } from '../schema/field.ts'
import { pageParameters } from '../schema/record.ts'
import { userChanges, userFields, userRemoval } from '../schema/user.ts'
import type { Tx } from '../storage/dialect.ts'
import * as invitations from '../storage/invitations.ts'
import * as records from '../storage/records.ts'
import * as sessions from '../storage/sessions.ts'
import type { UserRow } from '../storage/users.ts'
import * as storage from '../storage/users.ts'
import { need, type Role, rightsOf } from './access.ts'
import { isLastAdministrator, isOnlyAdministrator } from './administrators.ts'
import { inviteIn } from './invitations.ts'
import { send } from './mail.ts'
import type { Payload, Scope } from './scope.ts'

/** A user as others see them: no hashes. */
export interface Account {
  readonly id: number
  readonly name: string
  readonly email: string
  readonly role: Role
  readonly isDisabled: boolean
  /** End of the link to set a password; null without one. */
  readonly invitedUntil: Instant | null
  /** Whether the user has set a password. */
  readonly hasPassword: boolean
}

type Store = Pick<Scope, 'db' | 'clock' | 'user'>

/** Those who invite may send mail. */
type Inviter = Store & Pick<Scope, 'mail' | 'site'>

/** No field here is a date. */
const READING = { today: '' }

/** All users, by id. Only for administrators, as everything here. */
export async function list({ db, clock, user }: Store): Promise<Account[]> {
  need(rightsOf(user).administer)
  return db.read(async (tx) => {
    const invited = await invitations.list(tx, clock())
    return (await storage.list(tx)).map((row) => accountOf(row, invited))
  })
}

/** The same by pages, for the REST interface. */
export async function listPage(
  scope: Store & Pick<Scope, 'site'>,
  query: Payload,
): Promise<{ accounts: Account[]; total: number; page: number; perPage: number }> {
  const all = await list(scope)
  const reading = { ...READING, maxPerPage: scope.site.maxPerPage }
  const { values, problems } = readFields(pageParameters, query(), { mode: 'query', reading })
  refuse(problems)
  const { page = 1, per_page: perPage = 10 } = values
  return { accounts: all.slice((page - 1) * perPage, page * perPage), total: all.length, page, perPage }
}

/** A user, with the number of their records and whether they must stay an administrator. */
export async function get(
  { db, clock, user }: Store,
  id: number,
): Promise<{ account: Account; records: number; isLast: boolean }> {
  need(rightsOf(user).administer)
  return db.read(async (tx) => {
    const row = await find(tx, id)
    const isLast = await isOnlyAdministrator(tx, row)
    const account = accountOf(row, await invitations.list(tx, clock()))
    return { account, records: await records.countBy(tx, id), isLast }
  })
}

/** Creates a user without a password, and the secret of the link by which they set one. */
export async function invite(scope: Inviter, payload: Payload): Promise<{ account: Account; secret: string }> {
  const { db, clock, user } = scope
  need(rightsOf(user).administer)
  const { values, problems } = readFields(userFields, payload(), { mode: 'create', reading: READING })
  const { name = '', email = '', role = 'subscriber' } = values
  return db.write(async (tx) => {
    await storage.lock(tx)
    await findTaken(tx, { name, email }, null, problems)
    refuse(problems)
    const id = await storage.create(tx, { name, email, role, password_hash: '', created_utc: clock() })
    const { secret, expires_utc } = await inviteIn(tx, id, clock())
    await mailInvitation(tx, scope, { name, email, language: null }, secret)
    return { account: accountOf(await find(tx, id), new Map([[id, expires_utc]])), secret }
  })
}

/** Makes a new link to set a password. An earlier one ends. */
export async function inviteAgain(scope: Inviter, id: number): Promise<{ secret: string }> {
  const { db, clock, user } = scope
  need(rightsOf(user).administer)
  return db.write(async (tx) => {
    const row = await find(tx, id)
    if (row.disabled_utc !== null) refuse({ id: { problem: 'user_disabled' } })
    const invited = await inviteIn(tx, id, clock())
    await mailInvitation(tx, scope, row, invited.secret)
    return invited
  })
}

/** Sends the link, where mail is configured. */
async function mailInvitation(
  tx: Tx,
  { mail, site }: Inviter,
  { name, email, language }: Pick<UserRow, 'name' | 'email' | 'language'>,
  secret: string,
): Promise<void> {
  const fill = { name, link: `${site.home}/invite/${secret}` }
  const spoken = language ?? site.languages[0] ?? DEFAULT_LANGUAGE
  await send(tx, { mail, site }, { name: 'invited', to: email, language: spoken, fill })
}

/** Changes the named fields of a user. */
export async function update(scope: Store, id: number, payload: Payload): Promise<Account> {
  const { db, clock, user } = scope
  need(rightsOf(user).administer)
  return db.write(async (tx) => {
    await storage.lock(tx)
    const row = await find(tx, id)
    const { values, problems } = readFields(userChanges, payload(), { mode: 'update', reading: READING })
    const { disabled, ...named } = values
    await findTaken(tx, named, id, problems)
    const isDemoted = named.role !== undefined && named.role !== row.role
    const isDisabled = disabled === true && row.disabled_utc === null
    if ((isDemoted || isDisabled) && (await isLastAdministrator(tx, id)))
      problems[isDemoted ? 'role' : 'disabled'] = { problem: 'last_administrator' }
    refuse(problems)
    if (isDisabled) await endAccess(tx, id)
    const disabled_utc = disabled === undefined ? row.disabled_utc : disabled ? (row.disabled_utc ?? clock()) : null
    await storage.update(tx, id, { ...named, disabled_utc })
    return accountOf(await find(tx, id), await invitations.list(tx, clock()))
  })
}

/** Ends all sessions and the invitation of a user. Their tokens are refused as long as the user is disabled. */
async function endAccess(tx: Tx, id: number): Promise<void> {
  await sessions.removeAll(tx, id)
  await invitations.remove(tx, id)
}

/** Removes a user. Their records go to the user that `reassign` names; without one, a user with records stays. */
export async function remove({ db, clock, user }: Store, id: number, payload: Payload): Promise<Account> {
  need(rightsOf(user).administer)
  // All of their records are updated.
  return db.writeMany(async (tx) => {
    const row = await find(tx, id)
    const { values, problems } = readFields(userRemoval, payload(), { mode: 'query', reading: READING })
    const heir = values.reassign ?? null
    if (await isLastAdministrator(tx, id)) problems.reassign = { problem: 'last_administrator' }
    else if (problems.reassign === undefined) {
      const problem = await heirProblem(tx, id, heir)
      if (problem !== null) problems.reassign = problem
    }
    refuse(problems)
    if (heir !== null) await records.reassign(tx, id, heir)
    await storage.remove(tx, id)
    return accountOf(row, await invitations.list(tx, clock()))
  })
}

async function heirProblem(tx: Tx, id: number, heir: number | null): Promise<Problems[string] | null> {
  if (heir === id) return { problem: 'own_heir' }
  if (heir !== null) return (await storage.get(tx, heir)) === undefined ? { problem: 'no_such_user', id: heir } : null
  const count = await records.countBy(tx, id)
  return count === 0 ? null : { problem: 'needs_heir', count }
}

/** Adds a problem for a name or e-mail address by which another user signs in. */
export async function findTaken(
  tx: Tx,
  given: { readonly name?: string | null; readonly email?: string | null },
  own: number | null,
  problems: Problems,
): Promise<void> {
  for (const field of ['name', 'email'] as const) {
    const value = given[field]
    if (!value) continue
    const found = await storage.findAll(tx, value)
    if (found.some(({ id }) => id !== own)) problems[field] = { problem: 'user_exists' }
  }
}

function accountOf(row: UserRow, invited: ReadonlyMap<number, Instant>): Account {
  const { id, name, email, role, disabled_utc, password_hash } = row
  return {
    id,
    name,
    email,
    role: role as Role,
    isDisabled: disabled_utc !== null,
    invitedUntil: invited.get(id) ?? null,
    hasPassword: password_hash !== '',
  }
}

async function find(tx: Tx, id: number): Promise<UserRow> {
  const user = await storage.get(tx, id)
  if (user === undefined) throw new AppError('user-not-found')
  return user
}
