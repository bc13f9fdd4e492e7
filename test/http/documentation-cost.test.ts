import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { parse } from 'yaml'
import { holdOf } from '../support/holds.ts'
import { type Service, startService } from '../support/service.ts'

/** No request may hold the event loop for longer, in milliseconds. */
const LONGEST = 50

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
      for (const language of ['en', 'fr', 'de', 'es', 'en']) {
        const hold = await holdOf(() => ask(`format=${format}`, language))
        assert.ok(hold < LONGEST, `${language} held the event loop for ${hold} ms`)
      }
    })
  }

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
