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
import { type Guesses, type Sender, type Slowly, tooMany } from './guesses.ts'

/** How many wrong passwords for one name a minute are checked without delay. */
const MAX_WRONG = 100

/** How long an address that a user signed in from is remembered, and how often that is written down, in seconds. */
const REMEMBERED = 90 * 86_400
const REWRITTEN = 86_400
/** How many addresses of one user are remembered. */
const MAX_ADDRESSES = 50

/** How often the use of a token is written down, in seconds. */
const USE_REWRITTEN = 60

/** How many addresses and tokens are kept in memory, so that they are not written down with every request. */
const MAX_NOTED = 10_000

interface Store {
  readonly db: Database
  readonly clock: Clock
  readonly passwords: PasswordChecker
}

/** An account whose password is checked; without a user there is none of that name. */
interface Account {
  readonly name: string
  readonly user: { readonly id: number; readonly password_hash: string } | undefined
}

/** From where a password comes, and what its slow check is run by. */
interface Origin {
  readonly sender: Sender
  readonly slowly: Slowly
}

/**
 * Checks passwords of users. When many were wrong for one name, those from addresses that never signed in as that user
 * wait: guessing from many addresses becomes slow, and the owner, whose address is known, is neither refused nor delayed.
 */
export class SignIns {
  readonly #guesses: Guesses
  readonly #delays = new Delays()
  /** When each was written down. */
  readonly #noted = new BoundedCache<string, number>(MAX_NOTED)
  readonly #notedTokens = new BoundedCache<number, number>(MAX_NOTED)

  constructor(guesses: Guesses) {
    this.#guesses = guesses
  }

  /** Refuses those who wait, so that a service which stops need not wait for them. */
  stop(): void {
    this.#delays.close()
  }

  /** Whether this is the password of that account. */
  async check(store: Store, { name, user }: Account, password: string, from: Origin): Promise<boolean> {
    const { sender, slowly } = from
    const key = `account ${user === undefined ? `? ${hash('sha256', fold(name), 'base64url')}` : user.id}`
    const address = user === undefined ? null : addressOf(user.id, sender)
    const isOver = this.#guesses.count(key) >= MAX_WRONG
    const isRight = await this.#guesses.attempt([{ key, most: Number.POSITIVE_INFINITY }], async () => {
      const isKnown = user !== undefined && address !== null && (await this.#knows(store, user.id, address, isOver))
      if (isOver && !isKnown && !(await this.#delays.wait(key))) throw tooMany(this.#guesses.secondsLeft(key))
      const options = { purpose: 'sign-in', slowly, isUrgent: isKnown } as const
      return (await store.passwords.matches(user?.password_hash, password, options)) || null
    })
    if (isRight && user !== undefined && address !== null) this.#note(store, user.id, address)
    return isRight === true
  }

  /** Writes down that a token was used, if that was not done within the minute. Nobody waits for it. */
  noteToken({ db, clock }: Pick<Store, 'db' | 'clock'>, id: number, used: Instant | null): void {
    const now = clock()
    if (Math.max(used ?? 0, this.#notedTokens.get(id, () => 1) ?? 0) + USE_REWRITTEN > now) return
    this.#notedTokens.set(id, now, 1)
    users.recordUse(db, id, now).catch(() => this.#notedTokens.delete(id))
  }

  /** Whether a user has signed in from an address; the database is asked only when it matters. */
  async #knows(store: Store, user: number, address: string, isOver: boolean): Promise<boolean> {
    if (this.#noted.has(address)) return true
    if (!isOver && !store.passwords.isBusy('sign-in')) return false
    return store.db.read((tx) => storage.has(tx, user, address, store.clock() - REMEMBERED))
  }

  /** Writes down that a user has signed in from an address, once a day. Nobody waits for it. */
  #note({ db, clock }: Store, user: number, address: string): void {
    const now = clock()
    if ((this.#noted.get(address, () => 1) ?? 0) + REWRITTEN > now) return
    this.#noted.set(address, now, 1)
    const bounds = { most: MAX_ADDRESSES, since: now - REMEMBERED }
    db.writeWithoutInvalidating((tx) => storage.record(tx, { user, address, last_utc: now }, bounds)).catch(() =>
      this.#noted.delete(address),
    )
  }
}

/** An address as it is remembered: nobody who reads the database sees at once where a user was. */
function addressOf(user: number, { network }: Sender): string {
  return hash('sha256', `${user} ${network}`, 'base64url')
}
