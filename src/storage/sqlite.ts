import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import {
  CompiledQuery,
  type DatabaseConnection,
  type Driver,
  type Kysely,
  type Dialect as KyselyDialect,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type TransactionSettings,
} from 'kysely'
import { type Dialect, sqlite } from './dialect.ts'
import { makeDatabasePrivate } from './private-files.ts'

/** How many prepared statements are kept. */
const STATEMENTS = 500
/** The longest statement that is kept, in characters. */
const LONGEST_KEPT = 8000
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
/** What changes tables. */
const DEFINITION = /^\s*(?:create|alter|drop)\b/i
/** How long another process is waited for while nothing else can run, in milliseconds; storage/database.ts waits longer. */
const BUSY_TIMEOUT = 50

/** Carries our own dialect, so that storage functions find it from the transaction they are given. */
export class Adapter extends SqliteAdapter {
  readonly dialect: Dialect = sqlite
  /** What a transaction has to itself while it lasts: see prepared.ts. */
  connection: DatabaseConnection | null = null
}

/** Kysely on Node's own SQLite: one connection, which transactions hold in turn. */
export class SqliteDialect implements KyselyDialect {
  readonly #file: string
  readonly #adapter = new Adapter()

  constructor(file: string) {
    this.#file = file
  }

  createAdapter(): Adapter {
    return this.#adapter
  }
  createDriver(): Driver {
    return new SqliteDriver(this.#file, this.#adapter)
  }
  createQueryCompiler(): SqliteQueryCompiler {
    return new SqliteQueryCompiler()
  }
  createIntrospector(db: Kysely<unknown>): SqliteIntrospector {
    return new SqliteIntrospector(db)
  }
}

class SqliteDriver implements Driver {
  readonly #file: string
  readonly #adapter: Adapter
  readonly #turn = new Turn()
  #connection: Connection | undefined

  constructor(file: string, adapter: Adapter) {
    this.#file = file
    this.#adapter = adapter
  }

  async init(): Promise<void> {
    if (this.#file !== ':memory:') makeDatabasePrivate(this.#file)
    const database = new DatabaseSync(this.#file, { enableForeignKeyConstraints: true, timeout: BUSY_TIMEOUT })
    database.exec(SETTINGS)
    this.#connection = new Connection(database)
    this.#adapter.connection = this.#connection
  }

  async acquireConnection(): Promise<DatabaseConnection> {
    await this.#turn.take()
    if (this.#connection === undefined) throw new Error('the database is closed')
    return this.#connection
  }

  /** A writer takes the lock at once: one that upgrades later could be refused after its reads. */
  async beginTransaction(connection: DatabaseConnection, settings: TransactionSettings): Promise<void> {
    // Its transactions are serialisable whatever is asked for.
    const begin = settings.accessMode === 'read only' ? 'begin' : 'begin immediate'
    await connection.executeQuery(CompiledQuery.raw(begin))
  }
  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('commit'))
  }
  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('rollback'))
  }
  async releaseConnection(): Promise<void> {
    this.#turn.give()
  }
  async destroy(): Promise<void> {
    await this.#turn.take()
    this.#connection?.close()
    this.#connection = undefined
    this.#adapter.connection = null
    this.#turn.give()
  }
}

/** A prepared statement, and what its rows are if it answers any. */
interface Prepared {
  readonly statement: StatementSync
  readonly rows: Rows | null
}

type Row = Record<string, unknown>

/**
 * Makes the rows of a statement, all of one shape. Node's own are dictionaries, which take longer to read, and longer still
 * to copy.
 */
class Rows {
  readonly #statement: StatementSync
  #names: string[] = []
  #empty: Row = {}

  constructor(statement: StatementSync) {
    this.#statement = statement
    this.#statement.setReturnArrays(true)
    this.#name()
  }

  all(values: SQLInputValue[]): Row[] {
    const found = this.#statement.all(...values) as unknown as unknown[][]
    // Another process has added a column.
    if (found[0] !== undefined && found[0].length !== this.#names.length) this.#name()
    return found.map((cells) => this.#row(cells))
  }

  #name(): void {
    this.#names = this.#statement.columns().map(({ name }) => name)
    this.#empty = Object.fromEntries(this.#names.map((name) => [name, null]))
  }

  #row(cells: readonly unknown[]): Row {
    const row = { ...this.#empty }
    for (let n = 0; n < this.#names.length; n++) row[this.#names[n] as string] = cells[n]
    return row
  }
}

class Connection implements DatabaseConnection {
  readonly #database: DatabaseSync
  readonly #statements = new Map<string, Prepared>()

  constructor(database: DatabaseSync) {
    this.#database = database
  }

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    const { statement, rows } = this.#find(sql)
    const values = parameters.map((value) => (typeof value === 'boolean' ? Number(value) : value)) as SQLInputValue[]
    if (rows !== null) return { rows: rows.all(values) as R[] }
    const { changes, lastInsertRowid } = statement.run(...values)
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) }
  }

  /** SQLite answers at once, so nothing is gained by streaming; lists are paged instead. */
  // biome-ignore lint/correctness/useYield: the interface asks for a generator, and this one only refuses
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('streaming is not supported')
  }

  close(): void {
    this.#statements.clear()
    this.#database.close()
  }

  #prepare(sql: string): Prepared {
    // What is known of the columns of others may change with it.
    if (DEFINITION.test(sql)) this.#statements.clear()
    const statement = this.#database.prepare(sql)
    return { statement, rows: statement.columns().length > 0 ? new Rows(statement) : null }
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
      // Put back at the end: the map is in order of use.
      this.#statements.delete(sql)
    }
    this.#statements.set(sql, prepared)
    return prepared
  }
}

/** Lets one at a time pass, in the order in which they came. */
class Turn {
  #taken = false
  readonly #waiting: (() => void)[] = []

  async take(): Promise<void> {
    if (this.#taken) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    this.#taken = true
  }
  give(): void {
    const next = this.#waiting.shift()
    if (next === undefined) this.#taken = false
    else next()
  }
}
