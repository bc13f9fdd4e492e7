import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { distance, type Point } from '../../src/lib/geo.ts'
import fc from '../support/property.ts'
import { type Json, type Service, startService } from '../support/service.ts'

/** Degrees with six decimals. */
const micro = (most: number) => fc.integer({ min: -most * 1e6, max: most * 1e6 }).map((degrees) => degrees / 1e6)

const WHEN = { start_date: '2031-06-10', end_date: '2031-06-11' }

describe('places', () => {
  let service: Service
  before(async () => {
    service = await startService()
  })
  after(() => service.close())

  const names = (json: Json) => Object.keys(json.data.params).sort()

  it('are kept on venues, as two coordinates or none', async () => {
    const venue = await service.expect(201, 'author', '/venues', {
      json: { venue: 'Here', geo_lat: '48.8566', geo_lng: 2.3522 },
    })
    assert.deepEqual([venue.geo_lat, venue.geo_lng, venue.json_ld.geo.latitude], [48.8566, 2.3522, 48.8566])
    assert.deepEqual(names(await service.expect(400, 'author', '/venues', { json: { venue: 'Half', geo_lat: 1 } })), [
      'geo_lat',
    ])
    assert.deepEqual(
      names(await service.expect(400, 'author', `/venues/${venue.id}`, { method: 'PATCH', json: { geo_lng: '' } })),
      ['geo_lng'],
    )
    assert.deepEqual(
      names(await service.expect(400, 'author', '/venues', { json: { venue: 'Off', geo_lat: 91, geo_lng: 'east' } })),
      ['geo_lat', 'geo_lng'],
    )
    const cleared = await service.expect(200, 'author', `/venues/${venue.id}`, {
      method: 'PATCH',
      json: { geo_lat: null, geo_lng: null },
    })
    assert.ok(!('geo_lat' in cleared))
  })

  it('are asked for whole', async () => {
    assert.deepEqual(names(await service.expect(400, null, '/events', { query: { geoloc_lat: 1 } })), ['geoloc_lat'])
    assert.deepEqual(names(await service.expect(400, null, '/events', { query: { geoloc_lng: 1 } })), ['geoloc_lng'])
    assert.deepEqual(names(await service.expect(400, null, '/events', { query: { geoloc_radius: 1 } })), [
      'geoloc_radius',
    ])
    assert.deepEqual(
      names(
        await service.expect(400, null, '/events', {
          query: { geoloc_lat: 91, geoloc_lng: 'x', geoloc_radius: -1, geoloc: 'maybe' },
        }),
      ),
      ['geoloc', 'geoloc_lat', 'geoloc_lng', 'geoloc_radius'],
    )
  })

  it('find the nearest events first, as brute force does, at the poles and the date line too', async () => {
    const points = new Map<number, Point>()
    const random = fc.sample(
      fc.record({
        lat: micro(90),
        lng: micro(180),
      }),
      { numRuns: 120, seed: 5 },
    )
    const special = [
      { lat: 90, lng: 0 },
      { lat: -90, lng: 10 },
      { lat: 0, lng: 180 },
      { lat: 0.1, lng: -180 },
      { lat: 0, lng: 179.9 },
      { lat: 0, lng: -179.9 },
      { lat: 89.9, lng: 120 },
      { lat: 89.9, lng: -60 },
    ]
    for (const { lat, lng } of [...random, ...special]) {
      const { id } = await service.expect(201, 'author', '/events', {
        json: { title: 'Somewhere', ...WHEN, venue: { venue: `At ${lat} ${lng}`, geo_lat: lat, geo_lng: lng } },
      })
      points.set(id, { lat, lng })
    }
    const near = fc.record({
      lat: fc.oneof(micro(90), fc.constantFrom(90, -90, 89.95, 0)),
      lng: fc.oneof(micro(180), fc.constantFrom(180, -180, 179.95, -179.95)),
      radius: fc.oneof(fc.double({ min: 0, max: 20_040, noNaN: true }), fc.constantFrom(0, 15, 40, 5000, 20_040)),
    })
    await fc.assert(
      fc.asyncProperty(near, async ({ lat, lng, radius }) => {
        const query = {
          start_date: '2031-01-01',
          geoloc_lat: lat.toFixed(12),
          geoloc_lng: lng.toFixed(12),
          geoloc_radius: radius.toFixed(6),
          per_page: 50,
        }
        const from = { lat: Number(query.geoloc_lat), lng: Number(query.geoloc_lng) }
        const expected = [...points]
          .map(([id, point]) => ({ id, away: distance(from, point) }))
          .filter(({ away }) => away <= Number(query.geoloc_radius))
        const seen: { id: number; distance: number }[] = []
        let page: Json = await service.expect(200, null, '/events', { query })
        for (;;) {
          assert.equal(page.total, expected.length)
          seen.push(...page.events)
          if (page.next_rest_url === undefined) break
          const next = new URL(page.next_rest_url)
          page = (await service.inject({ url: next.pathname + next.search })).json()
        }
        assert.deepEqual(seen.map(({ id }) => id).sort(), expected.map(({ id }) => id).sort())
        for (const [n, event] of seen.entries()) {
          assert.ok(Math.abs(event.distance - (expected.find(({ id }) => id === event.id)?.away ?? -1)) < 0.002)
          assert.ok(n === 0 || event.distance >= (seen[n - 1]?.distance ?? 0))
        }
      }),
      { numRuns: 60 },
    )
  })

  it('filter events by whether their venue has one, which its reader may open', async () => {
    const day = { start_date: '2051-06-10', end_date: '2051-06-11' }
    const placed = await service.expect(201, 'editor', '/events', {
      json: { title: 'Placed', ...day, venue: { venue: 'P', geo_lat: 0, geo_lng: 0 } },
    })
    await service.expect(201, 'editor', '/events', { json: { title: 'Lost', ...day, venue: { venue: 'L' } } })
    await service.expect(201, 'editor', '/events', { json: { title: 'Nowhere', ...day } })
    await service.expect(201, 'editor', '/events', {
      json: { title: 'Hidden', ...day, password: 'x', venue: { venue: 'H', geo_lat: 0, geo_lng: 0 } },
    })
    const listed = async (query: object, role: 'editor' | null = null) =>
      (await service.expect(200, role, '/events', { query: { start_date: '2051-01-01', ...query } })).events.map(
        (event: Json) => event.title,
      )
    assert.deepEqual(await listed({ geoloc: true }), ['Placed'])
    assert.deepEqual(await listed({ geoloc: false }), ['Lost', 'Nowhere'])
    assert.deepEqual(await listed({ geoloc_lat: 0, geoloc_lng: 0 }), ['Placed'])
    assert.deepEqual(await listed({ geoloc_lat: 0, geoloc_lng: 0 }, 'editor'), ['Placed', 'Hidden'])
    await service.expect(200, 'editor', `/venues/${placed.venue.id}`, { method: 'PATCH', json: { status: 'private' } })
    assert.deepEqual(await listed({ geoloc_lat: 0, geoloc_lng: 0 }), [])
    await service.expect(200, 'editor', `/venues/${placed.venue.id}`, { method: 'DELETE', query: { force: true } })
    assert.deepEqual(await listed({ geoloc: true }), [])
  })
})

describe('tickets', () => {
  let service: Service
  before(async () => {
    service = await startService()
  })
  after(() => service.close())

  const TICKETS = [
    {
      name: 'Standing & more',
      price: 12.5,
      currency: 'eur',
      url: 'https://tickets.example.org',
      capacity: '100',
      available_from: '2031-01-01 10:00',
      available_until: '2031-06-10T10:00:00Z',
    },
    { name: 'Friends' },
  ]
  const create = (json: object) =>
    service.expect(201, 'author', '/events', { json: { title: 'T', ...WHEN, timezone: 'Europe/Paris', ...json } })
  const change = (id: number, json: object) => service.expect(200, 'author', `/events/${id}`, { method: 'PATCH', json })

  it('are kept in order, with their dates by the event’s clock', async () => {
    const event = await create({ tickets: TICKETS })
    const [first, second] = event.tickets
    const { id, ...rest } = first
    assert.deepEqual(rest, {
      name: 'Standing &#038; more',
      price: '12.5',
      currency: 'EUR',
      url: 'https://tickets.example.org',
      capacity: 100,
      available_from: '2031-01-01 10:00:00',
      available_until: '2031-06-10 12:00:00',
    })
    assert.ok(id > 0 && second.name === 'Friends' && second.price === null)
    assert.equal(event.ticketed, true)
    assert.deepEqual((await service.expect(200, null, `/events/${event.id}`)).tickets, event.tickets)
  })

  it('stay when they are not named, keep their ids when they are, and go when they are cleared', async () => {
    const event = await create({ tickets: TICKETS })
    assert.deepEqual((await change(event.id, { title: 'Other' })).tickets, event.tickets)
    const turned = await change(event.id, { tickets: [event.tickets[1], { name: 'New' }, event.tickets[0]] })
    assert.deepEqual([turned.tickets[0].id, turned.tickets[2]], [event.tickets[1].id, event.tickets[0]])
    const foreign = await create({ tickets: [{ id: event.tickets[0].id, name: 'Not yours' }] })
    assert.notEqual(foreign.tickets[0].id, event.tickets[0].id)
    const twice = await change(event.id, { tickets: [event.tickets[0], event.tickets[0]] })
    assert.equal(new Set(twice.tickets.map(({ id }: Json) => id)).size, 2)
    const cleared = await change(event.id, { tickets: [] })
    assert.deepEqual([cleared.ticketed, 'tickets' in cleared], [false, false])
  })

  it('are refused with every reason', async () => {
    const refused = async (tickets: unknown) => {
      const error = await service.expect(400, 'author', '/events', { json: { title: 'T', ...WHEN, tickets } })
      assert.deepEqual(Object.keys(error.data.params), ['tickets'])
      return error.data.params.tickets
    }
    const why = await refused([
      { price: 'much', currency: 'XYZ', url: 'javascript:x', capacity: -1, available_from: 'then' },
    ])
    for (const name of ['name', 'price', 'currency', 'url', 'capacity', 'available_from'])
      assert.match(why, new RegExp(`${name}: `))
    for (const tickets of [
      'text',
      [1],
      { name: 'x' },
      [{ name: 'x', available_from: '2031-01-02', available_until: '2031-01-01' }],
      Array.from({ length: 51 }, () => ({ name: 'x' })),
    ])
      await refused(tickets)
  })

  it('filter events, and say nothing of protected ones', async () => {
    const day = { start_date: '2061-01-01', end_date: '2061-01-02' }
    await create({ ...day, title: 'With', tickets: TICKETS })
    await create({ ...day, title: 'Without' })
    await create({ ...day, title: 'Secret', tickets: TICKETS, password: 'x' })
    const listed = async (query: object) =>
      (await service.expect(200, null, '/events', { query: { start_date: '2061-01-01', ...query } })).events
    assert.deepEqual(
      (await listed({ ticketed: true })).map((event: Json) => event.title),
      ['With'],
    )
    assert.deepEqual(
      (await listed({ ticketed: false })).map((event: Json) => event.title),
      ['Without'],
    )
    const secret = (await listed({})).find((event: Json) => event.title === 'Secret')
    assert.deepEqual([secret.ticketed, 'tickets' in secret], [null, false])
  })

  it('that are sent back with another name keep their instants in the second half of an overlap', async () => {
    const available_from = '2031-10-26T02:30:00+01:00'
    const event = await create({ timezone: 'Europe/Paris', tickets: [{ name: 'Late', price: '5', available_from }] })
    assert.equal(event.json_ld.offers.validFrom, available_from)
    const tickets = [{ ...event.tickets[0], name: 'Later' }]
    assert.equal((await change(event.id, { tickets })).json_ld.offers.validFrom, available_from)
  })

  it('become offers', async () => {
    const { offers } = (await create({ tickets: TICKETS })).json_ld
    assert.deepEqual(
      [offers[0]['@type'], offers[0].price, offers[0].priceCurrency, offers[0].validFrom],
      ['Offer', '12.5', 'EUR', '2031-01-01T10:00:00+01:00'],
    )
  })
})
