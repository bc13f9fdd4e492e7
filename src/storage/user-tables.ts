import type { Generated } from 'kysely'
import type { Instant } from '../calendar/zone.ts'

export interface UserTable {
  id: Generated<number>
  name: string
  name_key: string
  email: string
  email_key: string
  role: string
  /** Empty until the user has set a password. */
  password_hash: string
  created_utc: Instant
  /** Language of the screens; null for that of the browser. */
  language: string | null
  /** Null unless the user may not sign in. */
  disabled_utc: Instant | null
}

/** Keys of requests that must not be done twice: see domain/idempotency.ts. */
export interface IdempotencyTable {
  user: number
  /** Hash of the key. */
  key: string
  /** Hash of the request. */
  request: string
  /** Names the attempt that may store an answer. */
  claim: string
  claimed_until: Instant
  /** Null while the request runs. */
  status: number | null
  /** JSON. */
  headers: string | null
  /** Compressed and encrypted, in base64. */
  body: string | null
  created_utc: Instant
}

/** Sign-ins of browsers. */
export interface SessionTable {
  id: Generated<number>
  user: number
  /** Hash of the secret in the cookie. */
  hash: string
  /** The browser, by the name that it gives itself. */
  agent: string
  created_utc: Instant
  /** Last use, to the hour. */
  used_utc: Instant
  expires_utc: Instant
}

/** Links by which users set a password, one for each user at most. */
export interface InvitationTable {
  user: number
  /** Hash of the secret in the link. */
  hash: string
  expires_utc: Instant
}

export interface TokenTable {
  id: Generated<number>
  user: number
  name: string
  hash: string
  created_utc: Instant
  /** Null for a token that never expires. */
  expires_utc: Instant | null
  /** Last use, to the minute; null for never. */
  used_utc: Instant | null
}

/** Addresses that users have signed in from. */
export interface SignInTable {
  user: number
  /** Hash of user and address. */
  address: string
  last_utc: Instant
}

/** Sender of an event that was suggested on the public form. The event may be gone. */
export interface SuggestionTable {
  id: Generated<number>
  event: number
  /** Empty if they were not given. */
  sender_name: string
  sender_email: string
  language: string
  /** Nonce of the form: each is taken once. */
  form: string
  /** Keyed hash of the network that it was sent from, for the limit. */
  network: string
  /** File of a picture that waits for the review; null without one, or when it is settled. */
  picture: string | null
  picture_mime: string | null
  picture_bytes: number
  created_utc: Instant
  outcome: 'approved' | 'rejected' | null
  reason: string | null
  decided_utc: Instant | null
}
