import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { clock } from '../support/calendar.ts'
import fc from '../support/property.ts'
import { basic, type Json, type Service, startService } from '../support/service.ts'

/** As many as a page of a list shows. */
const PER_PAGE = 20

interface Made {
  readonly title: string
  readonly start: string
  readonly sticky: boolean
}

describe('sticky events', () => {
  let service: Service
  const made: Made[] = []
  before(async () => {
    service = await startService({ clock, settings: { rateLimit: '0' } })
    // Days with none, few, and more sticky events than a page shows, in an order that is neither that of time nor of ids.
    const days = fc.sample(
      fc.array(fc.record({ minute: fc.integer({ min: 0, max: 1439 }), sticky: fc.boolean() }), {
        minLength: 30,
        maxLength: 55,
      }),
      { numRuns: 4, seed: 7 },
    )
    for (const [n, events] of days.entries()) {
      for (const [at, { minute, sticky }] of events.entries()) {
        const isSticky = n === 0 ? false : n === 1 ? at % 17 === 3 : sticky
        const time = `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`
        await add(`Day ${n} no ${at}`, `2031-07-1${n} ${time}`, isSticky, {
          categories: at % 2 === 0 ? ['Even'] : ['Odd'],
          description: at % 3 === 0 ? 'a third of them' : '',
        })
      }
    }
  })
  after(() => service.close())

  async function add(title: string, start: string, sticky: boolean, more: object = {}): Promise<Json> {
    made.push({ title, start, sticky })
    const json = { title, start_date: start, end_date: `${start.slice(0, 10)} 23:59`, sticky, ...more }
    return service.expect(201, 'editor', '/events', { json })
  }
  const get = async (url: string, role: 'editor' | null = null) =>
    (await service.inject({ url, headers: { accept: 'text/html', ...(role && { authorization: basic(role) }) } })).body
  const titles = (body: string) => [...body.matchAll(/dir="auto">([^<]*)<\/a><\/h[34]>/g)].map(([, title]) => title)
  const numbered = (title: string) => Number(/\d+$/.exec(title)?.[0])
  /** Titles of the events that a test is about, by day, sticky ones first, then by time; equals in the order they were made. */
  const expected = (test: (event: Made) => boolean, sticky = true) =>
    made
      .map((event, at) => ({ ...event, at }))
      .filter(test)
      .sort(
        (one, other) =>
          Number(one.start.slice(0, 10) > other.start.slice(0, 10)) -
            Number(one.start.slice(0, 10) < other.start.slice(0, 10)) ||
          (sticky ? Number(other.sticky) - Number(one.sticky) : 0) ||
          Number(one.start > other.start) - Number(one.start < other.start) ||
          one.at - other.at,
      )
      .map(({ title }) => title)
  const allPages = async (path: string) => {
    const found: (string | undefined)[] = []
    for (let page = 1; ; page++) {
      const on = titles(await get(`${path}${path.includes('?') ? '&' : '?'}page=${page}`))
      found.push(...on)
      if (on.length < PER_PAGE) return found
    }
  }

  it('come first on their day in lists, on whichever page that begins', async () => {
    assert.deepEqual(
      await allPages('/events/?start_date=2031-07-10&end_date=2031-07-13'),
      expected(() => true),
    )
    assert.deepEqual(
      await allPages('/events/?start_date=2031-07-11&end_date=2031-07-11'),
      expected(({ start }) => start.startsWith('2031-07-11')),
    )
  })

  it('come first among those that a reader asked for', async () => {
    const even = ({ title }: Made) => numbered(title) % 2 === 0
    assert.deepEqual(await allPages('/events/category/even/'), expected(even))
  })

  it('have no better place among the hits of a search', async () => {
    assert.deepEqual(
      await allPages('/events/?search=third+of&category=odd'),
      expected(({ title }) => numbered(title) % 3 === 0 && numbered(title) % 2 === 1, false),
    )
  })

  it('keep their place in the REST interface and in feeds', async () => {
    const rest = []
    for (let page = 1; page <= 3; page++) {
      const query = { start_date: '2031-07-10', end_date: '2031-07-13', per_page: 50, page }
      rest.push(...(await service.expect(200, null, '/events', { query })).events.map((event: Json) => event.title))
    }
    assert.deepEqual(rest, expected(() => true, false).slice(0, 150))
    const feed = JSON.parse(await get('/events.json?start_date=2031-07-10&end_date=2031-07-13'))
    assert.deepEqual(
      feed.items.map((item: Json) => item.title),
      expected(() => true, false),
    )
  })

  it('come first on the days of a month, before what lasts', async () => {
    await add('Lasting', '2031-08-11 08:00', false, { end_date: '2031-08-14 20:00' })
    await add('Whole', '2031-08-13 00:00', false, { all_day: true })
    for (let n = 0; n < 5; n++) await add(`Early ${n}`, `2031-08-13 0${n}:30`, false)
    await add('Late and sticky', '2031-08-13 22:00', true)
    await add('Later and sticky', '2031-08-13 23:00', true)
    const body = await get('/events/month/2031-08/')
    const [, day = ''] = /id="day-2031-08-13">(.*?)<\/ul>/s.exec(body) ?? []
    const names = [...day.matchAll(/class="name" dir="auto">([^<]*)</g)].map(([, name]) => name)
    assert.deepEqual(names.slice(0, 3), ['Late and sticky', 'Later and sticky', 'Lasting'])
    assert.equal(names.length, 4)
  })

  it('are in order of time on a page of one day or week', async () => {
    const day = titles(await get('/events/day/2031-08-13/'))
    assert.deepEqual(day.slice(-2), ['Late and sticky', 'Later and sticky'])
    const week = await get('/events/week/2031-08-13/')
    assert.ok(week.indexOf('Early 4') < week.indexOf('Late and sticky'))
  })

  it('that are protected come first only for those who see that they are sticky', async () => {
    await add('Open', '2031-09-01 10:00', false)
    await add('Protected', '2031-09-01 20:00', true, { password: 'x' })
    const path = '/events/?start_date=2031-09-01&end_date=2031-09-01'
    assert.deepEqual(titles(await get(path)), ['Open', 'Protected'])
    assert.deepEqual(titles(await get(path, 'editor')), ['Protected', 'Open'])
    const order = async (role: 'editor' | null) => {
      const body = await get('/events/month/2031-09/', role)
      return body.indexOf('>Open<') < body.indexOf('>Protected<')
    }
    assert.deepEqual([await order(null), await order('editor')], [true, false])
  })

  it('that are drafts are not shown for that', async () => {
    await add('Public', '2031-10-01 10:00', false)
    await add('Draft', '2031-10-01 20:00', true, { status: 'draft' })
    assert.deepEqual(titles(await get('/events/?start_date=2031-10-01&end_date=2031-10-01')), ['Public'])
  })
})
