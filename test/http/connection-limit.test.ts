import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import type { Options } from '../support/service.ts'
import { startService } from '../support/service.ts'
import { eventually, serveProcesses } from '../support/workers.ts'

/** One connection of a client. */
class Client {
  readonly socket: Socket
  readonly #closed: Promise<unknown>
  text = ''

  constructor(port: number, localAddress: string) {
    this.socket = connect({ port, host: '127.0.0.1', localAddress })
    this.socket.setEncoding('latin1').on('data', (data: string) => {
      this.text += data
    })
    this.#closed = once(this.socket, 'close')
  }

  /** The status of the next answer on it. */
  async ask(path = '/healthz'): Promise<number> {
    this.text = ''
    this.socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`)
    await Promise.race([eventually(() => this.text.includes('\r\n\r\n')), this.#closed])
    return Number(/^HTTP\/1\.1 (\d+)/.exec(this.text)?.[1] ?? 0)
  }

  /** Ends it, and waits until that is so. */
  async close(): Promise<void> {
    this.socket.destroy()
    await this.#closed
  }

  /** Waits until the other side ends it, which must not look like an accident. */
  async ended(): Promise<void> {
    await this.#closed
    assert.equal(this.socket.errored, null)
  }
}

async function start(t: TestContext, settings: Options['settings'] = {}) {
  const service = await startService({ settings })
  const port = Number(new URL(await service.listen()).port)
  const clients: Client[] = []
  t.after(async () => {
    for (const client of clients) client.socket.destroy()
    await service.close()
  })
  return (address = '127.0.0.1') => {
    const client = new Client(port, address)
    clients.push(client)
    return client
  }
}

describe('connections', () => {
  it('over the limit are told so and closed, and those that are open go on', async (t) => {
    const open = await start(t, { connections: '3' })
    const clients = [open(), open(), open()]
    for (const client of clients) assert.equal(await client.ask(), 200)
    for (let n = 0; n < 10; n++) {
      const refused = open()
      assert.equal(await refused.ask(), 503)
      assert.match(refused.text, /^retry-after: \d+\r$/im)
      assert.match(refused.text, /"rest_unavailable"/)
      await refused.ended()
    }
    for (const client of clients) assert.equal(await client.ask('/calendar/events/v1/events'), 200)
    await clients[0]?.close()
    await eventually(async () => (await open().ask()) === 200)
    assert.equal(await open().ask(), 503)
  })

  it('of which very many come at once do not disturb those that are open', async (t) => {
    const open = await start(t, { connections: '2' })
    const first = open()
    assert.equal(await first.ask(), 200)
    const flood = Array.from({ length: 400 }, () => open())
    for (const client of flood) client.socket.on('error', () => {})
    await Promise.all(flood.map((client) => client.ask()))
    assert.equal(flood.filter((client) => client.text.includes('HTTP/1.1 200')).length, 1)
    assert.equal(await first.ask(), 200)
  })

  it('are limited per address', async (t) => {
    const open = await start(t, { connectionsPerAddress: '2', rateLimitLoopback: 'yes' })
    const clients = [open('127.0.0.2'), open('127.0.0.2'), open('127.0.0.3')]
    for (const client of clients) assert.equal(await client.ask(), 200)
    assert.equal(await open('127.0.0.2').ask(), 503)
    assert.equal(await open('127.0.0.3').ask(), 200)
    await clients[1]?.close()
    await eventually(async () => (await open('127.0.0.2').ask()) === 200)
  })

  it('of this machine and of trusted proxies are not limited per address', async (t) => {
    const local = await start(t, { connectionsPerAddress: '2' })
    const trusting = await start(t, {
      connectionsPerAddress: '2',
      rateLimitLoopback: 'yes',
      trustProxy: '127.0.0.2,127.0.0.8/31',
    })
    for (let n = 0; n < 6; n++) {
      assert.equal(await local().ask(), 200)
      for (const address of ['127.0.0.2', '127.0.0.9']) assert.equal(await trusting(address).ask(), 200)
      assert.equal(await trusting('127.0.0.10').ask(), n < 2 ? 200 : 503)
    }
  })

  it('are not limited by 0', async (t) => {
    const open = await start(t, { connections: '0', connectionsPerAddress: '0', rateLimitLoopback: 'yes' })
    for (let n = 0; n < 20; n++) assert.equal(await open().ask(), 200)
  })

  it('are counted for all workers together, also when one is killed', async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'kalends-connections-'))
    const served = await serveProcesses(['--workers', '2', '--data', folder], {
      KALENDS_CONNECTIONS_PER_ADDRESS: '5',
      KALENDS_RATE_LIMIT_LOOPBACK: 'yes',
    })
    const clients: Client[] = []
    t.after(async () => {
      for (const client of clients) client.socket.destroy()
      served.child.kill('SIGTERM')
      await served.closed
      rmSync(folder, { recursive: true })
    })
    const open = () => {
      const client = new Client(Number(new URL(served.url).port), '127.0.0.7')
      client.socket.on('error', () => {})
      clients.push(client)
      return client
    }
    const some = Array.from({ length: 5 }, open)
    for (const client of some) assert.equal(await client.ask(), 200)
    for (let n = 0; n < 4; n++) assert.equal(await open().ask(), 503)
    await some[0]?.close()
    await eventually(async () => (await open().ask()) === 200)
    assert.equal(await open().ask(), 503)
    const ready = () => served.log().filter(({ msg, worker }) => msg === 'worker ready' && worker === 1)
    process.kill(ready()[0]?.process ?? 0, 'SIGKILL')
    await eventually(() => ready().length === 2)
    // The connections of the one that was killed are free again, and no more.
    await eventually(async () => (await open().ask()) === 200)
    const more = await Promise.all(Array.from({ length: 10 }, () => open().ask()))
    assert.ok(more.filter((status) => status === 200).length < 5, String(more))
  })
})
