import { get, type IncomingMessage, type RequestOptions } from 'node:http'
import type { RandomSite } from './random-site.ts'

export const API = '/calendar/events/v1'

/** Addresses that depend on nothing but the site. */
export const FIXED = [
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

export interface Received {
  readonly status: number | undefined
  readonly headers: Record<string, unknown>
  readonly body: string
}

/** Asks for an address, on a connection of its own unless an agent is given. */
export function ask(url: string, options: RequestOptions): Promise<Received> {
  return new Promise((resolve, reject) => {
    get(url, { agent: false, ...options }, async (response: IncomingMessage) => {
      const parts: Buffer[] = []
      for await (const part of response) parts.push(part as Buffer)
      resolve({ status: response.statusCode, headers: response.headers, body: Buffer.concat(parts).toString('latin1') })
    }).on('error', reject)
  })
}

/** The same, without what differs between two requests. */
export async function receive(url: string, headers: Record<string, string>): Promise<Received> {
  return comparable(await ask(url, { headers }))
}

/** What is equal in two answers. */
export function comparable({ status, headers, body }: Received): Received {
  const shown = Object.entries(headers).filter(([name]) => !UNEQUAL.has(name))
  return { status, headers: Object.fromEntries(shown), body: withoutId(body) }
}

/** Errors name the request. */
function withoutId(body: string): string {
  return body.replace(/"request_id":"[^"]*"/, '')
}

/** Addresses of some records of a site. */
export function recordPaths(site: RandomSite): string[] {
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
