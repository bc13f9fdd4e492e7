import { hashPassword } from '../lib/passwords.ts'
import * as storage from '../storage/users.ts'
import type { Scope, User } from './scope.ts'
import { randomPassword } from './users.ts'

/**
 * Author of suggested events. It is a user of its own, who cannot sign in: see docs/decisions/suggestions.md. It has the
 * rights of a contributor: it publishes nothing, makes no categories, and may have so many unpublished records.
 */

/** Known by this address. It exists nowhere. */
const EMAIL = 'suggestions@localhost.localdomain'
const NAME = 'Suggestions'

/** Finds or creates the user. */
export async function suggester({ db, clock }: Pick<Scope, 'db' | 'clock'>): Promise<User> {
  const found = await db.read((tx) => storage.find(tx, EMAIL))
  const id = found?.id ?? (await create({ db, clock }))
  return { id, name: NAME, role: 'contributor' }
}

async function create({ db, clock }: Pick<Scope, 'db' | 'clock'>): Promise<number> {
  // Nobody knows the password.
  const password_hash = await hashPassword(randomPassword())
  return db.write(async (tx) => {
    await storage.lock(tx)
    const found = await storage.find(tx, EMAIL)
    if (found !== undefined) return found.id
    let name = NAME
    for (let n = 2; (await storage.find(tx, name)) !== undefined; n++) name = `${NAME} ${n}`
    const user = { name, email: EMAIL, role: 'contributor', password_hash, created_utc: clock() }
    const id = await storage.create(tx, user)
    await storage.update(tx, id, { disabled_utc: clock() })
    return id
  })
}
