import { hash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Instant } from '../calendar/zone.ts'
import { AppError } from '../lib/errors.ts'
import * as storage from '../storage/sessions.ts'
import { identify } from './credentials.ts'
import type { JobKind } from './job-run.ts'
import type { Sender } from './password-attempts.ts'
import type { Scope, User } from './scope.ts'
import { sweepingJob } from './sweeping.ts'
import { hashToken, TOKEN_PREFIX } from './users.ts'

export type { SessionRow } from '../storage/sessions.ts'

/** A session ends this long after its last use, in seconds. */
export const SESSION_LIFETIME = 30 * 86_400
/** How often the use of a session is recorded, in seconds. */
const WRITE_INTERVAL = 3600
/** Limit on sessions of one user. */
const MAX_SESSIONS = 50
const MAX_AGENT = 300

/** A sign-in of a browser. */
export interface Session {
  readonly id: number
  readonly user: User
  /** Language that the user chose for screens; null for that of the browser. */
  readonly language: string | null
  /** Every form sends it back. It is derived from the secret of the session, which foreign pages do not know. */
  readonly csrf: string
}

/** Sender of a sign-in without one: such sign-ins are counted together. */
const UNKNOWN: Sender = { network: 'unknown', isLimited: true }

type Store = Pick<Scope, 'db' | 'clock' | 'passwords' | 'attempts' | 'signIns'>

/**
 * Checks name and password, with the limits on wrong ones, and opens a session. Returns its secret, of which only a hash is
 * stored. A token is no password here: it has its own expiry.
 */
export async function signIn(
  scope: Store & Pick<Scope, 'sender'>,
  { name, password }: { readonly name: string; readonly password: string },
  agent: string,
): Promise<string> {
  const credentials = password.startsWith(TOKEN_PREFIX) ? null : { name, password }
  const user = await identify(scope, credentials, scope.sender ?? UNKNOWN)
  return open(scope, user.id, agent)
}

/** Opens a session for a user, and returns its secret. */
export async function open({ db, clock }: Pick<Store, 'db' | 'clock'>, user: number, agent: string): Promise<string> {
  const secret = randomBytes(32).toString('base64url')
  const now = clock()
  const session = {
    user,
    hash: hashToken(secret),
    agent: agent.slice(0, MAX_AGENT),
    created_utc: now,
    used_utc: now,
    expires_utc: now + SESSION_LIFETIME,
  }
  await db.writeWithoutInvalidating((tx) => storage.create(tx, session, MAX_SESSIONS))
  return secret
}

/** Finds the session of a secret. `isRenewed` says that its end was moved, so that the cookie has to be sent again. */
export async function find(
  { db, clock }: Pick<Scope, 'db' | 'clock'>,
  secret: string,
): Promise<{ session: Session; isRenewed: boolean } | null> {
  if (!/^[\w-]{43}$/.test(secret)) return null
  const [owner] = await db.lookUp(storage.BY_SECRET, hashToken(secret))
  const now = clock()
  if (owner === undefined || owner.expires_utc <= now || owner.disabled_utc !== null) return null
  const { session_id: id, language } = owner
  const isRenewed = owner.used_utc + WRITE_INTERVAL <= now
  if (isRenewed) renew(db, id, now)
  const user = { id: owner.id, name: owner.name, role: owner.role as User['role'] }
  return { session: { id, user, language, csrf: csrfOf(secret) }, isRenewed }
}

/** Moves the end of a session, without waiting for the write. */
function renew(db: Scope['db'], id: number, now: Instant): void {
  storage.recordUse(db, id, now, now + SESSION_LIFETIME).catch(() => {})
}

function csrfOf(secret: string): string {
  return hash('sha256', `csrf ${secret}`, 'base64url')
}

/** Throws 403 unless a token is that of the session. */
export function checkCsrf(session: Session | null, token: unknown): void {
  if (session === null || !isCsrf(session, token)) throw new AppError('rest_cookie_invalid_nonce')
}

export function isCsrf({ csrf }: Session, token: unknown): boolean {
  const [own, sent] = [Buffer.from(csrf), Buffer.from(typeof token === 'string' ? token : '')]
  return own.length === sent.length && timingSafeEqual(own, sent)
}

export async function list({ db, clock }: Pick<Store, 'db' | 'clock'>, user: number): Promise<storage.SessionRow[]> {
  return db.read((tx) => storage.list(tx, user, clock()))
}

export async function signOut({ db }: Pick<Scope, 'db'>, { id }: Session): Promise<void> {
  await db.writeWithoutInvalidating((tx) => storage.remove(tx, id))
}

/** Ends all sessions of a user but the given one. */
export async function endOthers({ db }: Pick<Scope, 'db'>, { id, user }: Session): Promise<void> {
  await db.writeWithoutInvalidating((tx) => storage.removeAll(tx, user.id, id))
}

/** Removes sessions that have ended. */
export function forgettingSessions({ db, clock }: Pick<Store, 'db' | 'clock'>): JobKind {
  return sweepingJob(db, 'forget-sessions', 3600, (tx, most) => storage.removeEnded(tx, clock(), most))
}
