import type { SQLInputValue, StatementSync } from 'node:sqlite'
import type { Compilable, CompiledQuery, Kysely } from 'kysely'
import { filled, type Placeholder, placeholder } from './prepared.ts'
import type { Tables } from './tables.ts'

/** One question that is asked over and over: put together once, by the query builder as all others are. */
export interface Lookup<Row> {
  build(db: Kysely<Tables>, value: Placeholder): Compilable<Row>
}

/** Asks questions, each of which is by itself of one moment: the present. */
export class Lookups {
  readonly #db: Kysely<Tables>
  readonly #prepare: ((sql: string) => StatementSync) | null
  readonly #compiled = new Map<Lookup<unknown>, CompiledQuery>()
  readonly #statements = new Map<Lookup<unknown>, StatementSync>()

  /** With `prepare`, on a connection that nobody begins a transaction on; else like every other query. */
  constructor(db: Kysely<Tables>, prepare: ((sql: string) => StatementSync) | null) {
    this.#db = db
    this.#prepare = prepare
  }

  ask<Row>(question: Lookup<Row>, value: string | number): Row[] | Promise<Row[]> {
    const compiled = this.#compiled.get(question) ?? question.build(this.#db, placeholder(0)).compile()
    this.#compiled.set(question, compiled)
    const query = filled(compiled, [value]) as CompiledQuery<Row>
    if (this.#prepare === null) return this.#db.executeQuery(query).then(({ rows }) => rows)
    const statement = this.#statements.get(question) ?? this.#prepare(compiled.sql)
    this.#statements.set(question, statement)
    return statement.all(...(query.parameters as SQLInputValue[])) as Row[]
  }
}
