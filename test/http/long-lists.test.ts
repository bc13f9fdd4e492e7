import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Json, type Service, startService } from '../support/service.ts'
import { some } from '../support/thorough.ts'

/** More than are remembered of any list, and an order that is not that of their ids. */
const EVENTS = 2100
/** Pages begin among what is remembered of a list and end behind it. */
const PER_PAGE = 30
const DAY = 24 * 60

describe('pages of long lists', () => {
  let service: Service
  before(async () => {
    service = await startService({ settings: { rateLimit: '0' } })
    const lines = Array.from({ length: EVENTS }, (_, n) => {
      const start = time((n * 1217) % EVENTS)
      return `BEGIN:VEVENT\r\nUID:${n}\r\nSUMMARY:E\r\nDTSTART:${start}\r\nDTEND:${start}\r\nCATEGORIES:All\r\nEND:VEVENT\r\n`
    })
    await service.expect(200, 'editor', '/import', {
      raw: `BEGIN:VCALENDAR\r\nVERSION:2.0\r\n${lines.join('')}END:VCALENDAR\r\n`,
      headers: { 'content-type': 'text/calendar; charset=utf-8' },
    })
  })
  after(() => service.close())

  /** Two hours from one to the next, from the first day of 2031 on, as calendars write it. */
  const time = (n: number) => new Date(Date.UTC(2031, 0, 1, 2 * n)).toISOString().replaceAll(/[-:]|\.\d+/g, '')
  const end = (events: number) => new Date(Date.UTC(2031, 0, 1) + 120 * events * 60_000 - DAY * 60_000).toISOString()

  const pageOf = async (query: Record<string, unknown>, page: number): Promise<Json> =>
    service.expect(200, null, '/events', { query: { start_date: '2030-12-30', per_page: PER_PAGE, page, ...query } })
  const startsOf = (page: Json): string[] => page.events.map((event: Json) => event.utc_start_date)

  // Of the first, all are remembered at once; of the second, when they are asked for again; of the third, only those by category.
  for (const events of [200, 600, 1900, EVENTS + 100]) {
    for (const filter of some(
      [{ categories: 'all' }, {}, { categories: 'all', search: 'e' }],
      events === 600 ? 3 : 1,
    )) {
      it(`are the same in whatever order they are asked for: ${events}, ${JSON.stringify(filter)}`, async () => {
        const query = { ...filter, end_date: end(events).slice(0, 10) }
        const { total, total_pages: pages } = await pageOf(query, 1)
        assert.ok(total > 0.9 * Math.min(events, EVENTS) && total <= EVENTS, String(total))
        const found = new Map<number, string[]>()
        // Backwards in steps, so that pages are found from before and from behind what is known.
        for (let n = 0; n < pages; n++) {
          const page = pages - ((n * 7) % pages)
          if (!found.has(page)) found.set(page, startsOf(await pageOf(query, page)))
        }
        for (let page = 1; page <= pages; page++)
          if (!found.has(page)) found.set(page, startsOf(await pageOf(query, page)))
        const all = Array.from({ length: pages }, (_, n) => found.get(n + 1) ?? []).flat()
        assert.equal(all.length, total)
        assert.deepEqual(all, [...all].sort())
        assert.equal(new Set(all).size, total)
      })
    }
  }
})
