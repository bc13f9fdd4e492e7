import assert from 'node:assert/strict'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import { ResponseCache } from '../../src/http/cache/response-cache.ts'
import { ScratchFile } from '../../src/http/cache/scratch-file.ts'
import { StoredResponses } from '../../src/http/cache/stored-responses.ts'
import { BufferPool } from '../../src/lib/buffer-pool.ts'
import { hashOf } from '../../src/lib/text-cache.ts'
import { clock } from '../support/calendar.ts'
import { type Service, startService } from '../support/service.ts'
import { eventually } from '../support/workers.ts'

/** How many addresses there are, each with an answer of some hundred kilobytes. */
const ADDRESSES = 150
const API = '/calendar/events/v1'

describe('answers that come back from the scratch file', () => {
  let service: Service
  let base: string
  let told: string[]
  let now = clock()
  before(async () => {
    service = await startService({ clock: () => now, settings: { rateLimit: '0' } })
    base = await service.listen()
    for (let n = 0; n < 4; n++) {
      const json = { title: `Event ${n}`, start_date: `2031-06-1${n + 1} 19:00`, description: text(n) }
      await service.expect(201, 'administrator', '/events', { json: { ...json, end_date: `2031-06-1${n + 1} 22:00` } })
    }
    told = await all(whole)
  })
  after(() => service.close())

  const text = (n: number) => `<p>${`${n} ünd so weiter. `.repeat(5000)}</p>`
  const address = (n: number) => {
    const end = new Date(Date.UTC(2032, 0, n + 1)).toISOString().slice(0, 10)
    return `${base}${API}/events?end_date=${end}&page=${1 + (n % 2)}&per_page=3`
  }
  const ask = async (n: number, headers: Record<string, string> = {}): Promise<IncomingMessage> => {
    const [response] = (await once(get(address(n), { agent: false, headers }), 'response')) as [IncomingMessage]
    assert.equal(response.statusCode, 200)
    return response
  }
  const whole = async (n: number): Promise<string> => String(Buffer.concat(await (await ask(n)).toArray()))
  /** What all addresses answer, asked for sixteen at a time. */
  const all = async (read: (n: number) => Promise<string>): Promise<string[]> => {
    const found: string[] = []
    for (let from = 0; from < ADDRESSES; from += 16) {
      const some = Array.from({ length: Math.min(16, ADDRESSES - from) }, (_, n) => read(from + n))
      found.push(...(await Promise.all(some)))
    }
    return found
  }

  it('are the same when they come back, to those who read slowly too', async () => {
    const slow = await Promise.all([3, 4, 5, 6].map((n) => ask(n)))
    for (const response of slow) response.pause()
    assert.deepEqual(await all(whole), told)
    await setTimeout(50)
    const late = await Promise.all(slow.map(async (response) => String(Buffer.concat(await response.toArray()))))
    assert.deepEqual(late, told.slice(3, 7))
  })

  it('are the same when they are packed', async () => {
    const packed = async (n: number) => {
      const response = await ask(n, { 'accept-encoding': 'gzip' })
      return String(gunzipSync(Buffer.concat(await response.toArray())))
    }
    assert.deepEqual(await all(packed), told)
  })

  it('survive readers who go away', async () => {
    for (let n = 0; n < 40; n++) (await ask(n)).destroy()
    assert.deepEqual(await all(whole), told)
  })

  it('are put aside anew when midnight has made them others', async () => {
    const made = async (n: number) => {
      const response = await ask(n)
      await response.toArray()
      return response.headers['last-modified'] ?? ''
    }
    const today = now
    // After a slow write, as on a busy machine, nothing is put aside for ten seconds: then it is tried again.
    await eventually(async () => {
      now = today
      await all(made)
      now = today + 86_400
      await all(made)
      const tomorrow = new Date(now * 1000).toUTCString()
      now += 60
      const times = new Set(await all(made))
      for (const time of times) assert.ok(Date.parse(time) >= Date.parse(tomorrow), time)
      if (times.size === 1 && times.has(tomorrow)) return true
      await setTimeout(3000)
      return false
    })
  })

  it('are forgotten when something changes', async () => {
    const json = { title: 'First of all', start_date: '2031-06-11 09:00', end_date: '2031-06-11 10:00' }
    await service.expect(201, 'administrator', '/events', { json })
    for (const n of [0, 2, 148]) assert.ok((await whole(n)).includes('First of all'))
  })
})

describe('answers in memory that is used again', () => {
  let service: Service
  let port: number
  before(async () => {
    service = await startService({ settings: { rateLimit: '0' } })
    port = Number(new URL(await service.listen()).port)
    const description = `<p>${'Words. '.repeat(5000)}</p>`
    // More than the buffers that are kept for others.
    for (let n = 0; n < 80; n++) {
      const json = { title: `Event ${n}`, start_date: '2031-06-11 19:00', end_date: '2031-06-11 22:00', description }
      await service.expect(201, 'administrator', '/events', { json })
    }
  })
  after(() => service.close())

  /** Asks for many events on one connection at once. Reads nothing before `isRead`, and then the titles of all answers. */
  const pipelined = async (ids: readonly number[], isRead: Promise<unknown>): Promise<string[]> => {
    const told = await answers(
      ids.map((id) => `/events/${id}`),
      isRead,
    )
    return [...told.matchAll(/"title":"(Event \d+)"/g)].map(([, title]) => title ?? '')
  }
  /** The same of any addresses: all that is answered. */
  const answers = async (paths: readonly string[], isRead: Promise<unknown>): Promise<string> => {
    const socket = connect(port, '127.0.0.1')
    await once(socket, 'connect')
    const last = paths.length - 1
    const ask = (path: string, n: number) =>
      `GET ${API}${path} HTTP/1.1\r\nHost: x\r\n${n === last ? 'Connection: close\r\n' : ''}\r\n`
    socket.write(paths.map(ask).join(''))
    await isRead
    return String(Buffer.concat(await socket.toArray()))
  }

  it('are never those of others when they are made, for one or for several at once', async () => {
    const day = (n: number) => new Date(Date.UTC(2040, 0, n + 1)).toISOString().slice(0, 10)
    const days = Array.from({ length: 120 }, (_, n) => day(n))
    const tell = async (asked: readonly string[], isRead: Promise<unknown>) => {
      const told = await answers(
        asked.map((end) => `/events?per_page=1&end_date=${end}`),
        isRead,
      )
      return [...told.matchAll(/"rest_url":"[^"]*\/events\/\?end_date=([\d-]+)/g)].map(([, end]) => end)
    }
    const others = Promise.withResolvers()
    const late = [days, days.toReversed(), days].map((asked) => tell(asked, others.promise))
    const early = await Promise.all([days, days.slice(60)].map((asked) => tell(asked, Promise.resolve())))
    assert.deepEqual(early, [days, days.slice(60)])
    others.resolve(null)
    assert.deepEqual(await Promise.all(late), [days, days.toReversed(), days])
  })

  it('are never those of others, however late they are read', async () => {
    const { events } = (await service.expect(200, null, '/events?per_page=200&start_date=2031-06-11')) as {
      events: { id: number; title: string }[]
    }
    const twice = [...events, ...events]
    const ids = twice.map(({ id }) => id)
    const titles = twice.map(({ title }) => title)
    assert.deepEqual(await pipelined(ids, Promise.resolve()), titles)
    // More than a connection holds: the service has to wait for those who do not read.
    const others = Promise.withResolvers()
    const late = Array.from({ length: 4 }, () => pipelined([...ids, ...ids], others.promise))
    await setTimeout(200)
    for (let n = 0; n < 3; n++)
      assert.deepEqual(await pipelined(ids.toReversed(), Promise.resolve()), titles.toReversed())
    others.resolve(null)
    for (const told of await Promise.all(late)) assert.deepEqual(told, [...titles, ...titles])
  })
})

describe('stored responses', () => {
  const response = { body: Buffer.from('body'), tag: 't', route: '/', lines: '', until: 0, dependsOn: '', variants: {} }

  it('are not written for some seconds after two writes in turn that took long', () => {
    let now = 0
    let duration = 5
    const stored = new StoredResponses(new ScratchFile(2 ** 20), new BufferPool(), () => {
      now += duration
      return now
    })
    const put = (hash: number) => stored.put(hash, { key: 'key', response, position: 0 })
    assert.deepEqual([put(1), put(2)], [true, true])
    duration = 50
    assert.equal(put(3), true)
    duration = 5
    assert.equal(put(3), true)
    duration = 50
    assert.deepEqual([put(2), put(3)], [true, true])
    duration = 5
    assert.equal(put(4), false)
    assert.deepEqual(
      [1, 3, 4].map((hash) => stored.get(hash, 'key')?.response.tag),
      ['t', 't', undefined],
    )
    now += 10_000
    assert.equal(put(4), true)
    stored.close()
  })
})

describe('a response for which there is no room in the file', () => {
  it('has memory of its own, of its size', async () => {
    const cache = new ResponseCache(clock, new ScratchFile(1), { changesBetween: () => null, isSettledAt: () => true })
    const text = 'A short answer.'
    const { bytes: body, release = () => assert.fail() } = cache.buffers.encode(text)
    const shown = { tag: 't', route: '/', lines: '', until: clock() + 60, dependsOn: '', variants: {} }
    const made = await cache.make('key', '1', async () => ({ ...shown, body, release }))
    made?.release?.()
    cache.buffers.encode('Another answer.')
    const kept = cache.get('key', '1')?.body
    assert.equal(String(kept), text)
    assert.equal(kept?.buffer.byteLength, text.length)
    cache.close()
  })
})

describe('addresses that have the same number', () => {
  it('are never given each other’s answers, from memory or from the file', async () => {
    const [one, other] = alike()
    const cache = new ResponseCache(clock, new ScratchFile(2 ** 24), {
      changesBetween: () => null,
      isSettledAt: () => true,
    })
    const put = (key: string) =>
      cache.make(key, '1', async () => ({
        body: Buffer.alloc(10),
        tag: key,
        route: '/',
        lines: '',
        until: clock() + 60,
        dependsOn: '',
        variants: {},
      }))
    const told = (key: string) => cache.get(key, '1')?.tag
    await put(one)
    // From the file, and, as it is asked for often, from memory.
    for (let n = 0; n < 4; n++) assert.deepEqual([told(one), told(other)], [one, undefined])
    await put(other)
    for (let n = 0; n < 4; n++) assert.deepEqual([told(one), told(other)], [undefined, other])
    cache.close()
  })

  function alike(): [string, string] {
    const seen = new Map<number, string>()
    for (let n = 0; ; n++) {
      const key = ` en /events?x=${n}`
      const other = seen.get(hashOf(key))
      if (other !== undefined) return [other, key]
      seen.set(hashOf(key), key)
    }
  }
})
