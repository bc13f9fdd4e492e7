import { type Expression, type Kysely, type SqlBool, sql, type Transaction } from 'kysely'
import type { Tables } from './tables.ts'

/** What storage functions are given: always a transaction, so that all they read is of one moment. */
export type Tx = Transaction<Tables>

/** The ids that records draw from one sequence, and terms from another. */
export type Sequence = 'records' | 'terms'

/** Every difference between the databases. Nothing else asks which one it is. PostgreSQL will be a second value of this type. */
export interface Dialect {
  /** Draws the next id of a sequence; ids are never used twice. */
  nextId(tx: Tx, sequence: Sequence): Promise<number>
  /** Whether a text contains another, to the letter. */
  contains(text: Expression<string>, part: string): Expression<SqlBool>
  /** Whether an error says that another process holds the database, and that waiting may help. */
  isBusy(error: unknown): boolean
}

export const sqlite: Dialect = {
  async nextId(tx, sequence) {
    const { last } = await tx
      .updateTable('sequences')
      .set((eb) => ({ last: eb('last', '+', 1) }))
      .where('name', '=', sequence)
      .returning('last')
      .executeTakeFirstOrThrow()
    return last
  },
  contains: (text, part) => sql<SqlBool>`instr(${text}, ${part}) > 0`,
  // SQLITE_BUSY and SQLITE_LOCKED, with their extended codes.
  isBusy: (error) =>
    error instanceof Error &&
    'errcode' in error &&
    typeof error.errcode === 'number' &&
    [5, 6].includes(error.errcode & 0xff),
}

/** The dialect of the database that this transaction, or connection, is on. */
export function dialectOf(db: Kysely<Tables>): Dialect {
  const { adapter } = db.getExecutor()
  return 'dialect' in adapter ? (adapter.dialect as Dialect) : sqlite
}
