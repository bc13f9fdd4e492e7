import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createScope } from '../../src/app.ts'
import { type EventDays, listDays } from '../../src/domain/event-days.ts'
import { type Service, startService } from '../support/service.ts'

/** How many events begin on one day: more than a view of it shows. */
const MANY = 215

/** Number of events that start on each day, whether they are listed or not. */
function countsOf({ events, hidden }: EventDays): Map<string, number> {
  const counts = new Map(hidden)
  for (const { row } of events) {
    const day = row.start_local.slice(0, 10)
    counts.set(day, (counts.get(day) ?? 0) + 1)
  }
  return counts
}

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
        countsOf(await listDays(scope, query, { perDay: 1, most, pictured: false })),
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

describe('the days of a category', () => {
  let service: Service
  const days = (query: object, perDay: number, most = 500) => {
    const scope = { ...createScope(service.config, service.db, () => Date.UTC(2031, 5, 1, 12) / 1000), user: null }
    return listDays(scope, () => ({ ...query }), { perDay, most, pictured: false })
  }
  before(async () => {
    service = await startService({ clock: () => Date.UTC(2031, 5, 1, 12) / 1000 })
    const { id: parent } = await service.expect(201, 'administrator', '/categories', { json: { name: 'All' } })
    const below = await service.expect(201, 'administrator', '/categories', { json: { name: 'Some', parent } })
    const hall = await service.expect(201, 'administrator', '/venues', { json: { venue: 'Hall' } })
    const room = await service.expect(201, 'administrator', '/venues', { json: { venue: 'Room' } })
    const create = (title: string, start: string, end: string, more: object = {}) =>
      service.expect(201, 'administrator', '/events', {
        json: { title, start_date: start, end_date: end, categories: [parent], venue: [{ id: hall.id }], ...more },
      })
    for (let n = 0; n < 12; n++)
      await create(`Day ${n}`, `2031-06-11 ${10 + n}:00`, '2031-06-11 23:00', { sticky: n % 4 === 3 })
    await create('Both', '2031-06-12 10:00', '2031-06-12 11:00', { categories: [parent, below.id] })
    await create('Below', '2031-06-13 10:00', '2031-06-13 11:00', { categories: [below.id] })
    await create('Two places', '2031-06-13 12:00', '2031-06-13 13:00', { venue: [{ id: room.id }, { id: hall.id }] })
    await create('Long before', '2031-03-01 10:00', '2031-06-20 11:00')
    await create('Just before', '2031-06-08 10:00', '2031-06-10 11:00')
    await create('Over before', '2031-06-01 10:00', '2031-06-08 11:00')
    await create('After', '2031-06-21 10:00', '2031-06-22 11:00')
    await create('Draft', '2031-06-14 10:00', '2031-06-14 11:00', { status: 'draft' })
    await create('Hidden', '2031-06-14 10:00', '2031-06-14 11:00', { hide_from_listings: true })
    await create('Protected', '2031-06-14 10:00', '2031-06-14 11:00', { password: 'sesame' })
  })
  after(() => service.close())

  it('are those of all events, if all have it', async () => {
    const range = { ends_after: '2031-06-08', starts_before: '2031-06-20' }
    const titles = ({ events }: Awaited<ReturnType<typeof listDays>>) =>
      events.map(({ row, venues }) => [row.title, ...venues.map((one) => one.row.venue)])
    for (const [perDay, most] of [
      [2, 500],
      [4, 500],
      [20, 500],
      [8, 3],
    ] as const) {
      const all = await days(range, perDay, most)
      const own = await days({ ...range, categories: ['all'] }, perDay, most)
      // Of a protected event nobody is told its category.
      const open = { ...all, events: all.events.filter(({ row }) => row.title !== 'Protected') }
      assert.deepEqual(titles(own), titles(open))
      assert.deepEqual(countsOf(own), new Map([...countsOf(all)].filter(([day]) => day !== '2031-06-14')))
    }
    const shown = titles(await days({ ...range, categories: ['all'] }, 4))
    assert.deepEqual(
      shown.map(([title]) => title),
      ['Long before', 'Just before', 'Day 0', 'Day 3', 'Day 7', 'Day 11', 'Both', 'Below', 'Two places'],
    )
    assert.deepEqual(shown.at(-1), ['Two places', 'Room', 'Hall'])
  })

  it('show venues by their present names, and none that is not public', async () => {
    const month = async () => (await service.inject({ url: '/events/month/2031-06/?category=all' })).body
    const [hall] = (await service.expect(200, null, '/venues', { query: { search: 'Hall' } })).venues
    assert.match(await month(), /data-where="Hall"/)
    await service.expect(200, 'administrator', `/venues/${hall.id}`, { json: { venue: 'Great Hall' } })
    assert.match(await month(), /data-where="Great Hall"/)
    // Another month, of places that are known.
    const next = await service.inject({ url: '/events/week/2031-06-11/?category=all' })
    assert.match(next.body, /Great Hall/)
    await service.expect(200, 'administrator', `/venues/${hall.id}`, { json: { status: 'draft' } })
    const hidden = await month()
    assert.doesNotMatch(hidden, /Hall"/)
    assert.match(hidden, /Day 11/)
    await service.expect(200, 'administrator', `/venues/${hall.id}`, { json: { venue: 'Hall', status: 'publish' } })
    assert.match(await month(), /data-where="Hall"/)
  })
})
