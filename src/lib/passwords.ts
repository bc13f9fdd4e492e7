import { createHmac, randomBytes } from 'node:crypto'
import type * as Argon2 from '@node-rs/argon2'
import type { Clock } from './clock.ts'
import { lazyPackage, once } from './lazy.ts'
import { WorkQueue } from './work-queue.ts'

const argon2 = lazyPackage<typeof Argon2>('@node-rs/argon2')

/** Concurrency and queue length of password checks, for users and for events. */
const SIGN_IN_QUEUE = { concurrency: 2, maxWaiting: 200 }
const EVENT_QUEUE = { concurrency: 1, maxWaiting: 200 }

/** How long a verified password is cached, in seconds. */
const CACHE_SECONDS = 300
const MAX_CACHED = 10_000

/** Purpose of a check. Each has its own queue, so that guesses at event passwords do not delay sign-ins. */
export type CheckPurpose = 'sign-in' | 'opening'

export interface CheckOptions {
  readonly purpose: CheckPurpose
  readonly slowly: (verify: () => Promise<boolean>) => Promise<boolean>
  readonly isUrgent?: boolean
}

/** Argon2 hash of a password, for storage. */
export function hashPassword(password: string): Promise<string> {
  return argon2().hash(password)
}

/** What a check of a user who does not exist verifies. Nothing matches it, so all checkers have the same. */
const dummyHashOnce = once(() => hashPassword(randomBytes(16).toString('hex')))

/**
 * Verifies passwords. The slow hash is computed once; then an HMAC of the password and its slow hash is cached for a
 * while. A changed password has another slow hash, so its cache entry does not match.
 */
export class PasswordChecker {
  readonly #clock: Clock
  readonly #key = randomBytes(32)
  readonly #verified = new Map<string, number>()
  readonly #queues: Record<CheckPurpose, WorkQueue> = {
    'sign-in': new WorkQueue(SIGN_IN_QUEUE.concurrency, SIGN_IN_QUEUE.maxWaiting),
    opening: new WorkQueue(EVENT_QUEUE.concurrency, EVENT_QUEUE.maxWaiting),
  }

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Whether a check would have to wait. */
  isBusy(purpose: CheckPurpose): boolean {
    return this.#queues[purpose].isBusy
  }

  /**
   * Whether a password matches a hash. No hash never matches, but takes as long, so that timing does not reveal whether
   * a user exists. Urgent checks come first. `slowly` wraps the slow hash, and may refuse it.
   */
  async matches(
    passwordHash: string | undefined,
    password: string,
    { purpose, slowly, isUrgent = false }: CheckOptions,
  ): Promise<boolean> {
    const queue = this.#queues[purpose]
    // Computed by the first check of any user, because it would delay startup.
    const dummyHash = dummyHashOnce()
    if (passwordHash === undefined) {
      const hash = await dummyHash
      await queue.run(
        () =>
          slowly(async () => {
            await argon2().verify(hash, password)
            return false
          }),
        isUrgent,
      )
      return false
    }
    const key = this.#fingerprint('', passwordHash, password)
    if (this.#isVerified(key)) return true
    await dummyHash
    // The same password may have been verified while this check waited.
    const verify = () => this.#isVerified(key) || slowly(() => argon2().verify(passwordHash, password))
    if (!(await queue.run(verify, isUrgent))) return false
    this.#remember(key)
    return true
  }

  /** Whether this password was recently given from this network, and was right. */
  wasUsedFrom(network: string, passwordHash: string, password: string): boolean {
    return this.#isVerified(this.#fingerprint(network, passwordHash, password))
  }

  /** Caches that the right password was given from a network. */
  rememberUse(network: string, passwordHash: string, password: string): void {
    this.#remember(this.#fingerprint(network, passwordHash, password))
  }

  #fingerprint(network: string, passwordHash: string, password: string): string {
    return createHmac('sha256', this.#key).update(`${network}\n${passwordHash}\n${password}`).digest('base64')
  }

  #isVerified(key: string): boolean {
    if ((this.#verified.get(key) ?? 0) > this.#clock()) return true
    this.#verified.delete(key)
    return false
  }

  #remember(key: string): void {
    const oldest = this.#verified.keys().next().value
    if (this.#verified.size >= MAX_CACHED && oldest !== undefined) this.#verified.delete(oldest)
    this.#verified.set(key, this.#clock() + CACHE_SECONDS)
  }
}
