import assert from 'node:assert/strict'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { after, before, describe, it } from 'node:test'
import { FEED_EXTENSIONS } from '../support/feeds.ts'
import { LONGEST_HOLD, longestHold } from '../support/holds.ts'
import { type Service, startService } from '../support/service.ts'

const EVENTS = 200

/** How many bytes an address answers with: read piece by piece, as readers of large feeds do. */
async function lengthOf(url: string): Promise<number> {
  const [response] = (await once(get(url, { agent: false }), 'response')) as [IncomingMessage]
  assert.equal(response.statusCode, 200)
  let length = 0
  for await (const piece of response) length += (piece as Buffer).length
  return length
}

describe('a feed of events with long texts', () => {
  let service: Service
  let base: string
  before(async () => {
    service = await startService()
    base = await service.listen()
    const json = { title: 'Long', start_date: '2031-06-10 19:00', end_date: '2031-06-10 22:00' }
    const { id: first } = await service.expect(201, 'editor', '/events', { json })
    await service.db.write(async (tx) => {
      const row = await tx.selectFrom('events').selectAll().where('id', '=', first).executeTakeFirstOrThrow()
      const description = '<p>A long, <a href="https://example.org/x">long</a> &amp; quiet evening.</p>\n'.repeat(1300)
      for (let n = 1; n <= EVENTS; n++) {
        const own = { id: first + n, slug: `long-${n}`, description }
        await tx
          .insertInto('events')
          .values({ ...row, ...own } as never)
          .execute()
      }
    })
  })
  after(() => service.close())

  for (const extension of FEED_EXTENSIONS) {
    it(`keeps nobody waiting as ${extension}`, async () => {
      // Loads what the first feed of a process needs.
      await service.inject({ url: `/events.${extension}?start_date=2050-01-01` })
      let length = 0
      const hold = await longestHold(async () => {
        length = await lengthOf(`${base}/events.${extension}`)
      })
      assert.ok(length > EVENTS * 90_000, `${length} bytes`)
      assert.ok(hold < LONGEST_HOLD, `held the event loop for ${hold} ms`)
    })
  }
})
