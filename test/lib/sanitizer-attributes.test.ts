import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Parser } from 'htmlparser2'
import { pageHtml, richText, sanitize } from '../../src/lib/html.ts'
import { ATTRIBUTES, faultsIn, ELEMENTS as JUDGED } from '../support/html-faults.ts'
import fc from '../support/property.ts'
import { times } from '../support/thorough.ts'

const HOME = 'https://own.example/calendar/'
const IMAGES = `${HOME}images/`
const SCHEMES: Record<string, readonly string[]> = {
  href: ['http:', 'https:', 'mailto:', 'tel:'],
  src: ['http:', 'https:'],
}

/** The parser of the sanitizer does not know the two others, which HTML has no more. */
const ELEMENTS = [...JUDGED].filter((name) => name !== 'rb' && name !== 'rtc')

type Values = Record<string, string>

interface Tag {
  readonly name: string
  readonly attributes: Values
}

/** All tags of a text with their decoded attributes, as another parser reads them. */
function tagsIn(html: string): Tag[] {
  const tags: Tag[] = []
  const parser = new Parser({ onopentag: (name, attributes) => tags.push({ name, attributes: { ...attributes } }) })
  parser.end(html)
  return tags
}

/** Attributes that safe HTML may have on an element. */
const allowedOn = (name: string) => [...(ATTRIBUTES['*'] ?? []), ...(ATTRIBUTES[name] ?? [])]

const encoded = (value: string, signs: RegExp) => value.replace(signs, (sign) => `&#${sign.charCodeAt(0)};`)

/** Ways to write an attribute, all with the same meaning. */
const SPELLINGS: Record<string, (name: string, value: string) => string> = {
  'double quotes': (name, value) => ` ${name}="${encoded(value, /["<&\r]/g)}"`,
  'double quotes and names of entities': (name, value) =>
    ` ${name}="${value.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('\r', '&#13;')}"`,
  'single quotes': (name, value) => ` ${name}='${encoded(value, /['<&\r]/g)}'`,
  'no quotes': (name, value) => ` ${name}=${encoded(value, /["'<>=&`\s]/g) || '""'}`,
  'entities alone': (name, value) =>
    ` ${name}=${[...value].map((sign) => `&#x${sign.codePointAt(0)?.toString(16)};`).join('') || "''"}`,
  'capitals and space around the sign': (name, value) => ` ${name.toUpperCase()} \n=\t "${encoded(value, /["<&\r]/g)}"`,
  'no space before it': (name, value) => ` x="1"${name}='${encoded(value, /['<&\r]/g)}'`,
  'slashes before it': (name, value) => ` //${name}="${encoded(value, /["<&\r]/g)}"`,
}

/** Values that end an attribute, a tag or a decoding too early, if one sign of them is not escaped. */
const VALUES = [
  '"',
  "'",
  '`',
  '>',
  '<',
  '&',
  '=',
  'a b\tc\nd\n\ne\r\nf\rg',
  '" onfocus="alert(1)" autofocus="',
  "' onfocus='alert(1)' autofocus='",
  ' onfocus=alert(1) ',
  '"><script>alert(1)</script>',
  '--><img src=x onerror=alert(1)>',
  '&quot; onfocus=&quot;alert(1)',
  '&#34; &#x22; &#34 onfocus=alert(1)',
  '&amp;quot;&amp;lt;script&amp;gt;',
  '&lt;script&gt;',
  '</p></div><style>*{color:red}</style>',
  '/',
  ' class=',
  'é 😀 \u00a0\u2028',
  '\\" \\x22 \\',
]

/** A value for an attribute: in addresses behind a path, so that no scheme is in it. */
const valueFor = (name: string, value: string) => (name in SCHEMES ? `/x?${value}` : value)

/** What safe HTML says of a tag: each allowed attribute with its first value, and no empty one except `alt` and `reversed`. */
function expected(name: string, given: readonly (readonly [string, string])[]): Values {
  const first: Values = {}
  for (const [key, value] of given) if (allowedOn(name).includes(key)) first[key] ??= value
  return Object.fromEntries(
    Object.entries(first).filter(([key, value]) => value !== '' || key === 'alt' || key === 'reversed'),
  )
}

/** Signs that another part of the service relies on: values have neither quotes nor angle brackets. */
const WRITTEN = /^<[a-z0-9]+(?: [a-z]+="[^"<>]*"| reversed)*(?: \/)?>(?:<\/[a-z0-9]+>)?$/

describe('an attribute of safe HTML', () => {
  for (const [spelling, write] of Object.entries(SPELLINGS)) {
    it(`has exactly the value that was written with ${spelling}, on every element`, () => {
      for (const name of ELEMENTS) {
        for (const [n, value] of VALUES.entries()) {
          // Each attribute comes first once, so that one which spoils the next is seen.
          const names = allowedOn(name)
          const turned = [...names.slice(n % names.length), ...names.slice(0, n % names.length)]
          const given = turned.map((one) => [one, valueFor(one, value)] as const)
          const html = `<${name}${given.map(([one, said]) => write(one, said)).join('')}>`
          const safe = sanitize(html)
          assert.deepEqual(tagsIn(safe), [{ name, attributes: expected(name, given) }], html)
          assert.match(safe, WRITTEN, html)
          assert.equal(sanitize(safe), safe, html)
          const rich = richText(html)
          assert.deepEqual(
            tagsIn(rich).filter((tag) => tag.name === name),
            [{ name, attributes: expected(name, given) }],
            html,
          )
          assert.equal(richText(rich), rich, html)
          assert.deepEqual(faultsIn(pageHtml(richText(html), IMAGES)), [], html)
        }
      }
    })
  }

  it('has entities decoded as another parser decodes them', () => {
    for (const source of [
      '&copy',
      '&copy;',
      '&copy=2',
      '&copyx',
      '&amp=1',
      '&ltx',
      '&lt',
      '&notit;',
      '&#0;',
      '&#x80;',
      '&#34',
      '&x',
    ])
      for (const value of [`"/?a=1${source}"`, `'/?a=1${source}&b=2'`, `/?a=1${source}`]) {
        const html = `<a href=${value} title=${value}>`
        assert.deepEqual(tagsIn(sanitize(html)), tagsIn(html), html)
      }
  })

  it('is left out unless it is allowed on its element', () => {
    const forbidden = [
      ...[
        'style',
        'srcset',
        'id',
        'name',
        'onclick',
        'onerror',
        'onfocus',
        'autofocus',
        'formaction',
        'action',
        'ping',
      ],
      ...['background', 'poster', 'srcdoc', 'data', 'xlink:href', 'xmlns', 'is', 'slot', 'contenteditable', 'data-x'],
      ...['usemap', 'cite', 'manifest', 'http-equiv', 'content', 'form', 'value', 'type', 'accesskey', 'tabindex'],
    ]
    const all = [...new Set([...forbidden, ...Object.values(ATTRIBUTES).flat()])]
    for (const name of ELEMENTS) {
      const wrong = all.filter((one) => !allowedOn(name).includes(one))
      for (const write of Object.values(SPELLINGS)) {
        const html = `<${name}${wrong.map((one) => write(one, '/x')).join('')}${write('title', 'kept')}>`
        assert.deepEqual(tagsIn(sanitize(html)), [{ name, attributes: { title: 'kept' } }], html)
      }
    }
  })

  it('is shown on a page without its class, whatever its other attributes say', () => {
    const given = { title: ' class=', lang: ' onfocus=alert(1) class=', class: 'wide' }
    const write = (order: readonly (keyof typeof given)[]) => order.map((one) => ` ${one}="${given[one]}"`).join('')
    for (const order of [
      ['title', 'lang', 'class'],
      ['class', 'title', 'lang'],
      ['lang', 'class', 'title'],
    ] as const) {
      const shown = { title: given.title, lang: given.lang }
      assert.deepEqual(tagsIn(pageHtml(sanitize(`<p${write(order)}>`), IMAGES)), [{ name: 'p', attributes: shown }])
      const image = sanitize(`<img src="${IMAGES}x.png" alt=""${write(order)}>`)
      const attributes = { ...shown, src: `${IMAGES}x.png`, alt: '', loading: 'lazy' }
      assert.deepEqual(tagsIn(pageHtml(image, IMAGES)), [{ name: 'img', attributes }])
    }
  })

  it('of a foreign image is no more than the address and the text of a link on a page', () => {
    for (const value of VALUES) {
      const image = sanitize(`<img${SPELLINGS['double quotes']?.('src', `/x?${value}`)} title="t">`)
      const attributes = { href: `/x?${value}`, rel: 'noreferrer' }
      assert.deepEqual(tagsIn(pageHtml(image, IMAGES)), [{ name: 'a', attributes }], image)
    }
  })
})

/** Schemes that run code or bring a document, in every disguise that browsers see through. */
const DANGEROUS = ['javascript', 'JaVaScRiPt', 'vbscript', 'data', 'blob', 'file', 'filesystem', 'view-source', 'ftp']
const REST = [
  ':alert(1)',
  '://example.org/%0aalert(1)',
  ':text/html,<script>alert(1)</script>',
  ':image/svg+xml;base64,PHN2Zz4=',
]
const DISGUISES: readonly ((scheme: string) => string)[] = [
  (scheme) => scheme,
  (scheme) => ` \t\n${scheme}`,
  (scheme) => `\u0001\u001f${scheme}`,
  (scheme) => `${scheme.slice(0, 2)}\t${scheme.slice(2)}`,
  (scheme) => `${scheme.slice(0, 2)}\n${scheme.slice(2)}\r`,
  (scheme) => [...scheme].join('\n'),
  (scheme) => scheme.toUpperCase(),
  (scheme) => `${scheme}\n\t`,
  (scheme) => `\u00a0${scheme}`,
  (scheme) => `\ufeff${scheme}`,
]
const GOOD: Record<string, readonly string[]> = {
  href: ['mailto:a@example.org?subject=%22', 'tel:+49-30-1', 'MAILTO:b@example.org'],
  src: [],
}
const EVERYWHERE = [
  ...['http://example.org/', 'https://example.org:8443/a?b=c:d#e:f', 'HTTPS://example.org', '//example.org/a', '/a:b'],
  ...['#a:b', '?a:b', 'a/b:c', './javascript:alert(1)', ''],
]

describe('the address of a link or an image in safe HTML', () => {
  for (const [attribute, element] of [
    ['href', 'a'],
    ['src', 'img'],
  ] as const) {
    it(`has a scheme that is allowed for ${attribute}, as a browser reads it, or is left out`, () => {
      for (const write of Object.values(SPELLINGS))
        for (const scheme of [...DANGEROUS, ...(attribute === 'src' ? ['mailto', 'tel'] : [])])
          for (const disguise of DISGUISES)
            for (const rest of REST) {
              const html = `<${element}${write(attribute, disguise(scheme) + rest)}${write('title', 'kept')}>`
              assert.deepEqual(tagsIn(sanitize(html)), [{ name: element, attributes: { title: 'kept' } }], html)
            }
    })

    it(`stays as it is, if its scheme is allowed for ${attribute} or it has none`, () => {
      for (const write of Object.values(SPELLINGS))
        for (const value of [...EVERYWHERE, ...(GOOD[attribute] ?? [])]) {
          const [tag] = tagsIn(sanitize(`<${element}${write(attribute, value)}>`))
          assert.deepEqual(tag, { name: element, attributes: expected(element, [[attribute, value]]) })
        }
    })
  }
})

describe('random HTML', () => {
  const sign = fc.constantFrom(...`"'\`<>&=/:;#\\ \t\n`, 'a', 'x', ...VALUES, ...DANGEROUS, ...REST, 'http', 'https')
  const value = fc.array(sign, { maxLength: 5 }).map((signs) => signs.join(''))
  const name = fc.constantFrom(...new Set([...Object.values(ATTRIBUTES).flat(), 'style', 'onclick', 'srcset']))
  const spelling = fc.constantFrom(...Object.values(SPELLINGS))
  const tag = fc.record({
    element: fc.constantFrom(...ELEMENTS),
    attributes: fc.array(fc.tuple(name, value, spelling), { maxLength: 6 }),
  })

  it('keeps the first of each allowed attribute, or leaves an address out', () => {
    fc.assert(
      fc.property(tag, ({ element, attributes }) => {
        const html = `<${element}${attributes.map(([one, said, write]) => write(one, said)).join('')}>`
        const wanted = expected(
          element,
          attributes.map(([one, said]) => [one, said]),
        )
        const [found, ...more] = tagsIn(sanitize(html))
        assert.deepEqual([found?.name, more], [element, []], html)
        for (const [one, said] of Object.entries(wanted)) {
          const isLeftOut = one in SCHEMES && said.includes(':') && found?.attributes[one] === undefined
          if (!isLeftOut) assert.equal(found?.attributes[one], said, `${one} of ${html}`)
        }
        for (const [one, said] of Object.entries(found?.attributes ?? {})) {
          assert.equal(said, wanted[one], `${one} of ${html}`)
          const allowed = SCHEMES[one]
          if (allowed !== undefined && URL.canParse(said, HOME))
            assert.ok(allowed.includes(new URL(said, HOME).protocol), `${one} of ${html}`)
        }
        assert.deepEqual(faultsIn(pageHtml(richText(html), IMAGES)), [], html)
      }),
      { numRuns: times(20_000, 1500) },
    )
  })
})
