import { setImmediate as nextTurn } from 'node:timers/promises'
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
import { unavailable } from '../../lib/errors.ts'
import { type Dialect, sqlite } from '../dialect.ts'
import { type Result, SqliteConnection } from './connection.ts'
import type { FileIdentity } from './file-identity.ts'
import { SqliteThread } from './thread.ts'

/** How many transactions may wait for a connection; a further one is refused, as the service is overloaded. */
const MOST_WAITING = 500

/** Carries our own dialect, so that storage functions find it from the transaction they are given. */
export class Adapter extends SqliteAdapter {
  readonly dialect: Dialect = sqlite
  /** What a transaction has to itself while it lasts: see prepared.ts. */
  connection: DatabaseConnection | null = null
}

/** Where statements run: in this thread, or in one of their own. */
type ConnectionPlace = 'here' | 'thread'

/** Kysely on Node's own SQLite: one connection, which transactions hold in turn. */
export class SqliteDialect implements KyselyDialect {
  readonly #file: string
  readonly #place: ConnectionPlace
  readonly #identity: FileIdentity | null
  readonly #adapter = new Adapter()

  constructor(file: string, place: ConnectionPlace = 'here', identity: FileIdentity | null = null) {
    this.#file = file
    this.#place = place
    this.#identity = identity
  }

  createAdapter(): Adapter {
    return this.#adapter
  }
  createDriver(): Driver {
    return new SqliteDriver(this.#file, this.#place, this.#identity, this.#adapter)
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
  readonly #place: ConnectionPlace
  readonly #identity: FileIdentity | null
  readonly #adapter: Adapter
  readonly #turn = new Turn()
  #connection: LocalConnection | ThreadConnection | undefined

  constructor(file: string, place: ConnectionPlace, identity: FileIdentity | null, adapter: Adapter) {
    this.#file = file
    this.#place = place
    this.#identity = identity
    this.#adapter = adapter
  }

  async init(): Promise<void> {
    const Connection = this.#place === 'here' ? LocalConnection : ThreadConnection
    this.#connection = new Connection(this.#file, this.#identity)
    this.#adapter.connection = this.#connection
  }

  async acquireConnection(): Promise<DatabaseConnection> {
    await this.#turn.take()
    if (this.#connection === undefined) throw new Error('the database is closed')
    if (this.#connection instanceof LocalConnection) this.#connection.begin()
    return this.#connection
  }

  /** A writer takes the lock at once: one that upgrades later could be refused after its reads. */
  async beginTransaction(connection: DatabaseConnection, settings: TransactionSettings): Promise<void> {
    // Its transactions are serialisable whatever is asked for.
    const isReading = settings.accessMode === 'read only'
    if (isReading && connection instanceof ThreadConnection) connection.beginReading()
    else await connection.executeQuery(CompiledQuery.raw(isReading ? 'begin' : 'begin immediate'))
  }
  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await this.#end(connection, 'commit')
  }
  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    await this.#end(connection, 'rollback')
  }
  async releaseConnection(): Promise<void> {
    this.#turn.give()
  }
  async destroy(): Promise<void> {
    await this.#turn.take(true)
    await this.#connection?.close()
    this.#connection = undefined
    this.#adapter.connection = null
    this.#turn.give()
  }

  async #end(connection: DatabaseConnection, how: 'commit' | 'rollback'): Promise<void> {
    if (connection instanceof ThreadConnection && connection.isReading) connection.endReading()
    else await connection.executeQuery(CompiledQuery.raw(how))
  }
}

/** How long a transaction in this thread runs before others have a turn, in milliseconds. */
const LONGEST = 10

/** Statements on a connection of this thread. */
class LocalConnection implements DatabaseConnection {
  readonly #connection: SqliteConnection
  #began = 0

  constructor(file: string, identity: FileIdentity | null) {
    this.#connection = new SqliteConnection(file, identity?.known ?? null)
    identity?.opened(this.#connection.identity)
  }

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    if (performance.now() - this.#began > LONGEST) await this.#pass()
    return resultOf(this.#connection.execute(sql, parameters))
  }
  streamQuery = refuseStreaming

  /** Called when somebody else is given the connection. */
  begin(): void {
    this.#began = performance.now()
  }

  async #pass(): Promise<void> {
    await nextTurn()
    this.#began = performance.now()
  }

  async close(): Promise<void> {
    this.#connection.close()
  }
}

/** The same on a connection in another thread. Reads begin with their first statement, and nobody waits for their end. */
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
    else this.#thread.execute('rollback', []).catch(() => {})
  }

  close(): Promise<void> {
    return this.#thread.close()
  }
}

/** Rows as objects, all of one shape: Node's own are dictionaries, which take longer to read, and longer still to copy. */
function resultOf<R>(result: Result): QueryResult<R> {
  if ('changes' in result) {
    const { changes, lastInsertRowid } = result
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) }
  }
  const { names, cells } = result
  const empty: Record<string, unknown> = {}
  for (const name of names) empty[name] = null
  const rows = cells.map((values) => {
    const row = { ...empty }
    for (let n = 0; n < names.length; n++) row[names[n] as string] = values[n]
    return row
  })
  return { rows: rows as R[] }
}

/** SQLite answers at once, so nothing is gained by streaming; lists are paged instead. */
// biome-ignore lint/correctness/useYield: the interface asks for a generator, and this one only refuses
async function* refuseStreaming<R>(): AsyncIterableIterator<QueryResult<R>> {
  throw new Error('streaming is not supported')
}

/** Lets one at a time pass, in the order in which they came. */
class Turn {
  #taken = false
  readonly #waiting: (() => void)[] = []

  /** With `always`, however many wait. */
  async take(always = false): Promise<void> {
    if (this.#taken) {
      if (this.#waiting.length >= MOST_WAITING && !always) throw unavailable()
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
    }
    this.#taken = true
  }
  give(): void {
    const next = this.#waiting.shift()
    if (next === undefined) this.#taken = false
    else next()
  }
}
