import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { makeDatabasePrivate } from './private-files.ts'
import { nextStamp } from './stamp.ts'

/** How many prepared statements are kept. */
const STATEMENTS = 500
/** The longest statement that is kept, in characters. */
const LONGEST_KEPT = 8000
/** Matches statements that change tables. */
const DEFINITION = /^\s*(?:create|alter|drop)\b/i
/** How long a statement blocks while another process holds the database, in milliseconds; storage/database.ts retries longer. */
const BUSY_TIMEOUT = 20

/**
 * Every commit is on the disk before it is answered, in the log. From there pages go to their places 16 MB at a time: most
 * have changed more than once by then, and a quarter as often is a third faster for those who write.
 */
export const SETTINGS = [
  'PRAGMA journal_mode = WAL',
  'PRAGMA synchronous = FULL',
  'PRAGMA wal_autocheckpoint = 4000',
  'PRAGMA temp_store = MEMORY',
].join(';')

/** The answer to a statement: rows as lists of cells with the names of their columns, or how many rows it changed. */
export type Result =
  | { readonly names: readonly string[]; readonly cells: unknown[][] }
  | { readonly changes: number | bigint; readonly lastInsertRowid: number | bigint }

/** A prepared statement, and the names of its columns if it answers any. */
interface Prepared {
  readonly statement: StatementSync
  names: readonly string[]
}

const CHANGES = 'select total_changes()'
const STAMP = 'pragma user_version'

/** One connection to a database file, with its prepared statements. */
export class SqliteConnection {
  readonly #database: DatabaseSync
  readonly #statements = new Map<string, Prepared>()
  /** How many rows this connection had changed when it last stamped a commit. */
  #stamped = 0

  constructor(file: string) {
    if (file !== ':memory:') makeDatabasePrivate(file)
    this.#database = new DatabaseSync(file, { enableForeignKeyConstraints: true, timeout: BUSY_TIMEOUT })
    try {
      this.#database.exec(SETTINGS)
    } catch (error) {
      this.#database.close()
      throw error
    }
  }

  execute(sql: string, parameters: readonly unknown[]): Result {
    if (sql === 'commit') this.#stamp()
    // Some failures, such as a full disk, have ended the transaction already.
    if (sql === 'rollback' && !this.#database.isTransaction) return { changes: 0, lastInsertRowid: 0 }
    return this.#run(sql, parameters)
  }

  close(): void {
    this.#statements.clear()
    this.#database.close()
  }

  /** Tells the commit of a transaction that has changed anything from those before it: see stamp.ts. */
  #stamp(): void {
    const changes = this.#number(CHANGES)
    if (changes === this.#stamped) return
    this.#database.exec(`${STAMP} = ${nextStamp(this.#number(STAMP))}`)
    this.#stamped = changes
  }

  #number(sql: string): number {
    const result = this.#run(sql, [])
    return 'cells' in result ? Number(result.cells[0]?.[0]) : 0
  }

  #run(sql: string, parameters: readonly unknown[]): Result {
    const prepared = this.#find(sql)
    const values = parameters.map((value) => (typeof value === 'boolean' ? Number(value) : value)) as SQLInputValue[]
    if (prepared.names.length === 0) return prepared.statement.run(...values)
    const cells = allOf(prepared.statement, values)
    // Another process has added a column.
    if (cells[0] !== undefined && cells[0].length !== prepared.names.length)
      prepared.names = namesOf(prepared.statement)
    return { names: prepared.names, cells }
  }

  #prepare(sql: string): Prepared {
    // A changed table may change the columns of every other statement.
    if (DEFINITION.test(sql)) this.#statements.clear()
    const statement = this.#database.prepare(sql)
    statement.setReturnArrays(true)
    return { statement, names: namesOf(statement) }
  }

  #find(sql: string): Prepared {
    // A long list makes a long statement, which is large in memory and seldom asked again.
    if (sql.length > LONGEST_KEPT) return this.#prepare(sql)
    let prepared = this.#statements.get(sql)
    if (prepared === undefined) {
      prepared = this.#prepare(sql)
      const oldest = this.#statements.keys().next().value
      if (this.#statements.size >= STATEMENTS && oldest !== undefined) this.#statements.delete(oldest)
    } else {
      // Reinserted at the end: the map is in order of use.
      this.#statements.delete(sql)
    }
    this.#statements.set(sql, prepared)
    return prepared
  }
}

/**
 * The rows of a statement. Whole numbers that JavaScript does not hold exactly make Node refuse all of them: then they are
 * read as what comes nearest, so that one such cell does not take a list down.
 */
function allOf(statement: StatementSync, values: readonly SQLInputValue[]): unknown[][] {
  try {
    return statement.all(...values) as unknown as unknown[][]
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'ERR_OUT_OF_RANGE') throw error
  }
  statement.setReadBigInts(true)
  try {
    const rows = statement.all(...values) as unknown as unknown[][]
    return rows.map((cells) => cells.map((cell) => (typeof cell === 'bigint' ? Number(cell) : cell)))
  } finally {
    statement.setReadBigInts(false)
  }
}

function namesOf(statement: StatementSync): string[] {
  return statement.columns().map(({ name }) => name)
}
