import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { CompiledQuery } from 'kysely'
import { createScope } from '../../src/app.ts'
import { BATCH, openStream, type StreamRequest } from '../../src/domain/event-stream.ts'
import { type Service, startService } from '../support/service.ts'
import { ON_POSTGRES } from '../support/store.ts'

const EVENTS = 230

describe('a stream of events', () => {
  let service: Service
  let asked: { sql: string; parameters: readonly unknown[] }[] = []
  before(async () => {
    service = await startService({ onQuery: (sql, parameters) => asked.push({ sql, parameters }) })
    for (let n = 0; n < EVENTS; n++) {
      // Many begin at once, so that a batch ends among equals.
      const day = `2031-01-${String(1 + (n % 2)).padStart(2, '0')}`
      const json = {
        title: `N ${n}`,
        start_date: day,
        end_date: day,
        tags: [`t${n % 3}`],
        venue: { venue: `V ${n % 9}` },
      }
      await service.expect(201, 'editor', '/events', { json })
    }
  })
  after(() => service.close())

  const read = async (query: Record<string, unknown> = {}, more: Partial<StreamRequest> = {}) => {
    const site = { ...createScope(service.config, service.db).site, timezone: 'UTC' }
    const scope = { db: service.db, clock: () => 1_900_000_000, site, user: null }
    const stream = await openStream(scope, { query: () => query, period: 'all', isPublic: true, ...more })
    const rows = []
    for await (const batch of stream.batches()) rows.push(...batch.map(({ row }) => row))
    return { ...stream, rows }
  }

  it('has every event once, in order, though many begin at once', async () => {
    const { rows, total } = await read()
    assert.equal(total, EVENTS)
    assert.equal(new Set(rows.map(({ id }) => id)).size, EVENTS)
    const keys = rows.map(({ start_local, id }) => `${start_local} ${String(id).padStart(9, '0')}`)
    assert.deepEqual(keys, keys.toSorted())
  })

  it('has the events of a page, as the list has them', async () => {
    const { rows } = await read({ page: '3', per_page: '50' })
    const { events } = await service.expect(200, null, '/events', {
      query: { start_date: '2031-01-01', page: 3, per_page: 50 },
    })
    assert.deepEqual(
      rows.map(({ id }) => id),
      events.map(({ id }: { id: number }) => id),
    )
  })

  it('tells the zones of all events, with their span', async () => {
    assert.deepEqual((await read()).zones, [
      { timezone: 'America/New_York', first: Date.UTC(2031, 0, 1, 5) / 1000, last: Date.UTC(2031, 0, 2, 5) / 1000 },
    ])
  })

  it('asks as often for every batch, and finds its place by an index', {
    skip: ON_POSTGRES && 'reads plans of SQLite',
  }, async () => {
    asked = []
    await read()
    const batches = asked.filter(({ sql }) => sql.includes('"start_local" >='))
    assert.equal(batches.length, Math.floor(EVENTS / BATCH))
    for (const { sql, parameters } of batches) {
      const { rows } = await service.db.read((tx) =>
        tx.executeQuery<{ detail: string }>(CompiledQuery.raw(`explain query plan ${sql}`, [...parameters])),
      )
      const plan = rows.map(({ detail }) => detail).join('; ')
      assert.match(plan, /events_shown \(status=\? AND hide_from_listings=\? AND start_local>/)
      assert.doesNotMatch(plan, /TEMP B-TREE/)
    }
  })
})
