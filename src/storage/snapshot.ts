import type { Tx } from './dialect.ts'
import type { Version } from './version.ts'

/** Read methods of Database: see storage/database.ts. */
interface Reads<Db> {
  read<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  readMany<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  snapshot<T>(work: (db: Db) => Promise<T>): Promise<T>
  isAt(tx: Tx, version: Version, hasRead?: boolean): Promise<boolean>
}

/** A database whose reads share one transaction until `end`. */
export interface ReadSnapshot<Db> {
  readonly db: Db
  /** Called before the transaction ends. Later reads, such as those of a stream, get their own transactions. */
  end(): void
}

export function snapshotOf<Db extends Reads<Db>>(db: Db, tx: Tx): ReadSnapshot<Db> {
  let isOver = false
  // Cached: a transaction reads one version only.
  const versions = new Map<Version, Promise<boolean>>()
  const shared: Db = {
    ...db,
    read: (work) => (isOver ? db.read(work) : work(tx)),
    readMany: (work) => (isOver ? db.readMany(work) : work(tx)),
    snapshot: (work) => (isOver ? db.snapshot(work) : work(shared)),
    isAt(own, version, hasRead) {
      if (own !== tx) return db.isAt(own, version, hasRead)
      const known = versions.get(version) ?? db.isAt(tx, version, hasRead)
      versions.set(version, known)
      return known
    },
  } satisfies Reads<Db>
  return {
    db: shared,
    end() {
      isOver = true
    },
  }
}
