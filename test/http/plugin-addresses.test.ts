import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Service, startService } from '../support/service.ts'

describe('addresses of the WordPress calendar plugin', () => {
  let service: Service
  let base: string

  before(async () => {
    service = await startService({
      clock: () => Date.UTC(2031, 5, 11, 12) / 1000,
      settings: { languages: 'en,fr' },
    })
    base = await service.listen()
    const add = (title: string, day: string, more: object = {}) =>
      service.expect(201, 'administrator', '/events', {
        json: { title, start_date: `${day} 19:00`, end_date: `${day} 22:00`, ...more },
      })
    await service.expect(201, 'administrator', '/categories', { json: { name: 'Music' } })
    const [music] = (await service.expect(200, null, '/categories', { query: { hide_empty: false } })).categories
    await service.expect(201, 'administrator', '/categories', { json: { name: 'Photo', parent: music.id } })
    await add('Jazz', '2031-06-11', {
      categories: ['Music'],
      tags: ['late'],
      venue: { venue: 'Harbour Hall' },
      organizer: { organizer: 'The Club' },
      featured: true,
    })
    await add('Pictures', '2031-06-12', { categories: ['Photo'] })
    await add('Summer', '2031-07-01')
    await add('Long ago', '2031-05-02')
  })
  after(() => service.close())

  const read = (path: string, method = 'GET') => fetch(`${base}${path}`, { method, redirect: 'manual' })
  const titlesIn = (calendar: string) => [...calendar.matchAll(/^SUMMARY:(.*?)\r?$/gm)].map(([, title]) => title)
  const leadsTo = async (path: string) => {
    const response = await read(path)
    assert.ok([301, 302].includes(response.status), `${path} answered ${response.status}`)
    const location = response.headers.get('location') ?? ''
    const [target] = location.split('#')
    assert.equal((await read(String(target))).status, 200, `${path} leads to ${location}`)
    return location
  }

  it('answer the calendar of a page with ical=1, as the file of that page has it', async () => {
    const files = {
      '/events/': '/events.ics',
      '/events': '/events.ics',
      '/': '/events.ics',
      '/events/list/': '/events.ics',
      '/events/photo/': '/events.ics',
      '/events/map/': '/events.ics',
      '/event/jazz/': '/event/jazz.ics',
      '/event/jazz/2031-06-11/': '/event/jazz.ics',
      '/venue/harbour-hall/': '/venue/harbour-hall.ics',
      '/organizer/the-club/': '/organizer/the-club.ics',
      '/tag/late/': '/tag/late.ics',
      '/events/tag/late/': '/tag/late.ics',
      '/events/category/music/': '/events/category/music.ics',
      '/events/category/music/photo/': '/events/category/music/photo.ics',
      '/events/category/music/list/': '/events/category/music.ics',
      '/fr/events/': '/fr/events.ics',
      '/fr/event/jazz/': '/fr/event/jazz.ics',
    }
    for (const [page, file] of Object.entries(files)) {
      const expected = await (await read(file)).text()
      assert.match(expected, /^BEGIN:VCALENDAR\r\n/)
      for (const query of ['ical=1', 'outlook-ical=1', 'ical=true', 'ical', 'utm_source=x&ical=1', 'ical=1&page=2']) {
        for (const time of ['first', 'cached']) {
          const response = await read(`${page}?${query}`)
          assert.equal(response.status, 200, `${page}?${query}`)
          assert.match(String(response.headers.get('content-type')), /^text\/calendar/, `${page}?${query}`)
          assert.equal(await response.text(), expected, `${page}?${query} ${time}`)
        }
      }
      assert.match(String((await read(`${page}?ical=1`, 'HEAD')).headers.get('content-type')), /^text\/calendar/)
    }
  })

  it('answer the calendar of the query form', async () => {
    const titles = async (query: string) => titlesIn(await (await read(`/?${query}`)).text()).sort()
    assert.deepEqual(await titles('post_type=tribe_events&ical=1'), ['Jazz', 'Long ago', 'Pictures', 'Summer'])
    assert.deepEqual(await titles('post_type=tribe_events&ical=1&eventDisplay=list'), await titles('ical=1'))
    assert.deepEqual(await titles('tribe_events=jazz&ical=1'), ['Jazz'])
    assert.deepEqual(await titles('tribe_events_cat=photo&ical=1'), ['Pictures'])
  })

  it('keep the days and filters of the page in its calendar', async () => {
    const titles = async (path: string) => {
      const response = await read(path)
      assert.equal(response.status, 200, path)
      return titlesIn(await response.text()).sort()
    }
    assert.deepEqual(await titles('/events/month/2031-07/?ical=1'), ['Summer'])
    assert.deepEqual(await titles('/events/2031-07/?ical=1'), ['Summer'])
    assert.deepEqual(await titles('/events/month/?ical=1'), ['Jazz', 'Pictures'])
    assert.deepEqual(await titles('/events/week/2031-06-30/?ical=1'), ['Summer'])
    assert.deepEqual(await titles('/events/today/?ical=1'), ['Jazz'])
    assert.deepEqual(await titles('/events/2031-06-12/?ical=1'), ['Pictures'])
    assert.deepEqual(await titles('/events/list/?tribe-bar-date=2031-06-12&ical=1'), ['Pictures', 'Summer'])
    assert.deepEqual(await titles('/events/list/?tribe-bar-search=jazz&ical=1'), ['Jazz'])
    assert.deepEqual(await titles('/events/?category=photo&ical=1'), ['Pictures'])
    assert.deepEqual(await titles('/events/?venue=harbour-hall&ical=1'), ['Jazz'])
    assert.deepEqual(await titles('/events/featured/?ical=1'), ['Jazz'])
    assert.deepEqual(await titles('/events/category/music/featured/?ical=1'), ['Jazz'])
    assert.deepEqual(await titles('/events/category/music/photo/featured/?ical=1'), [])
    assert.deepEqual(await titles('/events/category/music/?ical=1'), ['Jazz', 'Pictures'])
    assert.deepEqual(await titles('/events/tag/late/featured/?ical=1'), ['Jazz'])
    assert.deepEqual(await titles('/events/category/music/ical/?ical=1'), ['Jazz', 'Pictures'])
  })

  it('have the events that the page shows, also those that began before and are still on', async () => {
    const json = { title: 'Exhibition', start_date: '2031-05-20 10:00', end_date: '2031-08-20 18:00', tags: ['late'] }
    const { id } = await service.expect(201, 'administrator', '/events', { json: { ...json, categories: ['Music'] } })
    const titles = async (path: string) => titlesIn(await (await read(path)).text()).sort()
    const DATED = ['/events/month/2031-07/', '/events/2031-07/', '/events/week/2031-07-01/', '/events/2031-07-01/']
    for (const path of [...DATED, '/events/day/2031-07-01/'])
      assert.deepEqual(await titles(`${path}?ical=1`), ['Exhibition', 'Summer'], path)
    assert.deepEqual(await titles('/events/?eventDisplay=day&eventDate=2031-07-01&ical=1'), ['Exhibition', 'Summer'])
    assert.deepEqual(await titles('/events/today/?ical=1'), ['Exhibition', 'Jazz'])
    assert.deepEqual(await titles('/events/?tribe-bar-date=2031-07-02&ical=1'), ['Exhibition'])
    assert.deepEqual(await titles('/events/?start_date=2031-07-01&end_date=2031-07-01&ical=1'), [
      'Exhibition',
      'Summer',
    ])
    assert.deepEqual(await titles('/events/category/music/month/2031-07/?ical=1'), ['Exhibition'])
    assert.deepEqual(await titles('/events/tag/late/2031-07/?ical=1'), ['Exhibition'])
    assert.deepEqual(await titles('/tag/late/page/2/?ical=1'), ['Exhibition', 'Jazz'])
    for (const path of ['/events/past/?', '/events/list/?eventDisplay=past&', '/events/?tribe_event_display=past&'])
      assert.deepEqual(await titles(`${path}ical=1`), ['Long ago'], path)
    assert.deepEqual(await titles(`/?post_type=tribe_events&p=${id}&ical=1`), ['Exhibition'])
    assert.deepEqual(await titles('/?post_type=tribe_events&name=jazz&ical=1'), ['Jazz'])
    await service.expect(200, 'administrator', `/events/${id}`, { method: 'DELETE', query: { force: true } })
  })

  it('leave feeds as they are', async () => {
    for (const file of ['/events.ics', '/event/jazz.ics', '/tag/late.ics', '/events/category/music.ics', '/events.rss'])
      for (const query of ['ical=1', 'tribe-bar-search=x', 'eventDisplay=month'])
        assert.equal(await (await read(`${file}?${query}`)).text(), await (await read(file)).text(), file)
  })

  it('are pages without ical, with ical=0, and for a POST', async () => {
    for (const path of ['/events/?ical=0', '/event/jazz/?ical=false', '/?post_type=post', '/?ical=0'])
      assert.match(String((await read(path)).headers.get('content-type')), /^text\/html/, path)
    assert.match(String((await read('/event/jazz/?ical=1', 'POST')).headers.get('content-type')), /^text\/html/)
  })

  it('do not reach records that are not there, or the REST interface', async () => {
    for (const path of [
      '/event/none/',
      '/tag/none/',
      '/events/category/none/',
      '/events/nonsense/',
      '/events/2031-99/',
    ])
      assert.ok([400, 404].includes((await read(`${path}?ical=1`)).status), path)
    const list = await read('/calendar/events/v1/events?ical=1')
    assert.match(String(list.headers.get('content-type')), /^application\/json/)
  })

  it('lead to the nearest view', async () => {
    const views = {
      '/events/list/': '/events/',
      '/events/photo/': '/events/',
      '/events/summary/': '/events/',
      '/events/upcoming/': '/events/',
      '/events/today/': '/events/day/',
      '/events/2031-06/': '/events/month/2031-06/',
      '/events/2031-06-11/': '/events/day/2031-06-11/',
      '/events/list/?tribe-bar-date=2031-06-12&tribe-bar-search=pict': '/events/?start_date=2031-06-12&search=pict',
      '/events/featured/': '/events/?featured=1',
      '/events/tag/late/': '/tag/late/',
      '/events/tag/late/month/': '/events/month/?tag=late',
      '/events/category/music/list/': '/events/category/music/',
      '/events/category/music/month/': '/events/month/?category=music',
      '/events/category/music/month/2031-06/': '/events/month/2031-06/?category=music',
      '/events/category/music/photo/list/': '/events/category/music/photo/',
      '/events/category/music/featured/': '/events/category/music/?featured=1',
      '/events/category/music/list/featured/': '/events/category/music/?featured=1',
      '/events/category/music/featured/month/2031-06/': '/events/month/2031-06/?category=music&featured=1',
      '/events/category/music/photo/featured/': '/events/category/music/photo/?featured=1',
      '/events/category/music/list/2031-06-12/': '/events/category/music/?start_date=2031-06-12',
      '/events/category/music/ical/': '/events/category/music.ics',
      '/events/category/music/photo/ical/': '/events/category/music/photo.ics',
      '/events/category/music/feed/': '/events/category/music.rss',
      '/events/category/music/feed/atom/': '/events/category/music.atom',
      '/events/category/music/feed/rss2/': '/events/category/music.rss',
      '/events/tag/late/ical/': '/tag/late.ics',
      '/events/tag/late/feed/': '/tag/late.rss',
      '/events/tag/late/featured/': '/events/?tag=late&featured=1',
      '/events/2031-06/featured/': '/events/month/2031-06/?featured=1',
      '/events/month/featured/': '/events/month/?featured=1',
      '/events/month/featured/?search=jazz': '/events/month/?search=jazz&featured=1',
      '/events/week/featured/': '/events/week/?featured=1',
      '/events/day/featured/': '/events/day/?featured=1',
      '/events/map/featured/': '/events/map/?featured=1',
      '/events/month/2031-06/featured/': '/events/month/2031-06/?featured=1',
      '/fr/events/month/featured/': '/fr/events/month/?featured=1',
      '/events/featured/ical/': '/events.ics?featured=true',
      '/events/feed/atom/': '/events.atom',
      '/venue/harbour-hall/feed/atom/': '/venue/harbour-hall.atom',
      '/fr/events/category/music/ical/': '/fr/events/category/music.ics',
      '/events/list/page/1/': '/events/?page=1',
      '/event/jazz/2031-06-11/': '/event/jazz/',
      '/?post_type=tribe_events': '/events/',
      '/events/feed/': '/events.rss',
      '/events/ical/': '/events.ics',
      '/event/jazz/ical/': '/event/jazz.ics',
      '/event/jazz/all/': '/event/jazz/',
      '/venue/harbour-hall/page/1/': '/venue/harbour-hall/?page=1',
      '/tag/late/feed/': '/tag/late.rss',
      '/organizer/the-club/list/': '/organizer/the-club/',
      '/fr/events/list/': '/fr/events/',
    }
    for (const [path, target] of Object.entries(views)) {
      assert.equal(await leadsTo(path), target, path)
    }
    assert.equal(await leadsTo('/events/list/?eventDisplay=past'), '/events/?end_date=2031-06-10&start_date=2030-06-11')
  })

  it('show our page with its days and filters where the address is the same', async () => {
    const same = {
      '/?tribe_venue=harbour-hall': '/venue/harbour-hall/',
      '/?post_type=tribe_events&eventDisplay=month&eventDate=2031-07': '/events/month/2031-07/',
      '/events/month/?tribe-bar-date=2031-07-04': '/events/month/2031-07/',
      '/events/day/?tribe-bar-date=2031-06-12': '/events/day/2031-06-12/',
      '/events/?tribe-bar-search=jazz': '/events/?search=jazz',
      '/events/category/music/?tribe-bar-date=2031-06-12': '/events/category/music/?start_date=2031-06-12',
    }
    for (const [path, own] of Object.entries(same))
      assert.equal(await (await read(path)).text(), await (await read(own)).text(), path)
    assert.equal(await leadsTo('/events/?tribe_event_display=past'), await leadsTo('/events/past/'))
  })

  it('show a category whose name is that of a view', async () => {
    assert.equal((await read('/events/category/music/photo/')).status, 200)
  })

  it('answer 404 for what is no view', async () => {
    for (const path of [
      '/events/nonsense/',
      '/events/list/x/',
      '/events/list/page/x/',
      '/event/jazz/x/',
      '/events/tag/',
      '/events/2031-13/',
      '/events/category/none/list/',
      '/events/category/none/ical/',
      '/events/category/none/featured/',
      '/events/category/music/nonsense/',
      '/events/category/music/feed/nonsense/',
    ])
      assert.equal((await read(path)).status, 404, path)
    const { status } = await read('/tag/late,other/')
    assert.equal(status, 404)
  })
})
