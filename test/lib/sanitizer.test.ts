import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import sanitizeHtml from 'sanitize-html'
import {
  asHtml,
  firstWords,
  pageHtml,
  plainText,
  richText,
  sanitize,
  TooNested,
  withoutTags,
  words,
  wordsOfSafe,
} from '../../src/lib/html.ts'
import { plainLines } from '../../src/lib/plain-lines.ts'
import { threadTime } from '../support/cost.ts'
import { hostileHtml, repeatedHtml } from '../support/hostile-html.ts'
import { ATTRIBUTES, ELEMENTS, faultsIn } from '../support/html-faults.ts'
import fc from '../support/property.ts'
import { times } from '../support/thorough.ts'

const IMAGES = 'https://own.example/images/'
/** HTML made safe; what nests too deep is nothing. */
function made(html: string, how: (html: string) => string): string {
  try {
    return how(html)
  } catch (error) {
    assert.ok(error instanceof TooNested)
    return ''
  }
}

describe('HTML that was made safe', () => {
  it('has allowed elements and attributes alone, each closed, as another parser reads it', () => {
    fc.assert(
      fc.property(hostileHtml(25), (html) => {
        for (const how of [sanitize, richText]) assert.deepEqual(faultsIn(made(html, how)), [], made(html, how))
        assert.deepEqual(faultsIn(pageHtml(made(html, richText), IMAGES)), [])
      }),
      { numRuns: times(3000, 1000) },
    )
  })

  it('stays as it is when it is made safe again', () => {
    fc.assert(
      fc.property(hostileHtml(15), (html) => {
        for (const how of [sanitize, richText]) assert.equal(how(made(html, how)), made(html, how))
      }),
      { numRuns: times(3000, 1000) },
    )
  })

  it('is what another sanitiser makes of ordinary HTML', () => {
    const inline = fc.constantFrom('word ', ' ', '&amp;', '&eacute;', '5 < 6', 'a > b', '"', '<br>', '<br />', '<wbr/>')
    const tag = fc.constantFrom('b', 'em', 'strong', 'span', 'p', 'div', 'ul', 'li', 'h2', 'blockquote', 'td')
    const attributes = fc.constantFrom(
      '',
      ' class="c"',
      " title='t &amp; u'",
      ' lang=de',
      ' onclick="x()"',
      ' id=i',
      ' title',
    )
    const special = fc.constantFrom(
      '<a href="https://example.org/?a=1&amp;b=2" rel=nofollow>link</a>',
      '<a href="javascript:alert(1)">bad</a>',
      '<a href="/relative" target="_blank">here</a>',
      '<img src="http://example.org/a.png" alt="">',
      '<img src="data:image/png;base64,xx" alt="no">',
      '<script>alert("<b>")</script>',
      '<style>p { color: red }</style>',
      '<!-- a comment -->',
      '<svg><circle/></svg>',
      '<ol start=3 reversed><li>x</li></ol>',
    )
    const { node } = fc.letrec<{ node: string; list: string }>((tie) => ({
      list: fc.array(tie('node'), { maxLength: 4 }).map((parts) => parts.join('')),
      node: fc.oneof(
        { depthSize: 'small' },
        inline,
        special,
        fc
          .tuple(tag, attributes, tie('list'), fc.constantFrom(true, true, true, false))
          .map(([name, said, inside, isClosed]) => `<${name}${said}>${inside}${isClosed ? `</${name}>` : ''}`),
      ),
    }))
    fc.assert(
      fc.property(node, (html) => {
        const judged = sanitizeHtml(html.replaceAll('5 < 6', '5 &lt; 6'), {
          allowedTags: [...ELEMENTS],
          allowedAttributes: ATTRIBUTES,
          allowedSchemes: ['http', 'https', 'mailto', 'tel'],
          allowedSchemesByTag: { img: ['http', 'https'] },
          nonTextTags: ['script', 'style', 'svg'],
        })
        assert.equal(made(html, sanitize), judged.replaceAll('<wbr></wbr>', '<wbr />').trim())
      }),
      { numRuns: times(2000, 1000) },
    )
  })

  it('keeps text that only looks like a tag, and drops the rest of one whose quote never ends', () => {
    assert.equal(sanitize('if x<y and z>w'), 'if x&lt;y and z&gt;w')
    assert.equal(sanitize('<b title="a>b">x</b>'), '<b title="a&gt;b">x</b>')
    assert.equal(sanitize('<b title="a>x</b> y'), '<b>x</b> y')
    assert.equal(sanitize('a <b title="'), 'a &lt;b title="')
    assert.equal(sanitize('<a href="x"href="javascript:y">z'), '<a href="x">z</a>')
    assert.equal(sanitize('1<!-- 2 --> 3 <!-- 4'), '1 3')
    assert.equal(
      sanitize('<svg><a href=x>1</a></svg>2<noscript><p title="</noscript><img src=x onerror=y>">'),
      '2<img src="x" />"&gt;',
    )
  })

  it('is refused where elements lie too deep, whatever closing tags say', () => {
    for (const html of ['<dl></dt>', '<b>', '<div><p>', '<b></i>', '<svg>', '<font></font x="<b>'])
      assert.throws(() => richText(html.repeat(11_100)), TooNested, html)
    assert.equal(richText('<p>'.repeat(200)).length, 200 * '<p></p>'.length)
  })
})

describe('reading HTML', () => {
  it('knows the first words without reading the rest', () => {
    fc.assert(
      fc.property(hostileHtml(40), fc.integer({ min: 1, max: 30 }), (html, length) => {
        const safe = made(html, richText)
        assert.equal(firstWords(safe, length).trimEnd(), wordsOfSafe(safe).slice(0, length).trimEnd())
      }),
      { numRuns: 1000 },
    )
  })

  const READERS: Record<string, (html: string, safe: string) => unknown> = {
    sanitize: (html) => made(html, sanitize),
    richText: (html) => made(html, richText),
    plainText,
    withoutTags,
    words,
    asHtml,
    pageHtml: (_, safe) => pageHtml(`<h1>${safe}`, IMAGES),
    wordsOfSafe: (_, safe) => wordsOfSafe(safe),
    firstWords: (_, safe) => firstWords(safe, 300),
    plainLines: (_, safe) => plainLines(safe),
  }

  function cost(work: () => unknown, count: number): number {
    const began = threadTime()
    for (let n = 0; n < count; n++) work()
    return threadTime() - began
  }

  /** How many times as long as the short text the long one is. */
  const FACTOR = 16

  /**
   * The short one so many times is as much work as the long one once. What is quadratic takes 16 times as long for the
   * long one, however often it is tried: four times is neither.
   */
  function isLinear(short: () => unknown, long: () => unknown): boolean {
    let [most, least] = [0, Number.POSITIVE_INFINITY]
    for (let tries = 0; tries < 5; tries++) {
      most = Math.max(most, cost(short, FACTOR))
      least = Math.min(least, cost(long, 1))
      // The clock of a thread goes in steps of some milliseconds.
      if (least <= 4 * most + 15) return true
    }
    return false
  }

  it('takes time in proportion to its length, whatever it says', () => {
    const length = 8000
    fc.assert(
      fc.property(repeatedHtml, ({ name, make }) => {
        const [short, long] = [make(length), make(FACTOR * length)]
        const [safeShort, safeLong] = [made(short, richText), made(long, richText)]
        for (const [reader, read] of Object.entries(READERS)) {
          const isGood = isLinear(
            () => read(short, safeShort),
            () => read(long, safeLong),
          )
          assert.ok(isGood, `${reader} of ${name} takes more than its share of time when it is longer`)
        }
      }),
      { numRuns: times(60, 15) },
    )
  })
})
