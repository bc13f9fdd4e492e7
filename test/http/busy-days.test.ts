import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createScope } from '../../src/app.ts'
import { listDays } from '../../src/domain/event-days.ts'
import { type Service, startService } from '../support/service.ts'

/** How many events begin on one day: more than a view of it shows. */
const MANY = 215

describe('a day with more events than a page shows', () => {
  let service: Service
  before(async () => {
    service = await startService({ clock: () => Date.UTC(2031, 5, 1, 12) / 1000 })
    const create = (title: string, day: string, more: object = {}) => {
      const json = { title, start_date: `${day} 19:00`, end_date: `${day} 22:00`, ...more }
      return service.expect(201, 'administrator', '/events', { json })
    }
    for (let n = 0; n < MANY; n++) await create(`Busy ${String(n).padStart(3, '0')}`, '2031-06-11')
    await create('Later that month', '2031-06-27')
    await create('Sticky', '2031-06-11', { sticky: true })
  })
  after(() => service.close())

  const get = async (url: string) => (await service.inject({ url })).body
  const titles = (body: string) => [...body.matchAll(/Busy \d{3}(?=<)/g)].map(([title]) => title)

  it('does not hide the days after it, and says how many are left out', async () => {
    const month = await get('/events/month/2031-06/')
    assert.match(month, /Later that month/)
    const more = (body: string) => Number(/\+(\d+) more/.exec(body)?.[1])
    const shown = (body: string) => new Set(titles(body)).size + (body.includes('>Sticky<') ? 1 : 0)
    assert.equal(more(month), MANY + 1 - shown(month))
    const week = await get('/events/week/2031-06-11/')
    assert.equal(more(week), MANY + 1 - shown(week))
  })

  it('is counted with all others, however few events are read', async () => {
    const scope = { ...createScope(service.config, service.db, () => Date.UTC(2031, 5, 1, 12) / 1000), user: null }
    const query = () => ({ start_date: '2031-06-01', end_date: '2031-06-30' })
    for (const most of [1, 2, 500])
      assert.deepEqual(
        (await listDays(scope, query, 1, most)).counts,
        new Map([
          ['2031-06-11', MANY + 1],
          ['2031-06-27', 1],
        ]),
      )
  })

  it('leads from its own page to the rest of its events', async () => {
    const day = await get('/events/day/2031-06-11/')
    const seen = new Set(titles(day))
    assert.ok(seen.size >= 190 && seen.size < MANY, `${seen.size} events`)
    let next = /<p><a class="button" href="([^"]+)">\+\d+ more/.exec(day)?.[1]?.replaceAll('&amp;', '&')
    while (next !== undefined) {
      const list = await get(next)
      for (const title of titles(list)) seen.add(title)
      next = /rel="next" href="([^"]+)"/.exec(list)?.[1]?.replaceAll('&amp;', '&')
    }
    assert.equal(seen.size, MANY)
  })
})
