import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { ENCODINGS, encoded } from '../support/encodings.ts'
import { type Json, type Service, startService } from '../support/service.ts'

const EVENT = { title: 'Müller’s Night', start_date: '2031-06-10 20:00', end_date: '2031-06-10 23:00' }
const MOUNT = '/wp-json/tribe/events/v1'
const BASE = 'http://calendar.example.org:8080/town'

describe('an event without a website, whose own address is sent as one', () => {
  let service: Service
  before(async () => {
    service = await startService({ settings: { baseUrl: `${BASE}/`, mounts: MOUNT, languages: 'en,de' } })
  })
  after(() => service.close())

  const create = (json: object = {}): Promise<Json> =>
    service.expect(201, 'editor', '/events', { json: { ...EVENT, ...json } })
  const stored = (id: number) =>
    service.db
      .read((tx) => tx.selectFrom('events').select('website').where('id', '=', id).executeTakeFirstOrThrow())
      .then(({ website }) => website)
  const patch = (id: number, json: object) =>
    service.expect(200, 'editor', `/events/${id}`, { method: 'PATCH', json: { ...json, cost: String(now++) } })
  let now = 0

  it('has none, by every mount and language', async () => {
    const { id } = await create()
    for (const way of ['/calendar/events/v1', MOUNT, '/de/calendar/events/v1', `/de${MOUNT}`]) {
      const url = `${way}/events/${id}`
      const shown = (await service.inject({ url })).json()
      assert.equal(shown.website, shown.url)
      for (const encoding of ENCODINGS) {
        const sent = await encoded({ ...shown, cost: `${now++}` }, encoding)
        await service.expect(200, 'editor', `/events/${id}`, { method: 'PUT', ...sent })
        assert.equal(await stored(id), null, `${way} as ${encoding}`)
      }
    }
  })

  it('has none, however the address is spelled, and whatever its slug was or will be', async () => {
    const { id, url, slug } = await create({ slug: 'straße 東京' })
    const path = new URL(url).pathname
    for (const website of [
      url,
      url.replace(/\/$/, ''),
      url.replace('calendar.example.org', 'CALENDAR.Example.ORG'),
      url.replace('http:', 'https:'),
      url.toUpperCase().replace(/^[^%]*/, (head: string) => head.toLowerCase()),
      `${BASE}/de${path.slice('/town'.length)}`,
      `${BASE}/event/${decodeURIComponent(slug)}/`,
    ]) {
      await patch(id, { website })
      assert.equal(await stored(id), null, website)
    }
    const renamed = await patch(id, { slug: 'renamed', website: url })
    assert.deepEqual([await stored(id), renamed.website], [null, renamed.url])
    await patch(id, { slug: 'again', website: `${BASE}/event/again/` })
    assert.equal(await stored(id), null)
    const trashed = await service.expect(200, 'editor', `/events/${id}`, { method: 'DELETE' })
    await patch(id, { status: 'publish', website: trashed.url })
    assert.equal(await stored(id), null, 'a copy from the trash')
    await patch(id, { website: trashed.url })
    assert.equal(await stored(id), null, 'a copy from the trash, later')
    const gone = await service.expect(200, 'editor', `/events/${id}?force=true`, { method: 'DELETE' })
    const anew = await create({ slug: 'again', website: gone.website })
    assert.equal(await stored(anew.id), null, 'a copy that is created anew')
  })

  it('has one if it is that of anything else', async () => {
    const other = await create({ slug: 'other' })
    const { id } = await create({ slug: 'mine' })
    for (const website of [
      other.url,
      `${BASE}/event/mine/more/`,
      `${BASE}/fr/event/mine/`,
      `${BASE}/venue/mine/`,
      'http://calendar.example.org:8080/event/mine/',
      'http://calendar.example.org/town/event/mine/',
      'https://example.org/event/mine/',
    ]) {
      await patch(id, { website })
      assert.equal(await stored(id), website)
    }
  })
})
