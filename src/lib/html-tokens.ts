import { type Element, elementNamed } from './html-elements.ts'

/** Receives the tokens of an HTML text in order. */
export interface Sink {
  /** Text between tags, with undecoded entities. */
  text(source: string): void
  open(tag: Tag): void
  close(element: Element): void
}

export interface Tag {
  readonly element: Element
  /** Alternating names, in lower case, and values with undecoded entities. A name may occur twice. */
  readonly attributes: readonly string[]
  /** Written `<svg/>`. */
  readonly isClosed: boolean
}

/** A tag, or a comment, which has no element. */
interface Found {
  readonly tag: Tag | null
  readonly isClosing: boolean
  /** Position after its last character. */
  readonly end: number
}

/**
 * Tokenizes HTML. A tag ends before the next `<`, even inside quotes, so every character is read a fixed number of
 * times: the time is linear for any text.
 */
export function scan(html: string, sink: Sink): void {
  /** Start of the text that was not emitted yet. */
  let from = 0
  let at = html.indexOf('<')
  while (at !== -1) {
    const found = readMarkup(html, at)
    if (found === null) {
      at = html.indexOf('<', at + 1)
      continue
    }
    if (at > from) sink.text(html.slice(from, at))
    from = found.end
    if (found.tag !== null) {
      const { element } = found.tag
      if (found.isClosing) sink.close(element)
      else sink.open(found.tag)
      if (!found.isClosing && element.isRaw) {
        sink.close(element)
        from = endOfRawText(html, element, from)
      }
    }
    at = html.indexOf('<', from)
  }
  if (from < html.length) sink.text(html.slice(from))
}

const [EXCLAMATION, SLASH, GREATER, QUESTION] = [0x21, 0x2f, 0x3e, 0x3f]
/** The length of `blockquote` and `figcaption`. */
const MAX_NAME_LENGTH = 10
const NO_ATTRIBUTES: readonly string[] = []

/** Parses the tag or comment at a `<`; null if it is text. */
function readMarkup(html: string, at: number): Found | null {
  const sign = html.charCodeAt(at + 1)
  if (sign === EXCLAMATION || sign === QUESTION) {
    const end = sign === QUESTION ? endAfter(html, '>', at) : endOfComment(html, at)
    return end === null ? null : { tag: null, isClosing: false, end }
  }
  const isClosing = sign === SLASH
  const begin = isClosing ? at + 2 : at + 1
  let end = begin
  while (end - begin <= MAX_NAME_LENGTH && isLetterOrDigit(html.charCodeAt(end))) end++
  const element = end === begin ? undefined : elementNamed(html.slice(begin, end))
  if (element === undefined) return null
  // Most tags have no attributes.
  const length = html.charCodeAt(end) === GREATER ? 1 : html.startsWith(' />', end) ? 3 : 0
  if (length > 0) {
    return { tag: { element, attributes: NO_ATTRIBUTES, isClosed: length > 1 }, isClosing, end: end + length }
  }
  const next = html.indexOf('<', end)
  const rest = html.slice(end, next === -1 ? html.length : next)
  if (!/^[\s/]/.test(rest) || !rest.includes('>')) return null
  const { attributes, isClosed, length: taken } = readAttributes(rest)
  return { tag: { element, attributes, isClosed }, isClosing, end: end + taken }
}

function isLetterOrDigit(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || (code >= 0x30 && code <= 0x39)
}

const SPACE_OR_SLASH = /[\s/]*/y
const ATTRIBUTE = /([^\s/>][^\s/>=]*)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>][^\s>]*)?))?/y

/**
 * Parses the attributes of a tag, up to its end. `rest` is the text between its name and the next `<`, and contains a
 * `>`.
 */
function readAttributes(rest: string): { attributes: string[]; isClosed: boolean; length: number } {
  const attributes: string[] = []
  const last = rest.lastIndexOf('>')
  for (let place = 0; ; place = ATTRIBUTE.lastIndex) {
    SPACE_OR_SLASH.lastIndex = place
    SPACE_OR_SLASH.test(rest)
    const begin = SPACE_OR_SLASH.lastIndex
    if (rest.charCodeAt(begin) === GREATER)
      return { attributes, isClosed: begin > place && rest.charCodeAt(begin - 1) === SLASH, length: begin + 1 }
    ATTRIBUTE.lastIndex = begin
    const found = ATTRIBUTE.exec(rest)
    // An unbalanced quote swallowed the end of the tag: end it at its first `>`.
    if (found === null || ATTRIBUTE.lastIndex > last)
      return { attributes, isClosed: false, length: rest.indexOf('>') + 1 }
    attributes.push((found[1] ?? '').toLowerCase(), found[2] ?? found[3] ?? found[4] ?? '')
  }
}

/** Position after the next occurrence, or the end of the text. */
function endAfter(html: string, sign: string, from: number): number {
  const found = html.indexOf(sign, from)
  return found === -1 ? html.length : found + sign.length
}

/** Position after a comment; null if there is none. An unclosed comment takes the rest of the text. */
function endOfComment(html: string, at: number): number | null {
  if (!html.startsWith('<!--', at)) return null
  if (html.startsWith('>', at + 4)) return at + 5
  if (html.startsWith('->', at + 4)) return at + 6
  return endOfMatch(html, /--!?>/g, at + 4)
}

/** Position after the closing tag of a raw-text element. */
function endOfRawText(html: string, { name }: Element, from: number): number {
  return endOfMatch(html, new RegExp(`</${name}(?=[\\s/>])[^>]*>?`, 'gi'), from)
}

function endOfMatch(html: string, pattern: RegExp, from: number): number {
  pattern.lastIndex = from
  return pattern.exec(html) === null ? html.length : pattern.lastIndex
}
