import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startService } from '../support/service.ts'

describe('the limit of requests from one address', () => {
  const PATHS = [
    '/assets/pages.css',
    '/assets/docs.js',
    '/assets/none.css',
    '/embed.js',
    '/images/none.jpg',
    `/images/${'a'.repeat(64)}.jpg`,
    '/events.ics',
    '/nothing',
    '/robots.txt',
  ]
  for (const url of PATHS) {
    it(`holds for ${url}`, async () => {
      const service = await startService({ settings: { rateLimit: '3' } })
      const statuses = []
      for (let n = 0; n < 5; n++) statuses.push((await service.inject({ url, remoteAddress: '192.0.2.7' })).statusCode)
      // A minute may have begun meanwhile.
      assert.ok(statuses.includes(429), String(statuses))
      assert.notEqual(statuses[0], 429)
      await service.close()
    })
  }

  it('counts an address with a port, as some proxies forward it, as that address', async () => {
    const service = await startService({ settings: { rateLimit: '3', trustProxy: '127.0.0.1' } })
    const from = async (forwarded: string) =>
      (await service.inject({ url: '/robots.txt', headers: { 'x-forwarded-for': forwarded } })).statusCode
    const sent = ['192.0.2.8:1', '192.0.2.8:22', '::ffff:192.0.2.8', '192.0.2.8', '192.0.2.8:333', '192.0.2.8:4']
    const statuses = []
    for (const forwarded of sent) statuses.push(await from(forwarded))
    assert.ok(statuses.includes(429), String(statuses))
    for (let n = 0; n < 6; n++) statuses.push(await from(`no address ${n}`))
    assert.ok(statuses.slice(6).includes(429), String(statuses))
    assert.equal(await from('[2001:db8::1]:443'), 200)
    await service.close()
  })
})
