import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { publishDue } from '../../src/domain/publishing.ts'
import { type Node, startNodes } from '../support/nodes.ts'
import { ON_POSTGRES } from '../support/store.ts'

const skip = !ON_POSTGRES && 'needs PostgreSQL'
const WHEN = { start_date: '2031-06-10', end_date: '2031-06-11' }
const LIST = '/events?start_date=2031-01-01'

describe('nodes on one database', { skip }, () => {
  it('read what another one wrote, a thousand times of a thousand', async (t) => {
    const cluster = await startNodes(2)
    t.after(() => cluster.close())
    const [one, other] = cluster.nodes as [Node, Node]
    let created = 0
    let id = 0
    for (let n = 0; n < 1000; n++) {
      const [writer, reader] = n % 2 === 0 ? [one, other] : [other, one]
      const title = `Title ${n}`
      // In threes, so that both nodes do each kind of write and each kind of read.
      if (n % 3 === 0) {
        id = (await writer.expect(201, '/events', { title, ...WHEN })).id
        created++
      } else {
        await writer.expect(200, `/events/${id}`, { title }, 'PATCH')
      }
      if (n % 4 < 2) {
        assert.equal((await reader.expect(200, `/events/${id}`)).title, title)
      } else {
        const { events } = await reader.expect(200, `${LIST}&include=${id}`)
        assert.equal(events[0]?.title, title)
        assert.equal((await reader.expect(200, `${LIST}&per_page=1`)).total, created)
      }
    }
  })

  it('publish what is due once, though ten of them do it together', async (t) => {
    let now = 1_900_000_000
    const clock = () => now
    const cluster = await startNodes(10, { clock })
    t.after(() => cluster.close())
    const [first] = cluster.nodes as [Node]
    for (let round = 1; round <= 5; round++) {
      const event = await first.expect(201, '/events', {
        title: 'Later',
        ...WHEN,
        date_utc: new Date((now + 60) * 1000).toISOString(),
        tags: `later ${round}`,
      })
      assert.equal(event.status, 'future')
      now += 61
      const published = await Promise.all(cluster.nodes.map(({ db }) => publishDue({ db, clock })))
      assert.equal(
        published.reduce((sum, count) => sum + count, 0),
        1,
        `published ${published}`,
      )
      for (const node of cluster.nodes) {
        const { status, tags } = await node.expect(200, `/events/${event.id}`)
        assert.deepEqual([status, tags[0].count], ['publish', 1])
      }
    }
  })

  it('give events of one title that are made together slugs of their own', async (t) => {
    const cluster = await startNodes(2)
    t.after(() => cluster.close())
    const events = await Promise.all(
      Array.from({ length: 10 }, () =>
        cluster.nodes.map((node) => node.expect(201, '/events', { title: 'The same', ...WHEN })),
      ).flat(),
    )
    const slugs = ['the-same', ...Array.from({ length: 19 }, (_, n) => `the-same-${n + 2}`)]
    assert.deepEqual(events.map((event) => event.slug).sort(), slugs.sort())
  })
})
