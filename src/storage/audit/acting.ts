import type { Database } from '../database.ts'
import type { Tx } from '../dialect.ts'
import { type Actor, actAs } from './tracker.ts'

/** A database whose writes are logged as those of an actor; what is not said of it stays. */
export function actingAs(db: Database, actor: Partial<Actor>): Database {
  const as =
    <T>(work: (tx: Tx) => Promise<T>) =>
    (tx: Tx) => {
      actAs(tx, actor)
      return work(tx)
    }
  return {
    ...db,
    write: (work) => db.write(as(work)),
    writeMany: (work) => db.writeMany(as(work)),
    writeWithoutInvalidating: (work) => db.writeWithoutInvalidating(as(work)),
  }
}
