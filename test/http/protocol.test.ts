import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { Writable } from 'node:stream'
import { after, before, describe, it } from 'node:test'
import pino from 'pino'
import { endpoints } from '../../src/rest/endpoints.ts'
import { clock } from '../support/calendar.ts'
import { basic, type Service, startService } from '../support/service.ts'
import { eventually } from '../support/workers.ts'

const EVENTS = '/calendar/events/v1/events'

describe('the protocol', () => {
  let service: Service
  before(async () => {
    service = await startService({
      settings: {
        mounts: '/wp-json/tribe/events/v1,/other',
        bodyLimit: '2048',
        writeOrigins: 'https://friend.example',
      },
    })
  })
  after(() => service.close())

  it('names the supported methods of a known place', async () => {
    const response = await service.call(null, '/events/12', { method: 'OPTIONS' as 'GET' })
    assert.ok(response.statusCode < 500)
    const wrong = await service.call('editor', '/tags', {
      method: 'PATCH',
      raw: 'x',
      headers: { 'content-type': 'text/plain' },
    })
    assert.deepEqual([wrong.statusCode, wrong.headers.allow], [405, 'GET, POST'])
  })

  it('answers HEAD like GET without a body', async () => {
    const response = await service.inject({ method: 'HEAD', url: EVENTS })
    assert.deepEqual([response.statusCode, response.body, response.headers['x-tec-total']], [200, '', '0'])
  })

  it('is the same at every mount', async () => {
    for (const mount of ['/wp-json/tribe/events/v1', '/other']) {
      assert.equal((await service.inject({ url: `${mount}/venues?per_page=3` })).statusCode, 200)
      assert.equal((await service.inject({ url: `${mount}/` })).json().namespace, 'calendar/events/v1')
    }
    assert.equal((await service.inject({ url: '/otherwise/venues' })).statusCode, 404)
  })

  it('takes the method that a POST says it means', async () => {
    const { id } = await service.expect(201, 'editor', '/tags', { json: { name: 'Overridden' } })
    const changed = await service.expect(200, 'editor', `/tags/${id}`, {
      json: { description: 'x' },
      headers: { 'x-http-method-override': 'patch' },
    })
    assert.equal(changed.description, 'x')
    await service.expect(200, 'editor', `/tags/${id}`, { method: 'POST', query: { _method: 'DELETE' } })
    await service.expect(404, 'editor', `/tags/${id}`)
    await service.expect(200, null, '/tags', { query: { _method: 'DELETE' } })
  })

  it('refuses bodies that are too large, of unknown types, or broken', async () => {
    const large = await service.call('editor', '/tags', { json: { name: 'x'.repeat(3000) } })
    assert.deepEqual([large.statusCode, large.json().data.status], [413, 413])
    for (const type of ['text/plain', 'multipart/mixed; boundary=x', 'application/xml', 'nonsense']) {
      assert.equal(
        (await service.call('editor', '/tags', { raw: 'x', headers: { 'content-type': type } })).statusCode,
        415,
        type,
      )
    }
    for (const raw of ['{"name":', '[]', '"x"', '7', 'null', Buffer.from([0x7b, 0xff])]) {
      const broken = await service.call('editor', '/tags', {
        raw,
        headers: { 'content-type': 'application/json; charset=utf-8' },
      })
      assert.deepEqual([broken.statusCode, broken.json().code], [400, 'rest_invalid_json'], String(raw))
    }
    assert.equal((await service.call('editor', '/tags', { method: 'POST' })).json().code, 'rest_missing_callback_param')
  })

  it('refuses malformed addresses', async () => {
    assert.equal((await service.inject({ url: '/calendar/events/v1/venues/by-slug/%ff' })).statusCode, 400)
    assert.equal(
      (await service.inject({ url: `/calendar/events/v1/venues/by-slug/${'x'.repeat(3000)}` })).statusCode,
      414,
    )
  })

  it('shows only the parts that _fields names', async () => {
    const index = await service.expect(200, null, '/', { query: { _fields: 'namespace' } })
    assert.deepEqual(index, { namespace: 'calendar/events/v1' })
    assert.deepEqual(await service.expect(200, null, '/tags', { query: { _fields: 'total, nothing.at.all' } }), {
      total: 0,
    })
  })

  it('lets pages of any origin read, and of known ones write', async () => {
    const read = await service.inject({ url: EVENTS, headers: { origin: 'https://anyone.example' } })
    assert.equal(read.headers['access-control-allow-origin'], '*')
    assert.match(String(read.headers['access-control-expose-headers']), /X-TEC-Total/)
    const preflight = (origin: string, method: string) =>
      service.inject({
        method: 'OPTIONS',
        url: EVENTS,
        headers: { origin, 'access-control-request-method': method, 'access-control-request-headers': 'authorization' },
      })
    assert.equal((await preflight('https://anyone.example', 'GET')).headers['access-control-allow-origin'], '*')
    assert.equal((await preflight('https://anyone.example', 'POST')).headers['access-control-allow-origin'], undefined)
    assert.equal(
      (await preflight('https://friend.example', 'POST')).headers['access-control-allow-origin'],
      'https://friend.example',
    )
    const write = (origin: string) => service.call('editor', '/tags', { json: { name: origin }, headers: { origin } })
    assert.equal((await write('https://anyone.example')).statusCode, 403)
    assert.equal((await write('null')).statusCode, 403)
    assert.equal((await write('https://friend.example')).statusCode, 201)
    assert.equal((await write('http://calendar.example.org:8080')).statusCode, 201)
  })

  it('sends headers that keep browsers safe, and a request id', async () => {
    const { headers } = await service.inject({ url: EVENTS })
    assert.equal(headers['x-content-type-options'], 'nosniff')
    assert.match(String(headers['content-security-policy']), /default-src 'none'/)
    assert.match(String(headers['x-request-id']), /^[\w-]{36}$/)
  })

  it('tells whether it is alive and ready', async () => {
    assert.equal((await service.inject({ url: '/healthz' })).statusCode, 200)
    assert.equal(
      (await service.inject({ url: '/readyz', headers: { authorization: basic('editor', 'wrong') } })).statusCode,
      200,
    )
  })

  it('speaks the reader’s language', async () => {
    const message = async (language: string) =>
      (await service.call(null, '/venues/0', { headers: { 'accept-language': language } })).json().message
    assert.equal(await message('fr-CA, en;q=0.5'), await message('fr'))
    assert.notEqual(await message('fr'), await message('en'))
    assert.equal(await message('tlh, en;q=0.1'), await message('en'))
  })
})

describe('the namespace index', () => {
  it('has every path with its methods and arguments', async () => {
    const service = await startService()
    const index = await service.expect(200, null, '/', { query: { context: 'edit', namespace: 'calendar/events/v1' } })
    assert.equal(Object.keys(index.routes).length, new Set(endpoints.map(({ path }) => path)).size)
    const events = index.routes['/calendar/events/v1/events']
    assert.deepEqual(events.methods, ['GET', 'POST'])
    assert.deepEqual(events.endpoints[1].methods, ['POST'])
    assert.deepEqual(events._links.self, [{ href: 'http://calendar.example.org:8080/calendar/events/v1/events' }])
    const { title, all_day: allDay } = events.endpoints[1].args
    assert.deepEqual(
      [title.type, title.required, allDay.default, typeof title.description],
      ['string', true, false, 'string'],
    )
    const one = index.routes['/calendar/events/v1/events/(?P<id>\\d+)']
    assert.deepEqual(one.methods, ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])
    assert.deepEqual([one.endpoints[1].args.id.required, one.endpoints[1].args.title.required], [true, false])
    const bySlug = index.routes['/calendar/events/v1/venues/by-slug/(?P<slug>[^/]+)']
    assert.equal(bySlug.endpoints[1].args.slug.required, true)
    const error = await service.expect(400, null, '/', { query: { context: 'sideways', namespace: 'wp/v2' } })
    assert.deepEqual(Object.keys(error.data.params).sort(), ['context', 'namespace'])
    await service.close()
  })
})

describe('rate limits', () => {
  it('count by address and by user, and spare programs on this machine', async () => {
    const service = await startService({ clock, settings: { rateLimit: '3', userRateLimit: '2' } })
    const from = (remoteAddress: string, headers: Record<string, string> = {}) =>
      service.inject({ url: EVENTS, remoteAddress, headers })
    for (let n = 0; n < 3; n++) assert.equal((await from('192.0.2.1')).statusCode, 200)
    const refused = await from('192.0.2.1')
    assert.deepEqual([refused.statusCode, refused.json().code], [429, 'rest_too_many_requests'])
    assert.ok(Number(refused.headers['retry-after']) > 0)
    assert.equal((await from('192.0.2.2')).statusCode, 200)
    for (let n = 0; n < 10; n++) assert.equal((await from('127.0.0.1')).statusCode, 200)
    for (let n = 0; n < 3; n++) await from('127.0.0.1', { 'x-forwarded-for': '192.0.2.9' })
    assert.equal((await from('127.0.0.1', { 'x-forwarded-for': '192.0.2.9' })).statusCode, 429)
    for (const name of ['forwarded', 'x-real-ip'])
      assert.equal((await from('127.0.0.1', { [name]: '192.0.2.9' })).statusCode, 429, name)
    const editor = { authorization: basic('editor') }
    assert.equal((await from('192.0.2.3', editor)).statusCode, 200)
    assert.equal((await from('192.0.2.4', editor)).statusCode, 200)
    assert.equal((await from('192.0.2.5', editor)).statusCode, 429)
    assert.equal((await service.inject({ url: '/healthz', remoteAddress: '192.0.2.1' })).statusCode, 200)
    await service.close()
  })

  it('can be switched off', async () => {
    const service = await startService({ settings: { rateLimit: '0', userRateLimit: '0', rateLimitLoopback: 'yes' } })
    for (let n = 0; n < 20; n++) assert.equal((await service.inject({ url: EVENTS })).statusCode, 200)
    await service.close()
  })
})

describe('a fault of ours', () => {
  it('is told without its inside, under a number that is in the log, which holds no secret', async () => {
    const lines: string[] = []
    const sink = new Writable({
      write(chunk, _, done) {
        lines.push(String(chunk))
        done()
      },
    })
    const service = await startService({ logger: pino(sink) })
    await service.db.close()
    const response = await service.inject({
      url: `${EVENTS}?password=geheim`,
      headers: { authorization: basic('editor', 'verysecret') },
    })
    assert.equal(response.statusCode, 500)
    const id: string = response.json().data.request_id
    assert.equal(id, response.headers['x-request-id'])
    assert.ok(
      lines.some((line) => line.includes(String(id)) && line.includes('driver has already been destroyed')),
      lines.join(''),
    )
    assert.doesNotMatch(response.body, /destroyed/)
    assert.doesNotMatch(lines.join(''), /verysecret|Basic /)
  })
})

describe('a slow request', () => {
  it('is cut off', async () => {
    const service = await startService({ settings: { requestTimeout: '1' } })
    const { port, hostname } = new URL(await service.listen())
    const answer = await new Promise<string>((resolve) => {
      let text = ''
      const socket = connect(Number(port), hostname, () => socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n'))
      socket.on('data', (data) => {
        text += data
      })
      socket.on('close', () => resolve(text))
    })
    assert.match(answer, /^HTTP\/1\.1 408/)
    await service.close()
  })
})

describe('a connection', () => {
  const open = async (service: Service) => {
    const { port, hostname } = new URL(await service.listen())
    const socket = connect(Number(port), hostname)
    let text = ''
    socket.on('data', (data) => {
      text += data
    })
    const head = (length: number) =>
      [
        'POST /calendar/events/v1/tags HTTP/1.1',
        'Host: x',
        `Authorization: ${basic('editor')}`,
        'Content-Type: application/json',
        `Content-Length: ${length}\r\n\r\n`,
      ].join('\r\n')
    return { socket, head, text: () => text, closed: once(socket, 'close') }
  }
  /** Whether another connection to the same place is refused. */
  const isRefused = async ({ remotePort = 0, remoteAddress }: Socket) => {
    const other = connect(remotePort, remoteAddress)
    try {
      await once(other, 'connect')
      return false
    } catch {
      return true
    } finally {
      other.destroy()
    }
  }

  it('stays when a body is refused before it has arrived', { timeout: 5000 }, async () => {
    const service = await startService({ settings: { bodyLimit: '2048' } })
    const { socket, head, text } = await open(service)
    socket.write(`${head(50_000)}${' '.repeat(1000)}`)
    await once(socket, 'data')
    assert.match(text(), /^HTTP\/1\.1 413/)
    socket.write(`${' '.repeat(49_000)}GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n`)
    await once(socket, 'data')
    assert.match(text(), /HTTP\/1\.1 200/)
    socket.destroy()
    await service.close()
  })

  it('ends when a body is refused that is too large to wait for', { timeout: 5000 }, async () => {
    const service = await startService()
    const { socket, head, text, closed } = await open(service)
    socket.write(head(200_000_000))
    await closed
    assert.match(text(), /^HTTP\/1\.1 413/)
    await service.close()
  })

  it('ends with what runs on it when the service stops', { timeout: 5000 }, async () => {
    const service = await startService()
    const { socket, head, text, closed } = await open(service)
    const body = JSON.stringify({ name: 'In time' })
    // The request runs when its body is asked for.
    socket.write(head(body.length).replace('Host: x', 'Host: x\r\nExpect: 100-continue'))
    await once(socket, 'data')
    socket.write(body.slice(0, 5))
    const stopped = service.close()
    await eventually(() => isRefused(socket))
    socket.write(body.slice(5))
    await Promise.all([closed, stopped])
    assert.match(text(), /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 201/)
    assert.match(text(), /^connection: close\r$/im)
  })
})
