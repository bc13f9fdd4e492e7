import type { CsvRow } from '../../lib/csv.ts'
import { AppError, type Problem } from '../../lib/errors.ts'
import { unprotectText } from '../../lib/table-cells.ts'
import { type Columns, readHeader, type TableKind, toldHeader } from './headers.ts'

/** Limit on columns: no program writes half as many. */
const MAX_COLUMNS = 1000

/** Limits on names of columns in an error. */
const MAX_TOLD = 40
const MAX_NAME = 60

/** Names of columns whose title says that a program for appointments wrote the table. */
const MAILBOX = ['subject', 'betreff', 'objet', 'asunto']

/** A table cannot be read at all. */
export function unreadable(problem: Problem): AppError {
  return new AppError('rest_invalid_param', { params: { file: problem } })
}

/** The header row of a table, and what its columns mean. */
export class Table {
  readonly kind: TableKind
  readonly width: number
  /** Names of columns that nothing is taken from. */
  readonly unread: readonly string[]
  readonly #columns: Columns
  readonly #names: readonly string[]

  /** `told` has the meaning of columns by their place, if somebody told it by hand. */
  constructor({ cells, isCut, isOpen }: CsvRow, told: Readonly<Record<string, string>> | null = null) {
    if (isOpen) throw unreadable({ problem: 'quote_not_closed' })
    const last = cells.findLastIndex((cell) => cell.trim() !== '')
    if (isCut || last >= MAX_COLUMNS) throw unreadable({ problem: 'table_too_wide', most: MAX_COLUMNS })
    const names = cells.slice(0, last + 1).map((cell) => cell.trim())
    const { kind, columns, lacking } = told === null ? readHeader(names) : toldHeader(told, names.length)
    if (lacking.length > 0) {
      const found = names
        .filter(Boolean)
        .slice(0, MAX_TOLD)
        .map((name) => name.slice(0, MAX_NAME))
        .join(', ')
      throw unreadable({
        problem: 'table_lacks_columns',
        lacking: lacking.map((name) => `"${name}"`).join(', '),
        found,
      })
    }
    this.kind = kind
    this.width = names.length
    this.#columns = columns
    const places = new Set([...columns.values()].map(({ place }) => place))
    this.unread = names.filter((name, place) => name !== '' && !places.has(place))
    this.#names = names.map((name) => name.toLowerCase().replace(/[\s-]+/g, '_'))
  }

  /** Whether its columns have the names of the REST interface, as in our own exports. */
  get isOwn(): boolean {
    return this.#columns.get('title')?.key === 'title'
  }

  /** Whether a program for appointments wrote it, such as Google Calendar or Outlook. */
  get isMailbox(): boolean {
    return MAILBOX.includes(this.#columns.get('title')?.key ?? '')
  }

  has(name: string): boolean {
    return this.#columns.has(name)
  }

  /** The cells of a row, by our names of columns; empty without such a column. */
  cellsOf(cells: readonly string[]): (name: string) => string {
    return (name) => {
      const column = this.#columns.get(name)
      return column === undefined ? '' : textOf(cells[column.place])
    }
  }

  /** What a row says, for comparison with an earlier import. All columns of our own tables count. */
  contentOf(cells: readonly string[]): [name: string, text: string][] {
    if (this.isOwn) return [...new Map(this.#names.map((name, place) => [name, textOf(cells[place])]))]
    return [...this.#columns].map(([name, { place }]) => [name, textOf(cells[place])])
  }

  /** Problem of a row, or null. Spreadsheets add empty cells after the last column. */
  problemOf({ cells, isCut, isOpen }: CsvRow): Problem | null {
    if (isCut) return { problem: 'entry_too_large' }
    if (isOpen) return { problem: 'quote_not_closed' }
    for (let place = this.width; place < cells.length; place++)
      if (cells[place]?.trim() !== '') return { problem: 'too_many_cells' }
    return null
  }
}

function textOf(cell = ''): string {
  return unprotectText(cell.trim())
}
