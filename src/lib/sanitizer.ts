import type * as Entities from 'entities'
import { type Element, isUnsafeAddress } from './html-elements.ts'
import { type Sink, scan, type Tag } from './html-tokens.ts'
import { lazyPackage } from './lazy.ts'

const entities = lazyPackage<typeof Entities>('entities')

type Attributes = Readonly<Record<string, string>>

export interface Rules {
  /** Limit on nested elements; deeper ones throw {@link TooNested}. */
  readonly maxDepth?: number
  /** Returns plain text, without tags and entities. */
  readonly textOnly?: boolean
  /** Copies text unchanged: the HTML was sanitized before. */
  readonly isSafe?: boolean
}

/** Elements are nested too deeply. */
export class TooNested extends Error {}

/**
 * Sanitizes HTML and balances its tags: allowed elements and attributes are rewritten, everything else becomes text or
 * is dropped. The time is linear for any text.
 */
export function clean(html: string, rules: Rules = {}): string {
  const sanitizer = new Sanitizer(rules)
  scan(html, sanitizer)
  return sanitizer.end()
}

/** An open element and its closing tag, which is empty if the element is not written. */
interface Open {
  readonly element: Element
  readonly closing: string
}

class Sanitizer implements Sink {
  readonly #rules: Rules
  readonly #open: Open[] = []
  /** Indexes of written elements in `#open`. */
  readonly #writtenIndexes: number[] = []
  /** Open elements by type, so that a closing tag without an opening one costs nothing. */
  readonly #counts = new Map<Element, number>()
  /** Depth at which the outermost dropped element began. */
  #droppedAt: number | null = null
  #foreign = 0
  #output = ''

  constructor(rules: Rules) {
    this.#rules = rules
  }

  text(source: string): void {
    if (this.#droppedAt !== null) return
    const { isSafe, textOnly } = this.#rules
    if (isSafe) this.#output += source
    else this.#output += textOnly ? decode(source) : encodeText(decode(source))
  }

  open({ element, attributes, isClosed }: Tag): void {
    if (element.closes.length > 0) this.#closeBefore(element)
    if (element.isDropped) this.#droppedAt ??= this.#open.length
    const closing = this.#write(element, attributes)
    if (element.isVoid) return
    if (closing !== '') this.#writtenIndexes.push(this.#open.length)
    this.#open.push({ element, closing })
    if (this.#open.length > (this.#rules.maxDepth ?? Number.POSITIVE_INFINITY)) throw new TooNested()
    this.#counts.set(element, (this.#counts.get(element) ?? 0) + 1)
    if (element.isForeign) this.#foreign++
    if (isClosed && this.#foreign > 0) this.#pop()
  }

  close(element: Element): void {
    if (element.isVoid) {
      if (element.name === 'br') this.#write(element, [])
    } else if (this.#counts.get(element)) {
      while (this.#pop() !== element);
    } else if (element.name === 'p') {
      this.open({ element, attributes: [], isClosed: false })
      this.#pop()
    }
  }

  /** Closes all open elements and returns the output. */
  end(): string {
    while (this.#open.length > 0) this.#pop()
    return this.#output
  }

  /** Closes the elements that an opening tag closes implicitly, also through elements that are not written. */
  #closeBefore({ closes }: Element): void {
    while (closes.includes(this.#open.at(-1)?.element.name ?? '')) this.#pop()
    if (this.#droppedAt !== null) return
    for (let at = this.#writtenIndexes.at(-1); at !== undefined; at = this.#writtenIndexes.at(-1)) {
      if (!closes.includes(this.#open[at]?.element.name ?? '')) return
      while (this.#open.length > at) this.#pop()
    }
  }

  #pop(): Element | undefined {
    const last = this.#open.pop()
    if (last === undefined) return undefined
    const { element, closing } = last
    this.#counts.set(element, (this.#counts.get(element) ?? 0) - 1)
    if (element.isForeign) this.#foreign--
    if (this.#droppedAt === this.#open.length) this.#droppedAt = null
    if (this.#writtenIndexes.at(-1) === this.#open.length) this.#writtenIndexes.pop()
    this.#output += closing
    return element
  }

  /** Writes an opening tag, if allowed here; returns its closing tag. */
  #write(element: Element, given: readonly string[]): string {
    if (this.#droppedAt !== null || this.#rules.textOnly || !element.isAllowed) return ''
    const { name, isVoid } = element
    const attributes = given.length === 0 ? '' : writeAttributes(safeAttributes(element, given))
    this.#output += isVoid ? `<${name}${attributes} />` : `<${name}${attributes}>`
    return isVoid ? '' : `</${name}>`
  }
}

/** Allowed attributes, decoded. Of duplicates the first counts. */
function safeAttributes(element: Element, given: readonly string[]): Attributes {
  const safe: Record<string, string> = {}
  for (let n = 0; n < given.length; n += 2) {
    const name = given[n] ?? ''
    if (!element.attributes.includes(name) || safe[name] !== undefined) continue
    const source = given[n + 1] ?? ''
    const value = source.includes('&') ? entities().decodeHTMLAttribute(source) : source
    safe[name] = isUnsafeAddress(name, value) ? '' : value
  }
  return safe
}

/** Signs that a value must not contain. A line break would be taken for one of the text around the tag. */
const ATTRIBUTE_SIGNS: Record<string, string> = { '"': '&quot;', '\n': '&#10;', '\r': '&#13;' }

/** Omits empty attributes, except `reversed` and `alt`: an empty `alt` marks a decorative image. */
function writeAttributes(attributes: Attributes): string {
  let text = ''
  for (const name of Object.keys(attributes)) {
    const value = attributes[name] ?? ''
    if (value !== '' || name === 'alt') text += ` ${name}="${encodeAttribute(value)}"`
    else if (name === 'reversed') text += ' reversed'
  }
  return text
}

/** Decodes the entities of HTML without tags. */
export function decode(html: string): string {
  return html.includes('&') ? entities().decodeHTML(html) : html
}

function encodeAttribute(value: string): string {
  return encodeText(value).replace(/["\n\r]/g, (sign) => ATTRIBUTE_SIGNS[sign] ?? '')
}

function encodeText(text: string): string {
  if (!/[&<>]/.test(text)) return text
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
