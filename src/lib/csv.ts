import { decodeOctets } from './octets.ts'

export interface CsvRow {
  readonly cells: readonly string[]
  /** Line number at which the row begins, from 1. */
  readonly line: number
  /** The row exceeds the limit, and its cells are incomplete. */
  readonly isCut: boolean
  /** The table ends inside a quoted cell. */
  readonly isOpen: boolean
}

/** Limit on a row, in octets. The rest of it is dropped, so that memory is bounded. */
const MAX_OCTETS = 1_000_000

/** How much of a first line without an end is enough to tell the separator, in octets. */
const MAX_FIRST_LINE = 32_768

/** A first line that names the separator, as spreadsheets write it. */
const NAMED_SEPARATOR = /^"?sep=([,;\t])"?(?:\r\n|\r|\n)/i

/**
 * Streaming CSV parser (RFC 4180): quoted cells may contain separators, doubled quotes and line breaks. The separator
 * is the most frequent of `,`, `;` and tab in the first line, or the one that a line `sep=;` before it names.
 */
export class CsvReader {
  #separator = ''
  /** Matches the content of an unquoted cell. */
  #unquotedCell = /[^\r\n]+/y
  #cells: string[] = []
  #cell = ''
  #size = 0
  #quoted = false
  /** A quote inside a quoted cell ends it, unless another one follows. */
  #afterQuote = false
  #afterReturn = false
  #line = 1
  #rowLine = 1
  #buffered = ''

  /** Returns the rows that the chunk completes. */
  push(chunk: Uint8Array): CsvRow[] {
    let text = this.#buffered + Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length).toString('latin1')
    this.#buffered = ''
    if (this.#separator === '') {
      // The separator is known when the first line is complete.
      if (!/[^\r\n][\r\n]/.test(text) && text.length < MAX_FIRST_LINE) {
        this.#buffered = text
        return []
      }
      text = text.replace(/^\xef\xbb\xbf/, '')
      const [line = '', named] = NAMED_SEPARATOR.exec(text) ?? []
      if (line !== '') this.#rowLine = ++this.#line
      this.#afterReturn = line.endsWith('\r')
      text = text.slice(line.length)
      this.#separator = named ?? separatorOf(text)
      this.#unquotedCell = new RegExp(`[^\\r\\n${this.#separator}]+`, 'y')
    }
    const rows: CsvRow[] = []
    for (let at = 0; at < text.length; )
      at = this.#quoted ? this.#takeQuoted(text, at) : this.#takePlain(text, at, rows)
    return rows
  }

  /** Ends the input and returns the last row. */
  end(): CsvRow[] {
    const rows = this.#buffered === '' ? [] : this.push(Buffer.from('\n'))
    const isOpen = this.#quoted && !this.#afterQuote
    this.#endRow(rows, isOpen)
    return rows
  }

  /** Consumes a part of a quoted cell, up to a quote, and returns the position after it. */
  #takeQuoted(text: string, at: number): number {
    if (this.#afterQuote) {
      this.#afterQuote = false
      this.#quoted = text[at] === '"'
      if (this.#quoted) this.#add('"')
      return this.#quoted ? at + 1 : at
    }
    // Joined once: a million concatenations to one string would be slow to collect.
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

  /** Consumes a separator, line break, opening quote or unquoted cell, and returns the position after it. */
  #takePlain(text: string, at: number, rows: CsvRow[]): number {
    const character = text[at]
    const wasReturn = this.#afterReturn
    this.#afterReturn = character === '\r'
    if (character === '\r' || character === '\n') {
      if (character === '\n' && wasReturn) return at + 1
      this.#line++
      this.#endRow(rows)
    } else if (character === this.#separator) this.#endCell()
    else if (character === '"' && this.#cell === '') this.#quoted = true
    else {
      this.#unquotedCell.lastIndex = at
      this.#unquotedCell.test(text)
      this.#add(text.slice(at, this.#unquotedCell.lastIndex))
      return this.#unquotedCell.lastIndex
    }
    return at + 1
  }

  #countLines(part: string): void {
    const breaks = part.match(/\r\n?|\n/g)?.length ?? 0
    this.#line += breaks - (this.#afterReturn && part.startsWith('\n') ? 1 : 0)
    if (part !== '') this.#afterReturn = part.endsWith('\r')
  }

  #add(part: string): void {
    const room = MAX_OCTETS - this.#size
    if (room > 0) this.#cell += part.length > room ? part.slice(0, room) : part
    this.#size += part.length
  }

  #endCell(): void {
    if (this.#size++ < MAX_OCTETS)
      this.#cells.push(this.#cell === '' ? '' : decodeOctets(this.#cell, this.#size >= MAX_OCTETS))
    this.#cell = ''
  }

  /** Adds the row, unless it is empty. */
  #endRow(rows: CsvRow[], isOpen = false): void {
    if (this.#size > 0 || isOpen) {
      this.#endCell()
      const isCut = this.#size > MAX_OCTETS
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
  const [first = ''] = text
    .replaceAll(/"[^"]*"/g, '')
    .replace(/^[\r\n]+/, '')
    .split(/[\r\n]/, 1)
  const count = (character: string) => first.split(character).length
  return [',', ';', '\t'].reduce((best, character) => (count(character) > count(best) ? character : best))
}
