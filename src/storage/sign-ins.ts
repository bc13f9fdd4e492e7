import type { Selectable } from 'kysely'
import type { Instant } from '../calendar/zone.ts'
import { dialectOf, type Tx } from './dialect.ts'
import type { SignInTable } from './user-tables.ts'

/** Whether a user has signed in from an address since a time. */
export async function has(tx: Tx, user: number, address: string, since: Instant): Promise<boolean> {
  const row = await tx
    .selectFrom('sign_ins')
    .select('address')
    .where('user', '=', user)
    .where('address', '=', address)
    .where('last_utc', '>=', since)
    .executeTakeFirst()
  return row !== undefined
}

/** Records a sign-in. Keeps the latest `most` addresses of a user, and none from before `since`. */
export async function record(
  tx: Tx,
  signIn: Selectable<SignInTable>,
  { most, since }: { readonly most: number; readonly since: Instant },
): Promise<void> {
  const { user, last_utc } = signIn
  await dialectOf(tx).lock(tx, `sign-ins ${user}`)
  await tx
    .insertInto('sign_ins')
    .values(signIn)
    .onConflict((conflict) => conflict.columns(['user', 'address']).doUpdateSet({ last_utc }))
    .execute()
  const latest = tx
    .selectFrom('sign_ins')
    .select('address')
    .where('user', '=', user)
    .where('last_utc', '>=', since)
    .orderBy('last_utc', 'desc')
    .orderBy('address')
    .limit(most)
  await tx.deleteFrom('sign_ins').where('user', '=', user).where('address', 'not in', latest).execute()
}
