import { decodeOctets } from './octets.ts'

export interface CsvRow {
  readonly cells: readonly string[]
  /** The line of the file on which the row begins, from 1. */
  readonly line: number
  /** The row is too long, and its cells are not complete. */
  readonly isCut: boolean
  /** The table ends inside a quoted cell. */
  readonly isOpen: boolean
}

/** The longest row that is kept, in octets. The rest of it is dropped, so that memory is bounded. */
const MOST_OCTETS = 1_000_000

/**
 * Takes the octets of a table as they arrive and gives whole rows (RFC 4180): quoted cells may hold separators, quotes
 * written twice, and line breaks. The separator is whichever of `,`, `;` and tab the first line has most of.
 */
export class CsvReader {
  #separator = ''
  /** Matches what is in a cell without quotes, from a given place on. */
  #plain = /[^\r\n]+/y
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

  /** The rows that are complete now. */
  push(chunk: Uint8Array): CsvRow[] {
    let text = this.#head + Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length).toString('latin1')
    this.#head = ''
    if (this.#separator === '') {
      // The separator is known when the first line is complete.
      if (!/[\r\n]/.test(text) && text.length < MOST_OCTETS) {
        this.#head = text
        return []
      }
      this.#separator = separatorOf(text)
      this.#plain = new RegExp(`[^\\r\\n${this.#separator}]+`, 'y')
      text = text.replace(/^\xef\xbb\xbf/, '')
    }
    const rows: CsvRow[] = []
    for (let at = 0; at < text.length; )
      at = this.#quoted ? this.#takeQuoted(text, at) : this.#takePlain(text, at, rows)
    return rows
  }

  /** The last row, when there are no more octets. */
  end(): CsvRow[] {
    const rows = this.#head === '' ? [] : this.push(Buffer.from('\n'))
    const isOpen = this.#quoted && !this.#afterQuote
    this.#endRow(rows, isOpen)
    return rows
  }

  /** Takes a part of a quoted cell, up to a quote, and gives the place after it. */
  #takeQuoted(text: string, at: number): number {
    if (this.#afterQuote) {
      this.#afterQuote = false
      this.#quoted = text[at] === '"'
      if (this.#quoted) this.#add('"')
      return this.#quoted ? at + 1 : at
    }
    // The parts are joined once: a million additions to one text would take long to collect.
    const parts: string[] = []
    let [from, quote] = [at, text.indexOf('"', at)]
    for (; quote !== -1 && text[quote + 1] === '"'; quote = text.indexOf('"', from)) {
      parts.push(text.slice(from, quote + 1))
      from = quote + 2
    }
    this.#afterQuote = quote !== -1
    const to = this.#afterQuote ? quote : text.length
    parts.push(text.slice(from, to))
    const whole = parts.join('')
    this.#countLines(whole)
    this.#add(whole)
    if (this.#afterQuote) this.#afterReturn = false
    return this.#afterQuote ? to + 1 : to
  }

  /** Takes a separator, a line break, an opening quote or a cell without quotes, and gives the place after it. */
  #takePlain(text: string, at: number, rows: CsvRow[]): number {
    const sign = text[at]
    const wasReturn = this.#afterReturn
    this.#afterReturn = sign === '\r'
    if (sign === '\r' || sign === '\n') {
      if (sign === '\n' && wasReturn) return at + 1
      this.#line++
      this.#endRow(rows)
    } else if (sign === this.#separator) this.#endCell()
    else if (sign === '"' && this.#cell === '') this.#quoted = true
    else {
      this.#plain.lastIndex = at
      this.#plain.test(text)
      this.#add(text.slice(at, this.#plain.lastIndex))
      return this.#plain.lastIndex
    }
    return at + 1
  }

  #countLines(part: string): void {
    const breaks = part.match(/\r\n?|\n/g)?.length ?? 0
    this.#line += breaks - (this.#afterReturn && part.startsWith('\n') ? 1 : 0)
    if (part !== '') this.#afterReturn = part.endsWith('\r')
  }

  #add(part: string): void {
    const room = MOST_OCTETS - this.#size
    if (room > 0) this.#cell += part.length > room ? part.slice(0, room) : part
    this.#size += part.length
  }

  #endCell(): void {
    if (this.#size++ < MOST_OCTETS)
      this.#cells.push(this.#cell === '' ? '' : decodeOctets(this.#cell, this.#size >= MOST_OCTETS))
    this.#cell = ''
  }

  /** Adds the row, unless it is empty. */
  #endRow(rows: CsvRow[], isOpen = false): void {
    if (this.#size > 0 || isOpen) {
      this.#endCell()
      const isCut = this.#size > MOST_OCTETS
      if (isCut || isOpen || this.#cells.some((cell) => cell.trim() !== ''))
        rows.push({ cells: this.#cells, line: this.#rowLine, isCut, isOpen })
      this.#cells = []
      this.#size = 0
    }
    this.#quoted = false
    this.#rowLine = this.#line
  }
}

function separatorOf(text: string): string {
  const [first = ''] = text.replaceAll(/"[^"]*"/g, '').split(/[\r\n]/, 1)
  const count = (sign: string) => first.split(sign).length
  return [',', ';', '\t'].reduce((best, sign) => (count(sign) > count(best) ? sign : best))
}
