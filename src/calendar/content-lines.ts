import { decodeOctets } from '../lib/octets.ts'

/** One unfolded line of iCalendar: `NAME;PARAMETER=value:value`. */
export interface ContentLine {
  /** In capitals. */
  readonly name: string
  /** Values by name in capitals, without quotes and RFC 6868 escapes. */
  readonly parameters: ReadonlyMap<string, readonly string[]>
  /** As written: `unescapeText` and `splitTexts` read texts. */
  readonly value: string
  /** Where it begins in the file, from 1. */
  readonly line: number
}

/** An unfolded line before it is read. */
export interface UnfoldedLine {
  readonly text: string
  readonly line: number
}

/** The longest line that is kept, in octets; what an attachment has beyond that is dropped, so that memory is bounded. */
export const MAX_LINE = 1_000_000

const lineBreak = /\r\n|\n|\r/g

/**
 * Takes octets as they arrive and gives whole lines, unfolded (RFC 5545 §3.1). Lines may end with CRLF, LF or CR.
 * Octets are joined before they are decoded: careless writers fold in the middle of a character.
 */
export class LineReader {
  /** Octets as Latin-1 text, which costs nothing to search and to join. */
  #current: string | null = null
  #currentLine = 1
  #physicalLine = 1
  #atStart = true
  #afterReturn = false
  #first = true

  /** The lines that are known to be whole now: the last one may still be continued. */
  push(chunk: Uint8Array): UnfoldedLine[] {
    const lines: UnfoldedLine[] = []
    if (chunk.length === 0) return lines
    let text = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length).toString('latin1')
    if (this.#afterReturn && text.startsWith('\n')) text = text.slice(1)
    this.#afterReturn = text === '' ? false : text.endsWith('\r')
    let from = 0
    for (const { index, 0: found } of text.matchAll(lineBreak)) {
      const whole = this.#take(text.slice(from, index))
      if (whole !== null) lines.push(whole)
      from = index + found.length
      this.#physicalLine++
      this.#atStart = true
    }
    const whole = this.#take(text.slice(from))
    if (whole !== null) lines.push(whole)
    return lines
  }

  /** The last line, when there are no more octets. */
  end(): UnfoldedLine[] {
    const last = this.#current === null ? [] : [this.#finished(this.#current)]
    this.#current = null
    return last
  }

  /** Takes a piece of a line; answers the line before it, if that is finished. */
  #take(piece: string): UnfoldedLine | null {
    if (piece === '') return null
    const starts = this.#atStart
    this.#atStart = false
    if (!starts) return this.#append(piece)
    if (piece.startsWith(' ') || piece.startsWith('\t')) return this.#append(piece.slice(1))
    const before = this.#current
    const finished = before === null ? null : this.#finished(before)
    this.#current = piece.slice(0, MAX_LINE)
    this.#currentLine = this.#physicalLine
    return finished
  }

  #append(piece: string): null {
    const current = this.#current ?? ''
    if (this.#current === null) this.#currentLine = this.#physicalLine
    this.#current = current.length >= MAX_LINE ? current : current + piece.slice(0, MAX_LINE - current.length)
    return null
  }

  #finished(octets: string): UnfoldedLine {
    const text = decodeOctets(octets, octets.length >= MAX_LINE)
    const first = this.#first
    this.#first = false
    return { text: first && text.startsWith('\uFEFF') ? text.slice(1) : text, line: this.#currentLine }
  }
}

/** The unfolded lines of octets that arrive one after another, in memory for one line. */
export async function* readLines(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<UnfoldedLine> {
  const reader = new LineReader()
  for await (const chunk of chunks) yield* reader.push(chunk)
  yield* reader.end()
}

/** The unfolded lines of a text. */
export function* linesOf(text: string): Generator<UnfoldedLine> {
  const reader = new LineReader()
  yield* reader.push(Buffer.from(text))
  yield* reader.end()
}

const lineName = /^[A-Za-z0-9-]+(?=[;:])/
const parameter = /;([A-Za-z0-9-]+)=/y
const parameterValue = /"([^"]*)"|([^";:,]*)/y

/** The parts of a line, or null if it has no name and value, or more values of parameters than are wanted. */
export function readContentLine(
  { text, line }: UnfoldedLine,
  mostValues = Number.POSITIVE_INFINITY,
): ContentLine | null {
  const name = lineName.exec(text)?.[0]
  if (name === undefined) return null
  let at = name.length
  const parameters = new Map<string, string[]>()
  let count = 0
  while (text[at] === ';') {
    parameter.lastIndex = at
    const key = parameter.exec(text)?.[1]
    if (key === undefined) return null
    at = parameter.lastIndex - 1
    const values = parameters.get(key.toUpperCase()) ?? []
    parameters.set(key.toUpperCase(), values)
    const zone = key.toUpperCase() === 'TZID' ? unquotedZone(text, at + 1) : null
    if (zone !== null) {
      values.push(unescapeParameter(zone))
      at += 1 + zone.length
      continue
    }
    do {
      parameterValue.lastIndex = at + 1
      const found = parameterValue.exec(text)
      values.push(unescapeParameter(found?.[1] ?? found?.[2] ?? ''))
      at = parameterValue.lastIndex
      if (++count > mostValues) return null
    } while (text[at] === ',')
  }
  return text[at] === ':' ? { name: name.toUpperCase(), parameters, value: text.slice(at + 1), line } : null
}

/** The longest name of a zone, in characters. */
const MAX_ZONE = 300
const timeBehind = /:\s*\d{4}-?\d{2}-?\d{2}(?!\d)/
const parameterBehind = /;[A-Za-z-]+=/

/**
 * The name of a zone as Exchange writes it: `(UTC+01:00) Amsterdam\, Berlin`, without the quotes that its colons and
 * commas need. It ends before the time. Null for a name that is written as it should be.
 */
function unquotedZone(text: string, from: number): string | null {
  const rest = text.slice(from, from + MAX_ZONE)
  if (rest.startsWith('"')) return null
  const name = rest.slice(0, timeBehind.exec(rest)?.index ?? 0)
  const end = parameterBehind.exec(name)?.index ?? name.length
  return /[:,]/.test(name.slice(0, end)) ? name.slice(0, end) : null
}

/** RFC 6868 §3. */
function unescapeParameter(value: string): string {
  return value.includes('^')
    ? value.replace(/\^([n^'])/g, (_, sign: string) => (sign === 'n' ? '\n' : sign === "'" ? '"' : '^'))
    : value
}

/** A TEXT value (RFC 5545 §3.3.11) as people read it; a backslash that escapes nothing stays. */
export function unescapeText(value: string): string {
  if (!value.includes('\\')) return value
  if (value.length >= LONG) return unescapeLong(value)
  return value.replace(/\\([\\;,:"nN])/g, (_, sign: string) => (sign === 'n' || sign === 'N' ? '\n' : sign))
}

/** From how many characters on a text may be so many escapes that it is read unit by unit, which is faster then. */
const LONG = 5000
const BACKSLASH = 0x5c
const ESCAPED = new Set([...'\\;,:"'].map((sign) => sign.charCodeAt(0)))
const [SMALL_N, LARGE_N, LINE_FEED] = [0x6e, 0x4e, 0x0a]

function unescapeLong(value: string): string {
  const bytes = Buffer.from(value, 'utf16le')
  const units = new Uint16Array(bytes.buffer, bytes.byteOffset, value.length)
  let end = 0
  for (let at = 0; at < units.length; at++) {
    const unit = units[at] ?? 0
    const next = unit === BACKSLASH ? (units[at + 1] ?? 0) : 0
    const isBreak = next === SMALL_N || next === LARGE_N
    const isEscape = isBreak || ESCAPED.has(next)
    units[end++] = isBreak ? LINE_FEED : isEscape ? next : unit
    if (isEscape) at++
  }
  return bytes.subarray(0, end * 2).toString('utf16le')
}

/** The texts of a list, split at the commas that are not escaped. */
export function splitTexts(value: string): string[] {
  return splitRaw(value, ',').map(unescapeText)
}

/** The raw parts of a value between separators that are not escaped. */
export function splitRaw(value: string, separator: ',' | ';'): string[] {
  const parts: string[] = []
  let start = 0
  for (let at = 0; at < value.length; at++) {
    if (value[at] === '\\') at++
    else if (value[at] === separator) {
      parts.push(value.slice(start, at))
      start = at + 1
    }
  }
  return [...parts, value.slice(start)]
}

/** What RFC 5545 §3.1 forbids in a line, but for the tab, and the control characters beyond ASCII. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is removed
const controls = /[\x00-\x08\x0a-\x1f\x7f-\x9f]/g

/** Every way to write a line break: other programs may take any of them for the end of a line. */
const anyBreak = /\r\n|[\n\r\u0085\u2028\u2029]/g

/** A text as a TEXT value; line breaks of every kind become `\n`. */
export function escapeText(text: string): string {
  return text
    .replace(/[\\;,]/g, '\\$&')
    .replace(anyBreak, '\\n')
    .replace(controls, '')
}

/** Texts as a list of TEXT values. */
export function joinTexts(texts: Iterable<string>): string {
  return [...texts].map(escapeText).join(',')
}

/** Parameters by name, each with one value or several. */
export type Parameters = Readonly<Record<string, string | readonly string[]>>

/** A whole line, folded and ended: the value must be escaped already if it is a text. */
export function writeLine(name: string, value: string, parameters: Parameters = {}): string {
  const written = Object.entries(parameters).map(
    ([key, values]) => `;${key}=${[values].flat().map(escapeParameter).join(',')}`,
  )
  return foldLine(`${name}${written.join('')}:${value.replace(anyBreak, '').replace(controls, '')}`)
}

/** RFC 6868 §3, and quotes where RFC 5545 §3.2 wants them. */
function escapeParameter(value: string): string {
  const escaped = value.replaceAll('^', '^^').replaceAll('"', "^'").replace(anyBreak, '^n').replace(controls, '')
  return /[,;:]/.test(escaped) ? `"${escaped}"` : escaped
}

/** Octets of a line without its end (RFC 5545 §3.1). */
const FOLD_AT = 75

/** The line with its end, folded at 75 octets between characters, never within one. */
export function foldLine(line: string): string {
  const text = line.toWellFormed()
  if (text.length <= FOLD_AT && Buffer.byteLength(text) === text.length) return `${text}\r\n`
  let folded = ''
  let start = 0
  let octets = 0
  for (let at = 0; at < text.length; ) {
    const code = text.codePointAt(at) ?? 0
    const size = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4
    if (octets + size > FOLD_AT) {
      folded += `${text.slice(start, at)}\r\n `
      start = at
      octets = 1
    }
    octets += size
    at += code < 0x10000 ? 1 : 2
  }
  return `${folded}${text.slice(start)}\r\n`
}
