import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type App, createApp } from '../../src/app.ts'
import { API, FIXED, receive, recordPaths } from '../support/answers.ts'
import { clock } from '../support/calendar.ts'
import { RandomSite, seeded } from '../support/random-site.ts'
import { basic, type Service, startService } from '../support/service.ts'

const ROUNDS = 25
const SETTINGS = { rateLimit: '0', userRateLimit: '0', loginLimit: '0' } as const

describe('with the cache and without it', () => {
  let service: Service
  let uncached: App
  let urls: [cached: string, uncached: string]
  before(async () => {
    service = await startService({ settings: SETTINGS, clock })
    uncached = await createApp({ ...service.config, cache: false }, service.db, { clock, logger: false })
    urls = [await service.listen(), await uncached.server.listen({ port: 0, host: '127.0.0.1' })]
  })
  after(async () => {
    await uncached.server.close()
    await service.close()
  })

  const compare = async (path: string, last: string, headers: Record<string, string> = {}) => {
    const expected = await receive(urls[1] + path, headers)
    // The second time it comes from the cache.
    for (const time of ['first', 'second'])
      assert.deepEqual(await receive(urls[0] + path, headers), expected, `${path}, the ${time} time, after ${last}`)
    const etag = expected.headers.etag
    if (typeof etag !== 'string' || headers['if-none-match'] !== undefined) return
    await compare(path, last, { ...headers, 'if-none-match': etag })
  }

  it('every answer is the same, also its ETag, after every write', async () => {
    const site = new RandomSite(service, seeded(7))
    await site.fill()
    let last = 'the beginning'
    for (let round = 0; round < ROUNDS; round++) {
      for (const path of [...FIXED, ...recordPaths(site)]) await compare(path, last)
      for (const path of [`${API}/events`, '/events/']) {
        await compare(`/de${path}`, last)
        await compare(path, last, { 'accept-language': 'fr' })
        await compare(path, last, { 'accept-encoding': 'br' })
        await compare(path, last, { authorization: basic('editor') })
      }
      if (round % 2 === 0) await service.render()
      last = await site.change()
    }
  })
})
