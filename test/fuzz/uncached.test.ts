import assert from 'node:assert/strict'
import { get, type IncomingMessage } from 'node:http'
import { after, before, describe, it } from 'node:test'
import { type App, createApp } from '../../src/app.ts'
import { clock } from '../support/calendar.ts'
import { RandomSite, seeded } from '../support/random-site.ts'
import { basic, type Service, startService } from '../support/service.ts'

const ROUNDS = 25
const API = '/calendar/events/v1'
const SETTINGS = { rateLimit: '0', userRateLimit: '0', loginLimit: '0' } as const

/** Addresses that depend on nothing but the site. */
const FIXED = [
  ...['', '/', '/doc', '/events', '/venues', '/organizers', '/categories', '/tags', '/images'].map(
    (path) => API + path,
  ),
  `${API}/events?per_page=3&page=2`,
  `${API}/events?page=2&per_page=3&x=1`,
  `${API}/events?search=name`,
  `${API}/events?search=event&_fields=events.id,total`,
  `${API}/events?_fields[]=title&_fields[]=total`,
  `${API}/events?geoloc=true&geoloc_lat=1&geoloc_lng=1`,
  `${API}/events?start_date=nonsense`,
  `${API}/events?page=99`,
  `${API}/events/999999`,
  `${API}/none`,
  '/',
  '/events/',
  '/events/?search=name',
  '/events/month/2031-06/',
  '/events/week/2031-06-10/',
  '/events/day/2031-06-10/',
  '/events/map/',
  '/events.ics',
  '/events.rss',
  '/events.atom',
  '/events.json',
  '/events.csv',
  '/sitemap.xml',
  '/robots.txt',
  '/none',
]

/** The headers that must be equal too: all but those that name the request or the present second. */
const UNEQUAL = new Set(['date', 'x-request-id', 'last-modified', 'connection', 'keep-alive', 'transfer-encoding'])

interface Received {
  readonly status: number | undefined
  readonly headers: Record<string, unknown>
  readonly body: string
}

function receive(url: string, headers: Record<string, string>): Promise<Received> {
  return new Promise((resolve, reject) => {
    get(url, { agent: false, headers }, async (response: IncomingMessage) => {
      const parts: Buffer[] = []
      for await (const part of response) parts.push(part as Buffer)
      const shown = Object.entries(response.headers).filter(([name]) => !UNEQUAL.has(name))
      const body = Buffer.concat(parts).toString('latin1')
      resolve({ status: response.statusCode, headers: Object.fromEntries(shown), body: withoutId(body) })
    }).on('error', reject)
  })
}

/** Errors name the request. */
function withoutId(body: string): string {
  return body.replace(/"request_id":"[^"]*"/, '')
}

describe('with the cache and without it', () => {
  let service: Service
  let uncached: App
  let urls: [cached: string, uncached: string]
  before(async () => {
    service = await startService({ settings: SETTINGS, clock })
    uncached = await createApp({ ...service.config, cache: false }, service.db, { clock, logger: false })
    urls = [await service.listen(), await uncached.server.listen({ port: 0, host: '127.0.0.1' })]
  })
  after(async () => {
    await uncached.server.close()
    await service.close()
  })

  const compare = async (path: string, last: string, headers: Record<string, string> = {}) => {
    const expected = await receive(urls[1] + path, headers)
    // The second time it comes from the cache.
    for (const time of ['first', 'second'])
      assert.deepEqual(await receive(urls[0] + path, headers), expected, `${path}, the ${time} time, after ${last}`)
    const etag = expected.headers.etag
    if (typeof etag !== 'string' || headers['if-none-match'] !== undefined) return
    await compare(path, last, { ...headers, 'if-none-match': etag })
  }

  it('every answer is the same, also its ETag, after every write', async () => {
    const site = new RandomSite(service, seeded(7))
    await site.fill()
    let last = 'the beginning'
    for (let round = 0; round < ROUNDS; round++) {
      for (const path of [...FIXED, ...recordPaths(site)]) await compare(path, last)
      for (const path of [`${API}/events`, '/events/']) {
        await compare(`/de${path}`, last)
        await compare(path, last, { 'accept-language': 'fr' })
        await compare(path, last, { 'accept-encoding': 'br' })
        await compare(path, last, { authorization: basic('editor') })
      }
      last = await site.change()
    }
  })

  function recordPaths(site: RandomSite): string[] {
    const [venue, organizer] = [site.one(site.venues), site.one(site.organizers)]
    const [category, tag] = [site.one(site.categories), site.one(site.tags)]
    const some = [...site.events].filter((_, n, { length }) => n === length - 1 || n % 7 === 0)
    return [
      `${API}/venues/${venue}`,
      `${API}/organizers/${organizer}`,
      `${API}/categories/${category}`,
      `${API}/tags/${tag}`,
      `${API}/events?venue=${venue}`,
      `${API}/events?categories=${category}`,
      `${API}/events?tags=${tag}&per_page=50`,
      ...some.flatMap(([id, slug]) => [
        `${API}/events/${id}`,
        `${API}/events/by-slug/${slug}`,
        `/event/${slug}/`,
        `/event/${slug}.ics`,
      ]),
    ]
  }
})
