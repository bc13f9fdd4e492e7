import {
  type Compilable,
  type CompiledQuery,
  type DatabaseConnection,
  type Kysely,
  type QueryResult,
  type Selectable,
  sql,
} from 'kysely'
import type { Tables } from './tables.ts'

/** A place in a statement for a value that is known when it is run. */
class Slot {
  readonly place: number
  constructor(place: number) {
    this.place = place
  }
}

/** Stands for a value of whatever type. */
export type Placeholder = ReturnType<typeof placeholder>

export function placeholder(place: number) {
  return sql<never>`${new Slot(place)}`
}

/** The statement with these values in their places. */
export function filled(query: CompiledQuery, values: readonly unknown[]): CompiledQuery {
  return { ...query, parameters: query.parameters.map((one) => (one instanceof Slot ? values[one.place] : one)) }
}

/**
 * Runs a statement that is put together. Where a transaction has the only connection, it is given to that: the way
 * through the query builder is a dozen promises long.
 */
export function execute<Row>(db: Kysely<Tables>, query: CompiledQuery<Row>): Promise<QueryResult<Row>> {
  const { adapter } = db.getExecutor()
  const direct = db.isTransaction && 'connection' in adapter ? (adapter.connection as DatabaseConnection | null) : null
  return direct === null ? db.executeQuery(query) : direct.executeQuery(query)
}

/**
 * A statement that is run over and over: put together once for each database, by the query builder as all others are,
 * which takes longer than most of them take to run. `build` is given a place for each value.
 */
export function prepared<Row, Values extends readonly unknown[]>(
  build: (db: Kysely<Tables>, ...places: { [K in keyof Values]: Placeholder }) => Compilable<Row>,
): (db: Kysely<Tables>, ...values: Values) => Promise<Row[]> {
  const compiled = new WeakMap<object, CompiledQuery>()
  return async (db, ...values) => {
    const { adapter } = db.getExecutor()
    let query = compiled.get(adapter)
    if (query === undefined) {
      query = build(
        db,
        ...(values.map((_, place) => placeholder(place)) as { [K in keyof Values]: Placeholder }),
      ).compile()
      compiled.set(adapter, query)
    }
    return (await execute(db, filled(query, values) as CompiledQuery<Row>)).rows
  }
}

/** How many statements of one form are kept. */
const MOST_KEPT = 200

/** Statements of one form that differ by a key, each made when it is first asked for. */
export function preparedBy<Key, Statement>(make: (key: Key) => Statement): (key: Key) => Statement {
  const made = new Map<Key, Statement>()
  return (key) => {
    let statement = made.get(key)
    if (statement === undefined) {
      statement = make(key)
      if (made.size >= MOST_KEPT) made.clear()
      made.set(key, statement)
    }
    return statement
  }
}

/** As many rows as are looked for by a statement that is kept. */
const MOST_IDS = 100

/** Finds rows by a list of ids: a statement for each length is kept, and long lists are asked for in parts. */
export function preparedList<Row>(
  build: (db: Kysely<Tables>, ids: readonly Placeholder[]) => Compilable<Row>,
): (db: Kysely<Tables>, ids: readonly number[]) => Promise<Row[]> {
  const ofLength = preparedBy((_: number) => prepared<Row, number[]>((db, ...ids) => build(db, ids)))
  return async (db, ids) => {
    const rows: Row[] = []
    for (let at = 0; at < ids.length; at += MOST_IDS) {
      const some = ids.slice(at, at + MOST_IDS)
      for (const row of await ofLength(some.length)(db, ...some)) rows.push(row)
    }
    return rows
  }
}

/** As many rows as are written by a statement that is kept. */
const MOST_ROWS = 20

const inserts = preparedBy((form: string) => {
  const [table = '', answers, count, ...columns] = form.split(' ')
  return prepared<object, unknown[]>((db, ...places) => {
    const rows = Array.from({ length: Number(count) }, (_, row) =>
      Object.fromEntries(columns.map((name, place) => [name, places[row * columns.length + place]])),
    )
    const insert = db.insertInto(table as 'events').values(rows as never)
    return answers === '' ? insert : insert.returningAll()
  })
})

/** Inserts rows that have the same columns, as far as the first has them; answers them as they are stored if that is asked for. */
export async function insertRows<Table extends keyof Tables>(
  db: Kysely<Tables>,
  table: Table,
  rows: readonly object[],
  answers: 'answers' | '' = '',
): Promise<Selectable<Tables[Table]>[]> {
  const [first = {}] = rows as readonly Record<string, unknown>[]
  const columns = Object.keys(first).filter((name) => first[name] !== undefined)
  const stored: object[] = []
  for (let at = 0; at < rows.length; at += MOST_ROWS) {
    const some = rows.slice(at, at + MOST_ROWS)
    const insert = inserts([table, answers, some.length, ...columns].join(' '))
    const values = some.flatMap((row) => columns.map((name) => row[name as keyof typeof row]))
    stored.push(...(await insert(db, ...values)))
  }
  return stored as Selectable<Tables[Table]>[]
}
