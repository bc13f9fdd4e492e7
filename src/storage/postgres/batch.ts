import type pg from 'pg'
import { type MakeRow, makerOf, type Statement } from './statement.ts'

/** What a connection knows of its named statements. */
export interface Known {
  readonly types: pg.CustomTypesConfig
  /** Names of the statements that the server has parsed. */
  readonly parsed: Set<string>
  /** Names that were sent with a batch that failed, so that the server may have parsed their statements or not. */
  readonly doubtful: Set<string>
  /** By name: how the rows of a statement are made; null if it returns none. */
  readonly makers: Map<string, MakeRow | null>
}

/** How a batch ended: an error of the statement at this place, unless all succeeded. */
export type BatchEnd = { readonly error: unknown; readonly at: number } | null

/**
 * Statements that are sent together, for `pg` in place of a query. The server runs them in order, and none after one that
 * fails: they have one Sync, see "Pipelining" in the manual of PostgreSQL, 54.2.4.
 */
export class Batch implements pg.Submittable {
  readonly #statements: readonly Statement[]
  readonly #known: Known
  readonly #end: (end: BatchEnd) => void
  /** Names that it was the first to send, by the place of their statement. */
  readonly #firstNames = new Map<string, number>()
  #at = 0
  #maker: MakeRow | null = null
  #isOver = false
  /** Set by `pg` to know when to stop its timer. */
  callback: ((error: unknown) => void) | undefined

  constructor(statements: readonly Statement[], known: Known, end: (end: BatchEnd) => void) {
    this.#statements = statements
    this.#known = known
    this.#end = end
  }

  submit(connection: pg.Connection): void {
    const [first] = this.#statements
    if (first?.sending.isSimple) {
      connection.query(first.text)
      return
    }
    // One system call for all.
    connection.stream.cork()
    for (const [at, statement] of this.#statements.entries())
      this.#send(connection as unknown as Connection, statement, at)
    connection.sync()
    connection.stream.uncork()
    this.#begin()
  }

  #send(connection: Connection, { text, values, sending }: Statement, at: number): void {
    const { name = '', isRowless } = sending
    if (name === '' || !this.#known.parsed.has(name)) {
      // To close a statement that is not there is no error.
      if (this.#known.doubtful.delete(name)) connection.close({ type: 'S', name })
      connection.parse({ name, text })
      if (name !== '') {
        this.#known.parsed.add(name)
        this.#firstNames.set(name, at)
      }
    }
    connection.bind({ statement: name, values })
    if (!isRowless && !this.#known.makers.has(name)) connection.describe({ type: 'P' })
    connection.execute({})
  }

  /** Begins to read the answer to a statement. */
  #begin(): void {
    const name = this.#statements[this.#at]?.sending.name
    this.#maker = (name && this.#known.makers.get(name)) || null
  }

  handleRowDescription({ fields }: { fields: Parameters<typeof makerOf>[0] }): void {
    const statement = this.#statements[this.#at]
    this.#maker = makerOf(fields, this.#known.types)
    if (statement === undefined) return
    statement.rows = []
  }
  handleDataRow({ fields }: { fields: (string | null)[] }): void {
    if (this.#maker !== null) this.#statements[this.#at]?.rows.push(this.#maker(fields))
  }
  handleCommandComplete({ text }: { text: string }): void {
    const statement = this.#statements[this.#at]
    if (statement === undefined) return
    const words = text.split(' ')
    statement.command = words[0] ?? ''
    statement.rowCount = Number(words.at(-1))
    const { name, isSimple, isRowless } = statement.sending
    // A text of several statements has an answer for each: the last one counts.
    if (isSimple) return
    if (name !== undefined && !isRowless) this.#known.makers.set(name, this.#maker)
    this.#at++
    this.#begin()
  }
  handleEmptyQuery(): void {}
  handlePortalSuspended(): void {}
  handleReadyForQuery(): void {
    this.#finish(null)
  }
  handleError(error: unknown): void {
    for (const [name, at] of this.#firstNames) {
      if (at < this.#at) continue
      this.#known.parsed.delete(name)
      this.#known.doubtful.add(name)
    }
    this.#finish({ error, at: this.#at })
  }
  handleCopyInResponse(connection: Connection): void {
    connection.sendCopyFail('no rows')
  }
  handleCopyData(): void {}

  #finish(end: BatchEnd): void {
    if (this.#isOver) return
    this.#isOver = true
    this.callback?.(end?.error ?? null)
    this.#end(end)
  }
}

/** What `pg` has, and its types do not. */
interface Connection extends Pick<pg.Connection, 'query' | 'sync' | 'stream'> {
  parse(statement: { name: string; text: string }): void
  close(statement: { type: 'S'; name: string }): void
  bind(values: { statement: string; values: readonly (string | Buffer | null)[] }): void
  describe(what: { type: 'P' }): void
  execute(portal: object): void
  sendCopyFail(message: string): void
}
