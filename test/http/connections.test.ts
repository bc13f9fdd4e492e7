import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { closeIdleConnections } from '../../src/http/connections.ts'
import { clock } from '../support/calendar.ts'
import { type Service, startService } from '../support/service.ts'

const EVENTS = '/calendar/events/v1/events'

/** What a server writes, byte by byte. */
describe('answers on the wire', () => {
  let service: Service
  let port: number
  before(async () => {
    service = await startService({ clock })
    const event = { title: 'Wörter', start_date: '2031-06-10 19:00', end_date: '2031-06-10 22:00' }
    await service.expect(201, 'administrator', '/events', { json: event })
    port = Number(new URL(await service.listen()).port)
  })
  after(() => service.close())

  /** All that comes back for some lines, until the server ends the connection. */
  const exchange = async (...lines: string[]): Promise<string> => {
    const socket = connect(port, '127.0.0.1')
    socket.write(`${lines.join('\r\n')}\r\n\r\n`)
    return Buffer.concat(await socket.toArray()).toString('latin1')
  }
  const get = (address: string, ...more: string[]) =>
    exchange(`GET ${address} HTTP/1.1`, 'host: x', 'connection: close', ...more)
  /** An answer without what differs every time. */
  const steady = (answer: string) => answer.replace(/^(x-request-id|date|last-modified): .*\r\n/gim, '')
  const sorted = (answer: string) => {
    const [head = '', ...body] = steady(answer).split('\r\n\r\n')
    return [head.toLowerCase().split('\r\n').sort(), body]
  }
  /** Those of some requests that come on one connection, the last of which ends it. */
  const kept = async (count: number, ...more: string[]): Promise<string[]> => {
    const request = [`GET ${EVENTS} HTTP/1.1`, 'host: x', ...more]
    const lines = Array.from({ length: count }, () => [...request, '']).flat()
    const all = await exchange(...lines, `GET ${EVENTS} HTTP/1.1`, 'host: x', 'connection: close')
    return all.split(/(?=HTTP\/1\.1 )/).slice(0, count)
  }

  it('are the same from memory as from Node, whoever keeps the connection', async () => {
    const long = await get(`${EVENTS}?x=1`)
    const [first, second] = [await get(`${EVENTS}?x=1`), (await kept(2))[1] ?? '']
    assert.deepEqual(sorted(first), sorted(long))
    const [head, body] = sorted(second)
    assert.ok(head?.includes('connection: keep-alive'), String(head))
    assert.match(second, /^date: \w{3}, \d\d \w{3} \d{4} [\d:]{8} GMT\r$/im)
    assert.match(second, /^x-request-id: [\w-]{36}\r$/im)
    assert.deepEqual(body, sorted(await get(EVENTS))[1])
    assert.equal(second.split('\r\n\r\n')[1]?.length, Number(/^content-length: (\d+)/im.exec(second)?.[1]))
  })

  it('come in order when they are asked for at once, and each has an id of its own', async () => {
    const all = await kept(300)
    assert.equal(new Set(all.map(steady)).size, 1)
    assert.equal(new Set(all.map((answer) => /^x-request-id: (.*)\r$/im.exec(answer)?.[1])).size, 300)
  })

  it('end the connection of whoever does not keep it', async () => {
    assert.match(await get(EVENTS), /^connection: close\r$/im)
    assert.match(await exchange(`GET ${EVENTS} HTTP/1.0`), /^connection: close\r$/im)
  })

  it('have no body when only their head is asked for, or they are known', async () => {
    const whole = await get(EVENTS)
    const head = await exchange(`HEAD ${EVENTS} HTTP/1.1`, 'host: x', 'connection: close')
    assert.deepEqual(sorted(head), [sorted(whole)[0], ['']])
    const etag = /^etag: (.*)\r$/im.exec(whole)?.[1]
    for (const known of await kept(3, `if-none-match: ${etag}`)) {
      assert.match(known, /^HTTP\/1\.1 304 Not Modified\r\n/)
      assert.match(known, new RegExp(`^etag: ${etag}\r$`, 'm'))
      assert.match(known, /^vary: .*Accept-Language.*\r$/m)
      assert.equal(known.split('\r\n\r\n')[1], '')
    }
  })
})

describe('a connection on which nothing happens', () => {
  const TIMES = { after: 2500, every: 500 }
  const LARGE = Buffer.alloc(32 * 2 ** 20, 'x')
  const server = createServer((_, response) => response.end(LARGE))
  let port: number
  before(async () => {
    closeIdleConnections(server, TIMES)
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    port = (server.address() as AddressInfo).port
  })
  after(() => server.close())

  const open = async (): Promise<Socket> => {
    const socket = connect(port, '127.0.0.1')
    await once(socket, 'connect')
    return socket
  }
  const connections = () => new Promise((resolve) => server.getConnections((_, count) => resolve(count)))
  const none = async (patience: number) => {
    for (let waited = 0; waited < patience && (await connections()) !== 0; waited += 20) await setTimeout(20)
    return await connections()
  }

  it('is ended, whether it was ever used or not', async () => {
    const [fresh, used] = [await open(), await open()]
    used.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
    used.resume()
    fresh.resume()
    await setTimeout(TIMES.after / 2)
    assert.equal(await connections(), 2)
    assert.equal(await none(20_000), 0)
  })

  it('is ended though its answer waits to be read', async () => {
    const socket = await open()
    socket.on('error', () => {})
    socket.pause()
    socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
    assert.equal(await none(20_000), 0)
    socket.destroy()
  })

  it('is not ended while somebody reads slowly, or asks now and then', async () => {
    const [slow, patient] = [await open(), await open()]
    let [read, heads] = [0, 0]
    slow.on('data', (part) => {
      const before = read
      read += part.length
      // Eight megabytes at a time: less, and the system reads ahead of it unseen.
      if (before >> 23 !== read >> 23) slow.pause()
    })
    patient.setEncoding('latin1').on('data', (text: string) => {
      heads += text.split('HTTP/1.1 200').length - 1
    })
    slow.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
    for (let n = 1; n <= 4; n++) {
      await setTimeout(TIMES.after / 2)
      patient.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
      slow.resume()
    }
    await setTimeout(TIMES.after / 2)
    assert.ok(read > LARGE.length, String(read))
    assert.equal(heads, 4)
    slow.destroy()
    patient.destroy()
  })
})
