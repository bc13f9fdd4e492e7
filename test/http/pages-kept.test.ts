import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { toInstant } from '../../src/calendar/zone.ts'
import { fillCalendar, NOON, type Sample } from '../support/calendar.ts'
import { FEED_EXTENSIONS } from '../support/feeds.ts'
import { basic, type Service, startService } from '../support/service.ts'

const FEED_LINKS = new RegExp(`href="([^"]*\\.(?:${FEED_EXTENSIONS.join('|')})(?:\\?[^"]*)?)"`, 'g')

const ZONE = 'America/New_York'
const MIDNIGHT = toInstant('2031-06-11 00:00:00', ZONE)

describe('pages kept in memory', () => {
  let service: Service
  let sample: Sample
  let base: string
  let now = NOON
  let queries = 0
  before(async () => {
    service = await startService({
      clock: () => now,
      onQuery: (sql) => {
        // The version of the data is asked for with every request, and the settings with every version.
        if (!/data_version|"settings"|from "?versions?"?/i.test(sql)) queries++
      },
    })
    sample = await fillCalendar(service)
    await service.expect(201, 'editor', '/events', {
      json: {
        title: 'Lunch',
        start_date: '2031-06-10 11:00',
        end_date: '2031-06-10 13:00',
        tickets: [
          {
            name: 'Late',
            url: 'https://tickets.example.org',
            available_from: '2031-06-10 12:10',
            available_until: '2031-06-10 12:20',
          },
        ],
      },
    })
    base = await service.listen()
  })
  after(() => service.close())
  beforeEach(() => {
    now = NOON
  })

  const read = (path: string, headers: Record<string, string> = {}) =>
    fetch(`${base}${path}`, {
      redirect: 'manual',
      headers: { accept: 'text/html', 'accept-language': 'en', ...headers },
    })
  /** How many queries it takes to make a page once more. */
  const cost = async (path: string, at: number) => {
    now = at
    queries = 0
    const answer = await read(path)
    assert.equal(answer.status, 200, path)
    await answer.text()
    return queries
  }
  const pages = () => [
    '/',
    '/events/',
    '/events/?category=music&search=harbour',
    '/events/month/',
    '/events/month/2031-06/',
    '/events/week/',
    '/events/day/',
    '/events/map/',
    '/event/harbour-concert/',
    sample.hostile,
    ...Object.values(sample.places),
    '/fr/events/',
  ]

  it('are made once a day, and again at midnight by the site’s clock', async () => {
    for (const path of pages()) {
      assert.ok((await cost(path, NOON)) > 0, path)
      assert.equal(await cost(path, MIDNIGHT - 1), 0, path)
      assert.ok((await cost(path, MIDNIGHT)) > 0, path)
    }
  })

  it('of an event change when it is over, and when the sale of its tickets begins and ends', async () => {
    const at = (time: string) => toInstant(`2031-06-10 ${time}`, ZONE)
    const told = async (time: string) => {
      now = at(time)
      const body = await (await read('/event/lunch/')).text()
      return [/href="https:\/\/tickets/.test(body), /class="note"/.test(body)]
    }
    assert.deepEqual(await told('12:09:59'), [false, false])
    assert.deepEqual(await told('12:10:00'), [true, false])
    assert.equal(await cost('/event/lunch/', at('12:19:59')), 0)
    assert.deepEqual(await told('12:20:00'), [true, false])
    assert.deepEqual(await told('12:20:01'), [false, false])
    assert.deepEqual(await told('13:00:00'), [false, false])
    assert.deepEqual(await told('13:00:01'), [false, true])
    assert.equal(await cost('/event/lunch/', MIDNIGHT - 1), 0)
  })

  it('are made again as soon as anything has changed', async () => {
    const titleOf = async () => /<h1[^>]*>([^<]*)/.exec(await (await read('/event/street-festival/')).text())?.[1]
    assert.equal(await titleOf(), 'Street Festival')
    for (const title of ['Quay Festival', 'Street Festival']) {
      await service.expect(200, 'editor', '/events/by-slug/street-festival', { method: 'PATCH', json: { title } })
      assert.equal(await titleOf(), title)
    }
  })

  it('tell caches how long and for whom, and are not sent to those who have them', async () => {
    for (const path of [...pages(), '/docs', '/robots.txt', '/sitemap.xml']) {
      const { headers } = await read(path)
      assert.equal(headers.get('cache-control'), 'public, max-age=10, stale-while-revalidate=60', path)
      for (const name of ['Authorization', 'Accept-Encoding', ...(path.startsWith('/fr/') ? [] : ['Accept-Language'])])
        assert.ok(headers.get('vary')?.includes(name), `${path} depends on ${name}`)
      const etag = headers.get('etag') ?? ''
      assert.match(etag, /^".+"$/, path)
      const again = await read(path, { 'if-none-match': etag })
      assert.equal(again.status, 304, path)
      assert.equal(await again.text(), '')
      assert.equal(again.headers.get('etag'), etag)
      assert.equal((await read(path, { 'if-none-match': '"other"' })).status, 200, path)
    }
    now = MIDNIGHT - 3
    assert.match((await read('/events/day/?search=late')).headers.get('cache-control') ?? '', /max-age=3,/)
  })

  it('are packed, every one of them, for readers who can unpack them', async () => {
    for (const path of pages()) {
      const packed = async (encoding: string) => {
        const headers = { 'accept-encoding': encoding, 'accept-language': 'en' }
        const { rawPayload, headers: told } = await service.inject({ url: path, headers })
        assert.equal(told['content-encoding'], encoding, path)
        return rawPayload
      }
      const plain = Buffer.from(await (await read(path, { 'accept-encoding': 'identity' })).arrayBuffer())
      assert.deepEqual(brotliDecompressSync(await packed('br')), plain, path)
      assert.deepEqual(gunzipSync(await packed('gzip')), plain, path)
    }
  })

  it('are of one language each', async () => {
    for (let round = 0; round < 2; round++)
      for (const language of ['de', 'en', 'es', 'fr'])
        for (const [path, asked] of [
          ['/events/', language],
          [`/${language}/events/`, 'en'],
        ] as const)
          assert.match(
            await (await read(path, { 'accept-language': asked })).text(),
            new RegExp(`<html lang="${language}">`),
          )
  })

  it('of those who are signed in are theirs alone', async () => {
    const as = (role: string) => ({ authorization: basic(role) })
    for (let round = 0; round < 2; round++) {
      for (const path of ['/events/', '/events/month/2031-06/']) {
        const own = await read(path, as('editor'))
        assert.equal(own.headers.get('cache-control'), 'private, no-store')
        assert.match(await own.text(), /Unfinished/)
        assert.doesNotMatch(await (await read(path)).text(), /Unfinished/)
        assert.doesNotMatch(await (await read(path, as('subscriber'))).text(), /Unfinished/)
      }
      assert.equal((await read('/event/unfinished/', as('author'))).status, 200)
      assert.equal((await read('/event/unfinished/')).status, 404)
      assert.equal((await read('/event/unfinished/', as('subscriber'))).status, 404)
    }
  })

  it('are never what a password has opened', async () => {
    const post = (password: string) =>
      fetch(`${base}/event/secret-supper/`, { method: 'POST', body: new URLSearchParams({ password }) })
    for (let round = 0; round < 2; round++) {
      const opened = await post('sesame')
      assert.match(await opened.text(), /Oysters/)
      const wrong = await post('open')
      const closed = await read('/event/secret-supper/')
      const asked = await read('/event/secret-supper/?password=sesame')
      const editor = await read('/event/secret-supper/', { authorization: basic('editor') })
      assert.match(await editor.text(), /Oysters/)
      for (const { headers } of [opened, wrong, closed, asked, editor])
        assert.equal(headers.get('cache-control'), 'private, no-store')
      for (const answer of [wrong, closed, asked]) {
        assert.equal(answer.status, 403)
        assert.doesNotMatch(await answer.text(), /Oysters|Hidden Cellar/)
      }
    }
  })

  const addMarkets = async (first: number, count: number) => {
    for (let n = first; n < first + count; n++) {
      await service.expect(201, 'editor', '/events', {
        json: { title: `Market ${n}`, start_date: '2031-07-04 09:00', end_date: '2031-07-04 10:00' },
      })
    }
  }

  it('are made of few queries, however many events a month has', async () => {
    await addMarkets(0, 1)
    const month = await cost('/events/month/2031-07/', NOON)
    await addMarkets(1, 60)
    assert.equal(await cost('/events/month/2031-07/', NOON), month)
  })

  it('share the choices of their filters, until something changes or the day ends', async () => {
    const name = 'Last Chance'
    const json = { title: 'Farewell', start_date: '2031-06-10 08:00', end_date: '2031-06-10 09:00' }
    await service.expect(201, 'editor', '/events', { json: { ...json, venue: { venue: name } } })
    const offers = async (path: string, at: number) => {
      now = at
      return (await (await read(path)).text()).includes(`>${name}</option>`)
    }
    const all = await cost('/events/day/2031-07-04/', NOON)
    const kept = await cost('/events/day/2031-07-05/', NOON)
    assert.ok(kept <= all - 4, `${kept} queries after ${all}`)
    // On its last day a venue is offered, whenever a page of that day is made.
    assert.equal(await offers('/events/day/2031-07-06/', NOON), true)
    assert.equal(await offers('/events/day/2031-07-06/', MIDNIGHT), false)
    const { venues } = await service.expect(200, null, '/venues', { query: { title: name } })
    await service.expect(200, 'editor', `/venues/${venues[0].id}`, { method: 'POST', json: { venue: 'First Chance' } })
    assert.equal(await offers('/events/day/2031-07-07/', NOON), false)
  })
})

describe('feeds that pages lead to', () => {
  let service: Service
  let sample: Sample
  before(async () => {
    service = await startService({ clock: () => NOON })
    sample = await fillCalendar(service)
  })
  after(() => service.close())

  const TYPES: Record<string, RegExp> = {
    ics: /^text\/calendar/,
    rss: /^application\/rss\+xml/,
    atom: /^application\/atom\+xml/,
    json: /^application\/feed\+json/,
  }
  const plain = (text: string) => text.replaceAll('&amp;', '&').replaceAll('&#39;', "'").replaceAll('&quot;', '"')

  it('are there, all of them', async () => {
    const filters = 'search=harbour&category=music&tag=open-air&venue=harbour-hall&organizer=jazz-guild&featured=1'
    const paths = [
      '/',
      '/events/',
      `/events/?${filters}`,
      `/events/month/2031-06/?${filters}`,
      '/events/week/2031-06-11/',
      '/events/day/2031-06-11/',
      '/events/map/',
      '/event/harbour-concert/',
      '/venue/harbour-hall/?featured=1',
      '/organizer/jazz-guild/',
      '/events/category/music/',
      '/tag/open-air/?category=music',
      ...Object.values(sample.places),
    ]
    const seen = new Set<string>()
    for (const path of paths.flatMap((one) => [one, `/fr${one}`])) {
      const { body } = await service.inject({ url: path, headers: { accept: 'text/html' } })
      const links = [...body.matchAll(FEED_LINKS)].map(([, to = '']) => to)
      const own = links.filter((to) => !to.startsWith('https://calendar.google.com'))
      assert.ok(own.length >= (path.includes('/event/') ? 2 : 7), `${path} leads to ${own.length} feeds`)
      for (const link of own) seen.add(plain(link).replace(/^webcal:/, 'http:'))
    }
    assert.ok(seen.size > 100, String(seen.size))
    for (const link of seen) {
      const { pathname, search } = new URL(link, 'http://calendar.example.org:8080')
      const { statusCode, headers, body } = await service.inject({ url: `${pathname}${search}` })
      assert.equal(statusCode, 200, link)
      assert.match(String(headers['content-type']), TYPES[pathname.split('.').at(-1) ?? ''] ?? /^$/, link)
      if (search.includes('harbour')) assert.ok(body.includes('Harbour Concert'), link)
    }
  })
})
