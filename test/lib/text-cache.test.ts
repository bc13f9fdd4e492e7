import assert from 'node:assert/strict'
import { it } from 'node:test'
import { hashOf, TextCache } from '../../src/lib/text-cache.ts'

it('of two texts with the same hash, a cache gives each its own value or none', () => {
  const seen = new Map<number, string>()
  let other: string | undefined
  let one = ''
  for (let n = 0; other === undefined; n++) {
    one = `text ${n}`
    other = seen.get(hashOf(one))
    seen.set(hashOf(one), one)
  }
  const cache = new TextCache<number>(100, () => 1)
  cache.set(one, 1)
  assert.deepEqual([cache.get(one), cache.get(other)], [1, undefined])
  cache.set(other, 2)
  assert.deepEqual([cache.get(one), cache.get(other)], [undefined, 2])
  cache.clear()
  assert.equal(cache.get(other), undefined)
})
