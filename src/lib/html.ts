import { withLf } from './line-ends.ts'
import { clean, decode } from './sanitizer.ts'

export { decode, TooNested } from './sanitizer.ts'

const BLOCK =
  /<(?:p|div|h[1-6]|ul|ol|dl|table|blockquote|pre|figure|section|article|aside|header|footer|address|hr)[\s>/]/i

/** Elements that are neither blocks nor allowed in a paragraph. */
const NOT_INLINE = /<(?:caption|col|colgroup|dd|dt|figcaption|hgroup|li|main|menu|nav|tbody|td|tfoot|th|thead|tr)[\s>]/

const BREAK = /<(?:br|\/p|\/div|\/h[1-6]|\/li|\/td|\/th|\/dt|\/dd|\/blockquote|\/figcaption)\b/gi

/** Limit on nested elements. */
const MAX_DEPTH = 100

const INLINE = String.raw`[^<>&]*(?:(?:<(strong|em|b|i)>[^<>&]*</\1>|<br />)[^<>&]*)*`
/** Fast path: text and paragraphs with nothing but emphasis. Most input is such, and it is safe. */
const PLAIN = new RegExp(`^[^<>&]*(?:<p>${INLINE}</p>[^<>&]*)*$`)

/** Sanitizes HTML: no scripts, handlers or links that run code. Throws `TooNested`. */
export function sanitize(html: string): string {
  return PLAIN.test(html) ? html.trim() : clean(html, { maxDepth: MAX_DEPTH }).trim()
}

/** Sanitizes HTML and wraps plain text in paragraphs. Text with block elements of its own is not wrapped. */
export function richText(html: string): string {
  // The sanitizer decodes `&#13;` in a text.
  const safe = withLf(sanitize(withLf(html)))
  if (safe === '' || BLOCK.test(safe)) return safe
  const paragraphs = paragraphsOf(safe)
  const rich = paragraphs.map((one) => `<p>${one.replaceAll('\n', '<br />\n')}</p>`).join('\n')
  // Rebalances elements that span paragraphs or are not allowed in one.
  const isBalanced = paragraphs.length < 2 || !safe.includes('<')
  return isBalanced && !NOT_INLINE.test(safe) ? rich : clean(rich, { isSafe: true })
}

/** Tags that a page renders differently. The values of safe HTML contain no `<`, `>` or `"`. */
const NOT_ON_PAGES = /<(\/?)(a|h1|img)(?![a-z0-9])[^>]*>|<[a-z0-9]+ [^>]*class="[^>]*>/g

/**
 * Adapts safe HTML to a page: removes classes, so that page styles do not apply; lowers `h1` below the page's title;
 * replaces foreign images by links, so that no third party is contacted.
 */
export function pageHtml(safe: string, ownImages: string): string {
  let isInLink = false
  return safe.replace(NOT_ON_PAGES, (tag, slash?: string, name?: string) => {
    const plain = tag.replace(/ ([a-z]+)="[^"]*"/g, (one, attribute) => (attribute === 'class' ? '' : one))
    if (name === 'img') return pageImage(plain, ownImages, isInLink)
    if (name === 'a') isInLink = slash === ''
    return name === 'h1' ? plain.replace('h1', 'h2') : plain
  })
}

/** Our own image; a link to a foreign one, or inside a link its text. */
function pageImage(tag: string, ownImages: string, isInLink: boolean): string {
  const attributes = Object.fromEntries(
    [...tag.matchAll(/ ([a-z]+)="([^"]*)"/g)].map(([, name, value]) => [name, value]),
  )
  const { src = '', alt = '', ...others } = attributes
  if (src.startsWith(ownImages)) {
    const written = Object.entries({ ...others, src, alt, loading: 'lazy' }).map(
      ([name, value]) => ` ${name}="${value}"`,
    )
    return `<img${written.join('')} />`
  }
  const text = alt || src
  return isInLink || src === '' ? text : `<a href="${src}" rel="noreferrer">${text}</a>`
}

/** Plain text of HTML: tags removed, entities decoded. */
export function plainText(html: string): string {
  return /[<&]/.test(html) ? clean(html, { textOnly: true }) : html
}

/**
 * Plain text without any tag, not even one that was encoded twice. If tags are still left after that, angle brackets
 * are removed.
 */
export function withoutTags(html: string): string {
  const once = plainText(html)
  if (once === html) return once
  const twice = plainText(once)
  return twice === once ? once : plainText(twice).replace(/[<>]/g, '')
}

/** Plain text for search and machines. Block boundaries separate words. */
export function words(html: string): string {
  return plainText(html.replace(BREAK, ' $&')).replace(/\s+/g, ' ').trim()
}

/** Plain text, in which blocks and breaks end lines. */
export function textLines(html: string): string {
  return plainText(html.replace(BREAK, '\n$&'))
}

/** Like `words`, for our own sanitized HTML: anything between angle brackets is a tag. */
export function wordsOfSafe(html: string): string {
  return textOfSafe(html).replace(/\s+/g, ' ').trim()
}

function textOfSafe(html: string): string {
  return decode(html.replace(BREAK, ' $&').replace(/<[^>]*>/g, ''))
}

/** Limit on HTML that is read for an excerpt, in characters: it may contain no words at all. */
const MAX_READ = 20_000

/** Excerpt of our own sanitized HTML, up to a number of characters. Reads no more HTML than needed. */
export function firstWords(safe: string, length: number): string {
  let words = ''
  let size = 4 * length
  for (let from = 0; from < Math.min(safe.length, MAX_READ) && words.length < length; ) {
    // Do not cut inside a tag or entity.
    const piece =
      from + size < safe.length ? safe.slice(from, from + size).replace(/<[^<>]*$|&[#\w]*$/, '') : safe.slice(from)
    if (piece === '') size *= 2
    from += piece.length
    words = (words + textOfSafe(piece)).replace(/\s+/g, ' ').trimStart()
  }
  return words.trimEnd().slice(0, length)
}

/** Escapes text for an HTML page or attribute. */
export function encode(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => ENTITY[sign] ?? sign)
}

/**
 * Escapes each `<` that could begin a tag or comment, in case a client inserts the text as HTML. Everything else stays
 * readable.
 */
export function inertText(text: string): string {
  return text.replace(/<(?=[a-z/!?])/gi, '&lt;')
}

/** Converts text to HTML. Most text needs no escaping, and keeps its length. */
export function asHtml(text: string): string {
  return plainText(text) === text ? text : encode(text)
}

const ENTITY: Record<string, string> = { '&': '&#038;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#039;' }

/** Splits a text into paragraphs at empty lines. */
function paragraphsOf(text: string): string[] {
  const lines = text.split('\n').map((line) => line.trim().replace(/<br ?\/?>$/, ''))
  return lines
    .join('\n')
    .split(/\n\n+/)
    .filter((paragraph) => paragraph !== '')
}
