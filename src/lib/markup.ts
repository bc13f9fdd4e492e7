/** HTML that is safe to send: made by the template below, or sanitised before. */
export class Markup {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
  toString(): string {
    return this.text
  }
}

/** What may stand in a template: text is escaped, markup is not, and what is absent leaves nothing. */
export type MarkupPart = Markup | string | number | null | undefined | false | readonly MarkupPart[]

/** A template whose every value is escaped, unless it is markup already. Attributes have to be in double quotes. */
export function html(strings: TemplateStringsArray, ...parts: MarkupPart[]): Markup {
  let text = strings[0] ?? ''
  for (let n = 0; n < parts.length; n++) text += render(parts[n]) + (strings[n + 1] ?? '')
  return new Markup(text)
}

/** Marks HTML that was made safe elsewhere. */
export function safe(text: string): Markup {
  return new Markup(text)
}

/** Text made fit for an element or a quoted attribute of HTML or XML. */
export function escapeText(text: string): string {
  return NEEDS_ESCAPE.test(text) ? text.replace(/[&<>"']/g, (sign) => ENTITY[sign] ?? sign) : text
}

/** JSON as the content of a script element: nothing in it can end the element or, in old readers, a line. */
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
  if (part === null || part === undefined || part === false) return ''
  if (part instanceof Markup) return part.text
  if (typeof part === 'object') return part.map(render).join('')
  return escapeText(String(part))
}
