import type * as Entities from 'entities'
import type SanitizeHtml from 'sanitize-html'
import { later, once } from './later.ts'

const entities = later<typeof Entities>('entities')
const sanitizer = later<typeof SanitizeHtml>('sanitize-html')

const BLOCK =
  /<(?:p|div|h[1-6]|ul|ol|dl|table|blockquote|pre|figure|section|article|aside|header|footer|address|hr)[\s>/]/i

const ALLOWED: SanitizeHtml.IOptions = {
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

/** The elements of HTML: what looks like a tag and is none of these is text, as in `if x<y and z>w`. */
const ELEMENTS =
  'a|abbr|acronym|address|applet|area|article|aside|audio|b|base|bdi|bdo|big|blink|blockquote|body|br|button|canvas|caption|center|cite|code|col|colgroup|data|datalist|dd|del|details|dfn|dialog|dir|div|dl|dt|em|embed|fieldset|figcaption|figure|font|footer|form|frame|frameset|h[1-6]|head|header|hgroup|hr|html|i|iframe|img|input|ins|kbd|keygen|label|legend|li|link|main|map|mark|marquee|math|menu|meta|meter|nav|noembed|noframes|noscript|object|ol|optgroup|option|output|p|param|picture|plaintext|pre|progress|q|rp|rt|ruby|s|samp|script|search|section|select|slot|small|source|span|strike|strong|style|sub|summary|sup|svg|table|tbody|td|template|textarea|tfoot|th|thead|time|title|tr|track|tt|u|ul|var|video|wbr|xmp'
const NOT_A_TAG = new RegExp(`<(?!/?(?:${ELEMENTS})(?:[\\s/][^<>]*)?>|!--|\\?)`, 'gi')
const BREAK = /<(?:br|\/p|\/div|\/h[1-6]|\/li|\/td|\/th|\/dt|\/dd|\/blockquote|\/figcaption)\b/gi

/** How deep elements may lie inside each other, and how long a tag may be: sanitising takes quadratic time in both. */
const DEEPEST = 100
const LONGEST_TAG = 5000
const TAG = new RegExp(`<(/?)(?:${ELEMENTS})(?:[\\s/][^<>]*)?>`, 'gi')
const VOID = /^<(?:area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr)\b/i

/** Whether HTML is built to exhaust whoever reads it. */
export function isTooNested(html: string): boolean {
  let depth = 0
  for (const [tag, slash] of html.matchAll(TAG)) {
    if (slash === '/') depth = Math.max(0, depth - 1)
    else if (!VOID.test(tag)) depth++
    if (depth > DEEPEST || tag.length > LONGEST_TAG) return true
  }
  return false
}

const allowed = once(() => ({
  ...ALLOWED,
  allowedTags: [...sanitizer().defaults.allowedTags, 'img', 'del', 'ins'],
}))

function clean(html: string, more: SanitizeHtml.IOptions = {}): string {
  return sanitizer()(html, { ...allowed(), ...more })
}

const INLINE = String.raw`[^<>&]*(?:(?:<(strong|em|b|i)>[^<>&]*</\1>|<br />)[^<>&]*)*`
/** Text and paragraphs that hold nothing more than emphasis: most of what people write, and as safe as it comes. */
const PLAIN = new RegExp(`^[^<>&]*(?:<p>${INLINE}</p>[^<>&]*)*$`)

/** HTML that is safe to show: no scripts, no handlers, no links that run code. */
export function sanitize(html: string): string {
  if (PLAIN.test(html)) return html.trim()
  return clean(html.replace(NOT_A_TAG, '&lt;')).trim()
}

/** Safe HTML in which plain text has become paragraphs; text that brings its own blocks is left as it is. */
export function richText(html: string): string {
  const safe = sanitize(html.replace(/\r\n?/g, '\n'))
  if (safe === '' || BLOCK.test(safe)) return safe
  // An inline element that runs across paragraphs is closed and dropped.
  return safe.includes('<') ? clean(paragraphs(safe)) : paragraphs(safe)
}

/**
 * Safe HTML as a part of a page: it takes no class of the page's own styles, does not rank above the page's title, and
 * asks nobody for images: those that are not ours become links to them.
 */
export function pageHtml(safe: string, ownImages: string): string {
  if (!/<(img|h1)\b| class=/i.test(safe)) return safe
  return clean(safe, {
    allowedAttributes: { ...(ALLOWED.allowedAttributes || {}), '*': ['lang', 'dir', 'title'] },
    transformTags: {
      h1: 'h2',
      img: (_, { src = '', alt = '', ...rest }): SanitizeHtml.Tag =>
        src.startsWith(ownImages)
          ? { tagName: 'img', attribs: { ...rest, src, alt, loading: 'lazy' } }
          : { tagName: 'a', attribs: { href: src, rel: 'noreferrer' }, text: alt || src },
    },
  })
}

/** The words of a text: tags taken out, entities read. */
export function plainText(html: string): string {
  if (!/[<&]/.test(html)) return html
  return decode(clean(html.replace(NOT_A_TAG, '&lt;'), { allowedTags: [], allowedAttributes: {} }))
}

/** The words of a text in which no tag is left, not even one that was encoded twice; beyond that, no angle bracket. */
export function withoutTags(html: string): string {
  const once = plainText(html)
  if (once === html) return once
  const twice = plainText(once)
  return twice === once ? once : plainText(twice).replace(/[<>]/g, '')
}

/** The words of rich text, for searching and for machines: a break parts two words. */
export function words(html: string): string {
  return plainText(html.replace(BREAK, ' $&')).replace(/\s+/g, ' ').trim()
}

/** The same of HTML that we have made safe ourselves: there, whatever is between angle brackets is a tag. */
export function wordsOfSafe(html: string): string {
  return decode(html.replace(BREAK, ' $&').replace(/<[^>]*>/g, ''))
    .replace(/\s+/g, ' ')
    .trim()
}

/** The text that HTML without tags reads as. */
export function decode(html: string): string {
  return entities().decodeHTML(html)
}

/** Text made fit for an HTML page or attribute. */
export function encode(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => ENTITY[sign] ?? sign)
}

/** HTML that reads as this text: most text is that already, and stays as long as it is. */
export function asHtml(text: string): string {
  return plainText(text) === text ? text : encode(text)
}

const ENTITY: Record<string, string> = { '&': '&#038;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#039;' }

function paragraphs(text: string): string {
  const lines = text.split('\n').map((line) => line.trim().replace(/<br ?\/?>$/, ''))
  return lines
    .join('\n')
    .split(/\n\n+/)
    .filter((paragraph) => paragraph !== '')
    .map((paragraph) => `<p>${paragraph.replaceAll('\n', '<br />\n')}</p>`)
    .join('\n')
}
