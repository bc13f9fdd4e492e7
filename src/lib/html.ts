import { decodeHTML } from 'entities'
import sanitizeHtml from 'sanitize-html'

const BLOCK =
  /<(?:p|div|h[1-6]|ul|ol|dl|table|blockquote|pre|figure|section|article|aside|header|footer|address|hr)[\s>/]/i

const ALLOWED: sanitizeHtml.IOptions = {
  allowedTags: [...sanitizeHtml.defaults.allowedTags, 'img', 'del', 'ins'],
  allowedAttributes: {
    a: ['href', 'title', 'target', 'rel'],
    img: ['src', 'alt', 'title', 'width', 'height', 'loading'],
    '*': ['class', 'lang', 'dir', 'title'],
    td: ['colspan', 'rowspan'],
    th: ['colspan', 'rowspan', 'scope'],
    ol: ['start', 'reversed'],
    time: ['datetime'],
  },
  allowedSchemes: ['http', 'https', 'mailto', 'tel'],
  allowedSchemesByTag: { img: ['http', 'https'] },
  // Their text is code or fallback, never words for a reader.
  nonTextTags: [
    'script',
    'style',
    'textarea',
    'option',
    'noscript',
    'iframe',
    'object',
    'template',
    'svg',
    'math',
    'xmp',
  ],
}

/** HTML that is safe to show: no scripts, no handlers, no links that run code. */
export function sanitize(html: string): string {
  return sanitizeHtml(html, ALLOWED).trim()
}

/** Safe HTML in which plain text has become paragraphs; text that brings its own blocks is left as it is. */
export function richText(html: string): string {
  const safe = sanitize(html.replace(/\r\n?/g, '\n'))
  return safe === '' || BLOCK.test(safe) ? safe : paragraphs(safe)
}

/** The words of a text: tags taken out, entities read. */
export function plainText(html: string): string {
  return decodeHTML(sanitizeHtml(html, { ...ALLOWED, allowedTags: [], allowedAttributes: {} }))
}

/** The words of rich text, for searching: a tag parts two words, its attributes are not searched. */
export function words(html: string): string {
  return plainText(html.replace(/></g, '> <')).replace(/\s+/g, ' ').trim()
}

/** Text made fit for an HTML page or attribute. */
export function encode(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => ENTITY[sign] ?? sign)
}

const ENTITY: Record<string, string> = { '&': '&#038;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#039;' }

function paragraphs(text: string): string {
  return text
    .split(/\n\s*\n/)
    .map((paragraph) => `<p>${paragraph.trim().replace(/(<br\s*\/?>)?\s*\n/g, '<br />\n')}</p>`)
    .join('\n')
}
