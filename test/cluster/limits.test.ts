import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Limits } from '../../src/domain/limits.ts'
import { openDatabase } from '../../src/storage/database.ts'
import { freshStore } from '../support/store.ts'

describe('limits', () => {
  it('hold for all nodes of a database together', async (t) => {
    const store = await freshStore(':memory:')
    const db = openDatabase(store.where)
    await db.migrate()
    t.after(async () => {
      await db.close()
      await store.drop()
    })
    const nodes = [new Limits(db), new Limits(db), new Limits(db)]
    // A minute may end in the middle; then everything starts again, once.
    const counted = async () => {
      for (const node of nodes) for (let n = 0; n < 10; n++) node.hit('one')
      for (let round = 0; round < 2; round++) {
        for (const node of nodes) {
          node.hit('other')
          await node.exchange()
        }
      }
      return nodes.map((node) => node.hit('one').count)
    }
    const first = await counted()
    const [, , third] = first
    assert.ok(third === 31 || (await counted())[2] !== undefined, String(first))
    assert.ok(first.every((count) => count >= 11))
    assert.equal(new Limits(null).hit('one').count, 1)
  })
})
