import { type Compilable, type CompiledQuery, type Kysely, type Selectable, sql } from 'kysely'
import type { Tables, TermTable } from './tables.ts'

/** Called for every query; for tests that count queries or read their plans. */
export type OnQuery = (sql: string, parameters: readonly unknown[]) => void

/** Runs statements of the transaction that has a connection. Kysely would take longer than most of these statements do. */
export interface Direct {
  run<Row>(sql: string, parameters: readonly unknown[], isIndependent: boolean): Row[] | Promise<Row[]>
  /**
   * Of a connection to a server: sends a statement with the next one, and does not wait for it unless many are sent so.
   * The statements after it see what it does, and fail if it fails.
   */
  later?(sql: string, parameters: readonly unknown[]): Promise<void> | undefined
  /** Waits for all that were sent so, and throws if one has failed. */
  settle?(): Promise<void>
  /** The rows of its transaction that wait to be inserted: see `insertLater`. */
  readonly waiting: Waiting | null
}

/** What knows the connections of transactions. */
export interface DirectAdapter {
  /** Called when a transaction begins. */
  begun?(tx: Kysely<Tables>): Promise<void>
  /** Set if its statements need no transaction. */
  readonly needsNoTransaction?: boolean
  directOf(tx: Kysely<Tables>): Direct | null
}

/** Rows that wait to be inserted. */
export interface Waiting {
  add(table: string, rows: readonly Readonly<Record<string, unknown>>[]): void
  has(table: string, column: string, value: unknown): boolean
  readonly terms: WaitingTerms
  readonly answers: Answers
}

/** Rows of independent questions: see `askOnce`. */
interface Answers {
  get(question: unknown, values: readonly unknown[]): readonly object[] | undefined
  keep(question: unknown, values: readonly unknown[], rows: readonly object[]): void
}

/** Terms that writers have found, with the counts that wait to be stored. */
export interface WaitingTerms {
  get(id: number): TermTable | undefined
  /** A term as it will be, given as it is stored. */
  current(stored: TermTable): TermTable
  /** Counts one more event of each, later. Returns them as they will be; null if one is not known, or is not public yet. */
  count(ids: readonly number[]): TermTable[] | null
}

/** Of a statement that may run while rows wait to be inserted: it reads and changes nothing of what these change. */
export const INDEPENDENT = 'independent'

/** A parameter whose value is given when the statement runs. */
class Parameter {
  readonly index: number
  constructor(index: number) {
    this.index = index
  }
}

/** A placeholder for a value of any type. */
export type Placeholder = ReturnType<typeof placeholder>

export function placeholder(index: number) {
  return sql<never>`${new Parameter(index)}`
}

/** Binds values to the placeholders of a statement. */
export function bindValues(query: CompiledQuery, values: readonly unknown[]): CompiledQuery {
  return { ...query, parameters: bound(query, values) }
}

function bound({ parameters }: CompiledQuery, values: readonly unknown[]): unknown[] {
  return parameters.map((one) => (one instanceof Parameter ? values[one.index] : one))
}

/** What runs statements of a transaction past Kysely, if anything does. */
function directOf(db: Kysely<Tables>): Direct | null {
  const { adapter } = db.getExecutor()
  if (!('directOf' in adapter)) return null
  const direct = adapter as unknown as DirectAdapter
  return db.isTransaction || direct.needsNoTransaction ? direct.directOf(db) : null
}

/** Called at the beginning of each transaction. */
export async function begun(tx: Kysely<Tables>): Promise<void> {
  const { adapter } = tx.getExecutor()
  if ('begun' in adapter) await (adapter as unknown as Required<DirectAdapter>).begun(tx)
}

/** Waits for the statements of a transaction that nobody has waited for, and throws if one has failed. */
export async function settled(tx: Kysely<Tables>): Promise<void> {
  await directOf(tx)?.settle?.()
}

/** Rows of a transaction that wait to be inserted; null if they cannot wait. */
export function waitingIn(db: Kysely<Tables>): Waiting | null {
  return directOf(db)?.waiting ?? null
}

/** Runs a compiled statement with these values for its placeholders. */
async function run<Row>(
  db: Kysely<Tables>,
  query: CompiledQuery,
  values: readonly unknown[],
  isIndependent: boolean,
): Promise<Row[]> {
  return (
    directOf(db)?.run<Row>(query.sql, bound(query, values), isIndependent) ??
    (await db.executeQuery(bindValues(query, values) as CompiledQuery<Row>)).rows
  )
}

/** A frequent statement, compiled once per database: compiling takes longer than most statements run. */
export interface Prepared<Row, Values extends readonly unknown[]> {
  (db: Kysely<Tables>, ...values: Values): Promise<Row[]>
  /** Runs it, and does not wait for it if statements after it can do so: see `Direct.later`. */
  later(db: Kysely<Tables>, ...values: Values): Promise<void>
}

/** `build` gets a placeholder for each value. */
export function prepared<Row, Values extends readonly unknown[]>(
  build: (db: Kysely<Tables>, ...placeholders: { [K in keyof Values]: Placeholder }) => Compilable<Row>,
  independent: typeof INDEPENDENT | '' = '',
): Prepared<Row, Values> {
  const compiled = new WeakMap<object, CompiledQuery>()
  const compile = (db: Kysely<Tables>, values: Values): CompiledQuery => {
    const { adapter } = db.getExecutor()
    const known = compiled.get(adapter)
    if (known !== undefined) return known
    const placeholders = values.map((_, index) => placeholder(index)) as { [K in keyof Values]: Placeholder }
    const query = build(db, ...placeholders).compile()
    compiled.set(adapter, query)
    return query
  }
  const now = (db: Kysely<Tables>, ...values: Values) =>
    run<Row>(db, compile(db, values), values, independent === INDEPENDENT)
  const later = async (db: Kysely<Tables>, ...values: Values) => {
    const direct = directOf(db)
    if (direct?.later === undefined) await now(db, ...values)
    else {
      const query = compile(db, values)
      await direct.later(query.sql, bound(query, values))
    }
  }
  return Object.assign(now, { later })
}

/**
 * Asks an independent question. On SQLite, transactions that write remember the rows, also for those after them, until a
 * statement that is not independent or another connection may have changed them.
 */
export async function askOnce<Row extends object, Values extends readonly unknown[]>(
  db: Kysely<Tables>,
  question: Prepared<Row, Values>,
  ...values: Values
): Promise<readonly Row[]> {
  const answers = waitingIn(db)?.answers
  const known = answers?.get(question, values) as readonly Row[] | undefined
  if (known !== undefined) return known
  const rows = await question(db, ...values)
  answers?.keep(question, values, rows)
  return rows
}

/** Limit on cached statements of one form. */
const MAX_STATEMENTS = 200

/** Cache of statements that differ by a key, each built on first use. */
export function preparedBy<Key, Statement>(make: (key: Key) => Statement): (key: Key) => Statement {
  const made = new Map<Key, Statement>()
  return (key) => {
    let statement = made.get(key)
    if (statement === undefined) {
      statement = make(key)
      if (made.size >= MAX_STATEMENTS) made.clear()
      made.set(key, statement)
    }
    return statement
  }
}

/** Ids per cached statement. */
const MAX_IDS = 100
/** Lists of more ids than this are filled up to a multiple of it by their last one, so that few statements are compiled. */
const ROUND_IDS = 10

/** Lists of up to `exact` ids stay as they are. */
export function roundIds(ids: readonly number[], exact: number = ROUND_IDS): readonly number[] {
  if (ids.length <= exact || ids.length % ROUND_IDS === 0) return ids
  return [...ids, ...Array<number>(ROUND_IDS - (ids.length % ROUND_IDS)).fill(ids.at(-1) ?? 0)]
}

/** Finds rows by ids, each once. One statement is cached per list length; long lists are split. */
export function preparedList<Row>(
  build: (db: Kysely<Tables>, ids: readonly Placeholder[]) => Compilable<Row>,
): (db: Kysely<Tables>, ids: readonly number[]) => Promise<Row[]> {
  const ofLength = preparedBy((_: number) => prepared<Row, number[]>((db, ...ids) => build(db, ids)))
  return async (db, ids) => {
    const rows: Row[] = []
    for (let at = 0; at < ids.length; at += MAX_IDS) {
      const some = roundIds(ids.slice(at, at + MAX_IDS))
      for (const row of await ofLength(some.length)(db, ...some)) rows.push(row)
    }
    return rows
  }
}

/** Rows per cached statement. */
const MAX_ROWS = 20

/** Statements that insert a number of rows with the same columns. */
interface Insert {
  readonly columns: readonly string[]
  readonly count: number
  readonly returning: 'returning' | ''
  readonly run: Prepared<object, unknown[]>
}

/** By table: few, since rows of a table have few forms. */
const inserts = new Map<string, Insert[]>()

function findInsert(table: string, columns: readonly string[], count: number, returning: 'returning' | ''): Insert {
  const known = inserts.get(table) ?? []
  for (const insert of known)
    if (insert.count === count && insert.returning === returning && isSame(insert.columns, columns)) return insert
  const run = prepared<object, unknown[]>((db, ...placeholders) => {
    const rows = Array.from({ length: count }, (_, row) =>
      Object.fromEntries(columns.map((name, index) => [name, placeholders[row * columns.length + index]])),
    )
    const insert = db.insertInto(table as 'events').values(rows as never)
    return returning === '' ? insert : insert.returningAll()
  })
  const made = { columns, count, returning, run }
  if (known.length >= MAX_STATEMENTS) known.length = 0
  known.push(made)
  inserts.set(table, known)
  return made
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((name, n) => name === other[n])
}

/** Statements that insert rows with the columns of the first one, and their values. */
function* insertsOf(
  table: string,
  rows: readonly object[],
  returning: 'returning' | '',
): Generator<[Insert['run'], unknown[]]> {
  const [first = {}] = rows as readonly Record<string, unknown>[]
  const columns = Object.keys(first).filter((name) => first[name] !== undefined)
  for (let at = 0; at < rows.length; at += MAX_ROWS) {
    const some = rows.slice(at, at + MAX_ROWS)
    const values = some.flatMap((row) => columns.map((name) => row[name as keyof typeof row]))
    yield [findInsert(table, columns, some.length, returning).run, values]
  }
}

/** Inserts rows with the columns of the first one. Returns the stored rows if asked to. */
export async function insertRows<Table extends keyof Tables>(
  db: Kysely<Tables>,
  table: Table,
  rows: readonly object[],
  returning: 'returning' | '' = '',
): Promise<Selectable<Tables[Table]>[]> {
  const stored: object[] = []
  for (const [run, values] of insertsOf(table, rows, returning))
    for (const row of await run(db, ...values)) stored.push(row)
  return stored as Selectable<Tables[Table]>[]
}

/**
 * Inserts rows of which nothing is asked before the transaction ends. On SQLite they wait for that, or for the next
 * statement that is not independent: rows of all writers that share a commit then share a statement. On PostgreSQL they
 * are sent, and nobody waits for them.
 */
export async function insertLater<Table extends keyof Tables>(
  db: Kysely<Tables>,
  table: Table,
  rows: readonly object[],
): Promise<void> {
  const waiting = waitingIn(db)
  if (waiting === null) for (const [run, values] of insertsOf(table, rows, '')) await run.later(db, ...values)
  else if (rows.length > 0) waiting.add(table, rows as readonly Record<string, unknown>[])
}
