import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { ROLES } from '../../src/domain/access.ts'
import { FEED_EXTENSIONS, useFeeds } from '../support/feeds.ts'
import { basic, type Json, type Service, startService } from '../support/service.ts'

const READERS = [null, ...ROLES] as const

const site = useFeeds()
const { create, event, get } = site

describe('what nobody is told of', () => {
  const SECRETS = ['draft', 'pending', 'private', 'trash', 'future'] as const
  before(async () => {
    const shared = { tags: ['secret'], categories: ['Secrets'] }
    const linked = {
      venue: (await create({ venue: 'Safe house' }, '/venues')).id,
      organizer: (await create({ organizer: 'Agency' }, '/organizers')).id,
    }
    for (const role of ['contributor', 'author', 'editor'] as const) {
      const author = { ...shared, ...linked, author: site.service.ids[role] }
      for (const status of SECRETS) {
        const date = status === 'future' ? { date: '2040-01-01' } : {}
        await event(`Secret ${status} of ${role}`, { ...author, status, ...date })
      }
      await event(`Secret protected of ${role}`, { ...author, password: 'open sesame' })
      await event(`Unlisted of ${role}`, { ...author, hide_from_listings: true })
    }
    await event('Public', { ...shared, ...linked })
    const hidden = await create({ venue: 'Hidden house', status: 'draft' }, '/venues')
    await event('Public at a hidden place', { ...shared, venue: hidden.id })
    await site.service.expect(200, 'administrator', `/venues/${hidden.id}`, {
      method: 'PATCH',
      json: { status: 'draft' },
    })
    site.now += 10
  })

  const places = ['/events', '/venue/safe-house', '/organizer/agency', '/events/category/secrets', '/tag/secret']
  for (const reader of READERS) {
    it(`is in no feed, not even of ${reader ?? 'a visitor'}`, async () => {
      const headers: Record<string, string> = reader === null ? {} : { authorization: basic(reader) }
      for (const place of places) {
        for (const extension of FEED_EXTENSIONS) {
          const { body, statusCode } = await get(
            `${place}.${extension}?start_date=2000-01-01&page=1&per_page=50`,
            headers,
          )
          assert.equal(statusCode, 200)
          assert.match(body, /Public/)
          assert.doesNotMatch(body, /Secret \w+ of|Unlisted|Hidden house|sesame/i, `${place}.${extension}`)
        }
      }
    })

    it(`is not asked for by status, filter or address, by ${reader ?? 'a visitor'}`, async () => {
      const headers: Record<string, string> = reader === null ? {} : { authorization: basic(reader) }
      assert.equal((await get('/events.ics?status=draft', headers)).statusCode, 400)
      assert.doesNotMatch((await get('/events.ics?search=secret', headers)).body, /SUMMARY/)
      const { events } = await site.service.expect(200, 'administrator', '/events', {
        query: { search: 'Secret', start_date: '2031-01-01', per_page: 50, status: 'publish,private,draft,future' },
      })
      assert.ok(events.length >= 12)
      for (const { slug } of events) {
        const { statusCode, body } = await get(`/event/${slug}.ics`, headers)
        assert.ok([403, 404].includes(statusCode), slug)
        assert.doesNotMatch(body, /Secret/)
      }
      const ids = events.map(({ id }: Json) => id).join(',')
      assert.doesNotMatch((await get(`/events.ics?include=${ids}`, headers)).body, /SUMMARY/)
    })
  }

  it('is never kept by a cache for others', async () => {
    const { headers } = await get('/events.ics', { authorization: basic('editor') })
    assert.equal(headers['cache-control'], 'private, max-age=300')
    assert.match(String(headers.vary), /Authorization/)
  })
})

describe('a reader who has a feed already', () => {
  const revalidate = async (url: string, etag: string) => (await get(url, { 'if-none-match': etag })).statusCode

  it('is told that nothing has changed, until something has', async () => {
    const { id } = await event('Cached', {
      tags: ['cached'],
      venue: { venue: 'Cached venue' },
      organizer: { organizer: 'Cached organizer' },
      categories: ['Cached category'],
    })
    const venue = (await site.service.expect(200, null, '/venues/by-slug/cached-venue')) as Json
    const [category] = (await site.service.expect(200, null, '/categories', { query: { slug: 'cached-category' } }))
      .categories
    const changes: [string, () => Promise<unknown>][] = [
      ['the event', () => patch(`/events/${id}`, { title: 'Cached again' })],
      ['its venue', () => patch(`/venues/${venue.id}`, { address: '1 New Street' })],
      ['its category', () => patch(`/categories/${category.id}`, { name: 'Renamed' })],
      ['another one', () => event('Cached too', { tags: ['cached'] })],
      ['one that is removed', () => site.service.expect(200, 'editor', `/events/${id}`, { method: 'DELETE' })],
      [
        'the venue, which is removed',
        () => site.service.expect(200, 'editor', `/venues/${venue.id}`, { method: 'DELETE' }),
      ],
    ]
    const patch = (path: string, json: object) => site.service.expect(200, 'editor', path, { method: 'PATCH', json })
    for (const [what, change] of changes) {
      for (const extension of FEED_EXTENSIONS) {
        const url = `/tag/cached.${extension}`
        const { headers, statusCode } = await get(url)
        assert.equal(statusCode, 200)
        const etag = String(headers.etag)
        assert.match(etag, /^W\/"[\w-]+"$/)
        const again = await get(url, { 'if-none-match': `"other", ${etag.slice(2)}` })
        assert.equal(again.statusCode, 304)
        assert.equal(again.body, '')
        assert.equal(again.headers.etag, etag)
        assert.equal(await revalidate(url, '*'), 304)
        assert.equal(await revalidate(url, '"other"'), 200)
      }
      const { headers } = await get('/tag/cached.ics')
      await change()
      site.now += 10
      assert.equal(await revalidate('/tag/cached.ics', String(headers.etag)), 200, what)
    }
  })

  it('is told of every change, also of several in one second', async () => {
    const { id } = await event('Hot', { tags: ['hot'] })
    const tags = new Set<unknown>()
    for (const title of ['Hotter', 'Hottest', 'Hot']) {
      const { etag } = (await get('/tag/hot.ics')).headers
      tags.add(etag)
      assert.equal(await revalidate('/tag/hot.ics', String(etag)), 304)
      await site.service.expect(200, 'editor', `/events/${id}`, { method: 'PATCH', json: { title } })
      assert.equal(await revalidate('/tag/hot.ics', String(etag)), 200)
    }
    assert.equal(tags.size, 3)
  })

  it('has another tag for another question, language and day', async () => {
    const tag = async (url: string, headers = {}) => String((await get(url, headers)).headers.etag)
    const tags = [
      await tag('/events.ics'),
      await tag('/events.ics?featured=true'),
      await tag('/events.ics', { 'accept-language': 'fr' }),
      await tag('/events.rss'),
      await tag('/events.atom'),
    ]
    site.now += 86_400
    tags.push(await tag('/events.rss'))
    assert.equal(new Set(tags).size, tags.length)
    assert.ok(tags.every((one) => one.startsWith('W/')))
  })
})

/** Headers without those that differ between two requests for the same, or tell how the body is cut. */
function withoutOwn(headers: Record<string, unknown>): object {
  const own = ['date', 'x-request-id', 'ratelimit', 'transfer-encoding']
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !own.includes(name)))
}

describe('a feed in fewer bytes', () => {
  const unpack = { br: brotliDecompressSync, gzip: gunzipSync } as const

  for (const [size, count, length] of [
    ['short', 2, 2000],
    ['long', 130, 3000],
  ] as const) {
    it(`is the same ${size} text, in the encoding that its reader takes`, async () => {
      for (let n = 0; n < count; n++)
        await event(`Packed ${n}`, { tags: [size], description: 'many words that repeat '.repeat(length / 23) })
      for (const extension of ['ics', 'json']) {
        const url = `/tag/${size}.${extension}`
        const plain = await get(url)
        assert.equal(plain.headers['content-encoding'], undefined)
        for (const encoding of ['br', 'gzip'] as const) {
          const packed = await get(url, { 'accept-encoding': `${encoding}, identity;q=0.5` })
          assert.equal(packed.headers['content-encoding'], encoding)
          assert.ok(packed.rawPayload.length < plain.rawPayload.length / 5)
          assert.equal(unpack[encoding](packed.rawPayload).toString(), plain.body)
          for (const name of ['etag', 'cache-control', 'content-type', 'last-modified', 'vary'])
            assert.equal(packed.headers[name], plain.headers[name], name)
          const known = await get(url, { 'accept-encoding': encoding, 'if-none-match': String(plain.headers.etag) })
          assert.deepEqual([known.statusCode, known.headers.vary], [304, plain.headers.vary])
        }
        assert.match(String(plain.headers.vary), /Accept-Encoding/)
      }
    })

    it(`has the same headers for HEAD, if it is ${size}: before it is cached, and after`, async () => {
      // Each text is in all events, so each address is a new one.
      for (const [word, encoding] of Object.entries({ many: 'br', words: 'gzip', repeat: 'identity' })) {
        const url = `/tag/${size}.ics?search=${word}`
        const ask = (method: 'GET' | 'HEAD') =>
          site.service.inject({ method, url, headers: { 'accept-encoding': encoding } })
        const first = await ask('HEAD')
        const { headers } = await ask('GET')
        for (const head of [first, await ask('HEAD')]) {
          assert.deepEqual([head.statusCode, head.body], [200, ''])
          assert.deepEqual(withoutOwn(head.headers), withoutOwn(headers))
        }
      }
    })
  }

  it('ends when its reader goes away', async () => {
    const origin = await site.service.listen()
    for (const encoding of ['br', 'identity']) {
      const abort = new AbortController()
      const headers = { 'accept-encoding': encoding }
      const response = await fetch(`${origin}/tag/long.ics`, { headers, signal: abort.signal })
      await response.body?.getReader().read()
      abort.abort()
    }
    assert.equal((await fetch(`${origin}/tag/short.ics`)).status, 200)
  })
})

describe('the name of a feed', () => {
  it('is that of the calendar, if it was given one', async () => {
    const named = await startService({ settings: { siteName: 'Porto Cultura' } })
    await named.expect(201, 'editor', '/tags', { json: { name: 'open air' } })
    const nameOf = async (one: Service, url: string) =>
      /^X-WR-CALNAME:(.*)$/m.exec((await one.inject({ url })).body)?.[1]?.trim()
    assert.equal(await nameOf(named, '/events.ics'), 'Porto Cultura')
    assert.equal(await nameOf(named, '/tag/open-air.ics'), 'open air – Porto Cultura')
    assert.equal(await nameOf(site.service, '/events.ics'), 'Events at calendar.example.org')
    await named.close()
  })
})
