import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { sql } from 'kysely'
import { generator } from '../../bench/words.ts'
import { createScope } from '../../src/app.ts'
import { type CachedList, NO_STUBS } from '../../src/domain/cached-lists.ts'
import { filterOf, readListParameters } from '../../src/domain/event-filter.ts'
import { list } from '../../src/domain/event-list.ts'
import { NO_LIMIT } from '../../src/storage/event-filter.ts'
import { ids } from '../../src/storage/events.ts'
import { listedByLinks } from '../../src/storage/linked-list.ts'
import { type Service, startService } from '../support/service.ts'
import { ON_POSTGRES } from '../support/store.ts'

const CLOCK = () => Date.UTC(2031, 5, 1, 12) / 1000
const TABLES = ['event_venues', 'event_organizers', 'event_terms']

describe('links to events', () => {
  let service: Service
  before(async () => {
    service = await startService({ clock: CLOCK })
  })
  after(() => service.close())

  /** Links that do not tell what their events say. */
  const wrong = () =>
    service.db.read(async (tx) => {
      const found: object[] = []
      for (const table of TABLES) {
        const { rows } =
          await sql<object>`select events.id, events.status, events.end_local, link.start_local, link.shown_end
          from ${sql.table(table)} as link join events on events.id = link.event
          where link.start_local <> events.start_local or link.shown_end is distinct from
            case when events.status = 'publish' and events.hide_from_listings = 0 and events.password_hash is null
              then events.end_local end`.execute(tx)
        found.push(...rows)
      }
      return found
    })

  const listed = async (range: object = {}) => {
    const query = new URLSearchParams({
      categories: 'shown',
      start_date: '2031-01-01',
      end_date: '2031-12-31',
      ...range,
    })
    const { events } = await service.expect(200, null, `/events?${query}`)
    return (events as { title: string }[]).map(({ title }) => title)
  }

  const add = async (title: string, more: object = {}) => {
    const { id } = await service.expect(201, 'administrator', '/events', {
      json: {
        title,
        start_date: '2031-07-10 19:00',
        end_date: '2031-07-10 22:00',
        categories: ['Shown'],
        tags: ['One', 'Two'],
        venue: { venue: `Hall of ${title}` },
        organizer: [{ organizer: `Club of ${title}` }],
        ...more,
      },
    })
    return id as number
  }

  it('tell whether public lists show their event, and when it ends', async () => {
    const id = await add('Open')
    await add('Draft', { status: 'draft' })
    await add('Hidden', { hide_from_listings: true })
    await add('Protected', { password: 'secret words' })
    await add('Late', { start_date: '2031-08-10 19:00', end_date: '2031-08-10 22:00' })
    assert.deepEqual(await wrong(), [])
    assert.deepEqual(await listed(), ['Open', 'Late'])
    const change = async (json: object, titles: string[]) => {
      await service.expect(200, 'administrator', `/events/${id}`, { method: 'POST', json })
      assert.deepEqual(await wrong(), [], JSON.stringify(json))
      assert.deepEqual(await listed(), titles, JSON.stringify(json))
    }
    await change({ end_date: '2031-07-11 02:00' }, ['Open', 'Late'])
    await change({ start_date: '2031-09-01 19:00', end_date: '2031-09-01 22:00' }, ['Late', 'Open'])
    await change({ hide_from_listings: true }, ['Late'])
    await change({ hide_from_listings: false }, ['Late', 'Open'])
    await change({ status: 'draft' }, ['Late'])
    await change({ status: 'publish', categories: ['Shown', 'More'] }, ['Late', 'Open'])
    await change({ password: 'secret words' }, ['Late'])
    await change({ password: '' }, ['Late', 'Open'])
    await change({ end_date: '2032-01-02 10:00' }, ['Late'])
    await service.expect(200, 'administrator', `/events/${id}`, { method: 'DELETE' })
    assert.deepEqual(await wrong(), [])
  })

  it('tell so of all events of a series', async () => {
    const id = await add('Weekly', { recurrence: { rule: 'FREQ=WEEKLY;COUNT=5' } })
    assert.deepEqual(await wrong(), [])
    assert.equal((await listed()).filter((title) => title === 'Weekly').length, 5)
    const json = { hide_from_listings: true, scope: 'all' }
    await service.expect(200, 'administrator', `/events/${id}`, { method: 'POST', json })
    assert.deepEqual(await wrong(), [])
    assert.deepEqual(await listed(), ['Late'])
  })

  it('tell so after a change by hand', async () => {
    for (const [status, titles] of [
      ['draft', []],
      ['publish', ['Late']],
    ] as const) {
      await service.db.write(async (tx) => {
        await tx.updateTable('events').set({ status }).where('title', '=', 'Late').execute()
      })
      assert.deepEqual(await wrong(), [])
      assert.deepEqual(await listed(), titles)
    }
  })

  const read = (query: Readonly<Record<string, string>>, most: number) => {
    const scope = { ...createScope(service.config, service.db, CLOCK), user: null }
    const { values, problems } = readListParameters(scope, () => query)
    return service.db.read(async (tx) => {
      const filter = await filterOf(tx, scope, values, problems, { most: NO_LIMIT })
      return { listed: await listedByLinks(tx, filter, most), ids: await ids(tx, filter) }
    })
  }

  it('are read up to a limit', async () => {
    const july = { categories: 'shown', start_date: '2031-07-01', end_date: '2031-07-31' }
    const all = await read(july, 50)
    assert.deepEqual(all.listed, { ids: all.ids })
    const { rows } = await service.db.read((tx) =>
      sql<{ count: number }>`select count(*) as count from event_terms join terms on terms.id = event_terms.term
        where terms.slug = 'shown' and start_local between '2031-07' and '2031-08'`.execute(tx),
    )
    const links = Number(rows[0]?.count)
    // Those that lists do not show are read, too.
    assert.ok(links > all.ids.length)
    assert.deepEqual((await read(july, links)).listed, { ids: all.ids })
    assert.deepEqual((await read(july, links - 1)).listed, { ids: null })
    assert.equal((await read({ ...july, featured: 'true' }, 50)).listed, null)
  })

  it('are left to another thread where a known list has no ids', {
    skip: ON_POSTGRES && 'has no threads',
  }, async () => {
    const asked: string[] = []
    const { db } = service
    const spied = {
      ...db,
      read: (work: Parameters<typeof db.read>[0]) => asked.push('read') && db.read(work),
      readMany: (work: Parameters<typeof db.readMany>[0]) => asked.push('readMany') && db.readMany(work),
    } as typeof db
    const scope = { ...createScope(service.config, db, CLOCK), user: null, db: spied }
    const lists = new Map<string, CachedList>()
    const cached = {
      version: await db.version(),
      lists: {
        get: (key: string) => lists.get(key),
        put: (key: string, one: CachedList) => void lists.set(key, { ...one, ids: null, head: NO_STUBS }),
        total: () => null,
      },
    }
    const page = () => list(scope, () => ({ categories: 'shown', start_date: '2031-01-01' }), 'start', cached)
    const first = await page()
    asked.length = 0
    assert.deepEqual(await page(), first)
    assert.deepEqual(asked, ['read', 'readMany'])
  })

  it('list what a query of the events lists', async () => {
    const random = generator(7)
    const day = (n: number) => new Date(Date.UTC(2031, 0, 1) + n * 86_400_000).toISOString().slice(0, 10)
    const some = (names: readonly string[]) => names.filter(() => random(3) === 0)
    await Promise.all(
      Array.from({ length: 60 }, (_, n) => {
        const first = random(300)
        const length = random(4) === 0 ? random(60) : random(3)
        return add(`Any ${n}`, {
          start_date: `${day(first)} ${10 + random(10)}:00`,
          end_date: `${day(first + length)} 23:00`,
          categories: some(['Shown', 'More', 'Other', 'Below']),
          tags: some(['One', 'Two', 'Three']),
          venue: { venue: `Hall ${n}` },
          status: random(6) === 0 ? 'draft' : 'publish',
          hide_from_listings: random(8) === 0,
          ...(random(8) === 0 && { password: 'secret words' }),
        })
      }),
    )
    const windows = (): Record<string, string>[] => {
      const first = random(320)
      const after = day(first)
      const before = day(first + random(90))
      return [
        {},
        { start_date: after },
        { start_date: after, end_date: before },
        { starts_after: `${after} 12:00:00` },
        { ends_after: `${after} 12:00:00` },
        { ends_before: `${before} 12:00:00` },
        { ends_after: `${after} 12:00:00`, starts_before: `${before} 12:00:00` },
        { start_date: after, end_date: before, strict_dates: 'true' },
      ]
    }
    let listed = 0
    let windowed = 0
    for (let n = 0; n < 15; n++)
      for (const window of windows())
        for (const [name, links] of [
          ['categories', 'shown'],
          ['categories', 'shown,more,other'],
          ['tags', 'two'],
        ] as const) {
          const found = await read({ ...window, [name]: links }, 5000)
          if (found.listed === null) continue
          assert.deepEqual(found.listed.ids, found.ids, JSON.stringify([window, links]))
          listed += found.ids.length
          if (Object.keys(window).length > 0) windowed++
        }
    assert.ok(listed > 1000 && windowed > 100, `${listed} were listed, ${windowed} times by a window`)
  })
})
