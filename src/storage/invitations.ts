import type { Selectable } from 'kysely'
import type { Instant } from '../calendar/zone.ts'
import type { Tx } from './dialect.ts'
import type { InvitationTable } from './user-tables.ts'
import type { UserRow } from './users.ts'

/** Stores the invitation of a user, in place of an earlier one. */
export async function put(tx: Tx, invitation: Selectable<InvitationTable>): Promise<void> {
  await remove(tx, invitation.user)
  await tx.insertInto('invitations').values(invitation).execute()
}

/** The user whom an invitation is for, by the hash of its secret. */
export async function find(tx: Tx, hash: string, now: Instant): Promise<UserRow | undefined> {
  return tx
    .selectFrom('invitations')
    .innerJoin('users', 'users.id', 'invitations.user')
    .selectAll('users')
    .where('invitations.hash', '=', hash)
    .where('invitations.expires_utc', '>', now)
    .where('users.disabled_utc', 'is', null)
    .executeTakeFirst()
}

/** Removes an invitation by its hash. Returns whether it was there: of several who use it at once, one does. */
export async function take(tx: Tx, hash: string): Promise<boolean> {
  const { numDeletedRows } = await tx.deleteFrom('invitations').where('hash', '=', hash).executeTakeFirst()
  return numDeletedRows > 0n
}

export async function remove(tx: Tx, user: number): Promise<void> {
  await tx.deleteFrom('invitations').where('user', '=', user).execute()
}

/** Users with an invitation that can be used, with its end. */
export async function list(tx: Tx, now: Instant): Promise<Map<number, Instant>> {
  const rows = await tx.selectFrom('invitations').selectAll().where('expires_utc', '>', now).execute()
  return new Map(rows.map(({ user, expires_utc }) => [user, expires_utc]))
}
