import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import pino from 'pino'
import { clock } from '../support/calendar.ts'
import { type Json, type Service, startService } from '../support/service.ts'
import { eventually } from '../support/workers.ts'

const API = '/calendar/events/v1'
const EVENT = { title: 'A concert', start_date: '2031-06-10 19:00', end_date: '2031-06-10 22:00' }

describe('answers from memory', () => {
  let folder: string
  let service: Service
  let base: string
  let queries = 0
  let now = Date.UTC(2031, 5, 1, 12) / 1000

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'kalends-caching-'))
    service = await startService({
      folder,
      clock: () => now,
      onQuery: (sql) => {
        if (!/data_version|"settings"/.test(sql)) queries++
      },
    })
    base = await service.listen()
  })
  after(async () => {
    await service.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const create = (json: object = {}) => service.expect(201, 'administrator', '/events', { json: { ...EVENT, ...json } })
  /** Over a real connection, as readers ask; without compression unless it is asked for. */
  const read = (path: string, headers: Record<string, string> = {}) =>
    fetch(`${base}${API}${path}`, { headers: { 'accept-encoding': 'identity', ...headers } })

  it('are given without a query while nothing has changed, and never once something has', async () => {
    await create()
    const first = await (await read('/events')).text()
    queries = 0
    assert.equal(await (await read('/events')).text(), first)
    assert.equal(queries, 0)
    for (let n = 0; n < 50; n++) {
      const { id } = await create({ title: `Event ${n}` })
      assert.equal(((await (await read('/events')).json()) as Json).total, n + 2)
      await service.expect(200, 'administrator', `/events/${id}`, { method: 'PUT', json: { title: `Renamed ${n}` } })
      assert.equal(((await (await read(`/events/${id}`)).json()) as Json).title, `Renamed ${n}`)
    }
  })

  it('are as complete as others: every header, HEAD, and all that depends on the request', async () => {
    const [one, two] = [await read('/events'), await read('/events')]
    const names = [...one.headers.keys()].filter((name) => !/^(date|x-request-id|last-modified)$/.test(name))
    for (const name of names) assert.equal(two.headers.get(name), one.headers.get(name), name)
    assert.equal([...two.headers.keys()].length, [...one.headers.keys()].length)
    assert.notEqual(two.headers.get('x-request-id'), one.headers.get('x-request-id'))
    const head = await fetch(`${base}${API}/events`, { method: 'HEAD', headers: { 'accept-encoding': 'identity' } })
    assert.equal(head.headers.get('content-length'), one.headers.get('content-length'))
    assert.equal(await head.text(), '')
  })

  it('are of one language each, chosen by header or by address', async () => {
    for (let round = 0; round < 2; round++) {
      for (const language of ['fr', 'de', 'en']) {
        const chosen = await read('/', { 'accept-language': language })
        assert.equal(chosen.headers.get('content-language'), language)
        const addressed = await fetch(`${base}/${language}${API}/events`)
        assert.equal(addressed.headers.get('content-language'), language)
        assert.match(((await addressed.json()) as Json).rest_url, new RegExp(`/${language}/calendar`))
      }
    }
  })

  it('are never shared between audiences', async () => {
    const { id } = await create({ status: 'draft' })
    const path = `/events/${id}`
    for (let round = 0; round < 2; round++) {
      assert.equal((await service.call('administrator', path)).statusCode, 200)
      assert.equal((await read(path)).status, 403)
      assert.equal((await service.call('subscriber', path)).statusCode, 403)
    }
    const own = await service.call('administrator', '/events')
    assert.equal(own.headers['cache-control'], 'private, no-store')
    assert.match((await read('/events')).headers.get('cache-control') ?? '', /^public, max-age=\d+, stale-while-rev/)
  })

  it('of a protected event are for whoever brings its password, and kept nowhere', async () => {
    const { id } = await create({ password: 'open sesame' })
    const opened = await read(`/events/${id}?password=open%20sesame`)
    assert.equal(opened.status, 200)
    assert.match(opened.headers.get('cache-control') ?? '', /no-store/)
    assert.equal((await read(`/events/${id}?password=wrong`)).status, 403)
    assert.equal((await read(`/events/${id}`)).headers.get('cache-control'), 'no-store')
  })

  it('change at midnight when they begin today', async () => {
    const began = async (path: string) => ((await (await read(path)).json()) as Json).rest_url
    now = Date.UTC(2031, 5, 1, 23, 30) / 1000
    const [today, fixed] = [await began('/events'), await began('/events?start_date=2031-06-01&end_date=2031-07-01')]
    queries = 0
    now = Date.UTC(2031, 5, 2, 3, 59, 59) / 1000
    assert.equal(await began('/events'), today)
    assert.equal(queries, 0, 'midnight is that of the site, in New York')
    now += 1
    assert.notEqual(await began('/events'), today)
    queries = 0
    assert.equal(await began('/events?start_date=2031-06-01&end_date=2031-07-01'), fixed)
    assert.equal(queries, 0, 'what names its dates does not change')
    const soon = await began('/events?start_date=%2B1%20day&strict_dates=1')
    assert.equal(await began('/events?start_date=%2B1%20day&strict_dates=1'), soon)
    assert.ok(queries > 0)
  })

  it('of a later day are not given once the clock is set back', async () => {
    now = Date.UTC(2031, 5, 2, 12) / 1000
    const { id } = await create({ title: 'Of the first', start_date: '2031-06-01 10:00', end_date: '2031-06-01 11:00' })
    const has = async () => {
      const { events } = (await (await read('/events?per_page=50')).json()) as Json
      return events.some((event: Json) => event.id === id)
    }
    const page = async () => (await fetch(`${base}/events/?view=list`)).text()
    const later = await page()
    assert.equal(await has(), false)
    now = Date.UTC(2031, 5, 1, 12) / 1000
    assert.equal(await has(), true)
    assert.notEqual(await page(), later)
    await service.expect(200, 'administrator', `/events/${id}`, { method: 'DELETE', query: { force: true } })
  })

  it('are compressed for those who take it, each with a tag of its own', async () => {
    const plain = Buffer.from(await (await read('/events')).arrayBuffer())
    const raw = async (encoding: string) => {
      const answer = await service.inject({ url: `${API}/events`, headers: { 'accept-encoding': encoding } })
      assert.equal(answer.headers['content-encoding'], encoding)
      return { bytes: answer.rawPayload, etag: answer.headers.etag }
    }
    const [br, gzip] = [await raw('br'), await raw('gzip')]
    assert.deepEqual(brotliDecompressSync(br.bytes), plain)
    assert.deepEqual(gunzipSync(gzip.bytes), plain)
    assert.notEqual(br.etag, gzip.etag)
    const refused = await service.inject({ url: `${API}/events`, headers: { 'accept-encoding': 'br;q=0, gzip;q=0' } })
    assert.equal(refused.headers['content-encoding'], undefined)
    assert.match((await read('/events')).headers.get('vary') ?? '', /Accept-Encoding/)
  })

  it('are not sent again to those who have them', async () => {
    const etag = (await read('/events')).headers.get('etag') ?? ''
    for (const condition of [etag, `W/${etag}`, `"other", ${etag}`, '*', etag.replace(/"$/, '~br"')]) {
      const again = await read('/events', { 'if-none-match': condition })
      assert.equal(again.status, 304, condition)
      assert.equal(await again.text(), '')
      assert.ok(again.headers.get('etag') && again.headers.get('cache-control') && again.headers.get('vary'))
    }
    assert.equal((await read('/events', { 'if-none-match': '"other"' })).status, 200)
    await create({ title: 'Something new' })
    assert.equal((await read('/events', { 'if-none-match': etag })).status, 200)
  })

  it('count towards the limit of requests', async () => {
    const limited = await startService({ clock, settings: { rateLimit: '5', rateLimitLoopback: 'true' } })
    const url = `${await limited.listen()}${API}/events`
    const statuses: number[] = []
    for (let n = 0; n < 8; n++) statuses.push((await fetch(url)).status)
    assert.deepEqual(statuses, [200, 200, 200, 200, 200, 429, 429, 429])
    await limited.close()
  })
})

describe('If-Match', () => {
  let service: Service
  before(async () => {
    service = await startService()
  })
  after(() => service.close())

  const kinds: [string, object, object][] = [
    ['/events', EVENT, { title: 'Changed' }],
    ['/venues', { venue: 'A hall' }, { city: 'Paris' }],
    ['/organizers', { organizer: 'A choir' }, { phone: '1' }],
    ['/categories', { name: 'Music' }, { description: 'Loud' }],
    ['/tags', { name: 'New' }, { description: 'Newer' }],
  ]
  for (const [path, json, change] of kinds) {
    it(`lets only the first of two editors save, of ${path}`, async () => {
      const { id } = await service.expect(201, 'editor', path, { json })
      const etag = String((await service.call('editor', `${path}/${id}`)).headers.etag)
      const save = (method: 'PUT' | 'DELETE', condition: string) =>
        service.call('editor', `${path}/${id}`, {
          method,
          headers: { 'if-match': condition },
          ...(method === 'PUT' && { json: change }),
        })
      const [one, other] = [await save('PUT', etag), await save('PUT', etag)]
      assert.equal(one.statusCode, 200)
      assert.equal(other.statusCode, 412)
      assert.equal(other.json().code, 'rest_precondition_failed')
      assert.equal((await save('DELETE', etag)).statusCode, 412)
      assert.equal((await save('PUT', String(one.headers.etag))).statusCode, 200)
      assert.equal((await save('DELETE', '*')).statusCode, 200)
    })
  }

  it('does not mind that another event got the same tag', async () => {
    const { id } = await service.expect(201, 'editor', '/events', { json: { ...EVENT, tags: ['shared'] } })
    const etag = String((await service.call(null, `/events/${id}`)).headers.etag)
    await service.expect(201, 'editor', '/events', { json: { ...EVENT, tags: ['shared'] } })
    assert.notEqual((await service.call(null, `/events/${id}`)).headers.etag, etag)
    const headers = { 'if-match': etag }
    const saved = await service.call('editor', `/events/${id}`, { method: 'PUT', headers, json: { cost: '5' } })
    assert.equal(saved.statusCode, 200)
  })

  it('of something that does not exist is refused as that', async () => {
    const answer = await service.call('editor', '/events/999', {
      method: 'PUT',
      headers: { 'if-match': '*' },
      json: { title: 'x' },
    })
    assert.equal(answer.statusCode, 404)
  })
})

describe('the log', () => {
  it('has the same line of an answer from memory as of any other, and no password', async () => {
    const lines: Json[] = []
    const logger = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) })
    const service = await startService({ logger })
    const url = `${await service.listen()}${API}/events?password=hidden-word`
    await (await fetch(url)).text()
    await (await fetch(url)).text()
    const answered = () => lines.filter((line) => line.msg === 'answered')
    await eventually(() => answered().length === 2)
    await service.close()
    const [first, second] = answered()
    assert.deepEqual(Object.keys(second).sort(), Object.keys(first).sort())
    assert.equal(second.req.method, 'GET')
    assert.equal(second.res.statusCode, 200)
    assert.doesNotMatch(JSON.stringify(second), /hidden-word/)
  })
})
