import type { SQLInputValue, StatementSync } from 'node:sqlite'
import type { Compilable, CompiledQuery, Kysely } from 'kysely'
import { bindValues, type Placeholder, placeholder, preparedBy, roundIds } from './prepared.ts'
import { rowMaker } from './row-maker.ts'
import { allOf } from './sqlite/connection.ts'
import type { Tables } from './tables.ts'

/** A frequent query, compiled once. It has a placeholder for each value. */
export interface Lookup<Row> {
  build(db: Kysely<Tables>, ...values: Placeholder[]): Compilable<Row>
}

/** What answers lookups: see Database. */
export interface LooksUp {
  lookUp<Row>(question: Lookup<Row>, ...values: (string | number)[]): Row[] | Promise<Row[]>
}

/** A lookup of some rows by their ids, each once. Lists of ids are filled up, so that few statements are compiled. */
export function lookupByIds<Row>(
  build: (db: Kysely<Tables>, ids: readonly Placeholder[]) => Compilable<Row>,
): (db: LooksUp, ids: readonly number[]) => Row[] | Promise<Row[]> {
  const ofLength = preparedBy((_: number): Lookup<Row> => ({ build: (db, ...ids) => build(db, ids) }))
  return (db, ids) => {
    const all = roundIds(ids, 0)
    return db.lookUp(ofLength(all.length), ...all)
  }
}

/** A statement that returns arrays, and the function that makes rows of them. */
interface Statement {
  readonly statement: StatementSync
  readonly makeRow: ReturnType<typeof rowMaker>
}

function withRows(statement: StatementSync): Statement {
  statement.setReturnArrays(true)
  return { statement, makeRow: rowMaker(statement.columns().map(({ name }) => name)) }
}

/** Runs lookups. Each is a single statement that sees the latest committed data. */
export class Lookups {
  readonly #db: Kysely<Tables>
  readonly #prepare: ((sql: string) => StatementSync) | null
  readonly #compiled = new WeakMap<Lookup<unknown>, CompiledQuery>()
  readonly #statements = new WeakMap<Lookup<unknown>, Statement>()

  /**
   * `prepare` prepares statements on a connection that is never in a transaction; null to run them like every other
   * query.
   */
  constructor(db: Kysely<Tables>, prepare: ((sql: string) => StatementSync) | null) {
    this.#db = db
    this.#prepare = prepare
  }

  run<Row>(lookup: Lookup<Row>, values: readonly (string | number)[]): Row[] | Promise<Row[]> {
    let compiled = this.#compiled.get(lookup)
    if (compiled === undefined) {
      compiled = lookup.build(this.#db, ...values.map((_, n) => placeholder(n))).compile()
      this.#compiled.set(lookup, compiled)
    }
    const query = bindValues(compiled, values) as CompiledQuery<Row>
    if (this.#prepare === null) return this.#db.executeQuery(query).then(({ rows }) => rows)
    const known = this.#statements.get(lookup)
    const { statement, makeRow } = known ?? withRows(this.#prepare(compiled.sql))
    if (known === undefined) this.#statements.set(lookup, { statement, makeRow })
    return allOf(statement, query.parameters as SQLInputValue[]).map(makeRow) as Row[]
  }
}
