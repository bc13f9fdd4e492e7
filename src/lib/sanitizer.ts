import type * as Entities from 'entities'
import { type Element, isUnsafeAddress } from './html-elements.ts'
import { type Sink, scan, type Tag } from './html-tokens.ts'
import { lazyPackage } from './lazy.ts'

const entities = lazyPackage<typeof Entities>('entities')

type Attributes = Readonly<Record<string, string>>

export interface Rules {
  /** How deep elements may lie inside each other; deeper ones throw {@link TooNested}. */
  readonly deepest?: number
  /** Gives the text alone, without tags and entities. */
  readonly textOnly?: boolean
  /** Copies texts as they are: the HTML was made safe before. */
  readonly isSafe?: boolean
}

/** HTML whose elements lie too deep inside each other for those who read it. */
export class TooNested extends Error {}

/**
 * HTML that is safe to show, with balanced tags: allowed elements and attributes are written anew, everything else as
 * text or not at all. The time is linear in the length of the text, for any text.
 */
export function clean(html: string, rules: Rules = {}): string {
  const sanitizer = new Sanitizer(rules)
  scan(html, sanitizer)
  return sanitizer.end()
}

/** An element whose closing tag was not seen yet, and what closes it: nothing if it is not written. */
interface Open {
  readonly element: Element
  readonly closing: string
}

class Sanitizer implements Sink {
  readonly #rules: Rules
  readonly #open: Open[] = []
  /** Where those are among them that are written. */
  readonly #shown: number[] = []
  /** How many are open of each, so that a closing tag without an opening one costs nothing. */
  readonly #counts = new Map<Element, number>()
  /** How many elements were open when one began that is dropped with its content. */
  #droppedAt: number | null = null
  #foreign = 0
  #written = ''

  constructor(rules: Rules) {
    this.#rules = rules
  }

  text(source: string): void {
    if (this.#droppedAt !== null) return
    const { isSafe, textOnly } = this.#rules
    if (isSafe) this.#written += source
    else this.#written += textOnly ? decode(source) : encodeText(decode(source))
  }

  open({ element, attributes, isClosed }: Tag): void {
    if (element.closes.length > 0) this.#closeBefore(element)
    if (element.isDropped) this.#droppedAt ??= this.#open.length
    const closing = this.#write(element, attributes)
    if (element.isVoid) return
    if (closing !== '') this.#shown.push(this.#open.length)
    this.#open.push({ element, closing })
    if (this.#open.length > (this.#rules.deepest ?? Number.POSITIVE_INFINITY)) throw new TooNested()
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

  /** Closes what is still open; answers what was written. */
  end(): string {
    while (this.#open.length > 0) this.#pop()
    return this.#written
  }

  /** Closes what an opening tag closes, also through elements that are not written: nobody reads those again. */
  #closeBefore({ closes }: Element): void {
    while (closes.includes(this.#open.at(-1)?.element.name ?? '')) this.#pop()
    if (this.#droppedAt !== null) return
    for (let at = this.#shown.at(-1); at !== undefined; at = this.#shown.at(-1)) {
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
    if (this.#shown.at(-1) === this.#open.length) this.#shown.pop()
    this.#written += closing
    return element
  }

  /** Writes an opening tag, if it is allowed here; answers what closes it. */
  #write(element: Element, given: readonly string[]): string {
    if (this.#droppedAt !== null || this.#rules.textOnly || !element.isAllowed) return ''
    const { name, isVoid } = element
    const attributes = given.length === 0 ? '' : writeAttributes(safeAttributes(element, given))
    this.#written += isVoid ? `<${name}${attributes} />` : `<${name}${attributes}>`
    return isVoid ? '' : `</${name}>`
  }
}

/** The allowed attributes, without entities; of two with one name the first counts. */
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

/** Without a value an attribute says nothing, but for `reversed`, and `alt`, by which a picture says nothing. */
function writeAttributes(attributes: Attributes): string {
  let written = ''
  for (const name of Object.keys(attributes)) {
    const value = attributes[name] ?? ''
    if (value !== '' || name === 'alt') written += ` ${name}="${encodeText(value).replaceAll('"', '&quot;')}"`
    else if (name === 'reversed') written += ' reversed'
  }
  return written
}

/** The text that HTML without tags reads as. */
export function decode(html: string): string {
  return html.includes('&') ? entities().decodeHTML(html) : html
}

function encodeText(text: string): string {
  if (!/[&<>]/.test(text)) return text
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
