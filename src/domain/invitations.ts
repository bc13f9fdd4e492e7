import { randomBytes } from 'node:crypto'
import type { Instant } from '../calendar/zone.ts'
import { AppError, refuse } from '../lib/errors.ts'
import { hashPassword } from '../lib/passwords.ts'
import { readFields } from '../schema/field.ts'
import { invitedFields } from '../schema/user.ts'
import type { Tx } from '../storage/dialect.ts'
import * as storage from '../storage/invitations.ts'
import type { Payload, Scope } from './scope.ts'
import { changePassword, hashToken } from './users.ts'

/** How long an invitation can be used, in seconds. */
export const INVITATION_LIFETIME = 7 * 86_400

type Store = Pick<Scope, 'db' | 'clock' | 'attempts' | 'sender'>

/** Makes the link of a user, and returns its secret, of which only a hash is stored. */
export async function inviteIn(tx: Tx, user: number, now: Instant): Promise<{ secret: string; expires_utc: Instant }> {
  const secret = randomBytes(32).toString('base64url')
  const expires_utc = now + INVITATION_LIFETIME
  await storage.put(tx, { user, hash: hashToken(secret), expires_utc })
  return { secret, expires_utc }
}

/** The user whom a link is for; null if it ended or was used. A wrong one counts as a wrong password. */
export async function find(scope: Store, secret: string): Promise<{ id: number; name: string } | null> {
  const { attempts, db, clock, sender } = scope
  return attempts.attempt(attempts.limitsFor(sender), async () => {
    const isSecret = /^[\w-]{43}$/.test(secret)
    return isSecret ? ((await db.read((tx) => storage.find(tx, hashToken(secret), clock()))) ?? null) : null
  })
}

/** Sets the password of the user whom a link is for, and ends the link and all sessions of the user. Returns the user. */
export async function accept(scope: Store, secret: string, payload: Payload): Promise<number> {
  const invited = await find(scope, secret)
  if (invited === null) throw new AppError('user-not-found')
  const { values, problems } = readFields(invitedFields, payload(), { mode: 'create', reading: { today: '' } })
  refuse(problems)
  const password_hash = await hashPassword(values.password ?? '')
  return scope.db.write(async (tx) => {
    const user = await storage.find(tx, hashToken(secret), scope.clock())
    if (user === undefined || !(await storage.take(tx, hashToken(secret)))) throw new AppError('user-not-found')
    await changePassword(tx, user.id, password_hash)
    return user.id
  })
}
