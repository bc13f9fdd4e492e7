import assert from 'node:assert/strict'
import { Writable } from 'node:stream'
import { after, before, describe, it } from 'node:test'
import ICAL from 'ical.js'
import { sql } from 'kysely'
import pino from 'pino'
import sharp from 'sharp'
import { exportEvents } from '../../src/app.ts'
import { EXPORTS } from '../../src/feeds/formats.ts'
import { FEED_EXTENSIONS } from '../support/feeds.ts'
import { type Json, type Service, startService } from '../support/service.ts'
import { ON_POSTGRES } from '../support/store.ts'
import { some } from '../support/thorough.ts'

const BEYOND = 253_402_300_800
/** More than a JavaScript number holds exactly. */
const ENORMOUS = sql<number>`9000000000000000000`

/** What may be wrong with the row of an event, and the field that has to be sent again to repair it. */
const FAULTS: Record<string, { readonly row: object; readonly names?: readonly string[] }> = {
  'a zone that does not exist': { row: { timezone: 'Mars/Base' }, names: ['timezone'] },
  'an empty zone and whole days': { row: { timezone: '', all_day: 1 }, names: ['timezone'] },
  'a day that does not exist': { row: { start_local: '2031-06-31 19:00:00' }, names: ['start_date'] },
  'no time at all': { row: { end_local: 'soon' }, names: ['end_date'] },
  'whole days that do not exist': { row: { start_local: '2031-06-31 00:00:00', all_day: 1 }, names: ['start_date'] },
  'an end before its start': { row: { end_utc: 0, end_local: '1970-01-01 00:00:00' }, names: ['end_date'] },
  'whole days that end before they start': {
    row: { end_utc: 0, end_local: '1970-01-01 00:00:00', all_day: 1 },
    names: ['end_date'],
  },
  'days the wrong way round by its clock alone': {
    row: { end_local: '2031-06-01 00:00:00', all_day: 1 },
    names: ['end_date'],
  },
  'an end beyond 9999 in UTC': {
    row: { end_utc: BEYOND + 60, end_local: '9999-12-31 19:01:00' },
    names: ['end_date'],
  },
  'a start beyond 9999 in UTC': {
    row: { start_utc: BEYOND, start_local: '9999-12-31 19:00:00', end_utc: BEYOND, end_local: '9999-12-31 19:00:00' },
    names: ['start_date', 'end_date'],
  },
  'a year of five digits': {
    row: { start_local: '+010000-01 01T06:00', end_local: '+010000-01 01T06:00' },
    names: ['start_date', 'end_date'],
  },
  'an instant that no date has': { row: { end_utc: 9_000_000_000_000_000 }, names: ['end_date'] },
  'an instant that no number has': { row: { end_utc: ENORMOUS }, names: ['end_date'] },
  'a publication date that no date has': { row: { date_utc: ENORMOUS }, names: ['date_utc'] },
  'a change that no date has': { row: { modified_utc: ENORMOUS } },
  ...(!ON_POSTGRES && {
    'a title that is not text': { row: { title: sql<string>`x'00ff'` }, names: ['title'] },
    'a description that is not text': { row: { description: sql<string>`x'00ff'` }, names: ['description'] },
    'a slug that is not text': { row: { slug: sql<string>`x'00ff'` } },
  }),
}

const LISTS = [
  '/calendar/events/v1/events?start_date=0001-01-01&end_date=9999-12-31',
  '/calendar/events/v1/events?start_date=0001-01-01&end_date=9999-12-31&_fields=title',
  '/calendar/events/v1/events?search=good&start_date=0001-01-01&end_date=9999-12-31',
  '/calendar/events/v1/events?starts_after=0001-01-01&tags=common',
  '/calendar/events/v1/events?geoloc_lat=52.5&geoloc_lng=13.4&starts_after=0001-01-01',
]
const PAGES = some(
  [
    '/',
    '/events/?start_date=0001-01-01',
    '/events/month/2031-06/',
    '/events/map/',
    '/event/good-one/',
    '/venue/hall/',
    '/events/',
    '/events/week/2031-06-10/',
    '/events/day/2031-06-10/',
    '/organizer/guild/',
    '/events/category/music/',
    '/tag/common/',
  ],
  4,
)
const FEEDS = some(['/events', '/venue/hall', '/events/category/music'], 1).flatMap((path) =>
  FEED_EXTENSIONS.map((extension) => `${path}.${extension}?start_date=0001-01-01&end_date=9999-12-31`),
)
const SITEMAPS = ['/sitemap.xml', '/sitemap/events-0.xml', '/sitemap/venues-0.xml', '/sitemap/calendar.xml']

describe('an event whose row is damaged', () => {
  let service: Service
  let lines: Json[] = []
  let good: Json
  let bad: Json
  before(async () => {
    const output = new Writable({
      write(chunk, _, done) {
        lines.push(JSON.parse(String(chunk)))
        done()
      },
    })
    service = await startService({
      writesTables: true,
      clock: () => Date.UTC(2031, 5, 1, 12) / 1000,
      logger: pino({ level: 'warn' }, output),
    })
    const links = {
      venue: { venue: 'Hall', geo_lat: 52.5, geo_lng: 13.4 },
      organizer: { organizer: 'Guild' },
      categories: ['Music'],
      tags: ['common'],
      featured: true,
    }
    const dates = { start_date: '2031-06-10 19:00', end_date: '2031-06-10 22:00' }
    const create = (title: string) =>
      service.expect(201, 'administrator', '/events', { json: { title, ...dates, ...links } })
    good = await create('Good one')
    bad = await create('Spoiled')
    await create('Good two')
  })
  after(() => service.close())

  const get = async (url: string, headers: Record<string, string> = {}) => service.inject({ url, headers })
  const spoil = (row: object) =>
    service.db.write((tx) =>
      tx
        .updateTable('events')
        .set(row as never)
        .where('id', '=', bad.id)
        .execute(),
    )
  const rowOf = (id: number) =>
    service.db.read((tx) => tx.selectFrom('events').selectAll().where('id', '=', id).executeTakeFirstOrThrow())
  const exported = async (format: string) => {
    const { text } = await exportEvents(service.config, service.db, { format, query: {}, all: true })
    let whole = ''
    for await (const piece of text) whole += piece
    return whole
  }
  const as = (role: string) => ({
    authorization: `Basic ${Buffer.from(`${role}:a password for tests`).toString('base64')}`,
  })

  for (const [fault, { row, names }] of Object.entries(FAULTS)) {
    it(`with ${fault} takes nothing else down`, async () => {
      const { revision: _, ...sound } = await rowOf(bad.id)
      await spoil(row)
      lines = []
      for (const url of [...LISTS, ...PAGES, ...FEEDS, ...SITEMAPS]) {
        // Feeds and sitemaps are the same for everybody.
        for (const headers of LISTS.includes(url) || PAGES.includes(url) ? [{}, as('administrator')] : [{}]) {
          const { statusCode, body } = await get(url, headers)
          assert.equal(statusCode, 200, `${url}: ${body}`)
          // The sitemap reads no texts.
          if (!(names?.includes('description') && SITEMAPS.includes(url)))
            assert.doesNotMatch(body, /Spoiled|spoiled|Invalid Date|NaN|\+0?10000/, url)
          if (LISTS.includes(url)) assert.match(body, /Good one.*Good two/s, url)
          if (FEEDS.includes(url)) assert.match(body, /Good one.*Good two/s, url)
          if (url.includes('.ics')) new ICAL.Component(ICAL.parse(body))
          if (url.includes('.json')) JSON.parse(body)
        }
      }
      for (const format of EXPORTS.keys()) {
        const text = await exported(format)
        assert.match(text, /Good one.*Good two/s, format)
        assert.doesNotMatch(text, /Spoiled/, format)
      }
      const told = lines.filter(({ event }) => event === bad.id)
      assert.equal(told.length, 1, JSON.stringify(lines))
      assert.equal(lines.length, 1, JSON.stringify(lines))
      await spoil(sound)
    })

    if (names === undefined) continue
    it(`with ${fault} is told of in words where it is asked for, and can be repaired or removed`, async () => {
      const { revision: _, ...sound } = await rowOf(bad.id)
      await spoil(row)
      for (const url of [`/calendar/events/v1/events/${bad.id}`, '/event/spoiled/', '/event/spoiled.ics']) {
        const { statusCode, body } = await get(url)
        assert.equal(statusCode, 404, `${url}: ${body}`)
        const { code, data } = JSON.parse(body)
        assert.equal(code, 'event-damaged')
        assert.deepEqual(Object.keys(data.params), names)
      }
      const change = (json: object) => service.call('editor', `/events/${bad.id}`, { method: 'PUT', json })
      const refused = await change({ excerpt: 'Another excerpt' })
      assert.equal(refused.statusCode, 400, refused.body)
      assert.deepEqual(Object.keys(refused.json().data.params), names)
      const repair: Json = { ...good, date_utc: good.date_utc, slug: 'spoiled', title: 'Spoiled' }
      const repaired = await change(Object.fromEntries(names.map((name) => [name, repair[name]])))
      assert.equal(repaired.statusCode, 200, repaired.body)
      assert.equal((await get(`/calendar/events/v1/events/${bad.id}`)).statusCode, 200)
      await spoil({ ...sound, ...row })
      const trashed = await service.call('editor', `/events/${bad.id}`, { method: 'DELETE' })
      assert.equal(trashed.statusCode, 200, trashed.body)
      assert.equal(trashed.json().id, bad.id)
      assert.equal(trashed.json().status, 'trash')
      await spoil(sound)
    })
  }

  it('keeps what belongs to it from taking anything down', async () => {
    const raw = await sharp({ create: { width: 400, height: 300, channels: 3, background: 'red' } })
      .png()
      .toBuffer()
    const headers = { 'content-type': 'image/png' }
    const { id: image } = await service.expect(201, 'editor', '/images', { raw, headers })
    const json = { image, tickets: [{ name: 'Early', price: '5' }, { name: 'Late' }], cost: '5' }
    await service.expect(200, 'editor', `/events/${bad.id}`, { method: 'PUT', json })
    const single = async () => (await service.expect(200, null, `/events/${bad.id}`)) as Json
    const checkAll = async () => {
      // What is kept of the event is made anew.
      await spoil({ excerpt: null })
      for (const url of [
        ...LISTS.slice(0, 2),
        ...PAGES.slice(0, 4),
        ...FEEDS.slice(0, 4),
        '/event/spoiled/',
        '/event/spoiled.ics',
      ]) {
        const { statusCode, body } = await get(url)
        assert.equal(statusCode, 200, `${url}: ${body}`)
        if (LISTS.includes(url)) assert.match(body, /Good one|Spoiled/, url)
        if (FEEDS.includes(url)) assert.match(body, /Spoiled/, url)
      }
      for (const format of EXPORTS.keys()) assert.match(await exported(format), /Spoiled/)
    }
    for (const sizes of ['{"thumbnail":', '', 'null', '7', '[]', '{"thumbnail":null}', '{"thumbnail":{"file":7}}']) {
      await service.db.write((tx) => tx.updateTable('images').set({ sizes }).where('id', '=', image).execute())
      await checkAll()
      assert.deepEqual((await single()).image.sizes, {}, sizes)
      assert.equal((await service.call('editor', `/images/${image}`)).statusCode, 200)
      assert.equal((await service.call('editor', '/images')).statusCode, 200)
    }
    await service.db.write((tx) =>
      tx.updateTable('tickets').set({ available_from: ENORMOUS }).where('name', '=', 'Early').execute(),
    )
    await checkAll()
    assert.deepEqual(
      (await single()).tickets.map((ticket: Json) => ticket.name),
      ['Late'],
    )
    for (const cost of [
      '9'.repeat(400),
      `${'9'.repeat(400)} to ${'8'.repeat(500)}`,
      '5 '.repeat(100_000),
      '.'.repeat(100_000),
    ]) {
      await spoil({ cost })
      await checkAll()
      const shown = JSON.stringify(await single())
      assert.ok(shown.length < 10_000, String(shown.length))
      assert.doesNotMatch(shown, /Price":null/)
    }
    await spoil({ cost: null })
    await service.db.write((tx) => tx.updateTable('venues').set({ date_utc: ENORMOUS }).execute())
    for (const url of [
      ...LISTS.slice(0, -1),
      '/',
      '/events/',
      '/events/map/',
      '/events.ics',
      '/events.rss',
      '/sitemap/venues-0.xml',
      '/calendar/events/v1/venues',
    ]) {
      const { statusCode, body } = await get(url)
      assert.equal(statusCode, 200, `${url}: ${body}`)
      if (LISTS.includes(url)) assert.match(body, /Good one.*Good two/s, url)
    }
    assert.ok(
      lines.some(({ venue }) => venue !== undefined),
      JSON.stringify(lines),
    )
  })
})
