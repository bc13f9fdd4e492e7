import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { RecentHits } from '../../src/domain/recent-hits.ts'
import type { RenderedStub } from '../../src/storage/event-templates.ts'
import { type Service, startService } from '../support/service.ts'
import { ON_POSTGRES } from '../support/store.ts'

/** Enough for a word to be frequent. */
const EVENTS = 120

describe('the hits of frequent words', () => {
  let service: Service
  /** Queries since the last look. */
  let asked: string[] = []
  before(async () => {
    service = await startService({ onQuery: (sql) => asked.push(sql) })
    const create = (n: number) => {
      // Lists end after two years.
      const day = new Date(Date.now() + (10 + (n % 28)) * 86_400_000).toISOString().slice(0, 10)
      const json = { title: `Jazz concert ${n}`, description: 'by the river', start_date: day, end_date: day }
      return service.expect(201, 'administrator', '/events', { json })
    }
    for (let n = 0; n < EVENTS; n += 20) await Promise.all(Array.from({ length: 20 }, (_, at) => create(n + at)))
    await service.render()
  })
  after(() => service.close())

  const search = async (text: string) =>
    (await service.expect(200, null, '/events', { query: { search: text } })).events
  const titles = async (text: string) => (await search(text)).map(({ title }: { title: string }) => title)

  it('are the same however they were found', async () => {
    const first = await search('jazz')
    assert.equal(first.length, 10)
    for (const text of ['concert', 'river', 'concer', 'rive', 'jazz'])
      for (const page of [1, 2, 1]) {
        const query = { search: text, page: String(page) }
        const { events, total } = await service.expect(200, null, '/events', { query })
        assert.equal(total, EVENTS)
        if (page === 1) assert.deepEqual(events, first)
      }
  })

  it('are read once', { skip: ON_POSTGRES && 'lookups by words need SQLite' }, async () => {
    await search('concert')
    asked = []
    await search('oncer')
    assert.deepEqual(
      asked.filter((sql) => sql.includes('event_templates')),
      [],
    )
  })

  it('show every change at once', async () => {
    const [first, second, third] = await search('oncert')
    await service.expect(200, 'administrator', `/events/${first.id}`, { json: { title: 'A jazz concert, renamed' } })
    assert.equal((await titles('conc'))[0], 'A jazz concert, renamed')
    assert.equal((await titles('once'))[0], 'A jazz concert, renamed')
    await service.expect(200, 'administrator', `/events/${second.id}`, { method: 'DELETE' })
    assert.equal((await titles('ncert'))[1], third.title)
    await service.expect(200, 'administrator', `/events/${third.id}`, { json: { password: 'secret' } })
    assert.match(third.description, /river/)
    for (const text of ['ncer', 'cer']) assert.doesNotMatch((await search(text))[1]?.description, /river/)
    await service.render()
    assert.equal((await titles('cert'))[0], 'A jazz concert, renamed')
  })

  it('are of one version, and bounded', () => {
    const hits = new RecentHits()
    const event = (id: number): RenderedStub => ({
      id,
      revision: 1,
      secret: 0,
      start_local: '2031-06-10 19:00:00',
      form: 1,
      text: 'x'.repeat(10_000),
    })
    hits.put('1', [event(1)])
    assert.equal(hits.get('1', 1)?.id, 1)
    assert.equal(hits.get('2', 1), undefined)
    hits.put('2', [event(2)])
    assert.deepEqual([hits.get('2', 1), hits.get('2', 2)?.id], [undefined, 2])
    for (let id = 3; id <= 2000; id++) hits.put('2', [event(id)])
    const kept = Array.from({ length: 2000 }, (_, id) => hits.get('2', id)).filter(Boolean).length
    assert.ok(kept > 100 && kept <= 420, `${kept} are kept`)
  })
})
