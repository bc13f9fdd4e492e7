import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { CompiledQuery } from 'kysely'
import type { Role } from '../../src/domain/access.ts'
import { type Service, startService } from '../support/service.ts'
import { ON_POSTGRES } from '../support/store.ts'

describe('the queries of a list', () => {
  let service: Service
  let asked: { sql: string; parameters: readonly unknown[] }[] = []
  before(async () => {
    service = await startService({ onQuery: (sql, parameters) => asked.push({ sql, parameters }) })
    // So many that a list of them has to be counted.
    for (let n = 0; n < 260; n++) {
      const json = {
        title: `N ${n}`,
        start_date: '2031-01-01',
        end_date: '2031-01-02',
        tags: [`t${n}`],
        categories: [`c${n % 5}`],
        venue: { venue: `V ${n}` },
        organizer: [{ organizer: `O ${n}` }, { organizer: 'O' }],
      }
      await service.expect(201, 'editor', '/events', { json })
    }
  })
  after(() => service.close())

  const queries = async (path: string, query: Record<string, unknown>, role: Role | null = null) => {
    asked = []
    await service.expect(200, role, path, { query })
    return asked.filter(({ sql }) => /^(select|with)/.test(sql) && !/data_version|"settings"/.test(sql))
  }

  it('are as many for fifty events as for ten', async () => {
    const ten = await queries('/events', { start_date: '2031-01-01', per_page: 10, _fields: 'events' })
    // Another list: what this one comes to is remembered.
    const fifty = await queries('/events', { start_date: '2030-12-31', per_page: 50, _fields: 'events' })
    assert.equal(fifty.length, ten.length)
    assert.ok(ten.length <= 6, `${ten.length} queries`)
  })

  it('are few at first, for many events, and one of events that are rendered', async () => {
    const fifty = await queries('/events', { start_date: '2031-01-01', per_page: 50 })
    assert.ok(fifty.length <= 12, `${fifty.length} queries`)
    await service.render()
    await queries('/events', { start_date: '2031-01-01', per_page: 40 })
    const known = await queries('/events', { start_date: '2031-01-01', per_page: 20 })
    assert.deepEqual(
      known.map(({ sql }) => /from "(\w+)"/.exec(sql)?.[1]),
      ['event_templates'],
    )
  })

  it('are as many for fifty venues or terms as for ten', async () => {
    for (const path of ['/venues', '/organizers', '/tags', '/categories']) {
      assert.equal((await queries(path, { per_page: 50 })).length, (await queries(path, { per_page: 10 })).length)
    }
  })

  const plan = async (path: string, query: Record<string, unknown>, table: string, role: Role | null = null) => {
    const found = (await queries(path, query, role)).filter(({ sql }) => sql.includes(`from "${table}"`))
    const plans = await service.db.read((tx) =>
      Promise.all(
        found.map(({ sql, parameters }) =>
          tx.executeQuery<{ detail: string }>(CompiledQuery.raw(`explain query plan ${sql}`, [...parameters])),
        ),
      ),
    )
    return plans.map(({ rows }) => rows.map((row) => row.detail).join('; '))
  }

  // Plans are read as SQLite writes them.
  const skip = ON_POSTGRES && 'reads the plans of SQLite'

  it('of everybody read no past event, and need no sorting', { skip }, async () => {
    const [page = '', count = ''] = await plan('/events', { start_date: '2030-12-30' }, 'events')
    for (const one of [count, page])
      assert.match(
        one,
        /SEARCH events USING (COVERING )?INDEX events_shown \(status=\? AND hide_from_listings=\? AND start_local>\? AND start_local<\?\)/,
      )
    assert.match(count, /COVERING/)
    assert.doesNotMatch(page, /TEMP B-TREE/)
  })

  it('use an index for every filter', { skip }, async () => {
    const include = '101,102'
    const filters: Record<string, unknown>[] = [
      { include },
      { categories: 'c1' },
      { tags: 't1,t2' },
      { venue: 1 },
      { organizer: 2 },
      { starts_after: '2030-01-01' },
      { strict_dates: true },
      { post_parent: 4 },
      { featured: true },
    ]
    for (const filter of filters) {
      for (const one of await plan('/events', filter, 'events'))
        assert.doesNotMatch(one, /SCAN events(;|$)/, `${JSON.stringify(filter)}: ${one}`)
    }
    for (const one of await plan('/venues', {}, 'venues')) assert.doesNotMatch(one, /SCAN venues|TEMP B-TREE/)
  })

  it('find the parents of events by their ids', { skip }, async () => {
    const json = { title: 'Weekly', start_date: '2032-01-01', end_date: '2032-01-02', tags: ['weekly'] }
    for (let n = 0; n < 6; n++)
      await service.expect(201, 'editor', '/events', { json: { ...json, recurrence: 'FREQ=WEEKLY;COUNT=3' } })
    for (const role of [null, 'author', 'editor'] as const) {
      const plans = await plan('/events', { start_date: '2032-01-01', tags: 'weekly', per_page: 50 }, 'events', role)
      assert.ok(plans.some((one) => /^SEARCH events USING INTEGER PRIMARY KEY/.test(one)))
      for (const one of plans) assert.doesNotMatch(one, /INDEX events_scheduled/, one)
    }
  })

  it('find what events are linked to from the events on', { skip }, async () => {
    for (const role of [null, 'author', 'editor'] as const) {
      for (const kind of ['venue', 'organizer']) {
        const query = { start_date: '2031-01-01', _fields: `events,${kind}` }
        const links = await plan('/events', query, `event_${kind}s`, role)
        const linked = await plan('/events', { ...query, start_date: '2030-12-31' }, `${kind}s`, role)
        assert.deepEqual([links.length, linked.length], [1, 1])
        for (const one of links) {
          assert.match(one, new RegExp(`SEARCH event_${kind}s USING [^;]*\\(event=\\?\\)`))
          assert.doesNotMatch(one, /SCAN/)
        }
        for (const one of linked) assert.match(one, new RegExp(`^SEARCH ${kind}s USING INTEGER PRIMARY KEY`))
      }
    }
  })

  it('look one record up by its key', { skip }, async () => {
    for (const one of await plan('/events/4', {}, 'events')) assert.match(one, /PRIMARY KEY/)
    for (const one of await plan('/events/by-slug/n-3', {}, 'events')) assert.match(one, /slug=\?|PRIMARY KEY/)
  })
})
