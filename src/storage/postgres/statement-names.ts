import { hash } from 'node:crypto'

/** Limit on named statements: the server keeps each for every connection. */
const MAX_NAMES = 100
/** How often a statement is sent before it has a name. */
const RARE = 3
/** Limit on statements that are counted. */
const MAX_COUNTED = 1000

/** invalid_sql_statement_name and duplicate_prepared_statement: a pooler gives each transaction another connection. */
const UNKNOWN_CODES = ['26000', '42P05']
/** feature_not_supported: a later version has changed a table, and the statement would return other columns. */
const OUTDATED_CODE = '0A000'

/** Code of the error of a transaction that failed because of a name. It is tried again, without the name. */
export const NAME_FAILED = 'STATEMENT_NAME_FAILED'

export class NameFailed extends Error {
  readonly code = NAME_FAILED
}

/**
 * Names of frequent statements: the server parses and plans a named one once for each connection. A name is a hash of its
 * statement. So behind a pooler, where processes share connections, it never stands for another one.
 */
export class StatementNames {
  readonly #names = new Map<string, string>()
  #uses = new Map<string, number>()
  #isOff = false

  of(sql: string): string | undefined {
    if (this.#isOff) return undefined
    const known = this.#names.get(sql)
    if (known !== undefined || this.#names.size >= MAX_NAMES) return known
    const uses = (this.#uses.get(sql) ?? 0) + 1
    if (uses <= RARE) {
      if (this.#uses.size >= MAX_COUNTED) this.#uses = new Map()
      this.#uses.set(sql, uses)
      return undefined
    }
    this.#uses.delete(sql)
    const name = `kalends_${hash('sha256', sql).slice(0, 32)}`
    this.#names.set(sql, name)
    return name
  }

  /** The error to throw for that of a named statement. Without names that stay, none is given any more. */
  failed(error: unknown): unknown {
    const { code } = error as { code?: unknown }
    const isUnknown = UNKNOWN_CODES.includes(String(code))
    if (isUnknown) this.#isOff = true
    return isUnknown || code === OUTDATED_CODE
      ? new NameFailed('a named statement is not there', { cause: error })
      : error
  }
}
