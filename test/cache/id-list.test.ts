import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { positionsOf } from '../../src/domain/id-list.ts'
import fc from '../support/property.ts'

describe('positions of ids', () => {
  it('are marked for those that are in the list, dense or not, in any order', () => {
    for (const max of [60, 100_000, 2 ** 50]) {
      const ids = fc.array(fc.integer({ min: 1, max }), { maxLength: 80 })
      fc.assert(
        fc.property(fc.uniqueArray(fc.integer({ min: 1, max }), { maxLength: 80 }), ids, ids, (list, others, more) => {
          const found = [...others, ...list.slice(0, 20), ...more]
          for (const asked of [found, found.toSorted((a, b) => a - b)]) {
            const bits = new Int32Array(3)
            const count = positionsOf(list).mark(asked, bits)
            const marked = list.filter((_, at) => ((bits[at >>> 5] ?? 0) >>> (at & 31)) & 1)
            assert.deepEqual(
              marked,
              list.filter((id) => found.includes(id)),
            )
            assert.equal(count, marked.length)
          }
        }),
      )
    }
  })
})
