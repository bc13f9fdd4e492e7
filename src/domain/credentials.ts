import { createHmac, randomBytes } from 'node:crypto'
import { hash, verify } from '@node-rs/argon2'
import type { Clock } from '../lib/clock.ts'
import { AppError } from '../lib/errors.ts'
import type { Database } from '../storage/database.ts'
import * as storage from '../storage/users.ts'
import type { UserRow } from '../storage/users.ts'
import type { Role } from './access.ts'
import type { User } from './scope.ts'
import { hashToken, TOKEN_PREFIX } from './users.ts'

/** What a request says of who sends it. */
export type Credentials = { readonly token: string } | { readonly name: string; readonly password: string }

/** How long a verified password is remembered, in seconds. */
const REMEMBERED = 300
const MOST_REMEMBERED = 10_000

/**
 * Tells who somebody is. A password is checked with its slow hash once; then a keyed hash of it is remembered for a
 * while, together with the slow hash it was found to match. The user is read on every request, so a changed password,
 * a new role or a removed user counts at once, whichever process made the change.
 */
export class Authenticator {
  readonly #db: Database
  readonly #clock: Clock
  readonly #key = randomBytes(32)
  readonly #verified = new Map<string, { passwordHash: string; until: number }>()
  readonly #nobody = hash(randomBytes(16).toString('hex'))

  constructor(db: Database, clock: Clock) {
    this.#db = db
    this.#clock = clock
  }

  /** The user, or the answer that the credentials are wrong. */
  async identify(credentials: Credentials): Promise<User> {
    const row = 'token' in credentials ? await this.#byToken(credentials.token) : await this.#byName(credentials)
    if (row === undefined) throw new AppError('incorrect_password')
    return { id: row.id, name: row.name, role: row.role as Role }
  }

  async #byToken(token: string): Promise<UserRow | undefined> {
    return token.startsWith(TOKEN_PREFIX) ? this.#db.read((tx) => storage.byToken(tx, hashToken(token))) : undefined
  }

  async #byName({ name, password }: { name: string; password: string }): Promise<UserRow | undefined> {
    const user = await this.#db.read((tx) => storage.find(tx, name))
    if (password.startsWith(TOKEN_PREFIX)) {
      const owner = await this.#byToken(password)
      return owner !== undefined && owner.id === user?.id ? owner : undefined
    }
    return (await this.#matches(user, password)) ? user : undefined
  }

  async #matches(user: UserRow | undefined, password: string): Promise<boolean> {
    // An unknown name takes as long as a wrong password, so that names cannot be found out.
    if (user === undefined) {
      await verify(await this.#nobody, password)
      return false
    }
    const key = createHmac('sha256', this.#key).update(`${user.id}:${password}`).digest('base64')
    const known = this.#verified.get(key)
    if (known !== undefined && known.passwordHash === user.password_hash && known.until > this.#clock()) return true
    this.#verified.delete(key)
    if (!(await verify(user.password_hash, password))) return false
    const oldest = this.#verified.keys().next().value
    if (this.#verified.size >= MOST_REMEMBERED && oldest !== undefined) this.#verified.delete(oldest)
    this.#verified.set(key, { passwordHash: user.password_hash, until: this.#clock() + REMEMBERED })
    return true
  }
}
