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
    // What nodes count is of one minute: if one ends meanwhile, it is counted again in the next.
    const minute = () => Math.floor(Date.now() / 60_000)
    const counted = async (): Promise<number[]> => {
      const before = minute()
      const key = `one ${Math.random()}`
      const nodes = [new Limits(db), new Limits(db), new Limits(db)]
      for (const node of nodes) for (let n = 0; n < 10; n++) node.hit(key)
      for (const node of nodes) await node.exchange()
      const counts = nodes.map((node) => node.hit(key).count)
      return minute() === before ? counts : counted()
    }
    // Each knows of those that told before it.
    assert.deepEqual(await counted(), [11, 21, 31])
    assert.equal(new Limits(null).hit('one').count, 1)
  })
})
