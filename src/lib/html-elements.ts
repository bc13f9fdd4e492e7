/** An HTML element, as the sanitizer needs it. */
export interface Element {
  readonly name: string
  /** Its tags are written. Of other elements only the content is, unless it is dropped, too. */
  readonly isAllowed: boolean
  /** It has no content and no closing tag. */
  readonly isVoid: boolean
  /** It is removed with its content, which is code or fallback, never text for a reader. */
  readonly isDropped: boolean
  /** Its content is raw text: it ends at the first closing tag of its own name. */
  readonly isRaw: boolean
  /** Foreign content (SVG, MathML): inside it `<a/>` closes itself. */
  readonly isForeign: boolean
  /** Open elements that its opening tag closes, such as the previous list item. */
  readonly closes: readonly string[]
  readonly attributes: readonly string[]
}

const list = (names: string) => names.split(/\s+/)

/** All known elements. Anything else that looks like a tag is text, as in `if x<y and z>w`. */
const NAMES = list(
  `a abbr acronym address applet area article aside audio b base bdi bdo big blink blockquote body br button canvas caption
  center cite code col colgroup data datalist dd del details dfn dialog dir div dl dt em embed fieldset figcaption figure
  font footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html i iframe img input ins kbd keygen label
  legend li link main map mark marquee math menu meta meter nav noembed noframes noscript object ol optgroup option output
  p param picture plaintext pre progress q rp rt ruby s samp script search section select slot small source span strike
  strong style sub summary sup svg table tbody td template textarea tfoot th thead time title tr track tt u ul var video
  wbr xmp`,
)
const ALLOWED = list(
  `a abbr address article aside b bdi bdo blockquote br caption cite code col colgroup data dd del dfn div dl dt em
  figcaption figure footer h1 h2 h3 h4 h5 h6 header hgroup hr i img ins kbd li main mark menu nav ol p pre q rp rt ruby s
  samp section small span strong sub sup table tbody td tfoot th thead time tr u ul var wbr`,
)
const VOID = list('area base br col embed frame hr img input keygen link meta param source track wbr')
const DROPPED = list('script style textarea option noscript iframe object template svg math xmp')
const RAW = list('script style textarea noscript iframe xmp')

const CLOSES_PARAGRAPH = list(
  `address article aside blockquote details div dl fieldset figcaption figure footer form header hr main nav ol p pre
  section table ul`,
)
const HEADINGS = list('h1 h2 h3 h4 h5 h6')
const CONTROLS = list('select input output button datalist textarea')
const CLOSES: Record<string, readonly string[]> = {
  ...Object.fromEntries(CLOSES_PARAGRAPH.map((name) => [name, ['p']])),
  ...Object.fromEntries(HEADINGS.map((name) => [name, [...HEADINGS, 'p']])),
  ...Object.fromEntries(CONTROLS.map((name) => [name, list('input option optgroup select button datalist textarea')])),
  tr: ['tr', 'th', 'td'],
  th: ['th'],
  td: ['thead', 'th', 'td'],
  body: ['head', 'link', 'script'],
  a: ['a'],
  li: ['li'],
  option: ['option'],
  optgroup: ['optgroup', 'option'],
  dd: ['dd', 'dt'],
  dt: ['dd', 'dt'],
  rt: ['rt', 'rp'],
  rp: ['rt', 'rp'],
  tbody: ['thead', 'tbody'],
  tfoot: ['thead', 'tbody'],
}

const EVERYWHERE = ['class', 'lang', 'dir', 'title']
const ATTRIBUTES: Record<string, readonly string[]> = {
  a: ['href', 'target', 'rel'],
  img: ['src', 'alt', 'width', 'height', 'loading'],
  td: ['colspan', 'rowspan'],
  th: ['colspan', 'rowspan', 'scope'],
  ol: ['start', 'reversed'],
  time: ['datetime'],
}

const ELEMENTS: ReadonlyMap<string, Element> = new Map(
  NAMES.map((name) => [
    name,
    {
      name,
      isAllowed: ALLOWED.includes(name),
      isVoid: VOID.includes(name),
      isDropped: DROPPED.includes(name),
      isRaw: RAW.includes(name),
      isForeign: name === 'svg' || name === 'math',
      closes: CLOSES[name] ?? [],
      attributes: [...EVERYWHERE, ...(ATTRIBUTES[name] ?? [])],
    },
  ]),
)

/** Looks up an element by name, ignoring case. */
export function elementNamed(name: string): Element | undefined {
  return ELEMENTS.get(name) ?? ELEMENTS.get(name.toLowerCase())
}

const SCHEMES: Record<string, readonly string[]> = { href: ['http', 'https', 'mailto', 'tel'], src: ['http', 'https'] }

/** Whether the scheme of a URL attribute is not allowed. */
export function isUnsafeAddress(attribute: string, value: string): boolean {
  const allowed = SCHEMES[attribute]
  if (allowed === undefined || !value.includes(':')) return false
  // Browsers ignore spaces and control characters in a scheme.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is removed
  const scheme = /^([^/?#:]*):/.exec(value.replace(/[\x00-\x20\x7f-\xa0\u2028\u2029\ufeff]+/g, ''))?.[1]
  return scheme !== undefined && !allowed.includes(scheme.toLowerCase())
}
