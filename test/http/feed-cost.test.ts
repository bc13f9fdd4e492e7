import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { holdOf } from '../support/holds.ts'
import { type Service, startService } from '../support/service.ts'

/** No request may hold the event loop for longer, in milliseconds. */
const LONGEST = 50
const EVENTS = 200

describe('a feed of events with long texts', () => {
  let service: Service
  before(async () => {
    service = await startService()
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

  for (const extension of ['ics', 'rss', 'atom', 'json']) {
    it(`keeps nobody waiting as ${extension}`, async () => {
      // Loads what the first feed of a process needs.
      await service.inject({ url: `/events.${extension}?start_date=2050-01-01` })
      let length = 0
      const hold = await holdOf(async () => {
        // Read as it comes: putting it together would take longer than what is measured.
        const response = await service.inject({ url: `/events.${extension}`, payloadAsStream: true })
        assert.equal(response.statusCode, 200)
        for await (const chunk of response.stream()) length += chunk.length
      })
      assert.ok(length > EVENTS * 90_000, `${length} bytes`)
      assert.ok(hold < LONGEST, `held the event loop for ${hold} ms`)
    })
  }
})
