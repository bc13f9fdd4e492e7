import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readCost } from '../../src/lib/cost.ts'
import { fold } from '../../src/lib/fold.ts'
import { encode, plainText, richText, sanitize, withoutTags, words } from '../../src/lib/html.ts'
import { isSlug, SLUG_BYTES, slugify, withSuffix } from '../../src/lib/slug.ts'
import fc, { CHARACTER } from '../support/property.ts'

describe('slugs', () => {
  const cases: [string, string][] = [
    ['Ünïcode & Ćafé Número 1', 'unicode-cafe-numero-1'],
    ['Straße, Øre & Łódź', 'strasse-ore-lodz'],
    ['  Spaces   and---dashes  ', 'spaces-and-dashes'],
    ['UPPER_case/slash?query#hash', 'upper_case-slashqueryhash'],
    ['日本', '%e6%97%a5%e6%9c%ac'],
    ['%e6%97%a5%e6%9c%ac', '%e6%97%a5%e6%9c%ac'],
    ['Й', '%d0%b9'],
    ['!!! 🎉', ''],
    ['A\u{1d15e}', 'a'],
    ['v2.0 — final', 'v2-0-final'],
  ]
  for (const [text, expected] of cases) it(`are made of ${text}`, () => assert.equal(slugify(text), expected))

  it('are stable, fit, and hold no letter in part', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), fc.integer({ min: 2, max: 99999 }), (text, n) => {
        const slug = slugify(text)
        assert.match(slug, /^([a-z0-9_-]|%[0-9a-f]{2})*$/)
        assert.equal(slugify(slug), slug)
        for (const one of [slug, withSuffix(slug, `-${n}`)]) {
          assert.ok(Buffer.byteLength(one) <= SLUG_BYTES)
          assert.doesNotThrow(() => decodeURIComponent(one))
        }
      }),
    )
  })

  it('are told from names', () => {
    for (const slug of ['rock-pop', 'c', '日本', '%e6%97%a5']) assert.ok(isSlug(slug), slug)
    for (const name of ['C++', 'Rock', 'rock pop', 'résumé']) assert.ok(!isSlug(name), name)
  })
})

describe('costs', () => {
  const cases: [string, string, string[], string?][] = [
    ['0', 'Free', ['0']],
    ['$0.00', 'Free', ['0.00']],
    ['10', '$10', ['10']],
    ['15 €', '15€', ['15']],
    ['1,000', '$1,000', ['1000']],
    ['1,234,567.89', '$1,234,567.89', ['1234567.89']],
    ['1 000 €', '1 000€', ['1000']],
    ["CHF 1'200", "CHF 1'200", ['1200'], 'CHF'],
    ['$.50', '$.50', ['0.50']],
    ['10,5', '$10,5', ['10.5']],
    ['0.500', '$0.500', ['0.500']],
    ['5 - 5', '$5', ['5', '5']],
    ['Free - $20', 'Free – $20', ['0', '20']],
    ['20 or 10', '$10 – $20', ['20', '10']],
    ['EUR 15', 'EUR 15', ['15'], 'EUR'],
    ['10 - 20 EUR', '10 EUR – 20 EUR', ['10', '20'], 'EUR'],
    ['Price in EUR: 10', 'Price in EUR: 10', ['10'], 'EUR'],
    ['$20 at the door', '$20 at the door', ['20']],
    ['Donation', 'Donation', []],
    ['', '', []],
  ]
  for (const [text, shown, values, code = ''] of cases) {
    it(`read ${JSON.stringify(text)}`, () => {
      const cost = readCost(text, '$')
      assert.deepEqual([cost.text, cost.values, cost.code], [shown, values, code])
    })
  }

  it('never fail, and hold only decimal numbers', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...'0123456789.,-– $€£EURUSDfreto\'"'), maxLength: 30 }),
        (text) => {
          for (const value of readCost(text, '$').values) assert.match(value, /^\d+(\.\d+)?$/)
        },
      ),
    )
  })
})

describe('text', () => {
  it('loses tags, and nothing else', () => {
    assert.equal(plainText('<b>Tom</b> &amp; Jerry'), 'Tom & Jerry')
    for (const text of ['a < b', 'if x<y and z>w', 'Me <me@example.org>', 'Ages <12 & up', '<3 you', 'a<b', '1 <2> 3'])
      assert.equal(plainText(text), text)
    assert.equal(plainText('x<script>alert(1)</script>y'), 'xy')
    assert.equal(withoutTags('&lt;script&gt;x&lt;/script&gt;'), '')
    assert.doesNotMatch(withoutTags('&amp;amp;lt;img src=x onerror=alert(1)&amp;amp;gt;'), /<img/)
  })

  it('becomes paragraphs when it has none', () => {
    assert.equal(richText('One\r\n\r\nTwo\nlines'), '<p>One</p>\n<p>Two<br />\nlines</p>')
    assert.equal(richText('<ul><li>x</li></ul>'), '<ul><li>x</li></ul>')
    assert.equal(richText(richText('a\n\nb')), richText('a\n\nb'))
  })

  it('is safe as HTML, and stays as it is when it is saved again', () => {
    const hostile = fc.array(
      fc.constantFrom(
        '<script>',
        '</script>',
        '<img src=x onerror=alert(1)>',
        '<a href="javascript:x">',
        '<a href=" java\nscript:x">',
        '<svg/onload=x>',
        '<style>',
        '<iframe src=x>',
        '"',
        "'",
        '<',
        '>',
        '&',
        '&lt;',
        'text',
        '\n\n',
        '<p>',
        '</p>',
        '<b',
        '<!--',
        '-->',
        '<p onclick=x>',
        '<math><mi//xlink:href="data:x,y">',
      ),
      { maxLength: 12 },
    )
    fc.assert(
      fc.property(hostile, (parts) => {
        const safe = richText(parts.join(''))
        assert.doesNotMatch(safe, /<(script|style|iframe|svg|math)|<[^>]*\son\w+\s*=|<[^>]*javascript:/i)
        assert.equal(richText(safe), safe)
      }),
    )
  })

  it('is made safe the same way whether it needs it or not', () => {
    const part = fc.oneof(
      fc.constantFrom('<p>', '</p>', '<em>', '</em>', '<b>', '</b>', '<br />', '<br>', '<P>', '<i>a</i>', '<p>b</p>'),
      fc.constantFrom(' ', '\n', '\r\n', '\0', '\u00a0', '"', "'", '&', '&amp;', '<', '>', 'Wörter'),
      fc.string({ unit: CHARACTER, maxLength: 3 }),
    )
    fc.assert(
      fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
        const html = parts.join('')
        // A comment is taken out, and nothing with one in it is what it should be.
        assert.equal(richText(html), richText(`${html}<!---->`))
        assert.equal(sanitize(html), sanitize(`${html}<!---->`))
      }),
      { numRuns: 1000 },
    )
  })

  it('comes back whole from its encoded form', () => {
    fc.assert(fc.property(fc.string({ unit: 'grapheme' }), (text) => assert.equal(plainText(encode(text)), text)))
  })

  it('is searched by its words, in any case', () => {
    assert.equal(words('<p>One<br>two</p><p>three <em>f</em>our</p>'), 'One two three four')
    assert.equal(fold('STRASSE ΟΔΟΣ'), fold('straße οδός'.normalize('NFD').replace(/\u0301/g, '')))
  })
})
