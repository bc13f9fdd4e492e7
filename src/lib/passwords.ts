import { createHmac, randomBytes } from 'node:crypto'
import type * as Argon2 from '@node-rs/argon2'
import type { Clock } from './clock.ts'
import { lazyPackage, once } from './lazy.ts'
import { WorkQueue } from './work-queue.ts'

const argon2 = lazyPackage<typeof Argon2>('@node-rs/argon2')

/** How many passwords of users, and of events, are checked at once, and how many may wait for that. */
const SIGN_INS = { atOnce: 2, mostWaiting: 200 }
const OPENINGS = { atOnce: 1, mostWaiting: 200 }

/** How long a verified password is remembered, in seconds. */
const REMEMBERED = 300
const MOST_REMEMBERED = 10_000

/** What a password is checked for. Each has its own queue: guesses at events must not delay sign-ins. */
export type CheckPurpose = 'sign-in' | 'opening'

export interface CheckOptions {
  readonly purpose: CheckPurpose
  readonly slowly: (verify: () => Promise<boolean>) => Promise<boolean>
  readonly isUrgent?: boolean
}

/** The slow hash that a password is kept as. */
export function hashPassword(password: string): Promise<string> {
  return argon2().hash(password)
}

/**
 * Checks passwords. The slow hash is computed once; then a keyed hash of the password and of the slow hash it was found
 * to match is remembered for a while. A changed password has another slow hash, and so is not remembered.
 */
export class PasswordChecker {
  readonly #clock: Clock
  readonly #key = randomBytes(32)
  readonly #verified = new Map<string, number>()
  readonly #queues: Record<CheckPurpose, WorkQueue> = {
    'sign-in': new WorkQueue(SIGN_INS.atOnce, SIGN_INS.mostWaiting),
    opening: new WorkQueue(OPENINGS.atOnce, OPENINGS.mostWaiting),
  }
  readonly #nobody = once(() => hashPassword(randomBytes(16).toString('hex')))

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Whether a password that is checked now has to wait for others. */
  isBusy(purpose: CheckPurpose): boolean {
    return this.#queues[purpose].isBusy
  }

  /**
   * Whether this is the password of that hash. No hash matches nothing, and takes as long, so that nobody learns which it
   * was. What is urgent goes before all that is not. The slow hash is computed by `slowly`, which may refuse it.
   */
  async matches(
    passwordHash: string | undefined,
    password: string,
    { purpose, slowly, isUrgent = false }: CheckOptions,
  ): Promise<boolean> {
    const queue = this.#queues[purpose]
    // Made by the first who comes, whoever it is, since a start should not wait for it.
    const nobody = this.#nobody()
    if (passwordHash === undefined) {
      const hash = await nobody
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
    await nobody
    // Somebody may have been found to have the same password while this one waited.
    const verify = () => this.#isVerified(key) || slowly(() => argon2().verify(passwordHash, password))
    if (!(await queue.run(verify, isUrgent))) return false
    this.#remember(key)
    return true
  }

  /** Whether somebody from this network has given this very password of late, and it was right. */
  wasGiven(network: string, passwordHash: string, password: string): boolean {
    return this.#isVerified(this.#fingerprint(network, passwordHash, password))
  }

  /** Remembers that a right password was given from a network. */
  noteGiven(network: string, passwordHash: string, password: string): void {
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
    if (this.#verified.size >= MOST_REMEMBERED && oldest !== undefined) this.#verified.delete(oldest)
    this.#verified.set(key, this.#clock() + REMEMBERED)
  }
}
