import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Tx } from '../../src/storage/dialect.ts'
import { askOnce, INDEPENDENT, insertLater, prepared } from '../../src/storage/prepared.ts'
import * as records from '../../src/storage/records.ts'
import { attemptInSavepoint } from '../../src/storage/savepoint.ts'
import { type Service, startService } from '../support/service.ts'
import { ON_POSTGRES } from '../support/store.ts'

describe('rows that wait for the end of their transaction', () => {
  let service: Service
  let template: records.RecordRow
  let tag: number
  const asked: string[] = []
  const json = { title: 'One', start_date: '2031-06-10 19:00', end_date: '2031-06-10 22:00', tags: ['t'] }
  before(async () => {
    service = await startService({ writesTables: true, onQuery: (sql) => asked.push(sql) })
    const { id, tags } = await service.expect(201, 'administrator', '/events', { json })
    tag = tags[0].id
    template = await service.db.read(
      async (tx) => (await records.get(tx, 'event', { id }, 'no reader: write')) as records.RecordRow,
    )
  })
  after(() => service.close())

  const create = (tx: Tx, slug: string) => {
    const { id: _, revision: __, ...columns } = template
    return records.create(tx, 'event', { ...columns, slug })
  }
  const slugs = (tx: Tx, beginning: string) =>
    tx.selectFrom('events').select('slug').where('slug', 'like', `${beginning}%`).orderBy('slug').execute()
  const slugsLater = async (beginning: string) =>
    (await service.db.read((tx) => slugs(tx, beginning))).map(({ slug }) => slug)

  it('are there for later statements of the transaction', async () => {
    await service.db.write(async (tx) => {
      const { id } = await create(tx, 'seen-1')
      await insertLater(tx, 'free_events', [{ event: id }])
      assert.equal((await slugs(tx, 'seen')).length, 1)
      await create(tx, 'seen-2')
      assert.equal((await records.get(tx, 'event', { slug: 'seen-2' }, 'no reader: write'))?.slug, 'seen-2')
      await create(tx, 'seen-3')
      assert.equal(await records.freeSlug(tx, 'event', 'seen-3'), 'seen-3-2')
      const free = tx.selectFrom('free_events').select('event').where('event', '=', id)
      assert.deepEqual(await free.execute(), [{ event: id }])
    })
    assert.deepEqual(await slugsLater('seen'), ['seen-1', 'seen-2', 'seen-3'])
  })

  it('are stored as they were said to be', async () => {
    const { all_day: _, sticky: __, excerpt: ___, ...short } = template
    for (const columns of [template, short]) {
      const { id: ____, revision: _____, sequence: ______, ...row } = columns
      const created = await service.db.write((tx) =>
        records.create(tx, 'event', { ...row, slug: `stored-${Object.keys(row).length}` } as records.RecordRow),
      )
      assert.deepEqual(
        await service.db.read((tx) => records.get(tx, 'event', { id: created.id }, 'no reader: write')),
        created,
      )
    }
  })

  it('of a part that failed are forgotten, and no others', async () => {
    await service.db.write(async (tx) => {
      await create(tx, 'part-1')
      const refused = await attemptInSavepoint(tx, async () => {
        await create(tx, 'part-2')
        throw new Error('refused')
      })
      assert.throws(refused, /refused/)
      await attemptInSavepoint(tx, () => create(tx, 'part-3'))
    })
    const refused = service.db.write(async (tx) => {
      await create(tx, 'part-4')
      throw new Error('refused')
    })
    await assert.rejects(refused, /refused/)
    assert.deepEqual(await slugsLater('part'), ['part-1', 'part-3'])
  })

  it('that cannot be stored fail the transaction, even if nobody minds', async () => {
    const write = service.db.write(async (tx) => {
      await create(tx, 'twice-1').catch(() => {})
      await create(tx, 'twice-2').catch(() => {})
      await create(tx, 'twice-2').catch(() => {})
      await slugs(tx, 'twice').catch(() => {})
      await slugs(tx, 'twice').catch(() => {})
    })
    await assert.rejects(write)
    assert.deepEqual(await slugsLater('twice'), [])
    await service.db.write((tx) => create(tx, 'twice-3'))
    assert.deepEqual(await slugsLater('twice'), ['twice-3'])
  })

  it('and answers are kept until a statement comes that may change them', async () => {
    const all = prepared<{ id: number }, []>((db) => db.selectFrom('webhooks').select('id'), INDEPENDENT)
    await service.db.write(async (tx) => {
      const count = async () => (await askOnce(tx, all)).length
      asked.length = 0
      assert.deepEqual([await count(), await count()], [0, 0])
      assert.equal(asked.length, ON_POSTGRES ? 2 : 1)
      const row = { url: 'u', events: '[]', active: 1, description: '', payload: '', secret: 's', created_utc: 0 }
      const refused = await attemptInSavepoint(tx, async () => {
        await tx
          .insertInto('webhooks')
          .values(row as never)
          .execute()
        assert.equal(await count(), 1)
        throw new Error('refused')
      })
      assert.throws(refused, /refused/)
      assert.equal(await count(), 0)
    })
  })

  it('of writers that share a commit share a statement, and have slugs of their own', async () => {
    asked.length = 0
    const made = await Promise.all(
      Array.from({ length: 8 }, () =>
        service.expect(201, 'administrator', '/events', { json: { ...json, tags: [tag] } }),
      ),
    )
    const wanted = made.map(({ slug }: { slug: string }) => slug).sort()
    assert.equal(new Set(wanted).size, 8)
    assert.deepEqual((await slugsLater('one-')).sort(), wanted)
    const inserts = asked.filter((sql) => sql.startsWith('insert into "events"')).length
    assert.ok(ON_POSTGRES ? inserts === 8 : inserts < 8, `${inserts} statements`)
    for (const { id, tags } of made) {
      assert.deepEqual(
        tags.map(({ slug }: { slug: string }) => slug),
        ['t'],
      )
      const { audit } = await service.expect(200, 'administrator', '/audit', { query: { record: `event:${id}` } })
      assert.equal(audit.length, 1)
    }
  })
})
