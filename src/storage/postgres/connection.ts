import type { CompiledQuery, DatabaseConnection, QueryResult, TransactionSettings } from 'kysely'
import type pg from 'pg'
import type { Direct, OnQuery } from '../prepared.ts'
import { Batch, type BatchEnd, type Known } from './batch.ts'
import { type Sending, Statement } from './statement.ts'
import { NameFailed, type StatementNames } from './statement-names.ts'

/** Limit on statements that nobody waits for. */
const MAX_UNANSWERED = 100

/** What all connections of a pool share. */
export interface Shared {
  readonly names: StatementNames
  readonly types: pg.CustomTypesConfig
  readonly onQuery: OnQuery | undefined
}

/**
 * A connection that sends all statements of a turn together. If one of a transaction fails, so do all after it, until a
 * rollback; each is then told why the first one failed.
 */
export class PostgresConnection implements DatabaseConnection, Direct {
  readonly #client: pg.PoolClient
  readonly #shared: Shared
  readonly #known: Known
  #queue: Statement[] = []
  /** Set while statements are being sent, or are about to be. */
  #isBusy = false
  #isInTransaction = false
  #transaction = 0
  #isReading = false
  /** The statement that begins the transaction, until the first one is sent: they go together. */
  #begin: string | null = null
  /** Why the transaction can only be rolled back. */
  #failure: { readonly error: unknown } | null = null
  /** The statements that nobody waits for, and the last of them. */
  #unanswered = 0
  #last: Promise<unknown> = Promise.resolve()
  #isBroken = false
  readonly waiting = null

  constructor(client: pg.PoolClient, shared: Shared) {
    this.#client = client
    this.#shared = shared
    this.#known = { types: shared.types, parsed: new Set(), doubtful: new Set(), makers: new Map() }
  }

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    const { rows, rowCount, command } = await this.#ask(sql, parameters)
    const isWrite = command === 'INSERT' || command === 'UPDATE' || command === 'DELETE' || command === 'MERGE'
    return { rows: rows as R[], ...(isWrite && { numAffectedRows: BigInt(rowCount) }) }
  }
  streamQuery = refuseStreaming

  async run<Row>(sql: string, parameters: readonly unknown[]): Promise<Row[]> {
    this.#shared.onQuery?.(sql, parameters)
    const { rows } = await this.#send(sql, parameters, { name: this.#nameOf(sql), isAlone: false })
    return rows as Row[]
  }

  later(sql: string, parameters: readonly unknown[]): Promise<void> | undefined {
    this.#shared.onQuery?.(sql, parameters)
    const sending = { name: this.#nameOf(sql), isAlone: false, isRowless: true }
    // The failure is told to the next one that is waited for.
    this.#last = this.#send(sql, parameters, sending).catch(() => {})
    return ++this.#unanswered < MAX_UNANSWERED ? undefined : this.settle()
  }

  async settle(): Promise<void> {
    if (this.#unanswered === 0) return
    await this.#last
    this.#unanswered = 0
    if (this.#failure !== null) throw this.#failure.error
  }

  /** Changes when a transaction begins, and when it ends. */
  get transaction(): number {
    return this.#transaction
  }

  begin({ isolationLevel, accessMode }: TransactionSettings): void {
    const level = isolationLevel === undefined ? '' : ` isolation level ${isolationLevel}`
    this.#begin = `start transaction${level}${accessMode === undefined ? '' : ` ${accessMode}`}`
    this.#shared.onQuery?.(this.#begin, [])
    this.#isReading = accessMode === 'read only'
    this.#isInTransaction = true
    this.#transaction++
    this.#failure = null
    this.#unanswered = 0
  }

  /** Sent with the last statements: if one of them fails, the server does not get to it. */
  async commit(): Promise<void> {
    const command = await this.#end('commit', {
      name: this.#shared.names.of('commit'),
      isAlone: false,
      isRowless: true,
    })
    const failure = this.#failure
    this.#failure = null
    // So it ends if a statement has failed.
    if (command === 'ROLLBACK') throw failure?.error ?? new Error('the transaction was rolled back')
  }

  async rollback(): Promise<void> {
    try {
      await this.#end('rollback', { isSimple: true, isAlone: true })
      this.#failure = null
    } catch (error) {
      this.#isBroken = true
      throw error
    }
  }

  release(): void {
    this.#client.release(this.#isBroken)
  }

  async #end(how: 'commit' | 'rollback', sending: Sending): Promise<string> {
    this.#shared.onQuery?.(how, [])
    this.#transaction++
    const hasBegun = this.#begin === null
    this.#begin = null
    // Until it is answered, statements before it may fail.
    const { command } = hasBegun ? await this.#send(how, [], sending) : { command: '' }
    this.#isInTransaction = false
    return command
  }

  /** A query of Kysely. One that is no part of a transaction and has one value finds rows by a key, or adds up the version of the data. */
  async #ask(sql: string, parameters: readonly unknown[]): Promise<Statement> {
    const isFree = !this.#isInTransaction
    const send = (name?: string) => {
      const isSimple = parameters.length === 0 && name === undefined
      return this.#send(sql, parameters, { name, isSimple, isAlone: isSimple || isFree })
    }
    const isByKey = isFree && parameters.length <= 1 && sql.startsWith('select')
    const name = isByKey ? this.#shared.names.of(sql) : undefined
    if (name === undefined) return send()
    return send(name).catch((error) => {
      if (!(error instanceof NameFailed)) throw error
      return send()
    })
  }

  /** Plans of reads may depend on their values. Those of writes find rows by keys, or insert some. */
  #nameOf(sql: string): string | undefined {
    return this.#isReading ? undefined : this.#shared.names.of(sql)
  }

  #send(sql: string, parameters: readonly unknown[], sending: Sending): Promise<Statement> {
    const statement = new Statement(sql, parameters, sending)
    if (this.#begin !== null) {
      const begin = new Statement(this.#begin, [], { isAlone: false, isRowless: true })
      begin.answered.catch(() => {})
      this.#begin = null
      this.#queue.push(begin)
    }
    this.#queue.push(statement)
    if (!this.#isBusy) {
      this.#isBusy = true
      process.nextTick(() => this.#sendQueued())
    }
    return statement.answered
  }

  /** Sends what waits, up to a statement that is sent alone. */
  #sendQueued(): void {
    const failure = this.#failure
    if (failure !== null)
      this.#queue = this.#queue.filter((statement) => {
        const isEnd = statement.text.startsWith('rollback') || statement.text === 'commit'
        if (!isEnd) statement.fail(failure.error)
        return isEnd
      })
    const alone = this.#queue.findIndex(({ sending }) => sending.isAlone)
    const some = this.#queue.splice(0, alone === -1 ? this.#queue.length : Math.max(alone, 1))
    this.#isBusy = some.length > 0
    if (!this.#isBusy) return
    this.#client.query(new Batch(some, this.#known, (end) => this.#ended(some, end)))
  }

  #ended(statements: readonly Statement[], end: BatchEnd): void {
    if (end === null) {
      if (statements[0]?.text.startsWith('rollback')) this.#failure = null
      for (const statement of statements) statement.succeed()
    } else {
      const { error, at } = end
      const failure = { error: this.#errorOf(error, statements[at]) }
      if (this.#isInTransaction) this.#failure ??= failure
      for (const [n, statement] of statements.entries())
        if (n < at) statement.succeed()
        else statement.fail(failure.error)
    }
    this.#sendQueued()
  }

  /** The connection is not used again if a name is to blame, or nobody answers. */
  #errorOf(error: unknown, statement: Statement | undefined): unknown {
    if (error instanceof Error && /Query read timeout/.test(error.message)) {
      this.#isBroken = true
      this.#client.connection.stream.destroy()
    }
    const failure = statement?.sending.name === undefined ? error : this.#shared.names.failed(error)
    if (failure !== error) this.#isBroken = true
    return failure
  }
}

/** Nothing streams rows: lists are paged. */
// biome-ignore lint/correctness/useYield: the interface asks for a generator, and this one only refuses
async function* refuseStreaming<R>(): AsyncIterableIterator<QueryResult<R>> {
  throw new Error('streaming is not supported')
}
