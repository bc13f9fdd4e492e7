import { decode } from './html.ts'

const TAG = /<(\/?)([a-z][a-z0-9]*)\b([^<>]*)>/gi
const PARAGRAPH = /^(?:p|div|h[1-6]|ul|ol|dl|table|blockquote|pre|figure|section|article|header|footer)$/i
const LINE = /^(?:br|hr|tr|dt|dd|figcaption)$/i

/** Converts sanitized HTML to plain text with paragraphs, lists and links, for programs that show no HTML. */
export function plainLines(html: string): string {
  let link: { address: string; from: number } | null = null
  const marked = html
    .replace(/\s+/g, ' ')
    .replace(TAG, (_, slash: string, name: string, rest: string, at: number, whole: string) => {
      if (PARAGRAPH.test(name)) return '\n\n'
      if (LINE.test(name)) return '\n'
      if (/^li$/i.test(name)) return slash === '' ? '\n- ' : '\n'
      if (!/^a$/i.test(name)) return ''
      const last = link
      link =
        slash === ''
          ? { address: /\bhref="([^"]*)"/i.exec(rest)?.[1] ?? '', from: at + `<${name}${rest}>`.length }
          : null
      if (slash === '' || last === null || last.address === '') return ''
      return whole.slice(last.from, at).trim() === last.address ? '' : ` (${last.address})`
    })
  return decode(marked)
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .replace(/\n\n(?=- )/g, '\n')
    .trim()
}
