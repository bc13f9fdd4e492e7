import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { clock } from '../support/calendar.ts'
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
      const service = await startService({ clock, settings: { rateLimit: '3' } })
      const statuses = []
      for (let n = 0; n < 5; n++) statuses.push((await service.inject({ url, remoteAddress: '192.0.2.7' })).statusCode)
      assert.deepEqual(
        statuses.map((status) => status === 429),
        [false, false, false, true, true],
        String(statuses),
      )
      await service.close()
    })
  }

  it('begins anew with each minute of the clock', async () => {
    let now = 2_000_000_000 - (2_000_000_000 % 60) + 59
    const service = await startService({ clock: () => now, settings: { rateLimit: '3' } })
    const ask = () => service.inject({ url: '/robots.txt', remoteAddress: '192.0.2.9' })
    const statuses = []
    for (let n = 0; n < 3; n++) statuses.push((await ask()).statusCode)
    const refused = await ask()
    assert.deepEqual([...statuses, refused.statusCode], [200, 200, 200, 429])
    assert.equal(refused.headers['retry-after'], '1')
    now += 1
    assert.equal((await ask()).statusCode, 200)
    await service.close()
  })

  it('counts an address with a port, as some proxies forward it, as that address', async () => {
    const service = await startService({ clock, settings: { rateLimit: '3', trustProxy: '127.0.0.1' } })
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
