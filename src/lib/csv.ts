import { decodeOctets } from './octets.ts'

/** A row of a table, and the line of the file that it begins on. */
export interface CsvRow {
  readonly cells: readonly string[]
  readonly line: number
  /** It is too long, and not all of it is here. */
  readonly isCut: boolean
}

/** The longest row that is kept, in octets; what it has beyond that is dropped, so that memory is bounded. */
const MOST_OCTETS = 1_000_000

/**
 * Takes the octets of a table as they arrive and gives whole rows (RFC 4180): quoted cells may hold separators, quotes
 * written twice, and line breaks. The separator is whichever of `,`, `;` and tab the first line has most of.
 */
export class CsvReader {
  #separator: string | null = null
  #cells: string[] = []
  #cell = ''
  #size = 0
  #quoted = false
  /** A quote inside a quoted cell ends it, unless another one follows. */
  #afterQuote = false
  #afterReturn = false
  #line = 1
  #rowLine = 1
  #head = ''

  /** The rows that are whole now. */
  push(chunk: Uint8Array): CsvRow[] {
    let text = this.#head + Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length).toString('latin1')
    this.#head = ''
    if (this.#separator === null) {
      // The first line says what separates; it must be there as a whole.
      if (!/[\r\n]/.test(text) && text.length < MOST_OCTETS) {
        this.#head = text
        return []
      }
      this.#separator = separatorOf(text)
      text = text.replace(/^\xef\xbb\xbf/, '')
    }
    const rows: CsvRow[] = []
    for (const sign of text) {
      const row = this.#take(sign, this.#separator)
      if (row !== null) rows.push(row)
    }
    return rows
  }

  /** The last row, when there are no more octets. */
  end(): CsvRow[] {
    const rows = this.#head === '' ? [] : this.push(Buffer.from('\n'))
    const last = this.#cell === '' && this.#cells.length === 0 ? null : this.#finish()
    return last === null ? rows : [...rows, last]
  }

  #take(sign: string, separator: string): CsvRow | null {
    const isBreak = sign === '\n' || sign === '\r'
    const continues = sign === '\n' && this.#afterReturn
    if (isBreak && !continues) this.#line++
    this.#afterReturn = sign === '\r'
    if (this.#quoted && !this.#afterQuote) {
      if (sign === '"') this.#afterQuote = true
      else this.#add(sign)
      return null
    }
    if (this.#afterQuote) {
      this.#afterQuote = false
      if (sign === '"') {
        this.#add(sign)
        return null
      }
      this.#quoted = false
    }
    if (continues) return null
    if (isBreak) return this.#finish()
    if (sign === separator) this.#endCell()
    else if (sign === '"' && this.#cell === '') this.#quoted = true
    else this.#add(sign)
    return null
  }

  #add(sign: string): void {
    if (this.#size++ < MOST_OCTETS) this.#cell += sign
  }

  #endCell(): void {
    if (this.#size++ < MOST_OCTETS) this.#cells.push(decodeOctets(this.#cell, this.#size >= MOST_OCTETS))
    this.#cell = ''
  }

  /** The row, or null for an empty line. */
  #finish(): CsvRow | null {
    this.#endCell()
    const row = { cells: this.#cells, line: this.#rowLine, isCut: this.#size > MOST_OCTETS }
    this.#cells = []
    this.#size = 0
    this.#quoted = false
    this.#rowLine = this.#line
    return row.cells.every((cell) => cell.trim() === '') ? null : row
  }
}

function separatorOf(text: string): string {
  const [first = ''] = text.replaceAll(/"[^"]*"/g, '').split(/[\r\n]/, 1)
  const count = (sign: string) => first.split(sign).length
  return [',', ';', '\t'].reduce((best, sign) => (count(sign) > count(best) ? sign : best))
}
