import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { sql } from 'kysely'
import { dialectOf } from '../../src/storage/dialect.ts'
import { type Json, type Service, startService } from '../support/service.ts'
import { ON_POSTGRES } from '../support/store.ts'

/** Beyond what 32 bits hold, and near the last integer that JavaScript holds exactly. */
const LARGE = 2 ** 32 + 7
const LARGEST = 2 ** 53 - 100_000

/** So many that a search for what all of them contain is answered from the list that it is a part of. */
const COUNT = 600

describe('ids and revisions beyond 32 bits', () => {
  let service: Service
  let asked: string[] = []
  /** Every third id follows the one before, the others lie far apart. */
  const ids = Array.from({ length: COUNT }, (_, n) => (n % 3 === 0 ? LARGE + n : LARGEST - 1000 * n))
  before(async () => {
    service = await startService({ writesTables: true, onQuery: (query) => asked.push(query) })
    const json = { title: 'Lantern', start_date: '2031-01-01 10:00', end_date: '2031-01-01 11:00' }
    const { id: first } = await service.expect(201, 'editor', '/events', { json })
    await service.db.write(async (tx) => {
      const row = await tx.selectFrom('events').selectAll().where('id', '=', first).executeTakeFirstOrThrow()
      await tx.deleteFrom('events').where('id', '=', first).execute()
      if (ON_POSTGRES) await sql`alter table events disable trigger events_revised`.execute(tx)
      for (const [n, id] of ids.entries()) {
        const revision = n % 2 === 0 ? LARGE + n : LARGEST + n
        const start_local = `2031-01-01 10:${String(n % 60).padStart(2, '0')}:00`
        const own = { id, revision, slug: `lantern-${n}`, start_local }
        await tx
          .insertInto('events')
          .values({ ...row, ...own } as never)
          .execute()
      }
      if (ON_POSTGRES) await sql`alter table events enable trigger events_revised`.execute(tx)
    })
  })
  after(() => service.close())

  const list = async (query: Record<string, unknown>) => {
    asked = []
    const { events, total } = await service.expect(200, null, '/events', { query })
    const reads = asked.filter((text) => /^(select|with)/.test(text) && !/data_version|"settings"/.test(text))
    return { ids: events.map(({ id }: Json) => id) as number[], total: total as number, reads }
  }
  const start = '2031-01-01'
  /** By the minute of their start, then by id. */
  const inOrder = ids
    .map((id, n) => ({ id, minute: n % 60 }))
    .sort((one, other) => one.minute - other.minute || one.id - other.id)
    .map(({ id }) => id)

  it('are served from a list that is remembered, and rendered once', async () => {
    await service.render()
    await list({ start_date: start, per_page: 50 })
    await list({ start_date: start, per_page: 40 })
    const { ids: shown, reads } = await list({ start_date: start, per_page: 20 })
    assert.deepEqual(shown, inOrder.slice(0, 20))
    assert.equal(reads.length, 1)
    assert.match(reads[0] ?? '', /from "event_templates"/)
  })

  it('are found by a search, in order, on every page', async () => {
    const found: number[] = []
    for (let page = 1; page <= COUNT / 50; page++) {
      const { ids: shown, total } = await list({ start_date: start, search: 'lantern', per_page: 50, page })
      assert.equal(total, COUNT)
      found.push(...shown)
    }
    assert.deepEqual(found, inOrder)
  })

  it('are shown, changed and told in a tag', async () => {
    const id = ids[1]
    const read = await service.call(null, `/events/${id}`)
    assert.equal(read.json().id, id)
    const changed = await service.call('editor', `/events/${id}`, { method: 'PATCH', json: { title: 'Lantern light' } })
    assert.equal(changed.statusCode, 200)
    assert.notEqual(changed.headers.etag, read.headers.etag)
    const { ids: shown } = await list({ start_date: start, search: 'lantern light' })
    assert.deepEqual(shown, [id])
  })

  it('do not stop the feeds, which add them up', async () => {
    for (const path of ['/events.ics', '/events.rss', '/events.json']) {
      const response = await service.inject({ url: path })
      assert.equal(response.statusCode, 200, path)
    }
  })

  it('go on from where they are', async () => {
    await service.db.write((tx) => dialectOf(tx).setLastId(tx, 'records', LARGEST))
    const json = { title: 'Next', start_date: '2031-02-01 10:00', end_date: '2031-02-01 11:00' }
    assert.equal((await service.expect(201, 'editor', '/events', { json })).id, LARGEST + 1)
  })
})
