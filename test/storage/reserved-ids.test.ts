import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { dialectOf, type Tx } from '../../src/storage/dialect.ts'
import { reserveId, reserveIds } from '../../src/storage/records.ts'
import { attemptInSavepoint } from '../../src/storage/savepoint.ts'
import { type Service, startService } from '../support/service.ts'
import { ON_POSTGRES } from '../support/store.ts'

describe('ids of new records', () => {
  let service: Service
  before(async () => {
    service = await startService({ writesTables: true })
  })
  after(() => service.close())

  const draw = async (tx: Tx, count: number) => {
    const ids: number[] = []
    for (let n = 0; n < count; n++) ids.push(await reserveId(tx))
    return ids
  }
  const last = () => service.db.write((tx) => dialectOf(tx).lastId(tx, 'records'))
  const followers = (id: number, count: number) => Array.from({ length: count }, (_, n) => id + 1 + n)

  it('follow each other, whoever shares a commit', async () => {
    const before = await last()
    const drawn = await Promise.all([1, 7, 2, 13].map((count) => service.db.write((tx) => draw(tx, count))))
    assert.deepEqual(
      drawn.flat().sort((a, b) => a - b),
      followers(before, 23),
    )
    assert.equal(await last(), before + 23)
  })

  it('follow those that were drawn together, and the last one is known', async () => {
    const before = await last()
    const drawn = await service.db.write(async (tx) => {
      const some = await draw(tx, 4)
      assert.equal(await dialectOf(tx).lastId(tx, 'records'), before + 4)
      return [...some, ...(await reserveIds(tx, 3)), ...(await draw(tx, 2))]
    })
    assert.deepEqual(drawn, followers(before, 9))
    assert.equal(await last(), before + 9)
  })

  it('are unique beside a part of a transaction that fails', async () => {
    const before = await last()
    const drawn = await service.db.write(async (tx) => {
      const some = await draw(tx, 3)
      await attemptInSavepoint(tx, async () => {
        await draw(tx, 6)
        throw new Error('refused')
      })
      return [...some, ...(await draw(tx, 3))]
    })
    assert.equal(new Set(drawn).size, 6)
    assert.equal(await last(), drawn.at(-1))
    // PostgreSQL does not give ids back.
    if (!ON_POSTGRES) assert.deepEqual(drawn, followers(before, 6))
  })
})
