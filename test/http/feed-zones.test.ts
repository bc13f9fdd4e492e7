import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { toInstant, type Zone } from '../../src/calendar/zone.ts'
import { holdOf, longestHold } from '../support/holds.ts'
import { type Service, startService } from '../support/service.ts'
import { some, times } from '../support/thorough.ts'

const ZONES = Intl.supportedValuesOf('timeZone')
/** No request may hold the event loop for longer, in milliseconds. */
const LONGEST = 50

describe('a feed of events in every zone', () => {
  let service: Service
  before(async () => {
    service = await startService()
    const json = { title: 'One', start_date: '2031-06-10 19:00', end_date: '2031-06-10 22:00' }
    const { id: first } = await service.expect(201, 'editor', '/events', { json })
    await service.db.write(async (tx) => {
      const row = await tx.selectFrom('events').selectAll().where('id', '=', first).executeTakeFirstOrThrow()
      let id = first
      const insert = (timezone: Zone, year: number) => {
        const [start_local, end_local] = [`${year}-06-10 19:00:00`, `${year}-06-10 22:00:00`]
        const instants = { start_utc: toInstant(start_local, timezone), end_utc: toInstant(end_local, timezone) }
        const own = { id: ++id, slug: `one-${id}`, timezone, start_local, end_local, ...instants }
        return tx
          .insertInto('events')
          .values({ ...row, ...own } as never)
          .execute()
      }
      // The second of each zone lies so far from the first that all changes of a century are described.
      for (const zone of ZONES) {
        await insert(zone, 2031)
        await insert(zone, 1931)
      }
    })
  })
  after(() => service.close())

  const read = async (path: string): Promise<string> => {
    const response = await service.inject({ url: path })
    assert.equal(response.statusCode, 200)
    return response.body
  }

  it('describes none when it holds none of their events', async () => {
    // Also loads what the first feed of a process needs.
    assert.doesNotMatch(await read('/events.ics?start_date=2050-01-01'), /BEGIN:VEVENT|Europe/)
  })

  it('describes each of them, and keeps nobody waiting, the first time and later', async () => {
    for (const path of some(['/events.ics?start_date=1900-01-01', '/events.ics?start_date=1930-01-01'], 1)) {
      let text = ''
      const first = await holdOf(async () => {
        text = await read(path)
      })
      const hold = first < LONGEST ? first : await longestHold(() => read(path))
      for (const zone of ZONES) assert.ok(text.includes(`TZID:${zone}\r\n`) || zone === 'UTC', zone)
      assert.equal(text.split('BEGIN:VEVENT').length - 1, 2 * ZONES.length + 1)
      assert.ok(hold < LONGEST, `${path} held the event loop for ${hold} ms`)
      // Once, others may use the processor too; describing all zones at once takes two seconds.
      assert.ok(first < 5 * LONGEST, `${path} held the event loop for ${first} ms the first time`)
    }
  })

  it('keeps nobody waiting when many ask for it at once', async () => {
    const paths = Array.from({ length: times(8, 4) }, (_, n) => `/events.ics?start_date=19${10 + n}-01-01`)
    const hold = await longestHold(() => Promise.all(paths.map(read)))
    assert.ok(hold < LONGEST, `the event loop was held for ${hold} ms`)
  })
})
