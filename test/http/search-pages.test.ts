import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Clock } from '../../src/lib/clock.ts'
import { decode } from '../../src/lib/html.ts'
import { type Json, type Service, startService } from '../support/service.ts'

/** Wednesday, 11 June 2031, at 10:00 in New York. */
const clock: Clock = () => Date.UTC(2031, 5, 11, 14) / 1000

describe('pages of a search', () => {
  let service: Service
  before(async () => {
    service = await startService({ clock, settings: { rateLimit: '0', userRateLimit: '0' } })
  })
  after(() => service.close())

  const create = async (title: string, json: object = {}): Promise<Json> =>
    service.expect(201, 'editor', '/events', {
      json: { title, start_date: '2031-06-20 19:00', end_date: '2031-06-20 21:00', ...json },
    })
  const page = async (url: string): Promise<string> => {
    const answer = await service.inject({ url, headers: { accept: 'text/html' } })
    assert.equal(answer.statusCode, 200, answer.body.slice(0, 300))
    return decode(answer.body)
  }
  const titles = (body: string): string[] =>
    [...body.matchAll(/<h[34]><a href="[^"]*\/event\/[^>]*>([^<]*)</g)].map(([, title = '']) => title)
  const status = (body: string): string =>
    (/role="status">(.*?)<\/div>/s.exec(body)?.[1] ?? '').replace(/<[^>]*>/g, '').trim()

  it('list the hits by rank, not by month, with their number', async () => {
    await create('Later', { start_date: '2031-09-01', end_date: '2031-09-01', description: 'A quiet orchard walk' })
    await create('Orchard walk', { start_date: '2031-10-01', end_date: '2031-10-01' })
    await create('Still on', { start_date: '2031-06-01', end_date: '2031-12-01', description: 'Walk in the orchard' })
    await create('Over', { start_date: '2031-06-01', end_date: '2031-06-02', description: 'Walk in the orchard' })
    const body = await page('/events/?search=walk%20Orch%C3%A4rd')
    assert.deepEqual(titles(body), ['Orchard walk', 'Still on', 'Later'])
    assert.equal(status(body), '3 events found')
    assert.doesNotMatch(body, /month-name/)
    assert.match(body, /events\.ics\?search=walk\+Orch%C3%A4rd&search_mode=words/)
    assert.equal(status(await page('/events/?search=orchard+later')), '1 event found')
    assert.equal(status(await page('/fr/events/?search=orchard')), '3 événements trouvés')
  })

  it('search by words in all views, and on the pages of categories and venues', async () => {
    const { venue, categories } = await create('Fête de la musique', {
      venue: { venue: 'Théâtre', geo_lat: 48.85, geo_lng: 2.35 },
      categories: ['Outdoors'],
    })
    for (const path of [
      '/events/',
      '/events/month/2031-06/',
      '/events/week/2031-06-20/',
      '/events/day/2031-06-20/',
      '/events/map/',
      `/venue/${venue.slug}/`,
      `/events/category/${categories[0].slug}/`,
    ]) {
      assert.match(await page(`${path}?search=musique+fete+theatre`), /\/event\/fete-de-la-musique\//, path)
      assert.doesNotMatch(await page(`${path}?search=musique+opera`), /href="[^"]*\/event\/fete-de-la-musique\//, path)
    }
  })

  it('show the hits of the nearest words, if nothing is found', async () => {
    await create('Photography Workshop')
    await create('Photography tour')
    await create('Ünïque Café')
    for (const [wrong, right, count] of [
      ['photograhpy', 'photography', 2],
      ['photogaphy', 'photography', 2],
      ['pphotography', 'photography', 2],
      ['photographi', 'photography', 2],
      ['fotography', 'photography', 2],
      ['workshp photography', 'workshop photography', 1],
      ['wrokshop fotography', 'workshop photography', 1],
      ['cafw', 'café', 1],
      ['theatrre', 'théâtre', 1],
    ] as const) {
      const body = await page(`/events/?search=${encodeURIComponent(wrong)}`)
      assert.match(status(body), new RegExp(`Did you mean ${right}\\?\\s*${count} events? found$`), wrong)
      const address = new URLSearchParams({ search: right }).toString()
      assert.match(body, new RegExp(`<a href="/events/\\?${RegExp.escape(address)}"`), wrong)
      assert.equal(titles(body).length, count, wrong)
    }
    for (const wrong of ['zzzzzzzz', 'qx', 'photography theatre', '???', '東京']) {
      const body = await page(`/events/?search=${encodeURIComponent(wrong)}`)
      assert.equal(status(body), '0 events found', wrong)
      assert.doesNotMatch(body, />\s*0\s*</, 'nothing but the sentence says 0')
    }
  })

  it('suggest nothing from what the reader may not find', async () => {
    await create('Closed', { description: 'Xylophone', password: 'x' })
    await create('Draft about Zeppelins', { status: 'draft' })
    await create('Past Kaleidoscope', { start_date: '2031-01-01', end_date: '2031-01-02' })
    const { venue } = await create('At a hidden place', { venue: { venue: 'Quasar' } })
    await service.expect(200, 'administrator', `/venues/${venue.id}`, { method: 'PUT', json: { status: 'draft' } })
    for (const wrong of ['xylophon e', 'xylophne', 'zeppelinss', 'kaleidoskope', 'quasr'])
      assert.equal(status(await page(`/events/?search=${wrong}`)), '0 events found', wrong)
  })

  it('have quick choices that can be shared and combined', async () => {
    await create('Free tonight', { start_date: '2031-06-11 20:00', end_date: '2031-06-11 21:00', cost: 'Free' })
    await create('Paid tonight', { start_date: '2031-06-11 20:00', end_date: '2031-06-11 21:00', cost: '9' })
    await create('Weekend', { start_date: '2031-06-14 20:00', end_date: '2031-06-14 21:00', tags: ['Kids'] })
    const row = (body: string): [string, string, boolean][] =>
      [...(/<nav class="choices".*?<\/nav>/s.exec(body)?.[0].matchAll(/<a href="([^"]*)"([^>]*)>([^<]*)/g) ?? [])].map(
        ([, href = '', rest = '', words = '']) => [words, href, rest.includes('aria-current')],
      )
    const list = row(await page('/events/?search=tonight'))
    assert.deepEqual(
      list.map(([words]) => words),
      ['Tonight', 'This weekend', 'Free', 'For families', 'Each series once'],
    )
    assert.ok(list.every(([, href]) => href.includes('search=tonight')))
    const start = row(await page('/'))
    for (const name of ['Tonight', 'This weekend', 'Free', 'For families'])
      assert.ok(start.some(([words, , isOn]) => words === name && !isOn))
    const at = (name: string) => start.find(([words]) => words === name)?.[1] ?? ''
    assert.deepEqual(titles(await page(at('Tonight'))), ['Free tonight', 'Paid tonight'])
    assert.deepEqual(titles(await page(at('This weekend'))), ['Weekend'])
    assert.deepEqual(titles(await page(at('For families'))), ['Weekend'])
    const tonight = await page(at('Tonight'))
    assert.deepEqual(
      row(tonight)
        .filter(([, , isOn]) => isOn)
        .map(([words]) => words),
      ['Tonight'],
    )
    assert.equal(status(tonight), '2 events found')
    assert.match(tonight, /events\.ics\?when=tonight/)
    const both = row(tonight).find(([words]) => words === 'Free')?.[1] ?? ''
    const free = await page(both)
    assert.deepEqual(titles(free), ['Free tonight'])
    assert.match(free, /<h1>Tonight · Free<\/h1>/)
    // Searching keeps what is chosen.
    assert.match(free, /<input type="hidden" name="when" value="tonight">/)
    assert.equal(
      (await service.inject({ url: '/events/?when=never', headers: { accept: 'text/html' } })).statusCode,
      400,
    )
  })

  it('sort by distance from a point of the address, and say how far it is', async () => {
    const at = (lat: number, lng: number) => ({ venue: { venue: `At ${lat}`, geo_lat: lat, geo_lng: lng } })
    await create('Far', at(52.5, 13.4))
    await create('Next door', at(40.71, -74.0))
    await create('Across', at(40.8, -74.2))
    const body = await page('/events/?geoloc_lat=40.712&geoloc_lng=-74.006')
    assert.deepEqual(titles(body).slice(0, 3), ['Next door', 'Across', 'Fête de la musique'])
    assert.match(body, /class="distance">0\.3 mi</)
    assert.match(body, /class="distance">12 mi</)
    assert.match(await page('/de/events/?geoloc_lat=40.712&geoloc_lng=-74.006'), /class="distance">19 km</)
    assert.match(body, /events\.ics\?geoloc_lat=40\.712&geoloc_lng=-74\.006/)
    assert.match(body, /aria-current="true">Near me/)
    for (const bad of ['geoloc_lat=91&geoloc_lng=0', 'geoloc_lat=1', 'geoloc_lat=x&geoloc_lng=1'])
      assert.equal((await service.inject({ url: `/events/?${bad}`, headers: { accept: 'text/html' } })).statusCode, 400)
    const answer = await service.inject({ url: '/', headers: { accept: 'text/html' } })
    assert.match(String(answer.headers['permissions-policy']), /geolocation=\(self\)/)
  })
})
