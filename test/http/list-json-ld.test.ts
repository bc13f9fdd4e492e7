import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Json, type Service, startService } from '../support/service.ts'

describe('JSON-LD of list pages', () => {
  let service: Service

  before(async () => {
    service = await startService({ clock: () => Date.UTC(2031, 5, 1, 12) / 1000 })
    const add = (title: string, day: string, more: object = {}) =>
      service.expect(201, 'administrator', '/events', {
        json: { title, start_date: `${day} 19:00`, end_date: `${day} 22:00`, ...more },
      })
    const linked = {
      venue: { venue: 'Harbour Hall' },
      organizer: { organizer: 'The Club' },
      categories: ['Music'],
      tags: ['late'],
    }
    await add('Jazz', '2031-06-10', linked)
    await add('Secret', '2031-06-11', { ...linked, password: 'open sesame', description: 'nobody may know' })
    await add('Blues', '2031-06-12', linked)
  })
  after(() => service.close())

  const read = async (url: string): Promise<Json> => {
    const { body, statusCode } = await service.inject({ url })
    assert.equal(statusCode, 200, url)
    const scripts = [...body.matchAll(/<script type="application\/ld\+json">(.*?)<\/script>/gs)]
    assert.ok(!body.includes('nobody may know'), url)
    return scripts.map(([, text]) => JSON.parse(String(text)))
  }

  it('has every event that is shown, but no protected one', async () => {
    for (const url of ['/events/', '/events/category/music/', '/tag/late/']) {
      const [found] = await read(url)
      assert.deepEqual(
        found.map((one: Json) => [one['@type'], one.name]),
        [
          ['Event', 'Jazz'],
          ['Event', 'Blues'],
        ],
        url,
      )
    }
  })

  it('follows that of the venue or organizer on its page', async () => {
    for (const [url, type] of [
      ['/venue/harbour-hall/', 'Place'],
      ['/organizer/the-club/', 'Organization'],
    ] as const)
      assert.deepEqual(
        (await read(url)).flat().map((one: Json) => one['@type']),
        [type, 'Event', 'Event'],
      )
  })

  it('is that of a single event by REST', async () => {
    const [event] = (await service.expect(200, null, '/events')).events
    const { json_ld: expected } = await service.expect(200, null, `/events/${event.id}`)
    const [[shown]] = await read('/events/')
    assert.deepEqual(shown, expected)
  })

  it('has the events that are still on', async () => {
    const json = { title: 'Exhibition', start_date: '2031-05-20 10:00', end_date: '2031-08-20 18:00' }
    const { id } = await service.expect(201, 'administrator', '/events', { json })
    const [found] = await read('/events/')
    assert.ok(found.some((one: Json) => one.name === 'Exhibition'))
    await service.expect(200, 'administrator', `/events/${id}`, { method: 'DELETE', query: { force: true } })
  })

  it('is left out of an empty list', async () => {
    assert.deepEqual(await read('/events/?search=nothing'), [])
  })
})
