import type { Scope } from '../../domain/scope.ts'
import { CsvReader, type CsvRow } from '../../lib/csv.ts'
import { TimeSlice } from '../../lib/time-slices.ts'
import { asOctets } from '../../lib/utf16.ts'
import { ImportedImages } from '../images.ts'
import * as imports from '../import-run.ts'
import * as saving from '../saving.ts'
import { type DateOrder, TableDates } from './dates.ts'
import { eventRow } from './event-row.ts'
import { LinkedRows } from './linked-rows.ts'
import { SeriesRows } from './series-rows.ts'
import { Table, unreadable } from './table.ts'

export interface TableOptions extends imports.BeginOptions {
  /** A `slug` that an event here has, and the same `id` if there is one, means that event. */
  readonly adopt?: boolean
  /** Order of day and month. By default the table shows it. */
  readonly dates?: DateOrder | null
  /** The same for dates for which the table shows none. */
  readonly assumedDates?: DateOrder | null
  /** Meaning of columns by their place, if told by hand. */
  readonly columns?: Readonly<Record<string, string>> | null
  /** Limits on rows and on fetched images. */
  readonly most?: number
  readonly mostImages?: number
}

/** The octets of a table, which are read twice. */
export type TableChunks = AsyncIterable<Uint8Array> | Iterable<Uint8Array>

/** Columns with dates. */
const DATED = ['start_date', 'end_date']

/** Limit on notes of columns that are not read, so that notes of rows have room. */
const MAX_COLUMN_NOTES = 100

/**
 * Imports a table with a header row: of events, venues or organizers, with our own columns or those of another program.
 * It is read twice, as the order of day and month may show in the last row. Rows are known again by their `uid`, `id` or
 * `slug`, or by their title and start.
 */
export async function importTable(
  scope: Scope,
  chunks: TableChunks,
  options: TableOptions,
): Promise<imports.ImportReport> {
  const run = imports.begin(scope, 'csv', options)
  return new TableImport(scope, run, options).import(chunks)
}

class TableImport {
  readonly #scope: Scope
  readonly #run: imports.ImportRun
  readonly #options: TableOptions
  readonly #images: ImportedImages
  readonly #dates: TableDates
  readonly #turn = new TimeSlice()
  readonly #seen = new Map<string, string>()
  readonly #series = new SeriesRows()
  #items: imports.Item[] = []
  #rows = 0

  constructor(scope: Scope, run: imports.ImportRun, options: TableOptions) {
    this.#scope = scope
    this.#run = run
    this.#options = options
    this.#images = new ImportedImages(scope, run, { most: options.mostImages })
    this.#dates = new TableDates(options.dates ?? null, options.assumedDates ?? null)
  }

  async import(chunks: TableChunks): Promise<imports.ImportReport> {
    const { table, linked } = await this.#survey(chunks)
    let isHeader = true
    for await (const row of this.#rowsOf(chunks)) {
      if (!isHeader) await this.#take(table, linked, row)
      isHeader = false
    }
    await this.#flush()
    await this.#series.join(this.#scope, this.#run)
    return this.#run.report
  }

  /** Reads the header, and what the rows show together: the order of dates, or names that several have. */
  async #survey(chunks: TableChunks): Promise<{ table: Table; linked: LinkedRows | null }> {
    let table: Table | null = null
    let linked: LinkedRows | null = null
    for await (const row of this.#rowsOf(chunks)) {
      if (table === null) {
        table = new Table(row, this.#options.columns ?? null)
        if (table.kind !== 'event') linked = new LinkedRows(this.#scope, this.#run, table, table.kind, this.#images)
        this.#tellColumns(table, row.line)
      } else if (linked !== null) linked.see(row)
      else this.#seeDates(table, row)
    }
    if (table === null) throw unreadable({ problem: 'table_empty' })
    for (const { line, problem } of this.#dates.notes()) imports.note(this.#run, { line, uid: '', problem }, false)
    return { table, linked }
  }

  #seeDates(table: Table, { cells, line }: CsvRow): void {
    const cell = table.cellsOf(cells)
    for (const name of DATED) if (table.has(name)) this.#dates.see(cell(name), line)
  }

  #tellColumns({ unread }: Table, line: number): void {
    for (const uid of unread.slice(0, MAX_COLUMN_NOTES))
      imports.note(this.#run, { line, uid, problem: { problem: 'column_not_read' } }, false)
  }

  async *#rowsOf(chunks: TableChunks): AsyncGenerator<CsvRow> {
    const reader = new CsvReader()
    for await (const chunk of asOctets(chunks)) {
      for (const row of reader.push(chunk)) {
        yield row
        if (this.#turn.isOver) await this.#turn.yield()
      }
      if (this.#turn.isOver) await this.#turn.yield()
    }
    yield* reader.end()
  }

  async #take(table: Table, linked: LinkedRows | null, row: CsvRow): Promise<void> {
    const { most = Number.POSITIVE_INFINITY } = this.#options
    const problem = ++this.#rows > most ? { problem: 'too_many_events', most } : table.problemOf(row)
    if (problem !== null) imports.note(this.#run, { line: row.line, uid: '', problem })
    else if (linked !== null) await linked.take(row)
    else await this.#takeEvent(table, row)
  }

  async #takeEvent(table: Table, row: CsvRow): Promise<void> {
    const { item, left } = eventRow(this.#scope, table, this.#dates, row, this.#options.adopt === true)
    const { line, uid } = item
    const before = this.#seen.get(uid)
    this.#seen.set(uid, item.hash)
    if (before !== undefined) {
      // A list of orders has a row for each of them.
      if (before !== item.hash || !table.has('event_id'))
        imports.note(this.#run, { line, uid, problem: { problem: 'entry_repeated' } })
      return
    }
    for (const problem of left) imports.note(this.#run, { line, uid, problem }, false)
    this.#items.push(this.#series.take(item))
    if (this.#items.length >= saving.BATCH) await this.#flush()
  }

  async #flush(): Promise<void> {
    const batch = await this.#images.bringAll(this.#items)
    this.#items = []
    await saving.save(this.#scope, this.#run, batch)
  }
}
