import { KeptAnswers } from './kept-answers.ts'
import { WaitingCounts } from './waiting-counts.ts'

/** Rows per statement: as many as share a commit under load. After each statement, full-text indexes write what they have gathered. */
const MAX_ROWS = 40
/** Limit on forms of rows that are known. */
const MAX_FORMS = 100

/** Rows of a table with the same columns. */
class Form {
  readonly table: string
  readonly columns: readonly string[]
  /** By number of rows. They are kept: SQLite's statement is found by its text, which is long. */
  readonly #texts: string[] = []

  constructor(table: string, columns: readonly string[]) {
    this.table = table
    this.columns = columns
  }

  is(table: string, columns: readonly string[]): boolean {
    return (
      this.table === table &&
      this.columns.length === columns.length &&
      this.columns.every((name, n) => name === columns[n])
    )
  }

  /** The statement that inserts so many rows. */
  insert(count: number): string {
    const known = this.#texts[count]
    if (known !== undefined) return known
    const places = `(?${', ?'.repeat(this.columns.length - 1)})`
    const text = `insert into "${this.table}" ("${this.columns.join('", "')}") values ${places}${`, ${places}`.repeat(count - 1)}`
    this.#texts[count] = text
    return text
  }
}

const forms: Form[] = []

function formOf(table: string, columns: readonly string[]): Form {
  for (const form of forms) if (form.is(table, columns)) return form
  const made = new Form(table, columns)
  if (forms.length >= MAX_FORMS) forms.length = 0
  forms.push(made)
  return made
}

/**
 * Rows that wait until something may depend on them: then those of a table are inserted together. And what is known of
 * other rows, which none of these change.
 */
export class WaitingRows {
  /** By table. Tables are in the order in which they were first needed, so rows that others refer to come first. */
  readonly #tables = new Map<string, Map<Form, (readonly unknown[])[]>>()
  readonly terms = new WaitingCounts()
  readonly answers = new KeptAnswers()

  get isEmpty(): boolean {
    return this.#tables.size === 0 && this.terms.isEmpty
  }

  add(table: string, rows: readonly Readonly<Record<string, unknown>>[]): void {
    const known = this.#tables.get(table) ?? new Map<Form, (readonly unknown[])[]>()
    this.#tables.set(table, known)
    for (const row of rows) {
      const form = formOf(table, Object.keys(row))
      const same = known.get(form)
      if (same === undefined) known.set(form, [Object.values(row)])
      else same.push(Object.values(row))
    }
  }

  clear(): void {
    this.#tables.clear()
    this.terms.clear()
    this.answers.clear()
  }

  /** Whether a row with this value waits. */
  has(table: string, column: string, value: unknown): boolean {
    for (const [{ columns }, rows] of this.#tables.get(table) ?? []) {
      const place = columns.indexOf(column)
      if (place >= 0 && rows.some((row) => row[place] === value)) return true
    }
    return false
  }

  /** Takes all rows, as the statements that insert them, and counts. */
  take(): { sql: string; parameters: unknown[] }[] {
    const statements = this.terms.take()
    for (const known of this.#tables.values())
      for (const [form, rows] of known)
        for (let at = 0; at < rows.length; at += MAX_ROWS) {
          const some = rows.slice(at, at + MAX_ROWS)
          statements.push({ sql: form.insert(some.length), parameters: some.flat() })
        }
    this.#tables.clear()
    return statements
  }
}
