import type { Tx } from './dialect.ts'
import type { Version } from './version.ts'

/** How much the reads of a snapshot are likely to take: `few` rows each, or `many`. */
export type SnapshotSize = 'few' | 'many'

/** Read methods of Database: see storage/database.ts. */
interface Reads<Db> {
  read<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  readMany<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  readAt<T>(version: Version, work: (tx: Tx) => Promise<T>): Promise<T | undefined>
  snapshot<T>(work: (db: Db) => Promise<T>, size?: SnapshotSize): Promise<T>
  isAt(tx: Tx, version: Version, hasRead?: boolean): Promise<boolean>
}

/** A database whose reads share one transaction until `end`. */
interface ReadSnapshot<Db> {
  readonly db: Db
  /** Called before the transaction ends. Later reads, such as those of a stream, get their own transactions. */
  end(): void
}

/** `refuseMany` is called in place of reads of many rows, if they do not belong in this transaction. */
function snapshotOf<Db extends Reads<Db>>(db: Db, tx: Tx, refuseMany?: () => never): ReadSnapshot<Db> {
  let isOver = false
  // Cached: a transaction reads one version only.
  const versions = new Map<Version, Promise<boolean>>()
  const shared: Db = {
    ...db,
    read: (work) => (isOver ? db.read(work) : work(tx)),
    readMany: async (work) => (isOver ? db.readMany(work) : (refuseMany?.() ?? work(tx))),
    async readAt(version, work) {
      if (isOver) return db.readAt(version, work)
      return (await shared.isAt(tx, version)) ? work(tx) : undefined
    },
    snapshot: (work, size) => (isOver ? db.snapshot(work, size) : work(shared)),
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

/** Runs work within one transaction. */
export function inSnapshot<Db extends Reads<Db>, T>(
  db: Db,
  tx: Tx,
  work: (db: Db) => Promise<T>,
  refuseMany?: () => never,
): Promise<T> {
  const snapshot = snapshotOf(db, tx, refuseMany)
  return work(snapshot.db).finally(snapshot.end)
}

/** Thrown to leave a snapshot of few rows. */
export class ManyRows extends Error {}

/** Runs work in a transaction for few rows, and from the start in one for many rows as soon as it reads many. */
export async function inFewThenMany<Db extends Reads<Db>, T>(
  db: Db,
  work: (db: Db) => Promise<T>,
  transaction: Record<SnapshotSize, (work: (tx: Tx) => Promise<T>) => Promise<T>>,
): Promise<T> {
  let isMany = false
  const refuse = () => {
    isMany = true
    throw new ManyRows('a read of many rows')
  }
  try {
    const result = await transaction.few((tx) => inSnapshot(db, tx, work, refuse))
    // The work may have caught what was thrown.
    if (!isMany) return result
  } catch (error) {
    if (!isMany) throw error
  }
  return transaction.many((tx) => inSnapshot(db, tx, work))
}
