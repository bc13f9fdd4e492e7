/** Rows per statement. */
const MAX_ROWS = 20

/** Rows that wait until something may depend on them: then those of a table are inserted together. */
export class WaitingRows {
  /** By table and by columns. Tables are in the order in which they were first needed, so rows that others refer to come first. */
  readonly #tables = new Map<string, Map<string, (readonly unknown[])[]>>()

  get isEmpty(): boolean {
    return this.#tables.size === 0
  }

  add(table: string, rows: readonly Readonly<Record<string, unknown>>[]): void {
    const forms = this.#tables.get(table) ?? new Map<string, (readonly unknown[])[]>()
    this.#tables.set(table, forms)
    for (const row of rows) {
      const columns = Object.keys(row).join('", "')
      const same = forms.get(columns)
      if (same === undefined) forms.set(columns, [Object.values(row)])
      else same.push(Object.values(row))
    }
  }

  clear(): void {
    this.#tables.clear()
  }

  /** Whether a row with this value waits. */
  has(table: string, column: string, value: unknown): boolean {
    for (const [columns, rows] of this.#tables.get(table) ?? []) {
      const place = columns.split('", "').indexOf(column)
      if (place >= 0 && rows.some((row) => row[place] === value)) return true
    }
    return false
  }

  /** Takes all rows, as the statements that insert them. */
  take(): { sql: string; parameters: unknown[] }[] {
    const statements: { sql: string; parameters: unknown[] }[] = []
    for (const [table, forms] of this.#tables)
      for (const [columns, rows] of forms)
        for (let at = 0; at < rows.length; at += MAX_ROWS) {
          const some = rows.slice(at, at + MAX_ROWS)
          const places = `(?${', ?'.repeat((some[0]?.length ?? 1) - 1)})`
          const all = `${places}${`, ${places}`.repeat(some.length - 1)}`
          statements.push({ sql: `insert into "${table}" ("${columns}") values ${all}`, parameters: some.flat() })
        }
    this.clear()
    return statements
  }
}
