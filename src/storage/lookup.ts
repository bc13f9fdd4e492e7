import type { SQLInputValue, StatementSync } from 'node:sqlite'
import type { Compilable, CompiledQuery, Kysely } from 'kysely'
import { bindValues, type Placeholder, placeholder } from './prepared.ts'
import type { Tables } from './tables.ts'

/** A frequent query with one parameter, compiled once. */
export interface Lookup<Row> {
  build(db: Kysely<Tables>, value: Placeholder): Compilable<Row>
}

/** Runs lookups. Each is a single statement that sees the latest committed data. */
export class Lookups {
  readonly #db: Kysely<Tables>
  readonly #prepare: ((sql: string) => StatementSync) | null
  readonly #compiled = new Map<Lookup<unknown>, CompiledQuery>()
  readonly #statements = new Map<Lookup<unknown>, StatementSync>()

  /**
   * `prepare` prepares statements on a connection that is never in a transaction; null to run them like every other
   * query.
   */
  constructor(db: Kysely<Tables>, prepare: ((sql: string) => StatementSync) | null) {
    this.#db = db
    this.#prepare = prepare
  }

  run<Row>(lookup: Lookup<Row>, value: string | number): Row[] | Promise<Row[]> {
    const compiled = this.#compiled.get(lookup) ?? lookup.build(this.#db, placeholder(0)).compile()
    this.#compiled.set(lookup, compiled)
    const query = bindValues(compiled, [value]) as CompiledQuery<Row>
    if (this.#prepare === null) return this.#db.executeQuery(query).then(({ rows }) => rows)
    const statement = this.#statements.get(lookup) ?? this.#prepare(compiled.sql)
    this.#statements.set(lookup, statement)
    return statement.all(...(query.parameters as SQLInputValue[])) as Row[]
  }
}
