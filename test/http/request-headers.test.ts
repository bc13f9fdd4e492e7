import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { clock, fillCalendar } from '../support/calendar.ts'
import { basic, type Service, startService } from '../support/service.ts'
import { some } from '../support/thorough.ts'
import { type Received, Visitor } from '../support/visitor.ts'

const API = '/calendar/events/v1'
const PATHS = [
  `${API}/events`,
  '/',
  '/events.ics',
  '/embed.js',
  `/fr${API}/events`,
  `${API}/events/by-slug/harbour-concert`,
  `${API}/venues`,
  `${API}/tags`,
  `${API}/`,
  `${API}/doc`,
  '/events/',
  '/events/month/2031-06/',
  '/event/harbour-concert/',
  '/events.json',
  '/event/harbour-concert.ics',
  '/sitemap.xml',
  '/robots.txt',
  '/docs',
  '/assets/pages.css',
]

/** Headers by which one client might spoil what others get. */
const HEADERS: Record<string, string>[] = [
  ...['DELETE', 'PUT', 'POST', 'GET', 'nonsense', ''].map((method) => ({ 'access-control-request-method': method })),
  { 'access-control-request-method': 'DELETE', origin: 'https://elsewhere.example' },
  { 'access-control-request-headers': 'x-evil', 'access-control-request-private-network': 'true' },
  ...['https://elsewhere.example', 'http://calendar.example.org:8080', 'null', ''].map((origin) => ({ origin })),
  { 'x-http-method-override': 'DELETE' },
  { host: 'elsewhere.example' },
  { 'x-forwarded-host': 'elsewhere.example', 'x-forwarded-proto': 'https', 'x-forwarded-prefix': '/evil' },
  { forwarded: 'for=1.2.3.4;host=elsewhere.example;proto=https' },
  { 'x-original-url': '/evil', 'x-rewrite-url': '/evil' },
  { accept: 'text/html' },
  { accept: 'application/json' },
  { accept: 'image/webp' },
  { 'accept-encoding': 'gzip' },
  { 'accept-encoding': 'br' },
  { 'accept-encoding': 'identity;q=0, *;q=0' },
  { 'accept-language': 'de' },
  { 'accept-language': 'xx;q=nonsense' },
  { 'if-none-match': '*' },
  { 'if-none-match': '"something"' },
  { 'if-match': '"something"' },
  { 'if-modified-since': 'Fri, 01 Jan 2100 00:00:00 GMT' },
  { range: 'bytes=0-10' },
  { cookie: 'session=1', referer: 'https://elsewhere.example/', 'user-agent': 'evil' },
  { 'x-request-id': 'mine' },
  { connection: 'close' },
  { 'content-type': 'text/plain' },
  { 'save-data': 'on', prefer: 'return=minimal', 'x-requested-with': 'XMLHttpRequest' },
  { authorization: basic('editor') },
  { authorization: basic('editor', 'wrong') },
]

/** What differs from answer to answer by itself. */
const OWN = /^(date|x-request-id|last-modified|connection)$/

describe('what one request says in its headers', () => {
  let service: Service
  let visitor: Visitor
  before(async () => {
    service = await startService({ clock })
    await fillCalendar(service)
    visitor = new Visitor(Number(new URL(await service.listen()).port), '127.0.0.1')
  })
  after(async () => {
    visitor.close()
    await service.close()
  })

  const told = ({ status, headers, body }: Received) => ({
    status,
    headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !OWN.test(name))),
    body: `${body.length} ${hash('sha1', body)}`,
  })
  const plain = async (url: string) => told(await visitor.ask(url))

  for (const url of some(PATHS, 4)) {
    it(`is not kept with the answer that others get at ${url}`, async () => {
      const before = await plain(url)
      assert.equal(before.status, 200)
      for (const headers of HEADERS) {
        for (const method of ['GET', 'HEAD'] as const) {
          // Now nothing is kept of what was answered before.
          await service.db.write(async () => {})
          await visitor.ask(url, { method, headers })
          assert.deepEqual(await plain(url), before, `${method} ${JSON.stringify(headers)}`)
        }
      }
    })
  }

  it('lets pages of any origin read, whatever they say they would ask next', async () => {
    for (const url of [`${API}/events`, '/events.json', '/embed.js']) {
      const headers = { origin: 'https://elsewhere.example', 'access-control-request-method': 'DELETE' }
      const { headers: answered } = await visitor.ask(url, { headers })
      assert.equal(answered['access-control-allow-origin'], '*', url)
    }
  })

  it('decides in a preflight request alone who may write', async () => {
    const ask = async (origin: string, method: string) => {
      const headers = { origin, 'access-control-request-method': method }
      const { headers: told } = await visitor.ask(`${API}/events`, { method: 'OPTIONS', headers })
      return told['access-control-allow-origin']
    }
    assert.equal(await ask('https://elsewhere.example', 'GET'), '*')
    assert.equal(await ask('https://elsewhere.example', 'DELETE'), undefined)
    assert.equal(await ask('http://calendar.example.org:8080', 'DELETE'), 'http://calendar.example.org:8080')
  })
})
