import { hash } from 'node:crypto'
import type { Instant } from '../calendar/zone.ts'
import { BoundedCache } from '../lib/bounded-cache.ts'
import type { Clock } from '../lib/clock.ts'
import { Delays } from '../lib/delays.ts'
import { fold } from '../lib/fold.ts'
import type { PasswordChecker } from '../lib/passwords.ts'
import type { Database } from '../storage/database.ts'
import * as storage from '../storage/sign-ins.ts'
import * as users from '../storage/users.ts'
import { type PasswordAttempts, type Sender, type SlowCheck, tooMany } from './password-attempts.ts'

/** Wrong passwords per name and minute that are checked without delay. */
const MAX_WRONG = 100

/** How long a sign-in address is remembered, and how often it is written to the database, in seconds. */
const ADDRESS_LIFETIME = 90 * 86_400
const ADDRESS_WRITE_INTERVAL = 86_400
/** Limit on remembered addresses of one user. */
const MAX_ADDRESSES = 50

/** How often the use of a token is written to the database, in seconds. */
const TOKEN_WRITE_INTERVAL = 60

/** Limit on addresses and tokens in memory, which save a write per request. */
const MAX_CACHED = 10_000

interface Store {
  readonly db: Database
  readonly clock: Clock
  readonly passwords: PasswordChecker
}

/** The account of a sign-in. Without a user, the name does not exist. */
interface Account {
  readonly name: string
  readonly user: { readonly id: number; readonly password_hash: string } | undefined
}

/** Sender of the password, and the function that runs its slow check. */
interface Origin {
  readonly sender: Sender
  readonly slowly: SlowCheck
}

/**
 * Checks passwords of users. After many wrong ones for a name, attempts from addresses that never signed in as that
 * user are delayed: distributed guessing becomes slow, and the owner, whose address is known, is neither refused nor
 * delayed.
 */
export class SignIns {
  readonly #attempts: PasswordAttempts
  readonly #delays = new Delays()
  /** Time of the last write for each. */
  readonly #recorded = new BoundedCache<string, number>(MAX_CACHED)
  readonly #recordedTokens = new BoundedCache<number, number>(MAX_CACHED)

  constructor(attempts: PasswordAttempts) {
    this.#attempts = attempts
  }

  /** Ends all delays, so that a stopping service does not wait for them. */
  stop(): void {
    this.#delays.close()
  }

  /** Whether the password of an account is right. */
  async check(store: Store, { name, user }: Account, password: string, from: Origin): Promise<boolean> {
    const { sender, slowly } = from
    const key = `account ${user === undefined ? `? ${hash('sha256', fold(name), 'base64url')}` : user.id}`
    const address = user === undefined ? null : addressOf(user.id, sender)
    const isOver = this.#attempts.count(key) >= MAX_WRONG
    const isRight = await this.#attempts.attempt([{ key, most: Number.POSITIVE_INFINITY }], async () => {
      const isKnown =
        user !== undefined && address !== null && (await this.#isKnownAddress(store, user.id, address, isOver))
      if (isOver && !isKnown && !(await this.#delays.wait(key))) throw tooMany(this.#attempts.secondsLeft(key))
      const options = { purpose: 'sign-in', slowly, isUrgent: isKnown } as const
      return (await store.passwords.matches(user?.password_hash || undefined, password, options)) || null
    })
    if (isRight && user !== undefined && address !== null) this.#recordAddress(store, user.id, address)
    return isRight === true
  }

  /** Records the use of a token, at most once a minute, without waiting for the write. */
  recordTokenUse({ db, clock }: Pick<Store, 'db' | 'clock'>, id: number, used: Instant | null): void {
    const now = clock()
    if (Math.max(used ?? 0, this.#recordedTokens.get(id, () => 1) ?? 0) + TOKEN_WRITE_INTERVAL > now) return
    this.#recordedTokens.set(id, now, 1)
    users.recordUse(db, id, now).catch(() => this.#recordedTokens.delete(id))
  }

  /** Whether a user has signed in from an address. Queries the database only if it matters. */
  async #isKnownAddress(store: Store, user: number, address: string, isOver: boolean): Promise<boolean> {
    if (this.#recorded.has(address)) return true
    if (!isOver && !store.passwords.isBusy('sign-in')) return false
    return store.db.read((tx) => storage.has(tx, user, address, store.clock() - ADDRESS_LIFETIME))
  }

  /** Records a sign-in address, at most once a day, without waiting for the write. */
  #recordAddress({ db, clock }: Store, user: number, address: string): void {
    const now = clock()
    if ((this.#recorded.get(address, () => 1) ?? 0) + ADDRESS_WRITE_INTERVAL > now) return
    this.#recorded.set(address, now, 1)
    const bounds = { most: MAX_ADDRESSES, since: now - ADDRESS_LIFETIME }
    db.writeWithoutInvalidating((tx) => storage.record(tx, { user, address, last_utc: now }, bounds)).catch(() =>
      this.#recorded.delete(address),
    )
  }
}

/** Hash of user and network, so that the database does not reveal where a user was. */
function addressOf(user: number, { network }: Sender): string {
  return hash('sha256', `${user} ${network}`, 'base64url')
}
