import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { packIds, positionsOf } from '../../src/domain/id-list.ts'
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

  it('give the first of some ids, in the order of the list, and count them', () => {
    let told = 0
    for (const max of [60, 3000, 2 ** 50]) {
      const ids = fc.array(fc.integer({ min: 0, max }), { maxLength: 80 })
      const lists = fc.uniqueArray(fc.integer({ min: 1, max }), { minLength: 1, maxLength: 400 })
      fc.assert(
        fc.property(lists, ids, fc.nat(30), fc.integer({ min: 1, max: 50 }), (list, others, some, most) => {
          const positions = positionsOf(list)
          const found = [...others, ...list.toSorted().slice(0, some), 2 ** 32 + (list[0] ?? 0), 2 ** 52]
          const first = positions.firstOf(found, packIds(list), most)
          if (first === null) return
          told++
          const expected = list.filter((id) => found.includes(id))
          assert.deepEqual([...first.ids], expected.slice(0, most))
          assert.equal(first.total, expected.length)
          assert.deepEqual(positions.firstOf([], packIds(list), most), { ids: new Float64Array(0), total: 0 })
        }),
      )
    }
    assert.ok(told > 50, `${told} were told`)
  })
})
