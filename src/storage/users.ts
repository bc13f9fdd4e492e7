import type { Selectable } from 'kysely'
import type { Instant } from '../calendar/zone.ts'
import { fold } from '../lib/fold.ts'
import { idsWhere } from './audit/reading.ts'
import { hasCreated, willRemove, willUpdate, willUpdateAll } from './audit/tracker.ts'
import type { Database } from './database.ts'
import { dialectOf, type Tx } from './dialect.ts'
import type { Lookup } from './lookup.ts'
import type { TokenTable, UserTable } from './user-tables.ts'

export type UserRow = Selectable<UserTable>
export type TokenRow = Selectable<TokenTable>

export async function list(tx: Tx): Promise<UserRow[]> {
  return tx.selectFrom('users').selectAll().orderBy('id').execute()
}

export async function get(tx: Tx, id: number): Promise<UserRow | undefined> {
  return tx.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst()
}

/** Finds a user by name or else by e-mail address. */
export async function find(tx: Tx, nameOrEmail: string): Promise<UserRow | undefined> {
  const key = fold(nameOrEmail)
  const users = tx.selectFrom('users').selectAll()
  return (
    (await users.where('name_key', '=', key).executeTakeFirst()) ??
    (await users.where('email_key', '=', key).executeTakeFirst())
  )
}

/** All users who have a text as their name or as their e-mail address. */
export async function findAll(tx: Tx, nameOrEmail: string): Promise<UserRow[]> {
  const key = fold(nameOrEmail)
  return tx
    .selectFrom('users')
    .selectAll()
    .where((eb) => eb.or([eb('name_key', '=', key), eb('email_key', '=', key)]))
    .execute()
}

type NewUser = Omit<UserRow, 'id' | 'name_key' | 'email_key' | 'language' | 'disabled_utc'>

export async function create(tx: Tx, user: NewUser): Promise<number> {
  const { id } = await tx
    .insertInto('users')
    .values({ ...user, language: null, disabled_utc: null, name_key: fold(user.name), email_key: fold(user.email) })
    .returning('id')
    .executeTakeFirstOrThrow()
  hasCreated(tx, 'user', id, user)
  return id
}

type UserChanges = Partial<Omit<UserRow, 'id' | 'name_key' | 'email_key' | 'created_utc'>>

export async function update(tx: Tx, id: number, changes: UserChanges): Promise<void> {
  const { name, email } = changes
  const keys = {
    ...(name !== undefined && { name_key: fold(name) }),
    ...(email !== undefined && { email_key: fold(email) }),
  }
  await willUpdate(tx, 'user', id, changes)
  await tx
    .updateTable('users')
    .set({ ...changes, ...keys })
    .where('id', '=', id)
    .execute()
}

/** Makes other changes of users wait until the transaction ends: rules about all users together hold then. */
export async function lock(tx: Tx): Promise<void> {
  await dialectOf(tx).lock(tx, 'users')
}

/** Number of administrators who can sign in. */
export async function countAdministrators(tx: Tx): Promise<number> {
  const { count } = await tx
    .selectFrom('users')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('role', '=', 'administrator')
    .where('disabled_utc', 'is', null)
    .where('password_hash', '!=', '')
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Removes a user and their tokens. The categories and tags that they made are nobody's. */
export async function remove(tx: Tx, id: number): Promise<void> {
  await willUpdateAll(tx, 'term', await idsWhere(tx, 'terms', 'author', id), { author: true })
  await tx.updateTable('terms').set({ author: null }).where('author', '=', id).execute()
  for (const token of await idsWhere(tx, 'tokens', 'user', id)) await willRemove(tx, 'token', token)
  await willRemove(tx, 'user', id)
  await tx.deleteFrom('users').where('id', '=', id).execute()
}

export async function listTokens(tx: Tx, user: number | null): Promise<TokenRow[]> {
  const tokens = tx.selectFrom('tokens').selectAll().orderBy('id')
  return (user === null ? tokens : tokens.where('user', '=', user)).execute()
}

/** Owner of a token, with its expiry and last use. */
export type TokenOwner = UserRow & { readonly token_id: number } & Pick<TokenRow, 'expires_utc' | 'used_utc'>

/** Finds the owner of a token by its hash. */
export const BY_TOKEN: Lookup<TokenOwner> = {
  build: (db, hash) =>
    db
      .selectFrom('tokens')
      .innerJoin('users', 'users.id', 'tokens.user')
      .selectAll('users')
      .select(['tokens.id as token_id', 'tokens.expires_utc', 'tokens.used_utc'])
      .where('tokens.hash', '=', hash),
}

/** Records the last use of a token. */
export async function recordUse(db: Database, id: number, used_utc: Instant): Promise<void> {
  await db.touch((on) => on.updateTable('tokens').set({ used_utc }).where('id', '=', id))
}

export async function createToken(tx: Tx, token: Omit<TokenRow, 'id'>): Promise<number> {
  const { id } = await tx.insertInto('tokens').values(token).returning('id').executeTakeFirstOrThrow()
  hasCreated(tx, 'token', id, token)
  return id
}

/** Removes all tokens of a user and returns their number. */
export async function removeTokens(tx: Tx, user: number): Promise<number> {
  for (const id of await idsWhere(tx, 'tokens', 'user', user)) await willRemove(tx, 'token', id)
  const { numDeletedRows } = await tx.deleteFrom('tokens').where('user', '=', user).executeTakeFirst()
  return Number(numDeletedRows)
}

/** Removes a token, of one user or of any, and returns whether it existed. */
export async function removeToken(tx: Tx, id: number, user: number | null = null): Promise<boolean> {
  await willRemove(tx, 'token', id)
  const found = tx.deleteFrom('tokens').where('id', '=', id)
  const { numDeletedRows } = await (user === null ? found : found.where('user', '=', user)).executeTakeFirst()
  return numDeletedRows > 0n
}
