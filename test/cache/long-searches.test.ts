import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Service, startService } from '../support/service.ts'

/** So many that the list without the search is remembered, and hits are looked up in it. */
const EVENTS = 560

describe('a search for a word that many events have', () => {
  let service: Service
  let expected: number[]
  before(async () => {
    service = await startService({ settings: { rateLimit: '0', userRateLimit: '0', loginLimit: '0' } })
    const made: { day: string; title: string; id: number }[] = []
    for (let n = 0; n < EVENTS; n++) {
      // Neither in the order of their ids nor all with the word.
      const day = new Date(Date.UTC(2031, 0, 1 + ((n * 37) % EVENTS))).toISOString().slice(0, 10)
      const title = n % 20 === 0 ? 'Supper' : `Lantern ${n}`
      const json = { title, start_date: `${day} 19:00`, end_date: `${day} 22:00` }
      made.push({ day, title, id: (await service.expect(201, 'editor', '/events', { json })).id })
    }
    await service.render()
    expected = made
      .filter(({ title }) => title !== 'Supper')
      .sort((one, other) => (one.day < other.day ? -1 : 1))
      .map(({ id }) => id)
  })
  after(() => service.close())

  /** Each time another address, so that no response is cached. */
  let asked = 0
  const page = async (search: string, page: number, per_page: number) => {
    const query = { search, page, per_page, start_date: '2031-01-01', end_date: '2033-01-01', extra: ++asked }
    const { events, total } = await service.expect(200, null, '/events', { query })
    assert.equal(total, expected.length)
    return events.map(({ id }: { id: number }) => id)
  }

  it('has all pages in order, whatever was asked for before', async () => {
    for (const [number, size] of [
      [1, 10],
      [1, 10],
      [2, 10],
      [4, 10],
      [5, 10],
      [1, 50],
      [53, 10],
      [1, 10],
      [3, 50],
      [6, 10],
    ] as const)
      for (const search of ['lantern', 'antern'])
        assert.deepEqual(await page(search, number, size), expected.slice((number - 1) * size, number * size))
  })
})
