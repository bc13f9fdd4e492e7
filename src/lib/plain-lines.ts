import { plainText } from './html.ts'

const LINK = /<a\b[^>]*?\bhref="([^"]*)"[^>]*>([\s\S]*?)<\/a>/gi
const PARAGRAPH = /<\/?(?:p|div|h[1-6]|ul|ol|dl|table|blockquote|pre|figure|section|article|header|footer)\b[^>]*>/gi
const LINE = /<(?:br|hr|\/?tr|\/?dt|\/?dd|\/?figcaption|\/li)\b[^>]*>/gi

/** Rich text as plain text with its paragraphs, lists and links: for programs that show no HTML. */
export function plainLines(html: string): string {
  const marked = html
    .replace(/\s+/g, ' ')
    .replace(LINK, (_, address: string, words: string) =>
      plainText(words).trim() === plainText(address) ? words : `${words} (${address})`,
    )
    .replace(/ *<li\b[^>]*> */gi, '\n- ')
    .replace(PARAGRAPH, '\n\n')
    .replace(LINE, '\n')
  return plainText(marked)
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ *\n */g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .replace(/\n\n(?=- )/g, '\n')
    .trim()
}
