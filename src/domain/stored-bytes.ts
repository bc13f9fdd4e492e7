import { WorkQueue } from '../lib/work-queue.ts'
import type { Database } from '../storage/database.ts'
import type { Tx } from '../storage/dialect.ts'
import * as storage from '../storage/stored-bytes.ts'

/** What is stored of each user, and forgotten from the oldest on. */
export interface ForgettableStore {
  readonly kind: storage.Stored['kind']
  /** The last entry of a user. */
  newest(tx: Tx, user: number): Promise<number | null>
  /** Forgets some of the entries of a user up to one: as many as take a few milliseconds. Returns how many. */
  forget(tx: Tx, user: number, upto: number): Promise<number>
}

/** How much of one user is counted in memory before it is stored, in bytes, and as a share of what a user may have. */
const MAX_PENDING = 262_144
const PENDING_SHARE = 1 / 16

/**
 * Bounds what each user has stored of a kind. A write is never refused: the user's oldest entries are forgotten before it
 * is answered. Most writes only add to a number in memory. What a process that is killed has in memory stays uncounted,
 * and is forgotten with its neighbours.
 */
export class StoredBytes {
  readonly #store: ForgettableStore
  readonly #most: number
  readonly #pending = new Map<number, number>()
  readonly #queue = new WorkQueue(1, Number.POSITIVE_INFINITY)

  /** `most` is in bytes; 0 for no limit. */
  constructor(store: ForgettableStore, most: number) {
    this.#store = store
    this.#most = most
  }

  /** Called when a user has stored so many bytes. */
  async add(db: Database, user: number, bytes: number): Promise<void> {
    if (this.#most === 0) return
    const pending = (this.#pending.get(user) ?? 0) + bytes
    this.#pending.set(user, pending)
    if (pending < Math.min(MAX_PENDING, this.#most * PENDING_SHARE)) return
    this.#pending.delete(user)
    try {
      await this.#queue.run(() => this.#forget(db, user, pending))
    } catch {
      // The write that is counted was done. The next one tries again.
      this.#pending.set(user, (this.#pending.get(user) ?? 0) + pending)
    }
  }

  async #forget(db: Database, user: number, bytes: number): Promise<void> {
    const { kind, newest, forget } = this.#store
    const stored = { user, kind }
    const last = await db.writeWithoutInvalidating(async (tx) => {
      const upto = await newest(tx, user)
      if (upto === null) return null
      await storage.add(tx, { ...stored, upto, bytes })
      return storage.surplus(tx, stored, this.#most)
    })
    if (last === null) return
    while ((await db.writeWithoutInvalidating((tx) => forget(tx, user, last))) > 0);
    await db.writeWithoutInvalidating((tx) => storage.remove(tx, stored, last))
  }
}
