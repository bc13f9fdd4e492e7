import type { Tx } from '../storage/dialect.ts'
import type { UserRow } from '../storage/users.ts'
import * as storage from '../storage/users.ts'

/** Whether a user can sign in and administer. */
function administers({ role, disabled_utc, password_hash }: UserRow): boolean {
  return role === 'administrator' && disabled_utc === null && password_hash !== ''
}

/**
 * Whether a user is the only one who can administer, and so must stay. Until the transaction ends, no other changes users:
 * two administrators cannot remove each other at once.
 */
export async function isLastAdministrator(tx: Tx, id: number): Promise<boolean> {
  await storage.lock(tx)
  const user = await storage.get(tx, id)
  return user !== undefined && isOnlyAdministrator(tx, user)
}

/** The same for a screen that only shows it. */
export async function isOnlyAdministrator(tx: Tx, user: UserRow): Promise<boolean> {
  return administers(user) && (await storage.countAdministrators(tx)) === 1
}
