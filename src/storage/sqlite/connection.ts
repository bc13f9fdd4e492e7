import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { identityOf, MovedError } from './file-identity.ts'
import { addFunctions } from './functions.ts'
import { makeDatabasePrivate } from './private-files.ts'
import { nextStamp } from './stamp.ts'

/** Limit on cached prepared statements. */
const MAX_STATEMENTS = 500
/** Limit on the length of a cached statement, in characters. */
const MAX_CACHED_LENGTH = 8000
/** Matches DDL statements. */
const DEFINITION = /^\s*(?:create|alter|drop)\b/i
/** Busy timeout, in milliseconds: it blocks the thread. storage/database.ts retries longer. */
const BUSY_TIMEOUT = 20

/**
 * After how many pages of the WAL, 16 MB, they are copied to the database file: four times SQLite's default. Most pages have
 * changed more than once by then, which makes writes a third faster.
 */
export const CHECKPOINT = 4000
/** Every commit is synced to the WAL before it is acknowledged. */
export const SETTINGS = [
  'PRAGMA journal_mode = WAL',
  'PRAGMA synchronous = FULL',
  `PRAGMA wal_autocheckpoint = ${CHECKPOINT}`,
  'PRAGMA temp_store = MEMORY',
].join(';')

/** Result of a statement: rows as arrays with their column names, or the number of changed rows. */
export type Result =
  | { readonly names: readonly string[]; readonly cells: unknown[][] }
  | { readonly changes: number | bigint; readonly lastInsertRowid: number | bigint }

/** A prepared statement with its column names, if it returns rows. */
interface Prepared {
  readonly statement: StatementSync
  names: readonly string[]
}

const CHANGES = 'select total_changes()'
const STAMP = 'pragma user_version'

/** A connection to a database file, with a cache of prepared statements. */
export class SqliteConnection {
  readonly #database: DatabaseSync
  readonly #statements = new Map<string, Prepared>()
  readonly #file: string
  /** Identity of the open file; null for a database in memory. */
  readonly identity: string | null
  /** Identity of the WAL file. */
  #log: string | null = null
  /** Total changes of this connection at its last stamp. */
  #changesAtStamp = 0

  /** `expected` is the identity of the file that other connections have open; `contents` is for a database in memory. */
  constructor(file: string, expected: string | null, contents?: Uint8Array) {
    const isFile = file !== ':memory:'
    if (expected !== null && identityOf(file) !== expected) throw new MovedError(file)
    if (isFile) makeDatabasePrivate(file)
    this.#file = file
    this.#database = new DatabaseSync(file, { enableForeignKeyConstraints: true, timeout: BUSY_TIMEOUT })
    try {
      if (contents !== undefined) this.#database.deserialize(contents)
      this.#database.exec(SETTINGS)
      addFunctions(this.#database)
    } catch (error) {
      this.#database.close()
      throw error
    }
    this.identity = isFile ? identityOf(file) : null
  }

  execute(sql: string, parameters: readonly unknown[]): Result {
    if (sql === 'commit') this.#stampCommit()
    // Some errors, such as a full disk, have already rolled back.
    if (sql === 'rollback' && !this.#database.isTransaction) return { changes: 0, lastInsertRowid: 0 }
    return this.#run(sql, parameters)
  }

  close(): void {
    this.#statements.clear()
    this.#database.close()
  }

  /**
   * Called before a commit that changes data: throws if the commit would be lost, and writes a stamp (see stamp.ts).
   */
  #stampCommit(): void {
    const changes = this.#number(CHANGES)
    if (changes === this.#changesAtStamp) return
    if (this.identity !== null) this.#checkFiles()
    this.#database.exec(`${STAMP} = ${nextStamp(this.#number(STAMP))}`)
    this.#changesAtStamp = changes
  }

  /** SQLite keeps writing to deleted files, and all is lost when they are closed. */
  #checkFiles(): void {
    const log = identityOf(`${this.#file}-wal`)
    this.#log ??= log
    if (identityOf(this.#file) !== this.identity || log !== this.#log) throw new MovedError(this.#file)
  }

  #number(sql: string): number {
    const result = this.#run(sql, [])
    return 'cells' in result ? Number(result.cells[0]?.[0]) : 0
  }

  #run(sql: string, parameters: readonly unknown[]): Result {
    const prepared = this.#find(sql)
    const values = (
      parameters.some(isBoolean) ? parameters.map((value) => (isBoolean(value) ? Number(value) : value)) : parameters
    ) as readonly SQLInputValue[]
    if (prepared.names.length === 0) return prepared.statement.run(...values)
    const cells = allOf(prepared.statement, values)
    // Another process has added a column.
    if (cells[0] !== undefined && cells[0].length !== prepared.names.length)
      prepared.names = namesOf(prepared.statement)
    return { names: prepared.names, cells }
  }

  #prepare(sql: string): Prepared {
    // DDL may change the columns of any cached statement.
    if (DEFINITION.test(sql)) this.#statements.clear()
    const statement = this.#database.prepare(sql)
    statement.setReturnArrays(true)
    const names = namesOf(statement)
    // The id of the last row is reported even by `begin`, and those of full-text indexes are larger than numbers can be.
    if (names.length === 0) statement.setReadBigInts(true)
    return { statement, names }
  }

  #find(sql: string): Prepared {
    // Statements with long lists take much memory and are seldom reused.
    if (sql.length > MAX_CACHED_LENGTH) return this.#prepare(sql)
    let prepared = this.#statements.get(sql)
    if (prepared === undefined) {
      prepared = this.#prepare(sql)
      const oldest = this.#statements.keys().next().value
      if (this.#statements.size >= MAX_STATEMENTS && oldest !== undefined) this.#statements.delete(oldest)
    } else {
      // Reinserted at the end: the map is in order of use (LRU).
      this.#statements.delete(sql)
    }
    this.#statements.set(sql, prepared)
    return prepared
  }
}

/**
 * Returns all rows. Node throws on integers beyond the safe range. They are then read as BigInt and rounded, so that
 * one such cell does not fail a whole list.
 */
export function allOf(statement: StatementSync, values: readonly SQLInputValue[]): unknown[][] {
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

function isBoolean(value: unknown): value is boolean {
  return typeof value === 'boolean'
}

function namesOf(statement: StatementSync): string[] {
  return statement.columns().map(({ name }) => name)
}
