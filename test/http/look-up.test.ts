import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Json, type Service, startService } from '../support/service.ts'

describe('exact look-up, running and online events, and longer pages', () => {
  let service: Service

  before(async () => {
    service = await startService({
      clock: () => Date.UTC(2031, 5, 11, 12) / 1000,
      settings: { maxPerPage: '120' },
    })
    const add = (title: string, from: string, to: string, more: object = {}) =>
      service.expect(201, 'administrator', '/events', { json: { title, start_date: from, end_date: to, ...more } })
    await add('Rock & Roll', '2031-06-12 19:00', '2031-06-12 22:00', {
      venue: { venue: 'Harbour Hall' },
      organizer: { organizer: 'The Club' },
      tags: ['Late Night'],
    })
    await add('Rock & Roll again', '2031-06-13 19:00', '2031-06-13 22:00')
    await add('Exhibition', '2031-06-01 10:00', '2031-06-30 18:00')
    await add('Over', '2031-06-01 10:00', '2031-06-02 18:00')
    await add('Stream', '2031-06-14 19:00', '2031-06-14 22:00', { is_virtual: true })
    await add('Unlisted', '2031-06-14 19:00', '2031-06-14 22:00', { hide_from_listings: true })
    await add('Draft', '2031-06-14 19:00', '2031-06-14 22:00', { status: 'draft' })
    await add('Secret', '2031-06-15 19:00', '2031-06-15 22:00', { password: 'sesame', is_virtual: true })
  })
  after(() => service.close())

  const titles = async (query: Record<string, unknown>, path = '/events', list = 'events', name = 'title') =>
    (await service.expect(200, null, path, { query }))[list].map((one: Json) => one[name])

  it('finds an event by its slug, whatever its dates', async () => {
    assert.deepEqual(await titles({ slug: 'rock-roll' }), ['Rock &#038; Roll'])
    assert.deepEqual(await titles({ slug: 'Rock Roll' }), ['Rock &#038; Roll'])
    assert.deepEqual(await titles({ slug: 'over' }), ['Over'])
    assert.deepEqual(await titles({ slug: 'unlisted' }), ['Unlisted'])
    assert.deepEqual(await titles({ slug: 'rock' }), [])
    assert.deepEqual(await titles({ slug: 'draft' }), [])
    assert.deepEqual(await titles({ slug: 'over', start_date: '2031-06-10' }), [])
  })

  it('finds several records by their slugs, in a list or with commas between them', async () => {
    assert.deepEqual(await titles({ slug: 'over,unlisted,none' }), ['Over', 'Unlisted'])
    const urls = ['slug[]=over&slug[]=Rock%20Roll', 'slug[]=over,rock-roll', 'slug=over,%20rock-roll,,']
    for (const url of urls) {
      const { events } = await service.expect(200, null, `/events?${url}`)
      assert.deepEqual(
        events.map((one: Json) => one.slug),
        ['over', 'rock-roll'],
        url,
      )
    }
    const { total, events } = await service.expect(200, null, '/events?slug=over,rock-roll&per_page=1')
    assert.deepEqual([total, events.length], [2, 1])
    assert.deepEqual(await titles({ slug: 'none,harbour-hall' }, '/venues', 'venues', 'venue'), ['Harbour Hall'])
    assert.deepEqual(await titles({ slug: 'none,the-club' }, '/organizers', 'organizers', 'organizer'), ['The Club'])
    assert.deepEqual(await titles({ slug: 'none,late-night' }, '/tags', 'tags', 'name'), ['Late Night'])
  })

  it('finds nothing by a slug without letters, and takes up to a hundred slugs', async () => {
    const many = Array.from({ length: 99 }, (_, n) => `none-${n}`).join(',')
    for (const [path, list] of [
      ['/events', 'events'],
      ['/venues', 'venues'],
      ['/tags', 'tags'],
    ] as const) {
      assert.deepEqual((await service.expect(200, null, path, { query: { slug: '!!' } }))[list], [], path)
      assert.equal((await service.expect(200, null, path, { query: { slug: ',' } })).total > 0, true, path)
      await service.expect(200, null, path, { query: { slug: `${many},over` } })
      const { data } = await service.expect(400, null, path, { query: { slug: `${many},over,one-more` } })
      assert.ok(data.params.slug, path)
    }
  })

  it('finds events by their whole title, as it was sent or answered', async () => {
    assert.deepEqual(await titles({ title: 'Rock & Roll' }), ['Rock &#038; Roll'])
    assert.deepEqual(await titles({ title: 'Rock &#038; Roll' }), ['Rock &#038; Roll'])
    assert.deepEqual(await titles({ title: 'Over' }), ['Over'])
    assert.deepEqual(await titles({ title: 'Rock' }), [])
    assert.deepEqual(await titles({ title: 'Unlisted' }), [])
    assert.deepEqual(await titles({ title: 'Draft' }), [])
  })

  it('finds venues, organizers, categories and tags likewise', async () => {
    assert.deepEqual(await titles({ slug: 'harbour-hall' }, '/venues', 'venues', 'venue'), ['Harbour Hall'])
    assert.deepEqual(await titles({ title: 'Harbour Hall' }, '/venues', 'venues', 'venue'), ['Harbour Hall'])
    assert.deepEqual(await titles({ title: 'Harbour' }, '/venues', 'venues', 'venue'), [])
    assert.deepEqual(await titles({ title: 'The Club' }, '/organizers', 'organizers', 'organizer'), ['The Club'])
    assert.deepEqual(await titles({ slug: 'club' }, '/organizers', 'organizers', 'organizer'), [])
    assert.deepEqual(await titles({ title: 'late night' }, '/tags', 'tags', 'name'), ['Late Night'])
    assert.deepEqual(await titles({ title: 'late' }, '/tags', 'tags', 'name'), [])
    assert.deepEqual(await titles({ slug: 'late-night' }, '/tags', 'tags', 'name'), ['Late Night'])
  })

  it('includes events that are still on, if asked to', async () => {
    const coming = ['Rock &#038; Roll', 'Rock &#038; Roll again', 'Stream', 'Secret']
    assert.deepEqual(await titles({}), coming)
    assert.deepEqual(await titles({ include_running: true }), ['Exhibition', ...coming])
    assert.deepEqual(await titles({ include_running: true, start_date: '2031-06-30' }), ['Exhibition'])
    assert.deepEqual(await titles({ include_running: true, start_date: '2031-07-01' }), [])
    assert.deepEqual(await titles({ include_running: true, start_date: '2031-06-02', end_date: '2031-06-10' }), [
      'Over',
    ])
    const exact = { include_running: true, strict_dates: true, start_date: '2031-06-30 18:01' }
    assert.deepEqual(await titles(exact), [])
    const { next_rest_url: next } = await service.expect(200, null, '/events', {
      query: { include_running: true, per_page: 1 },
    })
    assert.match(next, /include_running=/)
  })

  it('tells online events, on pages and in JSON-LD too, and filters by them', async () => {
    assert.deepEqual(await titles({ is_virtual: true }), ['Stream'])
    assert.ok(!(await titles({ is_virtual: false })).includes('Stream'))
    const [stream] = (await service.expect(200, null, '/events', { query: { slug: 'stream' } })).events
    assert.equal(stream.is_virtual, true)
    const single = await service.expect(200, null, `/events/${stream.id}`)
    assert.equal(single.json_ld.eventAttendanceMode, 'https://schema.org/OnlineEventAttendanceMode')
    assert.match((await service.inject({ url: '/event/stream/' })).body, /Online/)
    const changed = await service.expect(200, 'editor', `/events/${stream.id}`, { json: { is_virtual: 'no' } })
    assert.equal(changed.is_virtual, false)
    await service.expect(200, 'editor', `/events/${stream.id}`, { json: { is_virtual: true } })
  })

  it('does not tell that a protected event is online', async () => {
    const [secret] = (await service.expect(200, null, '/events', { query: { slug: 'secret' } })).events
    assert.equal(secret.is_virtual, null)
    assert.ok(!(await titles({ is_virtual: true })).includes('Secret'))
    assert.ok(!(await titles({ is_virtual: false })).includes('Secret'))
  })

  it('holds as many records on a page as the setting allows', async () => {
    for (const list of ['events', 'venues', 'organizers', 'categories', 'tags']) {
      const { rest_url: address } = await service.expect(200, null, `/${list}`, { query: { per_page: 9999 } })
      assert.equal(new URL(address).searchParams.get('per_page'), '120', list)
    }
  })
})
