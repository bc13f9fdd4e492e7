import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import sharp from 'sharp'
import { type Service, startService } from '../support/service.ts'

const NONE = [0, '0', [0], ['0'], '', null, [], [''], false, [false], '00', ' 0 ', [0, 0]]

describe('zero or false for no venue, organizer or image', () => {
  let service: Service
  let image: number

  before(async () => {
    service = await startService()
    const picture = await sharp({ create: { width: 4, height: 3, channels: 3, background: 'red' } })
      .png()
      .toBuffer()
    const headers = { 'content-type': 'image/png' }
    image = (await service.expect(201, 'editor', '/images', { raw: picture, headers })).id
  })
  after(() => service.close())

  const event = { title: 'Concert', start_date: '2031-06-10 19:00', end_date: '2031-06-10 22:00' }

  it('creates an event without them', async () => {
    for (const none of NONE.slice(0, 10)) {
      const json = { ...event, venue: none, organizer: none, image: none }
      const made = await service.expect(201, 'editor', '/events', { json })
      assert.deepEqual([made.venue, made.organizer, made.image], [[], [], false], JSON.stringify(none))
    }
  })

  it('takes them off an event, a venue and an organizer', async () => {
    const linked = { venue: { venue: 'Hall' }, organizer: { organizer: 'Club' }, image }
    for (const none of NONE) {
      const { id } = await service.expect(201, 'editor', '/events', { json: { ...event, ...linked } })
      const json = { venue: none, organizer: none, ...(JSON.stringify(none) === '[0,0]' ? {} : { image: none }) }
      const changed = await service.expect(200, 'editor', `/events/${id}`, { json })
      assert.deepEqual([changed.venue, changed.organizer], [[], []], JSON.stringify(none))
      if ('image' in json) assert.equal(changed.image, false, JSON.stringify(none))
    }
    const venue = await service.expect(201, 'editor', '/venues', { json: { venue: 'With image', image } })
    const bare = await service.expect(200, 'editor', `/venues/${venue.id}`, { json: { image: '0' } })
    assert.equal(bare.image, undefined)
  })

  it('is the same in a form', async () => {
    const form = { ...event, 'venue[]': '0', organizer: '0', image: '0' }
    const made = await service.expect(201, 'editor', '/events', { form })
    assert.deepEqual([made.venue, made.organizer, made.image], [[], [], false])
  })

  it('is left out of a list with others, and no other number means none', async () => {
    const { id } = await service.expect(201, 'editor', '/venues', { json: { venue: 'Real' } })
    const made = await service.expect(201, 'editor', '/events', { json: { ...event, venue: [0, false, id] } })
    assert.equal(made.venue.id, id)
    for (const venue of [-1, '1.5', 0.5, '0x1', true, [true], [-1]])
      await service.expect(400, 'editor', '/events', { json: { ...event, venue } })
  })
})
