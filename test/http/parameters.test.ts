import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Json, type Service, startService } from '../support/service.ts'

const EVENT = { title: 'E', start_date: '2031-07-01 10:00', end_date: '2031-07-01 11:00' }
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

describe('lists in parameters', () => {
  let service: Service
  const events: number[] = []
  const tags: number[] = []
  const categories: number[] = []
  const venues: number[] = []
  const organizers: number[] = []
  before(async () => {
    service = await startService()
    for (const n of [1, 2, 3, 4]) {
      const event = await service.expect(201, 'editor', '/events', {
        json: {
          ...EVENT,
          title: `Event ${n}`,
          tags: [`tag-${n}`],
          categories: [`category-${n}`],
          venue: { venue: `V${n}` },
          organizer: { organizer: `O${n}` },
          status: n === 4 ? 'private' : 'publish',
        },
      })
      events.push(event.id)
      tags.push(event.tags[0].id)
      categories.push(event.categories[0].id)
      venues.push(event.venue.id)
      organizers.push(event.organizer[0].id)
    }
  })
  after(() => service.close())

  const found = async (search: string, role: 'editor' | null = null) => {
    const { events: listed } = await service.expect(200, role, `/events?start_date=2031-01-01&per_page=50&${search}`)
    return listed.map((event: Json) => Number(event.title.slice(-1)))
  }
  const join = (ids: readonly number[], ...places: number[]) => places.map((place) => ids[place - 1]).join(',')

  it('that are repeated are taken together', async () => {
    const byName = { tags, categories, venue: venues, organizer: organizers, include: events }
    for (const [name, ids] of Object.entries(byName)) {
      for (const search of [
        `${name}=${join(ids, 1, 2)}&${name}=${join(ids, 3)}`,
        `${name}[]=${join(ids, 1, 2)}&${name}[]=${join(ids, 3)}`,
        `${name}[0]=${join(ids, 3)}&${name}[1]=${join(ids, 2, 1)}`,
        `${name}=${join(ids, 1)}&${name}=${join(ids, 2)}&${name}=${join(ids, 3)}`,
        `${name}=${join(ids, 1)},+${join(ids, 2)}+,&${name}=,${join(ids, 3)},${join(ids, 3)}`,
      ])
        assert.deepEqual(await found(search), [1, 2, 3], search)
    }
    assert.deepEqual(await found('tags=tag-1,tag-2&tags=tag-3'), [1, 2, 3])
    assert.deepEqual(await found('categories[]=category-1,category-2&categories[]=category-3'), [1, 2, 3])
    assert.deepEqual(await found('status=publish&status=private', 'editor'), [1, 2, 3, 4])
    assert.deepEqual(await found('status[]=private,publish', 'editor'), [1, 2, 3, 4])
  })

  it('of terms take ids together as well', async () => {
    const list = async (search: string) =>
      (await service.expect(200, null, `/tags?${search}`)).tags.map((tag: Json) => tag.id)
    assert.deepEqual(await list(`include=${join(tags, 1, 2)}&include=${join(tags, 3)}`), tags.slice(0, 3))
    assert.deepEqual(await list(`exclude=${join(tags, 1, 2)}&exclude[]=`), [tags[2]])
    assert.deepEqual(await list(`exclude=${join(tags, 1)}&exclude=${join(tags, 3)}`), [tags[1]])
  })

  it('may hold texts with commas in what is written', async () => {
    const create = (json: object) => service.expect(201, 'editor', '/events', { json: { ...EVENT, ...json } })
    const ids = (list: Json) => [list].flat().map((one: Json) => one.id)
    const event = await create({
      venue: [join(venues, 1, 2).replace(',', ', '), venues[2]],
      organizer: [`${join(organizers, 2)},`, join(organizers, 1, 3)],
      tags: [join(tags, 1, 2), tags[2]],
      categories: [join(categories, 1, 2).replace(',', ' , ')],
    })
    assert.deepEqual(ids(event.venue), venues.slice(0, 3))
    assert.deepEqual(ids(event.organizer), [organizers[1], organizers[0], organizers[2]])
    assert.deepEqual(ids(event.tags), tags.slice(0, 3))
    assert.deepEqual(ids(event.categories), categories.slice(0, 2))
    const mixed = await create({ venue: [{ venue: 'New' }, join(venues, 1, 2)] })
    assert.deepEqual(ids(mixed.venue).slice(1), venues.slice(0, 2))
    await service.expect(400, 'editor', '/events', { json: { ...EVENT, venue: ['1, x'] } })
  })

  it('may be repeated in a form', async () => {
    const raw = `title=F&start_date=2031-07-01&end_date=2031-07-01&tags=rock,pop&tags=jazz&venue=${join(venues, 1, 2)}&venue=${join(venues, 3)}`
    const event = await service.expect(201, 'editor', '/events', { raw, headers: FORM })
    assert.deepEqual(
      event.tags.map((tag: Json) => tag.name),
      ['jazz', 'pop', 'rock'],
    )
    assert.equal(event.venue.length, 3)
  })

  it('keep a comma in a name that stands by itself in a list', async () => {
    const event = await service.expect(201, 'editor', '/events', {
      json: { ...EVENT, title: 'Comma 9', tags: ['Washington, DC', 'one'] },
    })
    assert.deepEqual(
      event.tags.map((tag: Json) => tag.name),
      ['one', 'Washington, DC'],
    )
    assert.deepEqual(await found(`tags[]=${encodeURIComponent('Washington, DC')}`), [9])
  })

  it('that are too long are refused, however they are written', async () => {
    const many = Array.from({ length: 600 }, (_, n) => n + 1)
    const refused = async (search: string) => (await service.expect(400, null, `/events?${search}`)).data.params
    for (const search of [
      `include=${many}`,
      `include=${many.slice(0, 300)}&include=${many.slice(300)}`,
      many.map((n) => `include[]=${n}`).join('&'),
    ])
      assert.match((await refused(search)).include, /500/)
    assert.equal((await service.call(null, `/events?include=${'1,'.repeat(4000)}`)).statusCode, 200)
  })
})

describe('the coordinates of a place', () => {
  let service: Service
  before(async () => {
    service = await startService()
  })
  after(() => service.close())

  const blamed = async (search: string) =>
    Object.keys((await service.expect(400, null, `/events?${search}`)).data.params).sort()

  it('are blamed for what is wrong with themselves alone', async () => {
    assert.deepEqual(await blamed('geoloc_lat=x&geoloc_lng=2'), ['geoloc_lat'])
    assert.deepEqual(await blamed('geoloc_lat=2&geoloc_lng=x'), ['geoloc_lng'])
    assert.deepEqual(await blamed('geoloc_lat=2&geoloc_lng=200'), ['geoloc_lng'])
    assert.deepEqual(await blamed('geoloc_lat=x&geoloc_lng=y'), ['geoloc_lat', 'geoloc_lng'])
    assert.deepEqual(await blamed('geoloc_lat=x&geoloc_lng=2&geoloc_radius=5'), ['geoloc_lat'])
    assert.deepEqual(await blamed('geoloc_lat=1&geoloc_lng=2&geoloc_radius=x'), ['geoloc_radius'])
    assert.deepEqual(await blamed('geoloc_lat=2'), ['geoloc_lat'])
    assert.deepEqual(await blamed('geoloc_lng=2'), ['geoloc_lng'])
    assert.deepEqual(await blamed('geoloc_lng=2&geoloc_radius=5'), ['geoloc_lng', 'geoloc_radius'])
    assert.deepEqual(await blamed('geoloc_radius=2'), ['geoloc_radius'])
  })

  it('of a venue are, too', async () => {
    const of = async (json: object) =>
      Object.keys((await service.expect(400, 'editor', '/venues', { json: { venue: 'V', ...json } })).data.params)
    assert.deepEqual(await of({ geo_lat: 'x', geo_lng: 2 }), ['geo_lat'])
    assert.deepEqual(await of({ geo_lat: 2, geo_lng: 'x' }), ['geo_lng'])
    assert.deepEqual(await of({ geo_lat: 2 }), ['geo_lat'])
    assert.deepEqual(await of({ geo_lng: 2 }), ['geo_lng'])
    const { id } = await service.expect(201, 'editor', '/venues', { json: { venue: 'V', geo_lat: 1, geo_lng: 2 } })
    const error = await service.expect(400, 'editor', `/venues/${id}`, { method: 'PATCH', json: { geo_lat: 'x' } })
    assert.deepEqual(Object.keys(error.data.params), ['geo_lat'])
    const half = await service.expect(400, 'editor', `/venues/${id}`, { method: 'PATCH', json: { geo_lng: null } })
    assert.deepEqual(Object.keys(half.data.params), ['geo_lng'])
  })
})

describe('_fields of a list', () => {
  let service: Service
  before(async () => {
    service = await startService()
    for (const n of [1, 2, 3])
      await service.expect(201, 'editor', '/events', {
        json: {
          ...EVENT,
          title: `T${n}`,
          venue: { venue: `V${n}`, city: 'Lyon' },
          tags: [`t${n}`],
          categories: [`c${n}`],
        },
      })
  })
  after(() => service.close())

  const asked = (path: string, fields: string) =>
    service.expect(200, null, `${path}${path.includes('?') ? '&' : '?'}_fields=${fields}`)
  const EVENTS = '/events?start_date=2031-01-01&per_page=2'

  it('are taken within each record where the list has no such field', async () => {
    const titles = { events: [{ title: 'T1' }, { title: 'T2' }] }
    assert.deepEqual(await asked(EVENTS, 'title'), titles)
    assert.deepEqual(await asked(EVENTS, 'total,title'), { ...titles, total: 3 })
    assert.deepEqual(await asked(EVENTS, 'title,events.title,%20total'), { ...titles, total: 3 })
    assert.deepEqual(await asked(EVENTS, 'venue.city,events.title,total_pages'), {
      events: [
        { title: 'T1', venue: { city: 'Lyon' } },
        { title: 'T2', venue: { city: 'Lyon' } },
      ],
      total_pages: 2,
    })
    assert.deepEqual((await asked(EVENTS, 'tags.name')).events[0], { tags: [{ name: 't1' }] })
  })

  it('reach into the records of every list', async () => {
    for (const [path, list, field] of [
      ['/venues', 'venues', 'city'],
      ['/organizers', 'organizers', 'organizer'],
      ['/tags', 'tags', 'name'],
      ['/categories', 'categories', 'urls.self'],
    ] as const) {
      const body = await asked(path, `${field},total`)
      assert.deepEqual(Object.keys(body), [list, 'total'])
      for (const record of body[list]) assert.deepEqual(Object.keys(record), [field.split('.')[0]])
    }
  })

  it('name what belongs to the list as that, whether it is there or not', async () => {
    assert.deepEqual(Object.keys(await asked(EVENTS, 'rest_url')), ['rest_url'])
    assert.deepEqual(await asked('/events?start_date=2031-01-01', 'next_rest_url'), {})
    assert.deepEqual(await asked('/events?start_date=2032-01-01', 'title'), { events: [] })
    assert.deepEqual(await asked(EVENTS, 'nothing,total'), { total: 3 })
    assert.equal(Object.keys(await asked(EVENTS, 'nothing')).length, 0)
  })

  it('that name a whole and a part of it show the whole', async () => {
    const { events } = await asked(EVENTS, 'events,title')
    assert.ok(Object.keys(events[0]).length > 30)
    for (const fields of ['venue,venue.city', 'venue.city,venue']) {
      const [event] = (await asked(EVENTS, fields)).events
      assert.ok(Object.keys(event.venue).length > 5, fields)
    }
  })

  it('may be repeated, and be a list', async () => {
    for (const search of [
      '_fields=title&_fields=total',
      '_fields[]=title&_fields[]=total',
      '_fields%5B%5D=title,total',
    ]) {
      const body = await service.expect(200, null, `${EVENTS}&${search}`)
      assert.deepEqual(body, { events: [{ title: 'T1' }, { title: 'T2' }], total: 3 })
    }
  })

  it('may be thousands', async () => {
    const fields = Array.from({ length: 4000 }, (_, n) => (n % 3 === 0 ? 'a.b.c' : `f${n}`)).join(',')
    assert.deepEqual(await asked(EVENTS, `${fields},title,total`), {
      events: [{ title: 'T1' }, { title: 'T2' }],
      total: 3,
    })
    assert.deepEqual(await asked(EVENTS, `${'events.'.repeat(2000)}x`), { events: [{}, {}] })
  })
})
