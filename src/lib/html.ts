import { clean, decode } from './sanitizer.ts'

export { decode, TooNested } from './sanitizer.ts'

const BLOCK =
  /<(?:p|div|h[1-6]|ul|ol|dl|table|blockquote|pre|figure|section|article|aside|header|footer|address|hr)[\s>/]/i

/** Elements that are no blocks, and may not be in a paragraph either. */
const NOT_INLINE = /<(?:caption|col|colgroup|dd|dt|figcaption|hgroup|li|main|menu|nav|tbody|td|tfoot|th|thead|tr)[\s>]/

const BREAK = /<(?:br|\/p|\/div|\/h[1-6]|\/li|\/td|\/th|\/dt|\/dd|\/blockquote|\/figcaption)\b/gi

/** How deep elements may lie inside each other. */
const DEEPEST = 100

const INLINE = String.raw`[^<>&]*(?:(?:<(strong|em|b|i)>[^<>&]*</\1>|<br />)[^<>&]*)*`
/** Text and paragraphs that hold nothing more than emphasis: most of what people write, and as safe as it comes. */
const PLAIN = new RegExp(`^[^<>&]*(?:<p>${INLINE}</p>[^<>&]*)*$`)

/** HTML that is safe to show: no scripts, no handlers, no links that run code. Throws `TooNested`. */
export function sanitize(html: string): string {
  return PLAIN.test(html) ? html.trim() : clean(html, { deepest: DEEPEST }).trim()
}

/** Safe HTML in which plain text has become paragraphs; text that brings its own blocks is left as it is. */
export function richText(html: string): string {
  const safe = sanitize(html.replace(/\r\n?/g, '\n'))
  if (safe === '' || BLOCK.test(safe)) return safe
  const paragraphs = paragraphsOf(safe)
  const rich = paragraphs.map((one) => `<p>${one.replaceAll('\n', '<br />\n')}</p>`).join('\n')
  // An element that runs across paragraphs is closed, and one that may not be in a paragraph closes it.
  const isBalanced = paragraphs.length < 2 || !safe.includes('<')
  return isBalanced && !NOT_INLINE.test(safe) ? rich : clean(rich, { isSafe: true })
}

/** The tags that a page shows in another way; there is no `<`, `>` or `"` inside the values of safe HTML. */
const NOT_ON_PAGES = /<(\/?)(a|h1|img)(?![a-z0-9])[^>]*>|<[a-z0-9]+ [^>]*class="[^>]*>/g

/**
 * Safe HTML as a part of a page: it takes no class of the page's own styles, does not rank above the page's title, and
 * asks nobody for images: those that are not ours become links to them.
 */
export function pageHtml(safe: string, ownImages: string): string {
  let isInLink = false
  return safe.replace(NOT_ON_PAGES, (tag, slash?: string, name?: string) => {
    const plain = tag.replace(/ class="[^"]*"/, '')
    if (name === 'img') return pageImage(plain, ownImages, isInLink)
    if (name === 'a') isInLink = slash === ''
    return name === 'h1' ? plain.replace('h1', 'h2') : plain
  })
}

/** An image of our own, a link to any other or, inside a link, its text. */
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

/** The words of a text: tags taken out, entities read. */
export function plainText(html: string): string {
  return /[<&]/.test(html) ? clean(html, { textOnly: true }) : html
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
  return textOfSafe(html).replace(/\s+/g, ' ').trim()
}

function textOfSafe(html: string): string {
  return decode(html.replace(BREAK, ' $&').replace(/<[^>]*>/g, ''))
}

/** How much HTML is read at most for its first words: there may be none. */
const MOST_READ = 20_000

/** The first words of HTML that we have made safe ourselves, up to a number of characters; no more is read than needed. */
export function firstWords(safe: string, length: number): string {
  let words = ''
  let size = 4 * length
  for (let from = 0; from < Math.min(safe.length, MOST_READ) && words.length < length; ) {
    // Up to a tag or entity that the cut would go through.
    const piece =
      from + size < safe.length ? safe.slice(from, from + size).replace(/<[^<>]*$|&[#\w]*$/, '') : safe.slice(from)
    if (piece === '') size *= 2
    from += piece.length
    words = (words + textOfSafe(piece)).replace(/\s+/g, ' ').trimStart()
  }
  return words.trimEnd().slice(0, length)
}

/** Text made fit for an HTML page or attribute. */
export function encode(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => ENTITY[sign] ?? sign)
}

/**
 * Text in which no `<` begins a tag or a comment: harmless even where somebody takes it for HTML. All else stays as it is,
 * and what comes back means the same.
 */
export function inertText(text: string): string {
  return text.replace(/<(?=[a-z/!?])/gi, '&lt;')
}

/** HTML that reads as this text: most text is that already, and stays as long as it is. */
export function asHtml(text: string): string {
  return plainText(text) === text ? text : encode(text)
}

const ENTITY: Record<string, string> = { '&': '&#038;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#039;' }

/** The paragraphs of a text, which are parted by empty lines. */
function paragraphsOf(text: string): string[] {
  const lines = text.split('\n').map((line) => line.trim().replace(/<br ?\/?>$/, ''))
  return lines
    .join('\n')
    .split(/\n\n+/)
    .filter((paragraph) => paragraph !== '')
}
