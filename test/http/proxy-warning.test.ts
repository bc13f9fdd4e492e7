import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import pino from 'pino'
import { warnAtStart } from '../../src/http/proxy-warning.ts'
import { type Options, startService } from '../support/service.ts'

describe('a proxy that switches limits off', () => {
  /** What is warned of while requests with these headers come from this machine, or another. */
  const warnings = async (
    settings: Options['settings'],
    requests: { headers?: Record<string, string>; remoteAddress?: string }[],
  ) => {
    const lines: string[] = []
    const logger = pino({ level: 'warn' }, { write: (line: string) => void lines.push(JSON.parse(line).msg) })
    const service = await startService({ logger, ...(settings && { settings }) })
    for (const request of requests) await service.inject({ url: '/robots.txt', ...request })
    await service.close()
    return lines
  }
  const browser = { 'user-agent': 'Mozilla/5.0 (X11)', host: '127.0.0.1:8080' }

  it('is told of, once, when it passes on what visitors send and not who they are', async () => {
    const passedOn: Record<string, string>[] = [
      { host: 'calendar.example.org' },
      { via: '1.1 proxy', host: 'localhost:8080' },
      { 'x-forwarded-proto': 'https', host: 'localhost:8080' },
      browser,
    ]
    for (const headers of passedOn) {
      const told = await warnings({}, [{ headers }, { headers }, { headers }])
      assert.equal(told.length, 1, JSON.stringify(headers))
      assert.match(told[0] ?? '', /without X-Forwarded-For: limits per address do not count them/)
    }
    const trusting = await warnings({ trustProxy: '127.0.0.1' }, [{ headers: browser }])
    assert.match(trusting.join(), /without X-Forwarded-For/)
  })

  it('is told of when it is not trusted', async () => {
    const told = await warnings({}, [{ headers: { 'x-forwarded-for': '192.0.2.1' } }, { headers: browser }])
    assert.equal(told.length, 1)
    assert.match(told[0] ?? '', /KALENDS_TRUST_PROXY does not name it/)
  })

  it('is not suspected where there is none, or where it is trusted', async () => {
    const local = { 'user-agent': 'curl/8', host: 'localhost:8080' }
    const forwarded = { ...browser, 'x-forwarded-for': '192.0.2.1', host: 'calendar.example.org' }
    assert.deepEqual(await warnings({}, [{ headers: local }, { headers: {} }]), [])
    assert.deepEqual(await warnings({}, [{ headers: forwarded, remoteAddress: '192.0.2.4' }]), [])
    assert.deepEqual(await warnings({ trustProxy: '127.0.0.1' }, [{ headers: forwarded }, { headers: local }]), [])
    const here = { ...browser, host: 'localhost:8080' }
    assert.deepEqual(await warnings({ baseUrl: 'http://localhost:8080' }, [{ headers: here }]), [])
  })

  it('is told of at the start where there must be one', () => {
    const told = (baseUrl: string, host: string, trustProxy: string[] = []) => {
      const lines: string[] = []
      warnAtStart({ baseUrl, host, trustProxy, rateLimitLoopback: false }, { warn: (line) => void lines.push(line) })
      return lines.length
    }
    assert.equal(told('https://calendar.example.org', '0.0.0.0'), 1)
    assert.equal(told('http://calendar.example.org', 'localhost'), 1)
    assert.equal(told('http://calendar.example.org', '127.0.0.1'), 1)
    assert.equal(told('http://calendar.example.org', '0.0.0.0'), 0)
    assert.equal(told('http://localhost:8080', 'localhost'), 0)
    assert.equal(told('http://[::1]:8080', '::1'), 0)
    assert.equal(told('https://calendar.example.org', 'localhost', ['127.0.0.1']), 0)
  })
})
