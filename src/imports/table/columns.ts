import { CsvReader } from '../../lib/csv.ts'
import { decodeOctets } from '../../lib/octets.ts'
import { utf16Of } from '../../lib/utf16.ts'
import { COLUMN_FIELDS, readHeader } from './headers.ts'

/** A column, as it is shown to the person who says what it means. */
export interface ShownColumn {
  readonly name: string
  /** Cells of the first rows. */
  readonly samples: readonly string[]
  /** Our name of the field that it is read as; empty if it is not read. */
  readonly field: string
}

export interface TableColumns {
  readonly columns: readonly ShownColumn[]
  /** Whether a column that a table needs is not known by its name. */
  readonly isLacking: boolean
}

/** How much of a table is read for samples, in octets; how many rows and columns are shown, and how much of a cell. */
const HEAD = 32_768
const MAX_ROWS = 3
const MAX_COLUMNS = 100
const MAX_CELL = 60

/** The columns of a table, with what they are read as: by their names, or as told by hand. */
export function columnsOf(bytes: Buffer, told: Readonly<Record<string, string>> | null): TableColumns {
  const head = bytes.subarray(0, HEAD)
  const encoding = utf16Of(head)
  const text =
    encoding === null
      ? decodeOctets(Buffer.from(head).toString('latin1'), bytes.length > HEAD)
      : new TextDecoder(encoding).decode(head)
  const reader = new CsvReader()
  const rows = [...reader.push(Buffer.from(text.replace(/^\ufeff/, ''))), ...reader.end()].slice(0, MAX_ROWS + 1)
  const [names = [], ...samples] = rows.map(({ cells }) => cells.slice(0, MAX_COLUMNS).map((cell) => cell.trim()))
  const { columns, lacking } = readHeader(names)
  const fields = new Map([...columns].map(([field, { place }]) => [place, field]))
  const fieldAt = (place: number) => {
    const field = told === null ? (fields.get(place) ?? '') : (told[place] ?? '')
    return COLUMN_FIELDS.includes(field) ? field : ''
  }
  return {
    columns: names.map((name, place) => ({
      name: name.slice(0, MAX_CELL),
      samples: samples.map((cells) => (cells[place] ?? '').slice(0, MAX_CELL)).filter(Boolean),
      field: fieldAt(place),
    })),
    isLacking: lacking.length > 0,
  }
}
