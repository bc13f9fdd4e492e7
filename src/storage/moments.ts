import type { Database } from './database.ts'
import type { Tx } from './dialect.ts'
import type { Version } from './version.ts'

/** A database of which all reads share a transaction while it lasts. */
export interface Moment {
  readonly db: Database
  /** Called before the transaction ends: further reads, such as those of a stream, have transactions of their own. */
  end(): void
}

export function momentOf(db: Database, tx: Tx): Moment {
  let isOver = false
  // What a transaction reads stays of one version.
  const versions = new Map<Version, Promise<boolean>>()
  const shared: Database = {
    ...db,
    read: (work) => (isOver ? db.read(work) : work(tx)),
    readMany: (work) => (isOver ? db.readMany(work) : work(tx)),
    moment: (work) => (isOver ? db.moment(work) : work(shared)),
    isAt(own, version) {
      if (own !== tx) return db.isAt(own, version)
      const known = versions.get(version) ?? db.isAt(tx, version)
      versions.set(version, known)
      return known
    },
  }
  return {
    db: shared,
    end() {
      isOver = true
    },
  }
}
