import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { parse } from 'yaml'
import { holdOf } from '../support/holds.ts'
import { type Service, startService } from '../support/service.ts'

/** No request may hold the event loop for longer, in milliseconds. */
const LONGEST = 50
/** How often it is tried: others use the processor too. */
const ATTEMPTS = 5

describe('the documentation', () => {
  let service: Service
  before(async () => {
    service = await startService()
    // Loads what the first answer of a process needs.
    await service.expect(200, null, '/')
  })
  after(() => service.close())

  const ask = async (query: string, language = 'en') => {
    const url = `/calendar/events/v1/doc?${query}`
    const response = await service.inject({ url, headers: { 'accept-language': language } })
    assert.equal(response.statusCode, 200)
    return response
  }

  for (const format of ['json', 'yaml']) {
    it(`keeps nobody waiting as ${format}, the first time in each language and later`, async () => {
      let least = Number.POSITIVE_INFINITY
      // A document is made once for each base address, so that each attempt is a first time.
      for (let n = 0; n < ATTEMPTS && least > LONGEST; n++) {
        const other = await startService({ settings: { baseUrl: `http://${format}${n}.example.org` } })
        await other.expect(200, null, '/')
        const url = `/calendar/events/v1/doc?format=${format}`
        let longest = 0
        for (const language of ['en', 'fr', 'de', 'es', 'en']) {
          const headers = { 'accept-language': language }
          longest = Math.max(longest, await holdOf(() => other.inject({ url, headers })))
        }
        await other.close()
        least = Math.min(least, longest)
      }
      assert.ok(least < LONGEST, `held the event loop for ${least} ms`)
    })
  }

  it('keeps nobody waiting as a page', async () => {
    let least = Number.POSITIVE_INFINITY
    for (let n = 0; n < ATTEMPTS && least > LONGEST; n++) {
      const other = await startService({ settings: { baseUrl: `http://page${n}.example.org` } })
      await other.expect(200, null, '/')
      await other.inject({ url: '/events/' })
      let longest = 0
      for (const language of ['en', 'fr', 'de', 'es'])
        longest = Math.max(longest, await holdOf(() => other.inject({ url: `/${language}/docs` })))
      await other.close()
      least = Math.min(least, longest)
    }
    assert.ok(least < LONGEST, `held the event loop for ${least} ms`)
  })

  it('is made once for all addresses that ask for the same', async () => {
    await ask('format=yaml')
    const before = process.threadCpuUsage()
    for (let n = 0; n < 20; n++) await ask(`format=yaml&x=${n}`)
    const { user, system } = process.threadCpuUsage(before)
    // Writing it anew takes 170 ms each time.
    assert.ok((user + system) / 1000 < 20 * 30, `20 answers took ${(user + system) / 1000} ms`)
  })

  it('is the same to many who ask at once, in every language', async () => {
    const languages = ['en', 'fr', 'de', 'es', 'en', 'fr']
    const answers = await Promise.all(languages.map((language) => ask('format=yaml&y=1', language)))
    for (const [n, language] of languages.entries()) {
      assert.deepEqual(parse(answers[n]?.body ?? ''), (await ask('format=json', language)).json())
    }
  })
})
