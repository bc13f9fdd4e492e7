import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { clock } from '../support/calendar.ts'
import { type Service, startService } from '../support/service.ts'

const HOUR = 3600
const DAY = 24 * HOUR
const LENGTHS = [HOUR, 6 * DAY, 7 * DAY, 7 * DAY + HOUR, 9 * DAY, 60 * DAY]
const LINKS: Record<string, string>[] = [{}, { categories: 'music' }]
const FIRST = Date.UTC(2031, 3, 1, 10) / 1000

const wall = (seconds: number) => new Date(seconds * 1000).toISOString().slice(0, 19).replace('T', ' ')

describe('events that began before the days of a list', () => {
  let service: Service
  const events: { title: string; start: string; end: string }[] = []

  before(async () => {
    service = await startService({ clock })
    for (let week = 0; week < 12; week++) {
      for (const length of LENGTHS) {
        const start = FIRST + week * 5 * DAY
        const event = { title: `${week} ${length}`, start: wall(start), end: wall(start + length) }
        events.push(event)
        const json = { title: event.title, start_date: event.start, end_date: event.end, categories: ['Music'] }
        await service.expect(201, 'editor', '/events', { json: { ...json, venue: { venue: 'Hall' } } })
      }
    }
  })
  after(() => service.close())

  const titles = async (query: Record<string, string>) => {
    const { events, total } = await service.expect(200, null, '/events', { query: { per_page: '100', ...query } })
    assert.equal(total, events.length)
    return events.map(({ title }: { title: string }) => title).sort()
  }
  const expected = (from: string, to: string) =>
    events
      .filter(({ start, end }) => end > `${from} 23:59:59` && start <= `${to} 23:59:59`)
      .map(({ title }) => title)
      .sort()

  for (const [from, to] of [
    ['2031-04-05', '2031-04-06'],
    ['2031-04-20', '2031-04-30'],
    ['2031-05-08', '2031-05-09'],
    ['2031-06-20', '2031-06-21'],
    ['2031-07-30', '2031-07-31'],
  ] as const) {
    for (const link of LINKS) {
      it(`are in a list after ${from} and before ${to}, by ${JSON.stringify(link)}`, async () => {
        const found = await titles({ ends_after: from, starts_before: to, ...link })
        assert.deepEqual(found, expected(from, to))
      })
    }
  }

  it('are left out by a bound on the days of their start', async () => {
    for (const [n, start] of ['2031-09-10 23:59:59', '2031-09-11 00:00:00', '2031-09-12 00:00:00'].entries()) {
      const json = { title: `Bound ${n}`, start_date: start, end_date: '2031-09-12 10:00:00', categories: ['Music'] }
      await service.expect(201, 'editor', '/events', { json })
    }
    for (const link of LINKS) {
      assert.deepEqual(await titles({ ...link, starts_after: '2031-09-10' }), ['Bound 1', 'Bound 2'])
      assert.deepEqual(await titles({ ...link, starts_after: '2031-09-09', starts_before: '2031-09-11' }), [
        'Bound 0',
        'Bound 1',
      ])
    }
    const page = (await service.inject({ url: '/events/?start_date=2031-09-11&category=music' })).body
    assert.deepEqual(
      new Set(page.match(/Bound \d/g)),
      new Set((await service.inject({ url: '/events/?start_date=2031-09-11' })).body.match(/Bound \d/g)),
    )
  })
})
