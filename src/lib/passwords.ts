import { createHmac, randomBytes } from 'node:crypto'
import type * as Argon2 from '@node-rs/argon2'
import type { Clock } from './clock.ts'
import { AppError } from './errors.ts'
import { later, once } from './later.ts'

const argon2 = later<typeof Argon2>('@node-rs/argon2')

/** How many passwords are checked at once, and how many may wait for that. */
const AT_ONCE = 2
const MOST_WAITING = 50

/** How long a verified password is remembered, in seconds. */
const REMEMBERED = 300
const MOST_REMEMBERED = 10_000

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
  readonly #waiting: (() => void)[] = []
  #running = 0
  readonly #nobody = once(() => hashPassword(randomBytes(16).toString('hex')))

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Whether this is the password of that hash. No hash matches nothing, and takes as long, so that nobody learns which it was. */
  async matches(passwordHash: string | undefined, password: string): Promise<boolean> {
    // Made by the first who comes, whoever it is, since a start should not wait for it.
    const nobody = this.#nobody()
    if (passwordHash === undefined) {
      await this.#verify(await nobody, password)
      return false
    }
    const key = createHmac('sha256', this.#key).update(`${passwordHash}:${password}`).digest('base64')
    if ((this.#verified.get(key) ?? 0) > this.#clock()) return true
    this.#verified.delete(key)
    await nobody
    if (!(await this.#verify(passwordHash, password))) return false
    const oldest = this.#verified.keys().next().value
    if (this.#verified.size >= MOST_REMEMBERED && oldest !== undefined) this.#verified.delete(oldest)
    this.#verified.set(key, this.#clock() + REMEMBERED)
    return true
  }

  /** The slow check, a few at a time: a flood of wrong passwords must not keep the right ones out for long. */
  async #verify(passwordHash: string, password: string): Promise<boolean> {
    if (this.#running >= AT_ONCE) {
      if (this.#waiting.length >= MOST_WAITING)
        throw new AppError('rest_unavailable', { headers: { 'retry-after': '1' } })
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
    }
    this.#running++
    try {
      return await argon2().verify(passwordHash, password)
    } finally {
      this.#running--
      this.#waiting.shift()?.()
    }
  }
}
