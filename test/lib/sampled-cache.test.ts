import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { SampledCache } from '../../src/lib/sampled-cache.ts'

const filled = (maxSize: number, count: number, size = 1) => {
  const cache = new SampledCache<number, string>(maxSize)
  for (let n = 0; n < count; n++) cache.set(n, `value ${n}`, size)
  return cache
}
const kept = (cache: SampledCache<number, string>, count: number) =>
  Array.from({ length: count }, (_, n) => n).filter((n) => cache.get(n) !== undefined)

describe('a cache that evicts at random', () => {
  it('has everything that there is room for', () => {
    assert.equal(kept(filled(100, 100), 100).length, 100)
    assert.equal(filled(100, 100).get(42), 'value 42')
  })

  it('has no more than there is room for', () => {
    assert.equal(kept(filled(100, 1000), 1000).length, 100)
    assert.equal(kept(filled(100, 1000, 30), 1000).length, 3)
  })

  it('still has most of what is read in turn, though not all of it has room', () => {
    const cache = filled(90, 100)
    let hits = 0
    for (let n = 0; n < 1000; n++) {
      if (cache.get(n % 100) !== undefined) hits++
      else cache.set(n % 100, `value ${n % 100}`, 1)
    }
    assert.ok(hits > 600, `${hits} of 1000`)
  })

  it('replaces, forgets and clears', () => {
    const cache = filled(10, 10)
    cache.set(3, 'other', 1)
    assert.equal(cache.get(3), 'other')
    assert.equal(kept(cache, 10).length, 10)
    cache.delete(3)
    cache.delete(3)
    assert.deepEqual(kept(cache, 10), [0, 1, 2, 4, 5, 6, 7, 8, 9])
    cache.clear()
    assert.deepEqual(kept(cache, 10), [])
  })

  it('keeps nothing that is larger than itself, and loses nothing for it', () => {
    const cache = filled(10, 10)
    cache.set(11, 'large', 11)
    assert.equal(cache.get(11), undefined)
    assert.equal(kept(cache, 10).length, 10)
  })
})
