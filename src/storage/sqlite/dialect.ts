import { setImmediate as nextTurn } from 'node:timers/promises'
import {
  CompiledQuery,
  type DatabaseConnection,
  type Driver,
  type Kysely,
  type Dialect as KyselyDialect,
  type LimitNode,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type TransactionSettings,
  ValueNode,
} from 'kysely'
import { unavailable } from '../../lib/errors.ts'
import { TurnBudget } from '../../lib/time-slices.ts'
import { type Dialect, sqlite } from '../dialect.ts'
import { waiting } from '../measure.ts'
import type { Direct, DirectAdapter, OnQuery } from '../prepared.ts'
import { rowMaker } from '../row-maker.ts'
import { Checkpoints } from './checkpoints.ts'
import { type Result, SqliteConnection } from './connection.ts'
import type { FileIdentity } from './file-identity.ts'
import { SqliteThread } from './thread.ts'
import { WaitingRows } from './waiting-rows.ts'

/** Limit on transactions waiting for a connection. Beyond it the service is overloaded and answers 503. */
const MAX_WAITING = 500

/** Carries our dialect, so that storage functions get it from their transaction. */
export class Adapter extends SqliteAdapter implements DirectAdapter {
  readonly dialect: Dialect = sqlite
  /** Set while a connection on the main thread is open. */
  local: LocalConnection | null = null
  readonly onQuery: OnQuery | undefined
  readonly needsNoTransaction: boolean

  constructor(onQuery?: OnQuery, needsNoTransaction = false) {
    super()
    this.onQuery = onQuery
    this.needsNoTransaction = needsNoTransaction
  }

  directOf(): Direct | null {
    return this.local
  }
}

/** The thread that runs the statements. On a `single` connection, in the main thread, each reads the latest committed data. */
export type ConnectionThread = 'main' | 'worker' | 'single'

/** Kysely dialect for node:sqlite: one connection, which transactions use in turn. */
export class SqliteDialect implements KyselyDialect {
  readonly #file: string
  readonly #thread: ConnectionThread
  readonly #identity: FileIdentity | null
  readonly #adapter: Adapter
  readonly #contents: Uint8Array | undefined

  /** `contents` is for a database in memory. */
  constructor(
    file: string,
    thread: ConnectionThread = 'main',
    identity: FileIdentity | null = null,
    onQuery?: OnQuery,
    contents?: Uint8Array,
  ) {
    this.#file = file
    this.#contents = contents
    this.#thread = thread
    this.#identity = identity
    this.#adapter = new Adapter(onQuery, thread === 'single')
  }

  createAdapter(): Adapter {
    return this.#adapter
  }
  createDriver(): Driver {
    return new SqliteDriver(this.#file, this.#thread, this.#identity, this.#adapter, this.#contents)
  }
  createQueryCompiler(): SqliteQueryCompiler {
    return new QueryCompiler()
  }
  createIntrospector(db: Kysely<unknown>): SqliteIntrospector {
    return new SqliteIntrospector(db)
  }
}

/** Writes limits as literals: SQLite compiles a statement whose limit is a parameter again each time it runs. */
class QueryCompiler extends SqliteQueryCompiler {
  protected override visitLimit(node: LimitNode): void {
    const limit = ValueNode.is(node.limit) ? node.limit.value : null
    if (Number.isSafeInteger(limit)) this.append(`limit ${limit}`)
    else super.visitLimit(node)
  }
}

class SqliteDriver implements Driver {
  readonly #file: string
  readonly #thread: ConnectionThread
  readonly #identity: FileIdentity | null
  readonly #adapter: Adapter
  readonly #contents: Uint8Array | undefined
  readonly #mutex = new Mutex()
  #connection: LocalConnection | ThreadConnection | undefined
  #checkpoints: Checkpoints | null = null

  constructor(
    file: string,
    thread: ConnectionThread,
    identity: FileIdentity | null,
    adapter: Adapter,
    contents: Uint8Array | undefined,
  ) {
    this.#file = file
    this.#contents = contents
    this.#thread = thread
    this.#identity = identity
    this.#adapter = adapter
  }

  async init(): Promise<void> {
    if (this.#thread === 'worker') this.#connection = new ThreadConnection(this.#file, this.#identity)
    else {
      const local = new LocalConnection(this.#file, this.#identity, this.#contents, this.#adapter.onQuery)
      if (this.#thread === 'single') local.readSingly()
      else this.#checkpoints = new Checkpoints(this.#file, this.#identity, (sql) => local.ask(sql))
      this.#adapter.local = local
      this.#connection = local
    }
  }

  async acquireConnection(): Promise<DatabaseConnection> {
    await this.#mutex.acquire()
    if (this.#connection === undefined) throw new Error('the database is closed')
    if (this.#connection instanceof LocalConnection) this.#connection.begin()
    return this.#connection
  }

  /** A writer takes the write lock at once: upgrading later could fail after its reads. */
  async beginTransaction(connection: DatabaseConnection, settings: TransactionSettings): Promise<void> {
    // SQLite transactions are always serializable.
    const isReading = settings.accessMode === 'read only'
    if (!isReading) await this.#checkpoints?.beforeWrite()
    if (isReading && connection instanceof ThreadConnection) connection.beginReading()
    else await connection.executeQuery(CompiledQuery.raw(isReading ? 'begin' : 'begin immediate'))
    if (connection instanceof LocalConnection) connection.isReading = isReading
  }
  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await this.#end(connection, 'commit')
  }
  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    await this.#end(connection, 'rollback')
  }
  async releaseConnection(): Promise<void> {
    this.#mutex.release()
  }
  async destroy(): Promise<void> {
    await this.#mutex.acquire(true)
    this.#adapter.local = null
    await this.#checkpoints?.close()
    await this.#connection?.close()
    this.#connection = undefined
    this.#mutex.release()
  }

  async #end(connection: DatabaseConnection, how: 'commit' | 'rollback'): Promise<void> {
    // Nothing is committed: a commit would ask for changes first.
    if (this.#connection?.isReading) return this.#connection.endReading()
    await connection.executeQuery(CompiledQuery.raw(how))
    if (how === 'commit') this.#checkpoints?.committed()
  }
}

/** How long a transaction may block the event loop, in milliseconds. */
const MAX_BLOCKING = 10

/** Connection on the main thread. */
class LocalConnection implements DatabaseConnection, Direct {
  readonly #connection: SqliteConnection
  readonly #onQuery: OnQuery | undefined
  #began = 0
  /** Rows that are inserted before the next statement that may depend on them, the commit at the latest. */
  readonly #waiting = new WaitingRows()
  #dataVersion: unknown
  /** Why waiting rows could not be inserted: their writers may not know, so the transaction can only be rolled back. */
  #failure: unknown = null
  /** Of a connection without transactions: all readers share the time of a turn of the event loop. */
  #budget: TurnBudget | null = null

  constructor(
    file: string,
    identity: FileIdentity | null,
    contents: Uint8Array | undefined,
    onQuery: OnQuery | undefined,
  ) {
    this.#connection = new SqliteConnection(file, identity?.known ?? null, contents)
    this.#onQuery = onQuery
    identity?.opened(this.#connection.identity)
  }

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    return this.#inTurn(() => resultOf<R>(this.#execute(sql, parameters, false)))
  }
  streamQuery = refuseStreaming

  /** The rows of a statement of the transaction that has the connection: at once, unless others have waited too long. */
  run<R>(sql: string, parameters: readonly unknown[], isIndependent: boolean): R[] | Promise<R[]> {
    this.#onQuery?.(sql, parameters)
    return this.#inTurn(() => resultOf<R>(this.#execute(sql, parameters, isIndependent)).rows)
  }

  #inTurn<T>(execute: () => T): T | Promise<T> {
    const budget = this.#budget
    if (budget === null) return performance.now() - this.#began > MAX_BLOCKING ? this.#yield().then(execute) : execute()
    return budget.isSpent ? budget.wait().then(() => budget.spend(execute)) : budget.spend(execute)
  }

  #execute(sql: string, parameters: readonly unknown[], isIndependent: boolean): Result {
    // Of the whole transaction, or of a part: all rows that wait are of that part, since others were inserted before it began.
    if (sql.startsWith('rollback')) {
      this.#waiting.clear()
      this.#failure = null
    }
    if (this.#failure !== null) throw this.#failure
    if (isIndependent || this.isReading) return this.#connection.execute(sql, parameters)
    if (!this.#waiting.isEmpty) this.#insertWaiting()
    // Nothing is changed where a transaction begins or ends. What is known serves for the next one.
    if (sql !== 'begin' && sql !== 'begin immediate' && sql !== 'commit') this.#waiting.clear()
    const result = this.#connection.execute(sql, parameters)
    if (sql === 'begin immediate') this.#forgetIfChanged()
    return result
  }

  /** Forgets what is known if another connection has committed since the last transaction that wrote. */
  #forgetIfChanged(): void {
    try {
      const version = this.dataVersion()
      if (version !== this.#dataVersion) this.#waiting.clear()
      this.#dataVersion = version
    } catch (error) {
      // Who begins a transaction does not end one that has not begun.
      this.#connection.execute('rollback', [])
      throw error
    }
  }

  #insertWaiting(): void {
    try {
      for (const { sql, parameters } of this.#waiting.take()) {
        this.#onQuery?.(sql, parameters)
        this.#connection.execute(sql, parameters)
      }
    } catch (error) {
      this.#failure = error
      throw error
    }
  }

  isReading = false

  get waiting(): WaitingRows | null {
    return this.isReading ? null : this.#waiting
  }

  endReading(): void {
    this.isReading = false
    this.#connection.execute('rollback', [])
  }

  /** Changes when another connection commits. */
  dataVersion(): unknown {
    return this.ask('pragma data_version')[0]
  }

  /** Runs a statement at once, past rows that wait; answers its first row. */
  ask(sql: string): readonly unknown[] {
    const result = this.#connection.execute(sql, [])
    return ('cells' in result && result.cells[0]) || []
  }

  /** Called when a new transaction acquires the connection. */
  begin(): void {
    this.#began = performance.now()
  }

  /** From now on, statements need no transaction, and cannot write. */
  readSingly(): void {
    this.isReading = true
    this.#budget = new TurnBudget()
    this.#connection.execute('pragma query_only = on', [])
  }

  async #yield(): Promise<void> {
    await nextTurn()
    this.#began = performance.now()
  }

  async close(): Promise<void> {
    this.#connection.close()
  }
}

/** Connection in a worker thread. Read transactions begin with their first statement, and their end is not awaited. */
class ThreadConnection implements DatabaseConnection {
  readonly #thread: SqliteThread

  constructor(file: string, identity: FileIdentity | null) {
    this.#thread = new SqliteThread(file, identity)
  }

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    return resultOf(await this.#thread.execute(sql, parameters))
  }
  streamQuery = refuseStreaming

  isReading = false

  beginReading(): void {
    this.isReading = true
    this.#thread.beginLater('begin')
  }
  endReading(): void {
    this.isReading = false
    if (this.#thread.hasNotBegun) this.#thread.forgetBegin()
    else this.#thread.endLater()
  }

  close(): Promise<void> {
    return this.#thread.close()
  }
}

function resultOf<R>(result: Result): QueryResult<R> {
  if ('changes' in result) {
    const { changes, lastInsertRowid } = result
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) }
  }
  return { rows: result.cells.map(rowMaker(result.names)) as R[] }
}

/** SQLite is synchronous, so streaming gains nothing. Lists are paged instead. */
// biome-ignore lint/correctness/useYield: the interface asks for a generator, and this one only refuses
async function* refuseStreaming<R>(): AsyncIterableIterator<QueryResult<R>> {
  throw new Error('streaming is not supported')
}

/** Mutex with a FIFO queue. */
class Mutex {
  #isLocked = false
  readonly #waiting: (() => void)[] = []

  /** With `always`, the limit on waiting callers does not apply. */
  async acquire(always = false): Promise<void> {
    if (this.#isLocked) {
      if (this.#waiting.length >= MAX_WAITING && !always) throw unavailable()
      waiting.add()
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
      waiting.add(-1)
    }
    this.#isLocked = true
  }
  release(): void {
    const next = this.#waiting.shift()
    if (next === undefined) this.#isLocked = false
    else next()
  }
}
