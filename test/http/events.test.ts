import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Json, type Service, startService } from '../support/service.ts'

const WHEN = { start_date: '2031-06-10 19:00:00', end_date: '2031-06-10 22:00:00' }

describe('/events', () => {
  let service: Service
  before(async () => {
    service = await startService()
  })
  after(() => service.close())

  type Role = NonNullable<Parameters<Service['call']>[0]>
  const create = (json: object, role: Role = 'editor') =>
    service.expect(201, role, '/events', { json: { title: 'E', ...WHEN, ...json } })
  const change = (id: number, json: object, role: Role = 'editor') =>
    service.expect(200, role, `/events/${id}`, { method: 'PATCH', json })
  const refused = async (json: object, role: Role = 'editor') =>
    (await service.expect(400, role, '/events', { json: { title: 'E', ...WHEN, ...json } })).data.params
  const total = async (path: string, role: Role | null = 'editor') =>
    (await service.expect(200, role, path, { query: { per_page: 1, hide_empty: 0 } })).total

  describe('the answer to who makes one', () => {
    it('is what a read then shows them', async () => {
      const make = async (path: string, json: object, role: Role = 'editor') =>
        (await service.expect(201, role, path, { json })).id as number
      const venue = await make('/venues', { venue: 'Open' })
      const draft = await make('/venues', { venue: 'Draft', status: 'draft' })
      const organizers = [
        await make('/organizers', { organizer: 'Second' }),
        await make('/organizers', { organizer: 'First' }),
      ]
      const parent = await make('/categories', { name: 'Above' })
      const inner = await make('/categories', { name: 'Inner', parent })
      // Of these two names, code points and UTF-16 units give different orders.
      const names = ['\u{1F3B5} songs', '\uFF21 songs', 'z', 'Z', 'a']
      for (const json of [
        {},
        {
          venue: [venue, venue, draft],
          organizer: [...organizers, organizers[0]],
          tags: names,
          categories: [inner, inner],
        },
        { venue: { venue: 'Inside', status: 'trash' }, organizer: [{ organizer: 'New' }, { organizer: 'New' }] },
        { venue: [draft, { venue: 'Inside too', status: 'draft' }], tickets: [{ name: 'Entry', price: '5' }] },
        { status: 'draft', tags: names.toReversed(), categories: [parent, inner], cost: '5 - 10 €' },
        { password: 'secret', tags: names, venue },
      ]) {
        for (const role of ['editor', 'author'] as const) {
          const made = await create(json, role)
          assert.deepEqual(made, await service.expect(200, role, `/events/${made.id}`), JSON.stringify(json))
          const everybody = await service.call(null, `/events/${made.id}`)
          if (everybody.statusCode === 200 && !('password' in json)) assert.deepEqual(everybody.json().tags, made.tags)
        }
      }
    })
  })

  describe('time', () => {
    it('keeps an instant that falls into the second half of an overlap', async () => {
      const event = await create({ start_date: '2031-11-02T01:30:00-05:00', end_date: '2031-11-02T03:00:00-05:00' })
      assert.deepEqual(
        [event.start_date, event.utc_start_date, event.timezone_abbr],
        ['2031-11-02 01:30:00', '2031-11-02 06:30:00', 'EST'],
      )
      const same = await change(event.id, { title: 'Renamed', timezone: 'America/New_York' })
      assert.equal(same.utc_start_date, '2031-11-02 06:30:00')
    })

    it('takes an end whose clock shows less than its start, as clocks were set back between', async () => {
      const event = await create({ start_date: '2031-11-02T01:50:00-04:00', end_date: '2031-11-02T01:10:00-05:00' })
      assert.deepEqual([event.start_date, event.end_date], ['2031-11-02 01:50:00', '2031-11-02 01:10:00'])
    })

    it('refuses days that do not exist, and years beyond 9999', async () => {
      for (const date of [
        '2031-02-31',
        '31 February 2031',
        '2031-02-29 10:00',
        '2031-13-01',
        '2031-06-10 24:00',
        '0000-01-01',
        '10000-01-01',
        '99999999999999',
      ]) {
        assert.deepEqual(Object.keys(await refused({ start_date: date, end_date: '9999-12-30' })), ['start_date'], date)
      }
    })

    it('keeps years 1 to 9999', async () => {
      const event = await create({
        start_date: '0001-01-01 00:00:00',
        end_date: '9999-12-31 23:59:59',
        timezone: 'UTC',
      })
      assert.deepEqual([event.utc_start_date, event.utc_end_date], ['0001-01-01 00:00:00', '9999-12-31 23:59:59'])
      assert.deepEqual(Object.keys(await refused({ start_date: '0001-01-01T00:00:00Z' })), ['start_date'])
    })

    it('keeps the wall clock when the zone changes, and the other end when one changes', async () => {
      const { id } = await create({ timezone: 'Europe/Paris' })
      const moved = await change(id, { timezone: 'UTC+5.5' })
      assert.deepEqual(
        [moved.start_date, moved.utc_start_date, moved.timezone_abbr],
        ['2031-06-10 19:00:00', '2031-06-10 13:30:00', 'UTC+5.5'],
      )
      const later = await change(id, { end_date: '2031-06-11' })
      assert.deepEqual([later.start_date, later.end_date], ['2031-06-10 19:00:00', '2031-06-11 00:00:00'])
      const site = await change(id, { timezone: '' })
      assert.deepEqual([site.timezone, site.start_date], ['America/New_York', '2031-06-10 19:00:00'])
    })

    it('names the end that was sent when they are the wrong way round', async () => {
      const { id } = await create({})
      const names = async (json: object) =>
        Object.keys((await service.expect(400, 'editor', `/events/${id}`, { method: 'PATCH', json })).data.params)
      assert.deepEqual(await names({ start_date: '2032-01-01' }), ['start_date'])
      assert.deepEqual(await names({ end_date: '2030-01-01' }), ['end_date'])
      assert.deepEqual(await names({ start_date: '2032-01-02', end_date: '2032-01-01' }), ['end_date'])
    })

    it('turns whole days on and off', async () => {
      const { id } = await create({ all_day: 'yes', end_date: '2031-06-12 01:00:00' })
      const off = await change(id, { all_day: false })
      assert.deepEqual([off.start_date, off.end_date], ['2031-06-10 00:00:00', '2031-06-12 23:59:59'])
      const on = await change(id, { all_day: 1, start_date: '2031-06-11 15:00' })
      assert.deepEqual([on.start_date, on.end_date], ['2031-06-11 00:00:00', '2031-06-12 23:59:59'])
      const cleared = await change(id, { all_day: '' })
      assert.equal(cleared.all_day, false)
    })

    it('keeps the name of a whole day whose midnight does not exist', async () => {
      const event = await create({
        all_day: true,
        timezone: 'America/Asuncion',
        start_date: '2020-10-04',
        end_date: '2020-10-04',
      })
      assert.deepEqual([event.start_date, event.utc_start_date], ['2020-10-04 00:00:00', '2020-10-04 04:00:00'])
    })

    it('reads dates as PHP does', async () => {
      for (const [text, wall] of [
        ['2031-11-5 9:5:3', '2031-11-05 09:05:03'],
        ['01-11-2031', '2031-11-01 00:00:00'],
        ['01.11.2031 19:00', '2031-11-01 19:00:00'],
        ['11/5/31 7pm', '2031-11-05 19:00:00'],
        ['2031-W45-2', '2031-11-04 00:00:00'],
        ['20311105T0903', '2031-11-05 09:03:00'],
        ['first monday of december 2031 20:15', '2031-12-01 20:15:00'],
        ['2031-11-07 +3 weekdays', '2031-11-12 00:00:00'],
        ['2031-11-03 next monday', '2031-11-10 00:00:00'],
      ] as const) {
        const event = await create({ start_date: text, end_date: '2032-01-01' })
        assert.equal(event.start_date, wall, text)
      }
    })

    it('reads an offset in English too', async () => {
      const event = await create({ start_date: 'Tue, 10 Jun 2031 19:00:00 +0200', end_date: 'June 10 2031 11pm UTC' })
      assert.deepEqual([event.utc_start_date, event.utc_end_date], ['2031-06-10 17:00:00', '2031-06-10 23:00:00'])
    })
  })

  describe('writing', () => {
    it('changes the named fields by POST, PUT and PATCH, by id and by slug, and no others', async () => {
      const full = await create({
        title: 'Whole',
        description: 'd',
        excerpt: 'e',
        cost: '5',
        website: 'https://example.org',
        featured: true,
        sticky: true,
        show_map: true,
        hide_from_listings: true,
        categories: ['Keep'],
        tags: ['keep'],
        venue: { venue: 'Keep' },
        organizer: [{ organizer: 'Keep' }, { organizer: 'Too' }],
      })
      const { modified: _, modified_utc: __, json_ld: ___, ...before } = full
      for (const method of ['POST', 'PUT', 'PATCH'] as const) {
        for (const path of [`/events/${full.id}`, '/events/by-slug/whole']) {
          const after = await service.expect(200, 'editor', path, { method, json: { excerpt: `${method} ${path}` } })
          const { modified: _m, modified_utc: _u, json_ld: _j, ...rest } = after
          assert.deepEqual({ ...rest, excerpt: '' }, { ...before, excerpt: '' })
        }
      }
    })

    it('takes back what it answered', async () => {
      const event = await create({
        title: 'Round & round',
        categories: ['Trip'],
        tags: ['trip'],
        venue: { venue: 'Trip' },
        organizer: { organizer: 'Trip' },
      })
      const again = await service.expect(200, 'editor', `/events/${event.id}`, { method: 'PUT', json: event })
      const { modified: _, modified_utc: __, ...rest } = again
      const { modified: _m, modified_utc: _u, ...sent } = event
      assert.deepEqual(rest, sent)
      const renamed = await change(event.id, { slug: 'renamed-trip' })
      assert.equal(renamed.website, renamed.url)
    })

    it('takes nested data and lists from a form', async () => {
      const response = await service.inject({
        method: 'POST',
        url: '/calendar/events/v1/events',
        headers: {
          authorization: `Basic ${btoa('editor:a password for tests')}`,
          'content-type': 'Application/X-WWW-Form-URLencoded',
        },
        payload:
          'title=F&start_date=2031-06-10&end_date=2031-06-11&venue[venue]=Form+Hall&venue[city]=Lyon&organizer[0][organizer]=A&organizer[1][organizer]=B&tags[]=x&tags[]=y',
      })
      const event = response.json()
      assert.equal(event.venue.city, 'Lyon')
      assert.deepEqual([event.organizer.length, event.tags.length], [2, 2])
      const cleared = await service.expect(200, 'editor', `/events/${event.id}`, {
        method: 'PUT',
        form: { 'tags[]': '', organizer: '' },
      })
      assert.deepEqual([cleared.tags, cleared.organizer, cleared.venue.venue], [[], [], 'Form Hall'])
    })

    it('leaves nothing behind when it is refused', async () => {
      const before = [
        await total('/venues'),
        await total('/organizers'),
        await total('/categories'),
        await total('/tags'),
      ]
      const params = await refused({
        venue: { venue: 'Orphan' },
        organizer: [{ organizer: 'Orphan' }, 999999],
        categories: ['Orphan', 888888],
        tags: 'orphan',
        author: 'x',
      })
      assert.deepEqual(Object.keys(params).sort(), ['author', 'categories', 'organizer'])
      assert.deepEqual(
        [await total('/venues'), await total('/organizers'), await total('/categories'), await total('/tags')],
        before,
      )
    })

    it('tells all that is wrong at once, also inside data and beside what is missing', async () => {
      const error = await service.expect(400, 'editor', '/events', {
        json: { start_date: 'x', venue: 999999, tags: [999999], timezone: 'bad', image: 5 },
      })
      assert.equal(error.code, 'rest_missing_callback_param')
      assert.deepEqual(error.data.params, ['title', 'end_date'])
      assert.deepEqual(Object.keys(error.data.invalid_params).sort(), [
        'image',
        'start_date',
        'tags',
        'timezone',
        'venue',
      ])
      const { venue } = await refused({ venue: { venue: '', website: 'x', show_map: 'maybe' } })
      for (const name of ['venue:', 'website:', 'show_map:']) assert.match(venue, new RegExp(name))
    })

    it('asks for the right before it looks at the input', async () => {
      await service.expect(403, 'author', '/events', { json: { author: service.ids.editor } })
    })

    it('links only what the writer may read', async () => {
      const draft = await service.expect(201, 'editor', '/venues', { json: { venue: 'Secret hall', status: 'draft' } })
      assert.deepEqual(Object.keys(await refused({ venue: draft.id }, 'author')), ['venue'])
      const event = await create({ venue: draft.id, status: 'draft' })
      assert.equal(event.venue.id, draft.id)
    })

    it('leaves a linked record out for a reader who may not open it', async () => {
      const hall = await service.expect(201, 'editor', '/venues', { json: { venue: 'Fading hall' } })
      const { id } = await create({ venue: [hall.id], organizer: { organizer: 'Stays' } })
      await service.expect(200, 'editor', `/venues/${hall.id}`, { method: 'PATCH', json: { status: 'private' } })
      assert.deepEqual((await service.expect(200, null, `/events/${id}`)).venue, [])
      assert.equal((await service.expect(200, 'editor', `/events/${id}`)).venue.id, hall.id)
    })

    it('shows a renamed venue at once in every event', async () => {
      const event = await create({ venue: { venue: 'Before' } })
      await service.expect(200, 'editor', `/venues/${event.venue.id}`, { method: 'PATCH', json: { venue: 'After' } })
      assert.equal((await service.expect(200, null, `/events/${event.id}`)).venue.venue, 'After')
    })

    it('tells names apart that share a slug', async () => {
      const c = await service.expect(201, 'editor', '/tags', { json: { name: 'C' } })
      const event = await create({ tags: ['C++', 'c'] })
      assert.deepEqual(
        event.tags.map((tag: Json) => tag.name),
        ['C', 'C++'],
      )
      assert.ok(event.tags.some((tag: Json) => tag.id === c.id))
    })

    it('takes digits for an id if there is one, else for a name', async () => {
      const { tags } = await create({ tags: '20310' })
      assert.equal(tags[0].name, '20310')
      const again = await create({ tags: [String(tags[0].id)] })
      assert.equal(again.tags[0].id, tags[0].id)
    })

    it('lets authors make categories, contributors tags alone', async () => {
      assert.equal((await create({ categories: 'New by author' }, 'author')).categories.length, 1)
      assert.equal((await create({ tags: 'new by contributor' }, 'contributor')).tags.length, 1)
      assert.deepEqual(Object.keys(await refused({ categories: 'New by contributor' }, 'contributor')), ['categories'])
    })

    it('refuses lists without end', async () => {
      assert.deepEqual(Object.keys(await refused({ tags: Array.from({ length: 1001 }, (_, n) => `t${n}`) })), ['tags'])
      assert.deepEqual(Object.keys(await refused({ venue: Array.from({ length: 101 }, () => ({ venue: 'v' })) })), [
        'venue',
      ])
    })

    it('knows what an event is part of, without loops', async () => {
      const festival = await create({ title: 'Festival' })
      const day = await create({ title: 'Day', parent: festival.id })
      const talk = await create({ title: 'Talk', parent: day.id })
      assert.equal(talk.parent, day.id)
      const loop = await service.expect(400, 'editor', `/events/${festival.id}`, {
        method: 'PATCH',
        json: { parent: talk.id },
      })
      assert.deepEqual(Object.keys(loop.data.params), ['parent'])
      const parts = await service.expect(200, null, '/events', {
        query: { post_parent: festival.id, start_date: '2031-01-01' },
      })
      assert.deepEqual(
        parts.events.map((event: Json) => event.id),
        [day.id],
      )
      await change(festival.id, { status: 'draft' })
      assert.ok(!('parent' in (await service.expect(200, null, `/events/${day.id}`))))
      assert.ok(!('parent' in (await change(day.id, { parent: 0 }))))
    })

    it('gives an all-punctuation title a slug', async () => {
      assert.equal((await create({ title: '!!!' })).slug, 'event')
    })
  })

  describe('statuses', () => {
    it('publishes an event with the drafts of its own author', async () => {
      const event = await create(
        { title: 'Asked', venue: { venue: 'Contributed' }, organizer: { organizer: 'Contributed' } },
        'contributor',
      )
      assert.deepEqual([event.status, event.venue.status], ['draft', 'draft'])
      const published = await change(event.id, { status: 'publish' })
      assert.deepEqual([published.venue.status, published.organizer[0].status], ['publish', 'publish'])
      assert.equal((await service.expect(200, null, `/events/${event.id}`)).venue.venue, 'Contributed')
    })

    it('shows the trash to those who may edit, and to nobody else', async () => {
      const { id } = await create({ title: 'Thrown away' }, 'author')
      await service.expect(200, 'author', `/events/${id}`, { method: 'DELETE' })
      await service.expect(200, 'author', `/events/${id}`)
      assert.equal((await service.expect(403, 'contributor', `/events/${id}`)).code, 'event-no-longer-available')
      const listed = async (role: Role) =>
        (
          await service.expect(200, role, '/events', {
            query: { status: 'trash', start_date: '2031-01-01', search: 'Thrown away' },
          })
        ).total
      assert.deepEqual([await listed('author'), await listed('contributor'), await listed('editor')], [1, 0, 1])
    })
  })

  describe('a password', () => {
    let id: number
    before(async () => {
      const secret = {
        title: 'Secret',
        description: 'in the bunker',
        password: 'sesame',
        tags: ['hidden tag'],
        venue: { venue: 'Bunker' },
        cost: '9',
        featured: true,
      }
      id = (await create({ ...secret, start_date: '2041-06-10', end_date: '2041-06-11' }, 'author')).id
    })
    const found = async (query: object, role: Role | null = null) =>
      (
        await service.expect(200, role, '/events', {
          query: { start_date: '2041-01-01', end_date: '2041-12-31', ...query },
        })
      ).events

    it('is asked for, by id and by slug, and never answered', async () => {
      for (const path of [`/events/${id}`, '/events/by-slug/secret']) {
        assert.equal((await service.expect(403, null, path)).code, 'event-password-protected')
        await service.expect(403, 'subscriber', path, { query: { password: 'wrong' } })
        const event = await service.expect(200, null, path, { query: { password: 'sesame' } })
        assert.equal(event.venue.venue, 'Bunker')
        assert.ok(!JSON.stringify(event).includes('sesame') && !('password' in event) && !('password_hash' in event))
      }
    })

    it('is not asked of those who may edit, who see the event whole in lists too', async () => {
      for (const role of ['author', 'editor'] as const) {
        assert.equal((await service.expect(200, role, `/events/${id}`)).cost, '$9')
        assert.equal((await found({}, role))[0].venue.venue, 'Bunker')
      }
      assert.deepEqual((await found({}, 'contributor'))[0].venue, [])
    })

    it('hides all but title and dates from searches and filters', async () => {
      assert.equal((await found({ search: 'secret' })).length, 1)
      assert.equal((await found({ include: id })).length, 1)
      for (const query of [{ search: 'bunker' }, { tags: 'hidden tag' }, { featured: true }, { featured: false }]) {
        assert.deepEqual(await found(query), [], JSON.stringify(query))
      }
      assert.equal((await found({ search: 'bunker' }, 'author')).length, 1)
    })

    it('is cleared by an empty one, and left alone when it is not named', async () => {
      await change(id, { excerpt: 'x' }, 'author')
      await service.expect(403, null, `/events/${id}`)
      await change(id, { password: '' }, 'author')
      await service.expect(200, null, `/events/${id}`)
    })
  })

  describe('lists', () => {
    it('show events that are hidden only when they are asked for by id', async () => {
      const { id } = await create({
        title: 'Unlisted',
        hide_from_listings: true,
        start_date: '2042-01-01',
        end_date: '2042-01-02',
      })
      assert.equal((await service.expect(200, null, '/events', { query: { start_date: '2042-01-01' } })).total, 0)
      assert.equal((await service.expect(200, null, '/events', { query: { include: id } })).total, 1)
    })

    it('carry every parameter in their links, also behind a second question mark', async () => {
      for (const n of [1, 2]) await create({ title: `What? ${n}`, start_date: '2043-01-01', end_date: '2043-01-02' })
      const response = await service.inject({
        url: '/calendar/events/v1/events?search=what?&start_date=2043-01-01&per_page=1',
      })
      const next = new URL(response.json().next_rest_url)
      assert.deepEqual(
        [next.searchParams.get('search'), next.searchParams.get('start_date')],
        ['what?', '2043-01-01 00:00:00'],
      )
      assert.equal((await service.inject({ url: next.pathname + next.search })).json().events[0].slug, 'what-2')
    })

    it('leave the trash out unless it is asked for', async () => {
      const { id } = await create({ title: 'Trashed', start_date: '2044-01-01', end_date: '2044-01-02' })
      await service.expect(200, 'editor', `/events/${id}`, { method: 'DELETE' })
      const listed = async (query: object) =>
        (await service.expect(200, 'editor', '/events', { query: { start_date: '2044-01-01', ...query } })).total
      assert.deepEqual([await listed({}), await listed({ status: 'trash' }), await listed({ include: id })], [0, 1, 0])
    })
  })
})

describe('scheduled publishing', () => {
  it('happens by itself, and what it publishes keeps its date of change', async () => {
    const { publishDue } = await import('../../src/domain/publishing.ts')
    let now = 1_900_000_000
    const clock = () => now
    const service = await startService({ clock })
    const date_utc = new Date((now + 60) * 1000).toISOString()
    const event = await service.expect(201, 'author', '/events', {
      json: { title: 'Later', ...WHEN, date_utc, tags: 'later', venue: { venue: 'Draft hall', status: 'draft' } },
    })
    const venue = await service.expect(201, 'author', '/venues', {
      json: { venue: 'Later hall', date_utc, status: 'publish' },
    })
    assert.deepEqual([event.status, venue.status], ['future', 'future'])
    await service.expect(403, null, `/events/${event.id}`)
    assert.equal(await publishDue({ db: service.db, clock }), 0)
    now += 61
    assert.equal(await publishDue({ db: service.db, clock }), 2)
    const published = await service.expect(200, null, `/events/${event.id}`)
    assert.deepEqual(
      [published.status, published.modified, published.tags[0].count, published.venue.status],
      ['publish', event.modified, 1, 'publish'],
    )
    const past = await service.expect(201, 'author', '/events', {
      json: { title: 'Past', ...WHEN, status: 'future', date: '2020-01-01' },
    })
    assert.equal(past.status, 'publish')
    await service.close()
  })
})
