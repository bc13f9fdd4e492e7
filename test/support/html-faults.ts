import { Parser } from 'htmlparser2'
import sanitizeHtml from 'sanitize-html'

/** The attributes that safe HTML may have, by element. */
export const ATTRIBUTES: Record<string, string[]> = {
  '*': ['class', 'lang', 'dir', 'title'],
  a: ['href', 'target', 'rel'],
  img: ['src', 'alt', 'width', 'height', 'loading'],
  td: ['colspan', 'rowspan'],
  th: ['colspan', 'rowspan', 'scope'],
  ol: ['start', 'reversed'],
  time: ['datetime'],
}

/** The elements that safe HTML may have. */
export const ELEMENTS = new Set([...sanitizeHtml.defaults.allowedTags, 'img', 'del', 'ins'])

const VOID = new Set(['br', 'hr', 'img', 'col', 'wbr'])

/** What another parser of HTML finds in a text that must not be in safe HTML. */
export function faultsIn(html: string): string[] {
  const faults: string[] = []
  const open: string[] = []
  const parser = new Parser({
    onopentag(name, attributes) {
      if (!ELEMENTS.has(name)) faults.push(`<${name}>`)
      for (const [key, value] of Object.entries(attributes)) {
        if (!ATTRIBUTES['*']?.includes(key) && !ATTRIBUTES[name]?.includes(key)) faults.push(`${name} ${key}`)
        if ((key === 'href' || key === 'src') && /^[^/?#]*:/.test(value) && !/^(https?|mailto|tel):/i.test(value))
          faults.push(`${key}=${value}`)
      }
      if (!VOID.has(name)) open.push(name)
    },
    onclosetag(name, isImplied) {
      if (!VOID.has(name) && (open.pop() !== name || isImplied)) faults.push(`</${name}>`)
    },
    oncomment: () => faults.push('a comment'),
    onprocessinginstruction: (name) => faults.push(name),
  })
  parser.end(html)
  return faults
}
