import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import ICAL from 'ical.js'
import { SaxesParser } from 'saxes'
import sharp from 'sharp'
import { useFeeds } from '../support/feeds.ts'
import { type Json, startService } from '../support/service.ts'
import { some } from '../support/thorough.ts'

const NOW = Date.UTC(2031, 5, 1, 12) / 1000
const HOME = 'http://calendar.example.org:8080'

const site = useFeeds()
const { create, event, get, feed } = site

/** The events of a calendar as another program reads them. */
function read(text: string): ICAL.Event[] {
  for (const line of text.split('\r\n')) assert.ok(Buffer.byteLength(line) <= 75, line)
  assert.ok(!/[^\r]\n|\r[^\n]/.test(text), 'every line ends with CRLF')
  const parsed = new ICAL.Component(ICAL.parse(text))
  for (const zone of parsed.getAllSubcomponents('vtimezone')) ICAL.TimezoneService.register(zone)
  return parsed.getAllSubcomponents('vevent').map((part) => new ICAL.Event(part))
}
const titles = async (url: string) => read(await feed(url)).map(({ summary }) => summary)

/** The texts of the elements of a well-formed document. */
function readXml(text: string): { names: string[]; texts: Record<string, string[]> } {
  const names: string[] = []
  const texts: Record<string, string[]> = {}
  const path: string[] = []
  const parser = new SaxesParser({ xmlns: true })
  parser.on('error', (error) => assert.fail(error))
  parser.on('opentag', ({ name }) => {
    path.push(name)
    names.push(name)
  })
  parser.on('text', (value) => {
    const key = path.slice(-2).join('/')
    texts[key] = [...(texts[key] ?? []), value]
  })
  parser.on('closetag', () => path.pop())
  parser.write(text).close()
  return { names, texts }
}

const HOSTILE = [
  'Line one\nline two\r\nline three',
  'semi;colon, comma\\ backslash: "quotes" ^caret^n',
  'emoji 🎷👩‍👩‍👧‍👦 at every fold 🎷🎷🎷🎷🎷🎷🎷🎷🎷🎷🎷🎷🎷🎷🎷🎷🎷🎷🎷🎷🎷🎷🎷🎷🎷🎷🎷🎷',
  'حفلة موسيقية في الهواء الطلق مع الأصدقاء والعائلة طوال المساء',
  'BEGIN:VEVENT\nSUMMARY:smuggled\nEND:VEVENT',
  '\u2028\u2029\u0085 \u0007\u000b\u001b[31m\uffff ]]> </title> &amp; &#0; %0d%0a',
]

describe('feeds', () => {
  it('show published events of the past and the future, as many as there are, in order', async () => {
    const place = await create({ venue: 'Grand Hall' }, '/venues')
    for (let day = 1; day <= 35; day++) {
      const date = `2030-${day % 2 === 0 ? '03' : '01'}-${String(Math.ceil(day / 2)).padStart(2, '0')}`
      await event(`Event ${day}`, { start_date: `${date} 10:00`, end_date: `${date} 11:00`, venue: place.id })
    }
    const found = read(await feed('/venue/grand-hall.ics'))
    assert.equal(found.length, 35)
    const starts = found.map(({ startDate }) => startDate.toUnixTime())
    assert.deepEqual(
      starts,
      starts.toSorted((one, other) => one - other),
    )
  })

  it('answer as calendars do, and to HEAD without a body', async () => {
    const answer = await get('/events.ics')
    assert.equal(answer.headers['content-type'], 'text/calendar; charset=utf-8')
    assert.equal(answer.headers['content-disposition'], 'attachment; filename="events.ics"')
    assert.equal(answer.headers['cache-control'], 'public, max-age=300')
    assert.match(String(answer.headers.link), /<http:\/\/calendar\.example\.org:8080\/events\/>; rel="alternate"/)
    assert.equal(answer.headers['access-control-allow-origin'], '*')
    const head = await get('/events.ics', {}, 'HEAD')
    assert.equal(head.statusCode, 200)
    assert.equal(head.body, '')
    for (const name of ['etag', 'content-type', 'last-modified', 'content-disposition'])
      assert.equal(head.headers[name], answer.headers[name], name)
    const types = { rss: 'application/rss+xml', atom: 'application/atom+xml', json: 'application/feed+json' }
    for (const [extension, type] of Object.entries(types)) {
      const { headers } = await get(`/events.${extension}`)
      assert.equal(headers['content-type'], `${type}; charset=utf-8`)
    }
  })

  it('exist without a single event', async () => {
    await create({ name: 'Empty' }, '/tags')
    const parsed = new ICAL.Component(ICAL.parse(await feed('/tag/empty.ics')))
    assert.equal(parsed.getAllSubcomponents('vtimezone').length, 1)
    assert.equal(readXml(await feed('/tag/empty.rss')).names.includes('item'), false)
    assert.equal(readXml(await feed('/tag/empty.atom')).names.includes('entry'), false)
    assert.deepEqual(JSON.parse(await feed('/tag/empty.json')).items, [])
  })

  it('are found for events, venues, organizers, categories by their path, and tags', async () => {
    const parent = await create({ name: 'Arts' }, '/categories')
    const child = await create({ name: 'Theatre', parent: parent.id }, '/categories')
    await event('A play', {
      categories: [child.id],
      tags: ['日本'],
      venue: { venue: 'Stage' },
      organizer: { organizer: 'Company' },
    })
    for (const path of ['/event/a-play', '/venue/stage', '/organizer/company', '/events/category/arts/theatre']) {
      assert.deepEqual(await titles(`${path}.ics`), ['A play'], path)
    }
    assert.deepEqual(await titles('/events/category/arts.ics'), ['A play'])
    assert.deepEqual(await titles('/tag/%E6%97%A5%E6%9C%AC.ics'), ['A play'])
    for (const extension of ['rss', 'atom', 'json']) {
      for (const path of ['/events', '/venue/stage', '/organizer/company', '/events/category/arts', '/tag/日本'])
        assert.match(await feed(`${encodeURI(path)}.${extension}`), /A play/)
    }
    const missing = ['/event/x.ics', '/venue/x.ics', '/organizer/x.rss', '/tag/x.json', '/events/category/theatre.ics']
    for (const path of [
      ...missing,
      '/events/category/x.ics',
      '/events/category/.ics',
      '/event/a-play.rss',
      '/events.x',
    ])
      assert.equal((await get(path)).statusCode, 404, path)
  })

  it('take the filters of lists, and refuse what lists refuse', async () => {
    await event('Filtered one', { featured: true, tags: ['filter'] })
    await event('Filtered two', { tags: ['filter'], start_date: '2032-01-01', end_date: '2032-01-02', all_day: true })
    await event('Filtered three', { tags: ['filter'], start_date: '2020-01-01', end_date: '2020-01-02', all_day: true })
    const search = async (query: string) => await titles(`/events.ics?tags=filter&${query}`)
    assert.deepEqual(await search(''), ['Filtered three', 'Filtered one', 'Filtered two'])
    assert.deepEqual(await search('featured=true'), ['Filtered one'])
    assert.deepEqual(await search('start_date=2031-01-01'), ['Filtered one', 'Filtered two'])
    assert.deepEqual(await search('end_date=2031-12-31'), ['Filtered three', 'Filtered one'])
    assert.deepEqual(await search('search=THREE'), ['Filtered three'])
    assert.deepEqual(await search('ends_before=2031-12-31&starts_after=2030-01-01'), ['Filtered one'])
    assert.deepEqual(await titles('/tag/filter.ics?search=two'), ['Filtered two'])
    for (const query of [
      'featured=maybe',
      'venue=99999',
      'tags=nothing',
      'start_date=never',
      'status=draft',
      'page=0',
    ]) {
      const told = await site.service.call(null, `/events?${query}`)
      const refused = await get(`/events.ics?${query}`)
      assert.equal(refused.statusCode, 400, query)
      assert.deepEqual(refused.json(), told.json())
    }
  })

  it('of places near a point hold the same events as the list', async () => {
    await event('Near', { tags: ['geo'], venue: { venue: 'Close by', geo_lat: 48.85, geo_lng: 2.35 } })
    await event('Far', { tags: ['geo'], venue: { venue: 'Far away', geo_lat: -33, geo_lng: 151 } })
    assert.deepEqual(await titles('/tag/geo.ics?geoloc_lat=48.8&geoloc_lng=2.3&geoloc_radius=20'), ['Near'])
    assert.deepEqual((await titles('/tag/geo.ics?geoloc=true')).sort(), ['Far', 'Near'])
  })

  it('of news begin with what is not over, and have pages for those who ask', async () => {
    const tagged = (title: string, start_date: string, end_date: string) =>
      event(title, { start_date, end_date, tags: ['news'] })
    await tagged('Over', '2031-05-20', '2031-05-31')
    await tagged('Under way', '2031-05-20', '2031-06-20')
    await tagged('Later', '2031-07-01', '2031-07-02')
    await tagged('Much later', '2041-07-01', '2041-07-02')
    const items = async (query = '') => (JSON.parse(await feed(`/tag/news.json${query}`)) as Json).items
    const names = async (query: string) => (await items(query)).map(({ title }: Json) => title)
    assert.deepEqual(await names(''), ['Under way', 'Later', 'Much later'])
    assert.deepEqual(await names('?end_date=2031-06-01'), ['Over'])
    const { texts } = readXml(await feed('/tag/news.rss'))
    assert.deepEqual(texts['item/title'], ['Under way', 'Later', 'Much later'])
    const first = JSON.parse(await feed('/tag/news.json?per_page=2')) as Json
    assert.equal(first.items.length, 2)
    assert.equal(first.next_url, `${HOME}/tag/news.json?page=2&per_page=2`)
    assert.deepEqual(await names('?per_page=2&page=2'), ['Much later'])
    assert.equal((await get('/tag/news.json?per_page=2&page=3')).statusCode, 404)
    assert.match(
      await feed('/tag/news.atom?per_page=2&page=2'),
      /<link rel="previous" href="[^"]+\?page=1&(amp;)?per_page=2"/,
    )
    assert.deepEqual(await titles('/tag/news.ics?per_page=1&page=2'), ['Under way'])
  })

  it('speak the language of the address, or else of the reader', async () => {
    assert.match(await feed('/fr/events.ics'), /X-WR-CALNAME:Événements/)
    assert.match((await get('/events.atom', { 'accept-language': 'de' })).body, /<title>Veranstaltungen/)
    assert.match(await feed('/es/events.atom'), new RegExp(`<link rel="self" href="${HOME}/es/events.atom"`))
  })
})

describe('iCalendar', () => {
  it('is understood by another program, whatever the texts', async () => {
    for (const [n, title] of HOSTILE.entries()) {
      const made = await event(title, {
        description: `<p>${title.replace(/[<>&]/g, '')}</p>`,
        venue: { venue: `Venue ${n} ${title}`, address: title },
        organizer: { organizer: `Organizer ${n} ${title}`, email: 'a@example.org' },
        tags: [`Hostile ${n}`],
      })
      const [found, ...more] = read(await feed(`/tag/hostile-${n}.ics`))
      assert.equal(more.length, 0)
      const { title: kept, venue, organizer } = (await site.service.expect(200, null, `/events/${made.id}`)) as Json
      assert.equal(found?.summary, clean(kept), title)
      assert.ok(found.location.startsWith(clean(venue.venue)), found.location)
      const by = found.component.getFirstProperty('organizer')
      assert.equal(String(by?.getFirstValue()), 'mailto:a@example.org')
      assert.equal(clean(String(by?.getFirstParameter('cn'))), clean(organizer[0].organizer))
    }
  })

  it('tells the same instants to another program, in every zone', async () => {
    const zones = ['Europe/Paris', 'America/New_York', 'Australia/Lord_Howe', 'Africa/Casablanca', 'UTC', 'UTC+5.75']
    const dates = ['2031-03-30', '2031-11-02', '1935-07-01', '9999-12-30', '2031-10-26', '2060-07-01', '1985-12-24']
    const days = some(dates, 4)
    for (const timezone of zones) {
      for (const day of days)
        for (const hour of ['01:30', '02:30', '12:00'])
          await event(`Zoned ${timezone} ${day} ${hour}`, {
            timezone,
            start_date: `${day} ${hour}`,
            end_date: `${day} 23:30`,
            tags: ['zoned'],
          })
    }
    const expected = new Map<string, Json>()
    for (let page = 1; expected.size < zones.length * days.length * 3; page++) {
      const query = { tags: 'zoned', start_date: '1900-01-01', end_date: '9999-12-31', per_page: 50, page }
      for (const one of (await site.service.expect(200, null, '/events', { query })).events)
        expected.set(one.title, one)
    }
    const found = read(await feed('/tag/zoned.ics'))
    assert.equal(found.length, zones.length * days.length * 3)
    for (const { summary, startDate, endDate } of found) {
      const { utc_start_date: start, utc_end_date: end } = expected.get(summary)
      assert.equal(startDate.toUnixTime(), Date.parse(`${start}Z`) / 1000, `${summary} starts`)
      assert.equal(endDate.toUnixTime(), Date.parse(`${end}Z`) / 1000, `${summary} ends`)
    }
  })

  it('has dates for whole days, and no end for what takes no time', async () => {
    const days = { all_day: true, start_date: '2031-06-10', end_date: '2031-06-12', tags: ['days'] }
    await event('Days', days)
    await event('The last day', { ...days, start_date: '9999-12-30', end_date: '9999-12-31' })
    await event('A moment', { ...days, all_day: false, end_date: '2031-06-10' })
    const text = await feed('/tag/days.ics')
    assert.match(text, /DTSTART;VALUE=DATE:20310610\r\nDTEND;VALUE=DATE:20310613\r\n/)
    assert.match(text, /DTSTART;VALUE=DATE:99991230\r\nDURATION:P2D\r\n/)
    assert.match(text, /DTSTART;TZID=Europe\/Paris:20310610T000000\r\n(?!DTEND)/)
    assert.equal(read(text).length, 3)
  })

  it('shows images, and what an event is part of', async () => {
    const raw = await sharp({ create: { width: 40, height: 30, channels: 3, background: 'red' } })
      .png()
      .toBuffer()
    const headers = { 'content-type': 'image/png' }
    const { id: image, url } = await site.service.expect(201, 'editor', '/images', { raw, headers })
    const whole = await event('Festival', { image, tags: ['festival'] })
    await event('Opening', { parent: whole.id, tags: ['festival'] })
    const [first, second] = read(await feed('/tag/festival.ics'))
    for (const name of ['image', 'attach']) {
      const property = first?.component.getFirstProperty(name)
      assert.equal(String(property?.getFirstValue()), url, name)
      assert.equal(property?.getFirstParameter('fmttype'), 'image/png')
    }
    assert.equal(second?.component.getFirstPropertyValue('related-to'), first?.uid)
    assert.match(
      await feed('/tag/festival.rss'),
      new RegExp(`<enclosure url="${url}" length="\\d+" type="image/png"/>`),
    )
    assert.match(await feed('/tag/festival.atom'), new RegExp(`<link rel="enclosure" href="${url}"`))
    assert.equal(JSON.parse(await feed('/tag/festival.json')).items[0].image, url)
  })

  it('keeps its UID and counts its changes', async () => {
    const { id, slug } = await event('Changing', { tags: ['changing'] })
    const look = async () => {
      const [found] = read(await feed('/tag/changing.ics'))
      assert.ok(found)
      return { uid: found.uid, sequence: found.sequence, changed: stamp(found, 'last-modified') }
    }
    const one = await look()
    assert.equal(one.uid, `event-${id}@calendar.example.org`)
    const change = (json: object) => site.service.expect(200, 'editor', `/events/${id}`, { method: 'PATCH', json })
    site.now += 100
    await change({ title: 'Changed', slug: `${slug}-2` })
    const two = await look()
    site.now += 100
    // The date of publication is no date of change.
    await change({ date: '2031-05-01' })
    const three = await look()
    assert.deepEqual([two.uid, three.uid], [one.uid, one.uid])
    assert.ok(one.sequence < two.sequence && two.sequence < three.sequence)
    assert.ok(one.changed < two.changed && two.changed < three.changed)
    assert.ok(three.sequence < 2 ** 31)
  })

  it('counts every change, also several in one second, and with a clock that is put back', async () => {
    const { id } = await event('Counted', { tags: ['counted'] })
    const change = (json: object) => site.service.expect(200, 'editor', `/events/${id}`, { method: 'PATCH', json })
    const sequences: number[] = []
    const look = async () => {
      const [found] = read(await feed('/tag/counted.ics'))
      assert.ok(found)
      const changed = stamp(found, 'last-modified')
      assert.deepEqual([changed, stamp(found, 'dtstamp')], [site.now, site.now])
      sequences.push(found.sequence)
    }
    site.now += 10
    for (const title of ['One', 'Two', 'Three']) {
      await change({ title })
      await look()
    }
    const before = site.now
    site.now -= 15
    await change({ title: 'Back' })
    await look()
    site.now = before + 1
    await change({ venue: { venue: 'Moved' } })
    await look()
    assert.deepEqual(
      sequences,
      [...new Set(sequences)].sort((one, other) => one - other),
    )
    assert.ok(sequences.every((one) => Number.isInteger(one) && one < 2 ** 31))
  })

  it('counts every change of the name, the address and the visibility of its venues, also within one second', async () => {
    const { service } = site
    const venue = async (name: string): Promise<number> =>
      (await service.expect(201, 'editor', '/venues', { json: { venue: name, city: 'Marseille' } })).id
    const [one, two] = [await venue('Moving One'), await venue('Moving Two')]
    const { id } = await event('Moving', { venue: [one, two], tags: ['moving'] })
    const look = async () => {
      const [found] = read(await feed('/tag/moving.ics'))
      assert.ok(found)
      return { sequence: found.sequence, changed: stamp(found, 'last-modified'), location: found.location }
    }
    let last = await look()
    const moves = async (why: string, work: () => Promise<unknown>) => {
      await work()
      const now = await look()
      assert.ok(now.sequence > last.sequence, `${why}: ${last.sequence}, then ${now.sequence}`)
      last = now
    }
    const change = (path: string, json: object) => service.expect(200, 'editor', path, { method: 'PATCH', json })
    site.now += 10
    await moves('a name', () => change(`/venues/${one}`, { venue: 'Moved One' }))
    assert.match(last.location, /Moved One/)
    assert.equal(last.changed, site.now)
    await moves('an address', () => change(`/venues/${one}`, { address: '1 Quai' }))
    await moves('a place', () => change(`/venues/${two}`, { geo_lat: 43.3, geo_lng: 5.4 }))
    await moves('the event', () => change(`/events/${id}`, { title: 'Still moving' }))
    await moves('another venue', () => change(`/venues/${two}`, { city: 'Toulon' }))
    const before = last.sequence
    await change(`/venues/${one}`, { phone: '123', description: 'Renovated.', city: 'Marseille' })
    assert.equal((await look()).sequence, before)
    await moves('fewer venues', () => change(`/events/${id}`, { venue: [two] }))
    await moves('trash', () => service.expect(200, 'editor', `/venues/${two}`, { method: 'DELETE' }))
    assert.equal(last.location, null)
    const hidden = last.sequence
    await change(`/venues/${two}`, { venue: 'Nobody sees this' })
    assert.equal((await look()).sequence, hidden)
    await moves('back from the trash', () => change(`/venues/${two}`, { status: 'publish' }))
    await moves('no venue', () => change(`/events/${id}`, { venue: [] }))
    assert.ok(last.sequence < 2 ** 31)
  })

  it('goes on with the SEQUENCE that events had before changes were counted, up to the largest', async () => {
    const { id } = await event('Old', { tags: ['old'] })
    const sequence = async () => read(await feed('/tag/old.ics'))[0]?.sequence
    let changes = 0
    const change = () =>
      site.service.expect(200, 'editor', `/events/${id}`, { method: 'PATCH', json: { title: `Old ${++changes}` } })
    const asBefore = site.now - 10 - Date.UTC(2020, 0) / 1000
    assert.equal(await sequence(), asBefore)
    site.now -= 10
    await change()
    assert.equal(await sequence(), asBefore + 1)
    const now = site.now
    site.now = Date.UTC(2099, 0) / 1000
    for (let n = 0; n < 3; n++) await change()
    assert.equal(await sequence(), 2 ** 31 - 1)
    site.now = now + 10
    await change()
    assert.equal(await sequence(), 2 ** 31 - 1)
  })

  it('writes the times of manual offsets in UTC', async () => {
    const manual = { 'UTC+2': '170000', 'UTC-3:30': '223000', 'UTC+5.75': '131500', 'UTC+14': '050000' }
    for (const timezone of Object.keys(manual)) await event(timezone, { timezone, tags: ['manual'] })
    const text = await feed('/tag/manual.ics')
    for (const time of Object.values(manual)) assert.match(text, new RegExp(`^DTSTART:20310610T${time}Z\r$`, 'm'))
    assert.doesNotMatch(text, /TZID|VTIMEZONE/)
    const own = await startService({ clock: () => NOW, settings: { timezone: 'UTC+2' } })
    const { body } = await own.inject({ url: '/events.ics' })
    // Not even where a calendar without events must hold something.
    assert.doesNotMatch(body, /UTC\+2/)
    assert.equal(new ICAL.Component(ICAL.parse(body)).getAllSubcomponents('vtimezone').length, 1)
    await own.close()
  })

  it('is what it was, to the letter', async () => {
    const own = await startService({ clock: () => NOW })
    const json = JSON.parse(readFileSync(new URL('golden/feed.json', import.meta.url), 'utf8'))
    for (const one of json) await own.expect(201, 'editor', '/events', { json: one })
    for (const extension of ['ics', 'rss', 'atom']) {
      const file = new URL(`golden/feed.${extension}`, import.meta.url)
      const { body } = await own.inject({ url: `/events.${extension}` })
      if (process.env.KALENDS_WRITE_GOLDEN) writeFileSync(file, body)
      assert.equal(body, readFileSync(file, 'utf8'))
    }
    await own.close()
  })
})

describe('RSS, Atom and JSON Feed', () => {
  it('are well-formed, whatever the texts', async () => {
    for (const [n, title] of HOSTILE.entries()) {
      await event(title, {
        description: `<p>${title}</p>`,
        venue: { venue: title },
        organizer: { organizer: title },
        tags: [title, `News ${n}`],
      })
      const {
        items: [item],
      } = JSON.parse(await feed(`/tag/news-${n}.json`)) as Json
      const rss = readXml(await feed(`/tag/news-${n}.rss`))
      const atom = readXml(await feed(`/tag/news-${n}.atom`))
      assert.equal(rss.names.filter((name) => name === 'item').length, 1)
      assert.equal(atom.names.filter((name) => name === 'entry').length, 1)
      const visible = (text: string) => text.replace(/[\p{Cc}\uffff]/gu, '')
      assert.equal(visible((rss.texts['item/title'] ?? []).join('')), visible(item.title))
      assert.equal(visible((atom.texts['entry/title'] ?? []).join('')), visible(item.title))
    }
  })

  it('say when and where in words, and give each event an id that stays', async () => {
    const { id } = await event('Worded', {
      tags: ['worded'],
      description: 'Bring a chair.',
      venue: { venue: 'Town <Hall>', city: 'Paris' },
      website: 'https://example.org/worded',
    })
    const {
      items: [item],
    } = JSON.parse(await feed('/tag/worded.json')) as Json
    assert.equal(item.id, `${HOME}/calendar/events/v1/events/${id}`)
    assert.equal(item.external_url, 'https://example.org/worded')
    assert.match(item.summary, /June 10, 2031, 7:00\s–\s10:00\sPM CEST · Town/)
    assert.match(item.content_html, /<p>Bring a chair\.<\/p>$/)
    assert.doesNotMatch(item.content_html, /<Hall>/)
    assert.deepEqual(item._event.start, '2031-06-10T19:00:00+02:00')
    const { texts } = readXml(await feed('/tag/worded.rss'))
    assert.deepEqual(texts['item/ev:startdate'], ['2031-06-10T19:00:00+02:00'])
    assert.deepEqual(texts['item/guid'], [item.id])
  })
})

describe('dates with an offset', () => {
  it('are those of RFC 3339 for local times whose offsets have seconds', async () => {
    const cases = [
      ['Africa/Monrovia', '1970-01-01 00:00:00', '1970-01-01T00:00:30-00:44'],
      ['Africa/Monrovia', '1971-12-31 19:30:00', '1971-12-31T19:30:30-00:44'],
      ['America/New_York', '1850-06-01 19:00:00', '1850-06-01T19:00:02-04:56'],
      ['Asia/Tokyo', '1850-06-01 19:00:00', '1850-06-01T19:00:01+09:19'],
      ['Asia/Kathmandu', '1970-06-01 19:00:00', '1970-06-01T19:00:00+05:30'],
    ]
    for (const [n, [timezone, date = '', expected = '']] of cases.entries()) {
      const made = await event(`Seconds ${n}`, { timezone, start_date: date, end_date: date, tags: [`seconds ${n}`] })
      const query = '?start_date=1800-01-01'
      const { items } = JSON.parse(await feed(`/tag/seconds-${n}.json${query}`)) as Json
      const { texts } = readXml(await feed(`/tag/seconds-${n}.rss${query}`))
      const shown = [items[0]._event.start, texts['item/ev:startdate']?.[0], made.json_ld.startDate]
      assert.deepEqual(shown, [expected, expected, expected])
      assert.equal(Date.parse(expected), Date.parse(`${made.utc_start_date}Z`))
    }
  })
})

/** What is left of a text as the REST interface shows it. */
function clean(text: string): string {
  return text
    .replace(/&#0?38;|&amp;/g, '&')
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&quot;/g, '"')
    .replace(/&#0?39;/g, "'")
    .replace(/[\u2028\u2029\u0085]/g, '\n')
    .replace(/(?!\n)\p{Cc}/gu, '')
}

function stamp(event: ICAL.Event, name: string): number {
  const value = event.component.getFirstPropertyValue(name)
  assert.ok(value instanceof ICAL.Time)
  return value.toUnixTime()
}
