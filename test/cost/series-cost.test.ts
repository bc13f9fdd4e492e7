import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { LONGEST_HOLD, longestHold } from '../support/holds.ts'
import { type Json, type Service, startService } from '../support/service.ts'

const EVENT = {
  title: 'Rhyme time',
  description: 'Songs and rhymes for children and their parents. '.repeat(20),
  start_date: '2031-06-10 08:00',
  end_date: '2031-06-10 09:00',
  timezone: 'Europe/Paris',
  categories: ['Children'],
  tags: ['songs', 'library'],
  venue: { venue: 'Library' },
}

describe('a series', () => {
  let folder: string
  let service: Service
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'kalends-series-'))
    service = await startService({ folder, settings: { rateLimit: '0' } })
    const { id } = await create('FREQ=DAILY;COUNT=20')
    await change(id, { title: 'Warm' })
  })
  after(async () => {
    await service.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const create = (recurrence: string): Promise<Json> =>
    service.expect(201, 'editor', '/events', { json: { ...EVENT, recurrence } })
  const change = (id: number, json: Json): Promise<Json> =>
    service.expect(200, 'editor', `/events/${id}`, { method: 'PATCH', json, query: { scope: 'all' } })
  const remove = (id: number, force: boolean): Promise<Json> =>
    service.expect(200, 'editor', `/events/${id}`, { method: 'DELETE', query: { scope: 'all', force } })
  const back = { start_date: EVENT.start_date, end_date: EVENT.end_date }
  const moved = { start_date: '2031-06-10 09:00', end_date: '2031-06-10 10:00' }

  it('of five thousand events keeps nobody waiting', async () => {
    let id = 0
    // Work that took too long is done again, so each time is another change.
    let time = 0
    const hours = (from: number) => Array.from({ length: 6 }, (_, n) => from + 2 * n).join(',')
    const works: Record<string, () => Promise<unknown>> = {
      create: async () => {
        id = (await create(`FREQ=DAILY;BYHOUR=${hours(8)};COUNT=5000`)).id
      },
      'change the title': () => change(id, { title: `Songs ${time++}` }),
      'change the tags': () => change(id, { tags: [`rhymes ${time++}`] }),
      move: () => change(id, time++ % 2 === 0 ? back : moved),
      'trash and restore': async () => {
        await remove(id, false)
        await change(id, { status: 'publish' })
      },
      'create and remove': async () => {
        await remove((await create(`FREQ=DAILY;BYHOUR=${hours(8)};COUNT=5000`)).id, true)
      },
    }
    for (const [name, work] of Object.entries(works)) {
      const hold = await longestHold(work)
      assert.ok(hold <= LONGEST_HOLD, `${name} kept others waiting for ${hold} ms`)
    }
  })

  it('of two years of weeks needs few statements', async () => {
    const counted: string[] = []
    const watched = await startService({ settings: { rateLimit: '0' }, onQuery: (sql) => counted.push(sql) })
    try {
      const call = async (path: string, options: Json): Promise<Json> => {
        counted.length = 0
        const response = await watched.call('editor', path, options)
        assert.ok(response.statusCode < 300, response.body)
        return response.json()
      }
      const { id } = await call('/events', { json: { ...EVENT, recurrence: 'FREQ=WEEKLY' } })
      assert.ok(counted.length < 400, `create: ${counted.length} statements`)
      await call(`/events/${id}`, { method: 'PATCH', json: moved, query: { scope: 'all' } })
      assert.ok(counted.length < 100, `move: ${counted.length} statements`)
      await call(`/events/${id}`, { method: 'PATCH', json: { title: 'Songs' }, query: { scope: 'all' } })
      assert.ok(counted.length < 400, `title: ${counted.length} statements`)
    } finally {
      await watched.close()
    }
  })
})
