import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openDatabase } from '../../src/storage/database.ts'
import { FaultyNetwork } from '../support/faulty-network.ts'
import { freshStore, ON_POSTGRES } from '../support/store.ts'

describe('a database server that vanishes without a word', { skip: !ON_POSTGRES && 'needs PostgreSQL' }, () => {
  it('keeps one reader waiting for ten seconds, and nobody after', async (t) => {
    const store = await freshStore('')
    const network = new FaultyNetwork(store.where)
    const db = openDatabase(await network.listen())
    t.after(async () => {
      await db.close()
      await network.close()
      await store.drop()
    })
    const read = () => db.read((tx) => tx.selectFrom('terms').selectAll().execute())
    assert.deepEqual(await read(), [])
    network.lose()
    const start = performance.now()
    await assert.rejects(read(), { code: 'rest_unavailable' })
    assert.ok(performance.now() - start < 20_000)
    const again = performance.now()
    assert.deepEqual(await read(), [])
    assert.ok(performance.now() - again < 5000)
  })
})
