import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { dialectOf, type Tx } from '../../src/storage/dialect.ts'
import * as records from '../../src/storage/records.ts'
import { attemptInSavepoint, inSavepoint } from '../../src/storage/savepoint.ts'
import { SHARED_VISIBILITIES } from '../../src/storage/visibility.ts'
import { findHaving } from '../../src/storage/word-hits.ts'
import { eventWords, indexEvent, wordsBeginning } from '../../src/storage/word-search.ts'
import { type Service, startService } from '../support/service.ts'

describe('words of events that wait for the end of their transaction', () => {
  let service: Service
  let id: number
  before(async () => {
    service = await startService({ writesTables: true })
    const json = { title: 'One', start_date: '2031-06-10 19:00', end_date: '2031-06-10 22:00' }
    ;({ id } = await service.expect(201, 'administrator', '/events', { json }))
  })
  after(() => service.close())

  const rename = async (tx: Tx, title: string) => {
    await indexEvent(tx, { id, title_search: title, search: title, excerpt: null }, false)
  }
  const found = async (tx: Tx, word: string) => (await findHaving(tx, [word], SHARED_VISIBILITIES.public)).ids
  const foundLater = (word: string) => service.db.read((tx) => found(tx, word))

  it('are found in the transaction, and after it', async () => {
    await service.db.write(async (tx) => {
      await rename(tx, 'harvest')
      assert.deepEqual(await found(tx, 'harvest'), [id])
      await rename(tx, 'orchard')
    })
    assert.deepEqual(await foundLater('orchard'), [id])
    assert.deepEqual(await foundLater('harvest'), [])
  })

  it('are forgotten with the part of the transaction that failed, and no others', async () => {
    await service.db.write(async (tx) => {
      await rename(tx, 'meadow')
      const refused = await attemptInSavepoint(tx, async () => {
        await rename(tx, 'thunder')
        throw new Error('refused')
      })
      assert.throws(refused, /refused/)
    })
    assert.deepEqual([await foundLater('meadow'), await foundLater('thunder')], [[id], []])
    await service.db.write((tx) => inSavepoint(tx, () => rename(tx, 'lantern')))
    assert.deepEqual([await foundLater('lantern'), await foundLater('meadow')], [[id], []])
    await assert.rejects(
      service.db.write(async (tx) => {
        await rename(tx, 'thunder')
        throw new Error('refused')
      }),
      /refused/,
    )
    assert.deepEqual([await foundLater('lantern'), await foundLater('thunder')], [[id], []])
  })

  it('may be suggested after it, unless they were in a part that failed', async () => {
    const stored = (word: string) =>
      service.db.read(async (tx) => (await wordsBeginning(tx, [word], 10)).filter((one) => one === word))
    await service.db.write(async (tx) => {
      await rename(tx, 'windmill')
      await attemptInSavepoint(tx, async () => {
        await rename(tx, 'avalanche')
        throw new Error('refused')
      })
      await rename(tx, 'windmill quarry')
    })
    assert.deepEqual(
      [await stored('windmill'), await stored('quarry'), await stored('avalanche')],
      [['windmill'], ['quarry'], []],
    )
  })

  it('of many events are stored', async () => {
    const others = await service.db.writeMany(async (tx) => {
      const row = await records.get(tx, 'event', { id }, 'no reader: write')
      const ids = await records.reserveIds(tx, 1100)
      for (const other of ids) {
        const { revision: _, ...columns } = { ...row, id: other, slug: `many-${other}` } as records.RecordRow
        await records.create(tx, 'event', columns, other)
        await indexEvent(tx, { id: other, search: 'plenty', title_search: 'plenty', excerpt: null }, true)
      }
      return ids
    })
    assert.equal((await foundLater('plenty')).length, others.length)
  })

  it('are gone with an event that is removed in the same transaction', async () => {
    await service.db.write(async (tx) => {
      await rename(tx, 'goodbye')
      await records.remove(tx, 'event', id)
    })
    assert.deepEqual(await foundLater('goodbye'), [])
    const gone = eventWords({ id, title_search: 'goodbye', search: 'goodbye', excerpt: null })
    await service.db.read(async (tx) =>
      assert.deepEqual(await dialectOf(tx).texts.findDiffering(tx, [gone]), [id], 'nothing is left in the index'),
    )
  })
})
