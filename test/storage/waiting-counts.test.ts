import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import type { Tx } from '../../src/storage/dialect.ts'
import { countTerms } from '../../src/storage/events.ts'
import { attemptInSavepoint } from '../../src/storage/savepoint.ts'
import { WaitingCounts } from '../../src/storage/sqlite/waiting-counts.ts'
import type { TermTable } from '../../src/storage/tables.ts'
import * as terms from '../../src/storage/terms.ts'
import { type Service, startService } from '../support/service.ts'
import { ON_POSTGRES } from '../support/store.ts'

describe('counts of terms that wait for the end of their transaction', () => {
  let service: Service
  let ids: number[] = []
  let number = 0
  const asked: string[] = []
  before(async () => {
    service = await startService({ writesTables: true, onQuery: (sql) => asked.push(sql) })
  })
  beforeEach(async () => {
    ids = []
    for (const name of ['one', 'other']) {
      const { id } = await service.expect(201, 'administrator', '/tags', { json: { name: `${name} ${++number}` } })
      ids.push(id)
    }
  })
  after(() => service.close())

  const find = async (tx: Tx, of: readonly number[] = ids) => {
    for (const id of of) await terms.get(tx, 'tag', id, 'no reader: write')
  }
  const count = async (tx: Tx) => {
    await find(tx)
    return (await countTerms(tx, ids, 1)).map((term) => term.count)
  }
  const counts = async () =>
    (await service.db.read((tx) => terms.getSome(tx, ids, 'no reader: write'))).map((term) => term.count)
  const create = (tags: readonly number[]) => {
    const json = { title: 'T', start_date: '2031-06-10', end_date: '2031-06-11', tags }
    return service.expect(201, 'administrator', '/events', { json })
  }

  it('are in the answer to each create, and are stored by few statements', async () => {
    await create(ids)
    asked.length = 0
    const made = await Promise.all(Array.from({ length: 8 }, () => create(ids)))
    const told = made.map(({ tags }) => tags.map((tag: { count: number }) => tag.count).join())
    assert.deepEqual(
      told.sort(),
      [2, 3, 4, 5, 6, 7, 8, 9].map((n) => `${n},${n}`),
    )
    assert.deepEqual(await counts(), [9, 9])
    const updates = asked.filter((sql) => /^update "?terms/.test(sql)).length
    assert.ok(ON_POSTGRES ? updates === 8 : updates < 8, `${updates} statements`)
  })

  it('are told to later questions of the transaction, however they are asked', async () => {
    const [id = 0] = ids
    await service.db.write(async (tx) => {
      assert.deepEqual(await count(tx), [1, 1])
      assert.deepEqual(await count(tx), [2, 2])
      const term = await terms.get(tx, 'tag', id, 'no reader: write')
      assert.equal(term?.count, 2)
      assert.equal(await terms.get(tx, 'category', id, 'no reader: write'), undefined)
      assert.equal((await terms.findBySlug(tx, 'tag', term?.slug ?? '', 'no reader: write'))?.count, 2)
      assert.equal((await terms.find(tx, 'tag', null, term?.name_key ?? '', 'no reader: write'))?.count, 2)
      assert.deepEqual(
        (await terms.getSome(tx, ids, 'no reader: write')).map((one) => one.count),
        [2, 2],
      )
      assert.deepEqual(await count(tx), [3, 3])
      assert.deepEqual(
        (await countTerms(tx, ids, -1)).map((one) => one.count),
        [2, 2],
      )
      assert.equal((await terms.get(tx, 'tag', id, 'no reader: write'))?.count, 2)
    })
    assert.deepEqual(await counts(), [2, 2])
  })

  it('of a part that failed are forgotten, and no others', async () => {
    await service.db.write(async (tx) => {
      await count(tx)
      const refused = await attemptInSavepoint(tx, async () => {
        await count(tx)
        throw new Error('refused')
      })
      assert.throws(refused, /refused/)
      assert.deepEqual(await count(tx), [2, 2])
      await attemptInSavepoint(tx, () => count(tx))
    })
    assert.deepEqual(await counts(), [3, 3])
  })

  it('of writers that share a commit are right, if one of them is refused, too', async () => {
    const write = (n: number) =>
      service.db.write(async (tx) => {
        const [found] = await count(tx)
        if (n === 3) throw new Error('refused')
        return found
      })
    const outcomes = await Promise.allSettled([0, 1, 2, 3, 4, 5].map(write))
    const found = outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : 'refused'))
    assert.equal(found[3], 'refused')
    assert.deepEqual(found.filter((one) => one !== 'refused').sort(), [1, 2, 3, 4, 5])
    assert.deepEqual(await counts(), [5, 5])
  })

  it('make a term public at once', async () => {
    const [id = 0] = ids
    await service.db.write(async (tx) => {
      await terms.update(tx, id, { published: 0 })
      const everybody = { all: false, own: null, ownPublished: false }
      const slug = (await terms.get(tx, 'tag', id, 'no reader: write'))?.slug ?? ''
      assert.equal(await terms.findBySlug(tx, 'tag', slug, everybody), undefined)
      await count(tx)
      assert.equal((await terms.findBySlug(tx, 'tag', slug, everybody))?.published, 1)
    })
    assert.deepEqual(await counts(), [1, 1])
  })

  it('are not counted for terms that have changed since they were found', async () => {
    const [id = 0, removed = 0] = ids
    await service.db.write(async (tx) => {
      await find(tx)
      await terms.update(tx, id, { name: 'Renamed' })
      const gone = await terms.get(tx, 'tag', removed, 'no reader: write')
      if (gone !== undefined) await terms.remove(tx, gone, 0)
      assert.equal(await terms.get(tx, 'tag', removed, 'no reader: write'), undefined)
      assert.deepEqual(
        (await countTerms(tx, ids, 1)).map(({ name }) => name),
        ['Renamed'],
      )
    })
    assert.deepEqual(await counts(), [1])
  })

  it('are known of few terms, and of none with a long description', () => {
    const known = new WaitingCounts()
    const term = (id: number, description = '') => ({ id, description, count: 1, published: 1 }) as TermTable
    known.current(term(5000, 'x'.repeat(2000)))
    assert.equal(known.count([5000]), null)
    for (let id = 1; id <= 1500; id++) known.current(term(id))
    const [first, ...more] = Array.from({ length: 1500 }, (_, n) => n + 1).filter((id) => known.get(id) !== undefined)
    assert.ok(more.length < 1000, `${more.length} are known`)
    // What is to be added stays.
    assert.deepEqual(
      known.count([first ?? 0])?.map(({ count }) => count),
      [2],
    )
    for (let id = 2001; id <= 3500; id++) known.current(term(id))
    assert.equal(known.get(first ?? 0)?.count, 2)
    assert.deepEqual(
      known.take().map(({ parameters }) => parameters),
      [[JSON.stringify({ [first ?? 0]: 1 })]],
    )
    assert.equal(known.get(first ?? 0)?.count, 2)
  })
})
