/** HTML that is safe to send: built by the template below, or sanitized before. */
export class Markup {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
  toString(): string {
    return this.text
  }
}

/** Values in a template: text is escaped, markup is not, and absent values render nothing. */
export type MarkupPart = Markup | string | number | null | undefined | false | readonly MarkupPart[]

/** HTML template that escapes every value unless it is markup. Attributes must be in double quotes. */
export function html(strings: TemplateStringsArray, ...parts: MarkupPart[]): Markup {
  let text = strings[0] ?? ''
  for (let n = 0; n < parts.length; n++) text += render(parts[n]) + (strings[n + 1] ?? '')
  return new Markup(text)
}

/** Attribute with a value, with a space before it. */
export function attribute(name: string, value: string): Markup {
  return new Markup(` ${name}="${escapeText(value)}"`)
}

/** Marks HTML that was sanitized elsewhere. */
export function safe(text: string): Markup {
  return new Markup(text)
}

/** Escapes text for an element or quoted attribute of HTML or XML. */
export function escapeText(text: string): string {
  return NEEDS_ESCAPE.test(text) ? text.replace(/[&<>"']/g, (sign) => ENTITY[sign] ?? sign) : text
}

/** JSON for a script element: it cannot end the element or, in old parsers, a line. */
export function jsonInScript(value: unknown): Markup {
  return new Markup(
    JSON.stringify(value).replace(
      /[<>&\u2028\u2029]/g,
      (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
    ),
  )
}

const NEEDS_ESCAPE = /[&<>"']/
const ENTITY: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

function render(part: MarkupPart): string {
  if (typeof part === 'string') return escapeText(part)
  if (part === null || part === undefined || part === false) return ''
  if (part instanceof Markup) return part.text
  if (typeof part !== 'object') return escapeText(String(part))
  let text = ''
  for (const one of part) text += render(one)
  return text
}
