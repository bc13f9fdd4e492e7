import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { CachedResponse } from '../../src/http/cache/cached-response.ts'
import { withCounts } from '../../src/http/cache/counts.ts'
import { seeded } from '../support/random-site.ts'

const TERMS = [3, 8, 3, 21]
const DEPENDENCIES = { list: null, events: [], terms: TERMS, tag: 'tag' }
const NOW = new Date('2031-06-12T10:00:00Z')

const jsonOf = (counts: readonly number[]) =>
  JSON.stringify({
    title: 'A "count":7 in a text, and "count": 8',
    terms: counts.map((count, n) => ({ id: TERMS[n], name: 'é"count":9', count, parent: 0 })),
    total: 12,
  })

const responseWith = (counts: readonly number[], own: Partial<CachedResponse> = {}): CachedResponse => ({
  body: Buffer.from(jsonOf(counts)),
  tag: 'A'.repeat(17),
  lines: '\r\nlast-modified: Thu, 01 May 2031 00:00:00 GMT\r\nx: y',
  until: 0,
  dependsOn: '',
  route: '',
  variants: {},
  ...own,
})

describe('counts in the bytes of a response', () => {
  it('are those of other counts, whatever their lengths', () => {
    const random = seeded(7)
    for (let n = 0; n < 200; n++) {
      const counts = TERMS.map((_, at) => random(at === 1 ? 12 : 10 ** random(7)))
      const added = new Map(TERMS.filter(() => random(3) > 0).map((term) => [term, random(30)]))
      const expected = counts.map((count, at) => count + (added.get(TERMS[at] as number) ?? 0))
      for (const release of [undefined, () => {}]) {
        const before = responseWith(counts, release && { release })
        const after = withCounts(before, DEPENDENCIES, added, NOW)
        assert.equal(after?.body.toString(), jsonOf(expected))
        assert.equal(after?.lines, '\r\nlast-modified: Thu, 12 Jun 2031 10:00:00 GMT\r\nx: y')
        assert.notEqual(after?.tag, before.tag)
        if (release === undefined) assert.equal(before.body.toString(), jsonOf(counts), 'others may be sending it')
      }
    }
  })

  it('are not changed if they are not those that are expected', () => {
    const added = new Map([[3, 1]])
    const changed = (body: string, by = added) =>
      withCounts(responseWith([], { body: Buffer.from(body) }), DEPENDENCIES, by, NOW)
    assert.equal(changed(jsonOf([1, 2, 3])), null)
    assert.equal(changed(jsonOf([1, 2, 3, 4, 5])), null)
    assert.equal(changed('{"count":1,"count":2,"count":3,"count":null}'), null)
    assert.equal(changed(jsonOf([1, 2, 3, 4]), new Map([[8, -3]])), null)
    assert.notEqual(changed(jsonOf([1, 2, 3, 4]), new Map([[8, -2]])), null)
  })
})
