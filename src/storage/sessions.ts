import type { Selectable } from 'kysely'
import type { Instant } from '../calendar/zone.ts'
import type { Database } from './database.ts'
import type { Tx } from './dialect.ts'
import type { Lookup } from './lookup.ts'
import type { SessionTable } from './user-tables.ts'
import type { UserRow } from './users.ts'

export type SessionRow = Selectable<SessionTable>

/** The user of a session, with its last use and expiry. */
export type SessionOwner = UserRow & { readonly session_id: number } & Pick<SessionRow, 'used_utc' | 'expires_utc'>

/** Finds the user of a session by the hash of its secret. */
export const BY_SECRET: Lookup<SessionOwner> = {
  build: (db, hash) =>
    db
      .selectFrom('sessions')
      .innerJoin('users', 'users.id', 'sessions.user')
      .selectAll('users')
      .select(['sessions.id as session_id', 'sessions.used_utc', 'sessions.expires_utc'])
      .where('sessions.hash', '=', hash),
}

/** Creates a session. Of this user, all but the latest `most` are removed. */
export async function create(tx: Tx, session: Omit<SessionRow, 'id'>, most: number): Promise<void> {
  const { user } = session
  await tx.insertInto('sessions').values(session).execute()
  const latest = tx
    .selectFrom('sessions')
    .select('id')
    .where('user', '=', user)
    .orderBy('used_utc', 'desc')
    .orderBy('id', 'desc')
    .limit(most)
  await tx.deleteFrom('sessions').where('user', '=', user).where('id', 'not in', latest).execute()
}

/** Sessions of a user, the last used first. */
export async function list(tx: Tx, user: number, now: Instant): Promise<SessionRow[]> {
  return tx
    .selectFrom('sessions')
    .selectAll()
    .where('user', '=', user)
    .where('expires_utc', '>', now)
    .orderBy('used_utc', 'desc')
    .orderBy('id', 'desc')
    .execute()
}

/** Records the use of a session. */
export async function recordUse(db: Database, id: number, used_utc: Instant, expires_utc: Instant): Promise<void> {
  await db.touch((on) => on.updateTable('sessions').set({ used_utc, expires_utc }).where('id', '=', id))
}

export async function remove(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom('sessions').where('id', '=', id).execute()
}

/** Removes up to so many sessions that have ended. Returns how many. */
export async function removeEnded(tx: Tx, now: Instant, most: number): Promise<number> {
  const ended = tx.selectFrom('sessions').select('id').where('expires_utc', '<=', now).limit(most)
  const rows = await tx.deleteFrom('sessions').where('id', 'in', ended).returning('id').execute()
  return rows.length
}

/** Removes all sessions of a user, but one. */
export async function removeAll(tx: Tx, user: number, except: number | null = null): Promise<void> {
  const all = tx.deleteFrom('sessions').where('user', '=', user)
  await (except === null ? all : all.where('id', '!=', except)).execute()
}
