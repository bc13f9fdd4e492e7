import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { plainLines } from '../../src/lib/plain-lines.ts'
import { threadTime } from '../support/cost.ts'

const CASES: [html: string, text: string][] = [
  ['', ''],
  ['Just text', 'Just text'],
  ['<p>One</p>\n<p>Two<br />\nthree</p>', 'One\n\nTwo\nthree'],
  ['<p>With:</p><ul><li>Piano</li> <li>Bass</li></ul><p>End</p>', 'With:\n- Piano\n- Bass\n\nEnd'],
  ['<a href="https://example.org/a?b=1&amp;c=2">Tickets</a>', 'Tickets (https://example.org/a?b=1&c=2)'],
  ['<a href="https://example.org/">https://example.org/</a>', 'https://example.org/'],
  ['Fish &amp; chips &lt;b&gt;', 'Fish & chips <b>'],
  ['<table><tr><td>a</td></tr><tr><td>b</td></tr></table>', 'a\n\nb'],
]

describe('plain lines', () => {
  for (const [html, text] of CASES) it(`of ${JSON.stringify(html)}`, () => assert.equal(plainLines(html), text))

  it('take no longer than their text is long', () => {
    const started = threadTime()
    for (const part of [
      '<a href="',
      '<a ',
      '<',
      '<li>',
      '</p>',
      '<br />',
      ' \n ',
      '<a href="x">',
      '<a href="x">y</a>',
      '&amp;',
    ])
      plainLines(part.repeat(20_000))
    assert.ok(threadTime() - started < 3000, `${threadTime() - started} ms`)
  })
})
