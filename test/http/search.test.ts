import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Role } from '../../src/domain/access.ts'
import { clock } from '../support/calendar.ts'
import { type Json, type Service, startService } from '../support/service.ts'

/** So many that a search for what all of them contain does not look at them one by one. */
const MANY = 700

/** A calendar file of events, the later ones first; every seventh is in a category. */
function calendar(): string {
  const events = Array.from({ length: MANY }, (_, n) => {
    const day = new Date(Date.UTC(2031, 6, 1) + (MANY - n) * 86_400_000).toISOString().slice(0, 10).replaceAll('-', '')
    const category = n % 7 === 0 ? ['CATEGORIES:Seventh'] : []
    const lines = [`UID:${n}`, `SUMMARY:Gathering ${n}`, `DTSTART:${day}T100000Z`, `DTEND:${day}T110000Z`, ...category]
    const text = n % 50 === 0 ? 'Lanterns and music' : 'Music'
    return ['BEGIN:VEVENT', ...lines, `DESCRIPTION:${text} by the water`, 'END:VEVENT'].join('\r\n')
  })
  return ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//test//', ...events, 'END:VCALENDAR', ''].join('\r\n')
}

describe('a search that many events answer', () => {
  let service: Service
  before(async () => {
    service = await startService({ clock, settings: { rateLimit: '0', userRateLimit: '0' } })
    const headers = { 'content-type': 'text/calendar' }
    const answer = await service.call('administrator', '/import', { method: 'POST', raw: calendar(), headers })
    assert.equal(answer.json().created, MANY, answer.body.slice(0, 300))
  })
  after(() => service.close())

  const list = async (query: string, role: Role | null = null): Promise<Json> => {
    const answer = await service.call(role, `/events?per_page=50&end_date=2034-01-01&${query}`)
    assert.equal(answer.statusCode, 200, answer.body)
    return answer.json()
  }
  const titles = ({ events }: Json): string[] => events.map(({ title }: Json) => title)
  const expected = (wanted: (n: number) => boolean): string[] =>
    Array.from({ length: MANY }, (_, n) => MANY - 1 - n)
      .filter(wanted)
      .map((n) => `Gathering ${n}`)

  for (const role of [null, 'editor'] as const) {
    it(`is the list of those, in its order, page by page, to ${role ?? 'everybody'}`, async () => {
      const all: string[] = []
      for (let page = 1; page <= MANY / 50; page++) {
        const answer = await list(`search=music&page=${page}`, role)
        assert.equal(answer.total, MANY)
        all.push(...titles(answer))
      }
      assert.deepEqual(
        all,
        expected(() => true),
      )
    })

    it(`is narrowed by what else is asked for, to ${role ?? 'everybody'}`, async () => {
      const seventh = await list('search=by%20the%20water&categories=seventh', role)
      assert.equal(seventh.total, MANY / 7)
      assert.deepEqual(titles(seventh), expected((n) => n % 7 === 0).slice(0, 50))
      // Few, and of a list that was searched before.
      const rare = await list('search=lanterns', role)
      assert.deepEqual(
        titles(rare),
        expected((n) => n % 50 === 0),
      )
      assert.equal((await list('search=nothing%20like%20it', role)).total, 0)
    })
  }

  it('finds the same for parts of the same words, until something is written', async () => {
    const parts = ['lantern', 'anterns', 'LANTERNS', 'ntern']
    const same = async (total: number, first: string) => {
      for (const part of parts) {
        const answer = await list(`search=${part}`)
        assert.equal(answer.total, total, part)
        assert.equal(titles(answer)[0], first, part)
        assert.match(answer.rest_url, new RegExp(`search=${part}`))
        const second = await service.call(null, `/events?per_page=2&page=2&end_date=2034-01-01&search=${part}`)
        assert.deepEqual(titles(second.json()), titles(answer).slice(2, 4), part)
      }
    }
    // Before and after the whole list was searched, for a word that many have.
    await same(14, `Gathering ${MANY - 50}`)
    await list('search=music')
    await same(14, `Gathering ${MANY - 50}`)
    const json = { title: 'The first lanterns', start_date: '2031-06-20 10:00', end_date: '2031-06-20 11:00' }
    const { id } = await service.expect(201, 'administrator', '/events', { json })
    await same(15, 'The first lanterns')
    await list('search=gathering')
    await service.expect(200, 'administrator', `/events/${id}`, { method: 'PUT', json: { password: 'dark' } })
    await list('search=gathering')
    // Its title may be read, its description not.
    await same(15, 'The first lanterns')
    await service.expect(200, 'administrator', `/events/${id}?force=true`, { method: 'DELETE' })
    await list('search=gathering')
    await same(14, `Gathering ${MANY - 50}`)
  })

  it('follows what is written, and does not look into what is protected', async () => {
    await list('search=music')
    const { events } = await list('search=music')
    const [first, second, third, fourth] = events.map(({ id }: Json) => id)
    const change = async (id: number, json: object) => {
      const answer = await service.call('administrator', `/events/${id}`, { method: 'PUT', json })
      assert.equal(answer.statusCode, 200, answer.body)
    }
    await change(first, { description: 'Silence' })
    await change(second, { password: 'secret words' })
    await change(third, { title: 'Music behind a door', password: 'secret words' })
    await service.call('administrator', `/events/${fourth}`, { method: 'DELETE' })
    for (let round = 0; round < 2; round++) {
      const told = await list('search=music')
      assert.equal(told.total, MANY - 3)
      assert.deepEqual(
        told.events.slice(0, 2).map(({ id }: Json) => id),
        [third, events[4].id],
      )
      assert.equal((await list('search=music', 'administrator')).total, MANY - 2)
    }
  })
})
