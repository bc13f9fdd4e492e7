import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Clock } from '../../src/lib/clock.ts'
import { type Json, type Service, startService } from '../support/service.ts'

/** Wednesday, 11 June 2031, at 10:00 in New York. */
const WEDNESDAY = Date.UTC(2031, 5, 11, 14) / 1000
const DAY = 86_400

describe('filters of quick choices', () => {
  let service: Service
  let now = WEDNESDAY
  const clock: Clock = () => now
  before(async () => {
    service = await startService({ clock, settings: { rateLimit: '0', userRateLimit: '0' } })
  })
  after(() => service.close())

  const create = async (title: string, start: string, json: object = {}): Promise<Json> =>
    service.expect(201, 'editor', '/events', {
      json: { title, start_date: start, end_date: start, ...json },
    })
  const titles = async (query: object): Promise<string[]> =>
    (await service.expect(200, null, '/events', { query: { per_page: 50, ...query } })).events.map(
      ({ title }: Json) => title,
    )

  it('bring what begins tonight, from 17:00 on, by the clock of the site', async () => {
    await create('Afternoon', '2031-06-11 16:59')
    await create('Evening', '2031-06-11 17:00', { end_date: '2031-06-12 03:00' })
    await create('Night', '2031-06-11 23:30')
    await create('Tomorrow', '2031-06-12 18:00')
    await create('Yesterday', '2031-06-10 18:00')
    await create('Whole day', '2031-06-11', { all_day: true })
    await create('Evening elsewhere', '2031-06-11 18:00', { timezone: 'Europe/Berlin' })
    assert.deepEqual(await titles({ when: 'tonight' }), ['Evening', 'Night'])
    assert.deepEqual(await titles({ when: 'tonight', search: 'night' }), ['Night'])
    const feed = await service.inject({ url: '/events.json?when=tonight' })
    assert.deepEqual(
      feed.json().items.map(({ title }: Json) => title),
      ['Evening', 'Night'],
    )
  })

  it('bring what begins this weekend, the present one on its days', async () => {
    await create('Friday', '2031-06-13 20:00')
    await create('Saturday', '2031-06-14 00:00')
    await create('Sunday', '2031-06-15 23:59')
    await create('Monday', '2031-06-16 00:00')
    await create('Next Saturday', '2031-06-21 12:00')
    for (const days of [0, 1, 2, 3, 4]) {
      now = WEDNESDAY + days * DAY
      assert.deepEqual(await titles({ when: 'weekend' }), ['Saturday', 'Sunday'], `${days} days later`)
    }
    now = WEDNESDAY + 5 * DAY
    assert.deepEqual(await titles({ when: 'weekend' }), ['Next Saturday'])
    now = WEDNESDAY
    assert.equal((await service.call(null, '/events?when=later')).statusCode, 400)
  })

  it('bring what is free by cost and tickets, not by tags', async () => {
    const on = '2031-09-01 12:00'
    const price = (...prices: (string | null)[]) => ({ tickets: prices.map((one) => ({ name: 'T', price: one })) })
    const free = await create('Free cost', on, { cost: 'Free' })
    await create('Zero', on, { cost: '0.00 €' })
    const ticket = await create('Free tickets', on, price('0', '0.00'))
    await create('Both', on, { cost: '0', ...price('0', null) })
    await create('Tag only', on, { tags: ['free'] })
    await create('Some paid', on, price('0', '5'))
    await create('From nothing', on, { cost: '0 - 10' })
    await create('Cost but paid ticket', on, { cost: 'Free', ...price('3') })
    await create('Unknown ticket', on, price(null))
    await create('Donation', on, { cost: 'Donation' })
    await create('Protected', on, { cost: 'Free', password: 'x' })
    const query = { start_date: '2031-09-01', end_date: '2031-09-02' }
    const expected = ['Free cost', 'Zero', 'Free tickets', 'Both']
    assert.deepEqual(await titles({ ...query, free: true }), expected)
    const change = (id: number, json: object) =>
      service.expect(200, 'editor', `/events/${id}`, { method: 'PATCH', json })
    await change(free.id, { cost: '12' })
    await change(ticket.id, { cost: '3' })
    assert.deepEqual(await titles({ ...query, free: true }), ['Zero', 'Both'])
    await change(free.id, { title: 'Free cost', cost: '0' })
    await change(ticket.id, { cost: '' })
    assert.deepEqual(await titles({ ...query, free: true }), expected)
    await change(ticket.id, { tickets: [] })
    assert.deepEqual(await titles({ ...query, free: true }), ['Free cost', 'Zero', 'Both'])
    assert.ok((await titles({ ...query, free: false })).includes('Donation'))
  })

  it('bring what is for families, by the names of the setting', async () => {
    const on = '2031-10-01 12:00'
    await create('Kids tag', on, { tags: ['Kids'] })
    await create('Kinder', on, { categories: ['Kinder'] })
    const { id } = await service.expect(201, 'editor', '/categories', { json: { name: 'Family' } })
    const { id: below } = await service.expect(201, 'editor', '/categories', { json: { name: 'Puppets', parent: id } })
    await create('Below', on, { categories: [below] })
    await create('Other', on, { tags: ['Jazz'] })
    await create('Kids hidden', on, { tags: ['kids'], password: 'x' })
    const query = { start_date: '2031-10-01', end_date: '2031-10-02' }
    assert.deepEqual(await titles({ ...query, family: true }), ['Kids tag', 'Kinder', 'Below'])
    const own = await startService({ clock, settings: { familyTerms: 'Jazz' } })
    try {
      await own.expect(201, 'editor', '/events', {
        json: { title: 'Jazz', start_date: on, end_date: on, tags: ['jazz', 'x'] },
      })
      await own.expect(201, 'editor', '/events', {
        json: { title: 'Kids', start_date: on, end_date: on, tags: ['kids'] },
      })
      const { events } = await own.expect(200, null, '/events', { query: { ...query, family: true } })
      assert.deepEqual(
        events.map(({ title }: Json) => title),
        ['Jazz'],
      )
    } finally {
      await own.close()
    }
  })
})
