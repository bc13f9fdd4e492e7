import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Json, type Service, startService } from '../support/service.ts'

const LISTS = ['events', 'venues', 'organizers', 'categories', 'tags'] as const
/** All of a list, whatever its kind. */
const ALL = { start_date: '2031-01-01', end_date: '2040-01-01', hide_empty: 'false' }
const START = Date.parse('2031-01-01T12:00:00Z') / 1000

describe('the parameters of lists', () => {
  let service: Service
  let now = START
  before(async () => {
    service = await startService({ clock: () => now })
    for (let n = 1; n <= 7; n++) {
      now = START + n * 60
      await service.expect(201, n === 3 ? 'author' : 'editor', '/events', {
        json: {
          title: `${'GFEDCBA'[n - 1]} event`,
          start_date: `2031-07-0${n > 4 ? 5 : n} 10:00`,
          end_date: '2031-07-09 11:00',
          ...(n !== 3 && { tags: [`tag ${n}`] }),
          categories: [`category ${n}`],
          venue: { venue: `Venue ${n}`, geo_lat: 40 + n / 1000, geo_lng: -70 },
          organizer: { organizer: `Organizer ${n}` },
          description: 'music',
        },
      })
    }
  })
  after(() => service.close())

  const read = async (path: string, query: Record<string, unknown>, role: 'editor' | null = null) =>
    service.expect(200, role, `/${path}`, { query: { ...ALL, ...query } })
  const titles = async (query: Record<string, unknown>, role: 'editor' | null = null) =>
    (await read('events', { per_page: 50, ...query }, role)).events.map((event: Json) => event.title[0]).join('')

  it('limit each list by the time of the last change, without the ends of the range', async () => {
    for (const list of LISTS) {
      const middle = (seconds: number) => new Date((START + seconds) * 1000).toISOString()
      const count = async (query: Record<string, unknown>) => (await read(list, query)).total
      const all = list === 'tags' ? 6 : 7
      assert.equal(await count({}), all, list)
      assert.equal(await count({ modified_after: middle(300) }), 2, list)
      assert.equal(await count({ modified_before: middle(120) }), 1, list)
      assert.equal(await count({ modified_after: middle(180), modified_before: middle(360) }), 2, list)
      assert.equal(await count({ modified_after: '2031-01-01 07:05:00' }), 2, `${list}: by the clock of the site`)
      assert.equal(await count({ modified_after: middle(9999) }), 0, list)
      const bad = await service.expect(400, null, `/${list}`, { query: { modified_after: 'soon-ish' } })
      assert.deepEqual(Object.keys(bad.data.params), ['modified_after'])
    }
  })

  it('change the time of a term when it is changed, and of its children when it is removed', async () => {
    now = START + 5000
    const parent = await service.expect(201, 'editor', '/categories', { json: { name: 'Above' } })
    const child = await service.expect(201, 'editor', '/categories', { json: { name: 'Below', parent: parent.id } })
    const changed = async () => {
      const after = new Date((now - 1) * 1000).toISOString()
      return (await read('categories', { modified_after: after })).categories.map((term: Json) => term.name)
    }
    assert.deepEqual(await changed(), ['Above', 'Below'])
    now += 100
    await service.expect(200, 'editor', `/categories/${parent.id}`, { method: 'PATCH', json: { description: 'x' } })
    assert.deepEqual(await changed(), ['Above'])
    now += 100
    await service.expect(200, 'editor', `/categories/${parent.id}`, { method: 'DELETE' })
    assert.deepEqual(await changed(), ['Below'])
    await service.expect(200, 'editor', `/categories/${child.id}`, { method: 'DELETE' })
  })

  it('sort events, in any case and for every reader', async () => {
    for (const role of [null, 'editor'] as const) {
      assert.equal(await titles({}, role), 'GFEDCBA')
      assert.equal(await titles({ orderby: 'start_date', order: 'DESC' }, role), 'ABCDEFG')
      assert.equal(await titles({ order: 'desc' }, role), 'ABCDEFG')
      assert.equal(await titles({ orderby: 'title' }, role), 'ABCDEFG')
      assert.equal(await titles({ orderby: 'title', order: 'Desc' }, role), 'GFEDCBA')
      assert.equal(await titles({ orderby: 'modified', order: 'desc' }, role), 'ABCDEFG')
      assert.equal(await titles({ orderby: 'id', order: 'asc' }, role), 'GFEDCBA')
      assert.equal(await titles({ orderby: 'title', per_page: 3, page: 2 }, role), 'DEF')
      assert.equal(await titles({ orderby: 'title', search: 'music', order: 'desc' }, role), 'GFEDCBA')
    }
    const bad = await service.expect(400, null, '/events', { query: { orderby: 'random', order: 'up' } })
    assert.deepEqual(Object.keys(bad.data.params).sort(), ['order', 'orderby'])
    assert.equal((await read('tags', { order: 'DESC' })).tags[0].name, 'tag 7')
  })

  it('leave out events, and choose those of an author', async () => {
    const { events } = await read('events', { per_page: 50 })
    const ids = events.map(({ id }: Json) => id)
    assert.equal(await titles({ exclude: `${ids[0]},${ids[6]}` }), 'FEDCB')
    assert.equal(await titles({ exclude: [ids[1], 999_999] }), 'GEDCBA')
    assert.equal(await titles({ include: ids.slice(0, 3).join(','), exclude: ids[0] }), 'FE')
    assert.equal(await titles({ author: service.ids.author }), 'E')
    assert.equal(await titles({ author: `${service.ids.author},${service.ids.editor}` }), 'GFEDCBA')
    assert.equal(await titles({ author: service.ids.subscriber }), '')
  })

  it('choose events by yes and by no, alone and among those of a term', async () => {
    const links = { categories: ['chosen'], tags: ['chosen'], venue: { venue: 'Chosen', geo_lat: 1, geo_lng: 1 } }
    const day = { start_date: '2035-07-01 10:00', end_date: '2035-07-01 11:00' }
    const yes = { featured: true, is_virtual: true, cost: '0', tickets: [{ name: 'Seat', price: '0' }] }
    const add = async (json: object) => (await service.expect(201, 'editor', '/events', { json })).id
    const { venue, ...terms } = links
    const ids = [
      await add({ title: 'Yes', ...day, ...yes, ...links }),
      await add({ title: 'No', ...day, ...terms, cost: '9' }),
    ]
    const one = { start_date: '2035-07-01', end_date: '2035-07-01' }
    const by = async (query: object) => titles({ ...one, ...query })
    for (const among of [{}, { categories: 'chosen' }, { tags: 'chosen' }])
      for (const name of ['featured', 'is_virtual', 'ticketed', 'geoloc', 'free']) {
        assert.equal(await by({ ...among, [name]: 'true' }), 'Y', `${name} ${JSON.stringify(among)}`)
        assert.equal(await by({ ...among, [name]: 'false' }), 'N', `not ${name} ${JSON.stringify(among)}`)
      }
    for (const id of ids) await service.expect(200, 'editor', `/events/${id}?force=true`, { method: 'DELETE' })
  })

  it('are refused by name where they are unknown, if strict', async () => {
    for (const list of LISTS) {
      await service.expect(200, null, `/${list}`, { query: { unheard_of: 1, strict: 'false' } })
      await service.expect(200, null, `/${list}`, { query: { strict: 'true', per_page: 5, _fields: 'total' } })
      const query = { unheard_of: 1, 'other[]': 2, strict: 'true', per_page: 5, ['__proto__']: 3 }
      const error = await service.expect(400, null, `/${list}`, { query })
      assert.equal(error.code, 'rest_invalid_param')
      assert.deepEqual(Object.keys(error.data.params).sort(), ['__proto__', 'other[]', 'unheard_of'])
    }
    await service.expect(400, null, '/events', { query: { strict: 'perhaps' } })
  })

  /** Reads a list to its end by cursors; calls `between` after each page. */
  const follow = async (list: string, query: Record<string, unknown>, between?: () => Promise<unknown>) => {
    const ids: number[] = []
    let cursor: string | undefined
    do {
      const page = await read(list, { per_page: 2, ...query, ...(cursor && { cursor }) })
      ids.push(...page[list].map(({ id }: Json) => id))
      assert.equal(Boolean(page.next_cursor), Boolean(page.next_rest_url))
      cursor = page.next_cursor
      await between?.()
    } while (cursor !== undefined)
    return ids
  }

  it('read every list to its end by cursors, in every order', async () => {
    const orders: Record<string, Record<string, unknown>[]> = {
      events: [
        {},
        ...['start_date', 'modified', 'title', 'id'].flatMap((orderby) => [{ orderby }, { orderby, order: 'desc' }]),
        { search: 'music' },
        { search: 'music', search_mode: 'words' },
        { search: 'event music', search_mode: 'words' },
        { geoloc_lat: 40.004, geoloc_lng: -70 },
        { geoloc_lat: 40.004, geoloc_lng: -70, orderby: 'title' },
        { search: 'music', orderby: 'title' },
      ],
      venues: [{}],
      organizers: [{}],
      categories: ['id', 'name', 'slug', 'count', 'description'].flatMap((orderby) => [
        { orderby },
        { orderby, order: 'desc' },
      ]),
      tags: [{}],
    }
    for (const [list, queries] of Object.entries(orders))
      for (const query of queries) {
        const whole = (await read(list, { ...query, per_page: 50 }))[list].map(({ id }: Json) => id)
        assert.deepEqual(await follow(list, query), whole, `${list} ${JSON.stringify(query)}`)
        // From a page on.
        const second = await read(list, { ...query, per_page: 2, page: 2 })
        const rest = await follow(list, { ...query, cursor: second.next_cursor })
        assert.deepEqual(rest.slice(0, 2), whole.slice(4, 6), `${list} ${JSON.stringify(query)} from page 2`)
      }
  })

  it('read each event once by cursors while others write', async () => {
    const before = (await read('events', { per_page: 50 })).events.map(({ id }: Json) => id)
    const made: number[] = []
    const ids = await follow('events', {}, async () => {
      const json = { title: 'Z', start_date: '2031-06-30 10:00', end_date: '2031-06-30 11:00' }
      made.push((await service.expect(201, 'editor', '/events', { json })).id)
    })
    assert.deepEqual(ids, before)
    for (const id of made) await service.expect(200, 'editor', `/events/${id}?force=true`, { method: 'DELETE' })
  })

  it('refuse a cursor that is damaged, or of another list or order', async () => {
    const { next_cursor: cursor } = await read('events', { per_page: 2 })
    const write = (parts: unknown) => Buffer.from(JSON.stringify(parts)).toString('base64url')
    const bad = ['x', write({}), write(['start_date asc', 1, 'x']), write(['start_date asc', '\0', 1]), `${cursor}x9`]
    for (const one of bad) {
      const error = await service.expect(400, null, '/events', { query: { cursor: one } })
      assert.deepEqual(Object.keys(error.data.params), ['cursor'], one)
    }
    await service.expect(400, null, '/events', { query: { cursor, orderby: 'title' } })
    for (const list of LISTS.slice(1)) await service.expect(400, null, `/${list}`, { query: { cursor } })
  })
})
