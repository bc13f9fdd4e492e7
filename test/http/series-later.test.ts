import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { mergeLinked, mergeTerms } from '../../src/domain/merging.ts'
import { publishDue } from '../../src/domain/publishing.ts'
import { extendSeries } from '../../src/domain/series-extension.ts'
import { siteOf } from '../../src/site.ts'
import { type Json, type Service, startService } from '../support/service.ts'

/** Series to which events are added after something else has changed. */
describe('series that go on', () => {
  const begin = Date.UTC(2031, 0, 1) / 1000
  let now = begin
  let service: Service
  before(async () => {
    service = await startService({ clock: () => now, settings: { timezone: 'UTC', rateLimit: '0' } })
  })
  after(() => service.close())

  const scope = () => ({ db: service.db, clock: () => now, site: siteOf(service.config) })
  const create = (json: Json, role: 'administrator' | 'editor' | 'author' = 'editor'): Promise<Json> =>
    service.expect(201, role, '/events', {
      json: {
        title: 'Choir',
        start_date: '2031-01-06 10:00',
        end_date: '2031-01-06 11:00',
        recurrence: 'FREQ=MONTHLY',
        ...json,
      },
    })
  const list = async (series: number, role: 'editor' | null = null): Promise<Json[]> =>
    (await service.expect(200, role, '/events', { query: { series, per_page: 50 } })).events
  /** The events that are made when two months have passed. */
  const added = async (series: number): Promise<Json[]> => {
    const before = new Set((await list(series, 'editor')).map(({ id }) => id))
    now += 62 * 86_400
    await extendSeries(scope())
    const made = (await list(series, 'editor')).filter(({ id }) => !before.has(id))
    assert.ok(made.length > 0)
    return made
  }

  it('have no gap after a split', async () => {
    for (const isRemoved of [false, true]) {
      const { id } = await create({ title: 'Split' })
      const events = await list(id)
      const [half] = events.slice(12)
      const change = { method: 'PATCH', json: { title: 'Rest' }, query: { scope: 'following' } } as const
      const path = `/events/${half.id}`
      if (isRemoved) {
        await service.expect(200, 'editor', path, { method: 'DELETE', query: { scope: 'following' } })
        await service.expect(200, 'editor', path, { ...change, json: { status: 'publish' } })
      } else {
        const plan = await service.expect(200, 'editor', path, { ...change, query: { ...change.query, dry_run: true } })
        await service.expect(200, 'editor', path, change)
        const made = (await list(half.id)).filter((one) => !events.some((event) => event.id === one.id))
        assert.deepEqual(
          plan.created,
          made.map(({ start_date }) => ({ start_date })),
        )
        assert.equal((await list(half.id)).at(-1)?.start_date, '2034-01-06 10:00:00')
      }
      now += 800 * 86_400
      await extendSeries(scope())
      const months = (await list(half.id)).map(({ start_date }) => start_date.slice(0, 7))
      const month = (n: number) => new Date(Date.UTC(2032, n)).toISOString().slice(0, 7)
      assert.deepEqual(
        months,
        months.map((_, n) => month(n)),
      )
      assert.ok((months.at(-1) ?? '') > '2035')
      now = begin
    }
  })

  it('have all events of a rest that ends', async () => {
    const { id } = await create({ title: 'Ending', recurrence: 'FREQ=MONTHLY;COUNT=32' })
    const [half] = (await list(id)).slice(12)
    const change = { method: 'PATCH', json: { title: 'Rest' }, query: { scope: 'following' } } as const
    const { recurrence } = await service.expect(200, 'editor', `/events/${half.id}`, change)
    const rest = await list(half.id)
    assert.deepEqual([recurrence.count, rest.length], [20, 20])
    assert.ok(rest.every(({ title }) => title === 'Rest'))
  })

  it('are linked to the records that others were merged into', async () => {
    const { id, venue, organizer, categories, tags } = await create({
      venue: { venue: 'Old hall' },
      organizer: [{ organizer: 'Old choir' }],
      categories: ['Old music'],
      tags: ['old song'],
    })
    const into = async (path: string, json: Json) => (await service.expect(201, 'editor', path, { json })).id
    const ids = {
      venue: await into('/venues', { venue: 'New hall' }),
      organizer: await into('/organizers', { organizer: 'New choir' }),
      category: await into('/categories', { name: 'New music' }),
      tag: await into('/tags', { name: 'new song' }),
    }
    const editor = { id: service.ids.editor, name: 'editor', role: 'editor' as const }
    const by = { ...scope(), user: editor } as never
    await mergeLinked(by, 'venue', venue.id, () => ({ into: ids.venue }))
    await mergeLinked(by, 'organizer', organizer[0].id, () => ({ into: ids.organizer }))
    await mergeTerms(by, 'category', categories[0].id, () => ({ into: ids.category }))
    await mergeTerms(by, 'tag', tags[0].id, () => ({ into: ids.tag }))
    for (const event of await added(id)) {
      assert.deepEqual(
        [event.venue.id, event.organizer[0].id, event.categories[0].id, event.tags[0].id],
        [ids.venue, ids.organizer, ids.category, ids.tag],
      )
    }
    const tag = await service.expect(200, null, `/tags/${ids.tag}`)
    assert.equal(tag.count, (await list(id)).length)
  })

  it('belong to the user who got the records of another', async () => {
    const { id } = await create({}, 'author')
    await service.expect(200, 'administrator', `/users/${service.ids.author}`, {
      method: 'DELETE',
      query: { reassign: service.ids.editor },
    })
    for (const event of await added(id)) assert.equal(event.author, String(service.ids.editor))
    const changed = await service.expect(200, 'editor', `/events/${id}`, {
      method: 'PATCH',
      query: { scope: 'all' },
      json: { title: 'Choir of the editor' },
    })
    assert.equal(changed.title, 'Choir of the editor')
  })

  it('are published with their series when it is due, and from then on', async () => {
    const date = new Date((now + 86_400) * 1000).toISOString().slice(0, 19)
    const { id, status } = await create({ date, tags: ['due'] })
    assert.equal(status, 'future')
    assert.deepEqual(new Set((await list(id, 'editor')).map((event) => event.status)), new Set(['future']))
    const all = await service.expect(200, 'editor', '/events', {
      query: { series: id, status: 'future', per_page: 50 },
    })
    now += 2 * 86_400
    await publishDue(scope())
    const shown = await list(id)
    assert.equal(shown.length, all.total)
    for (const event of await added(id)) assert.equal(event.status, 'publish')
    const [, second] = await list(id)
    assert.equal(second.recurrence.changed, false)
    const [{ count }] = (await service.expect(200, null, '/tags', { query: { search: 'due' } })).tags
    assert.equal(count, (await list(id)).length)
    await service.expect(200, 'editor', `/events/${id}`, {
      method: 'PATCH',
      query: { scope: 'all' },
      json: { status: 'draft' },
    })
    assert.equal((await service.call(null, '/events', { query: { series: id } })).statusCode, 400)
  })
})
