import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, afterEach, before, describe, it } from 'node:test'
import { freePort } from '../support/free-port.ts'
import { ReplayedSite, recorded, SITE_PASSWORD } from '../support/replayed-site.ts'
import { type Json, type Service, startService } from '../support/service.ts'
import { finished, NewHome } from '../support/site-import.ts'
import { ROOT } from '../support/sources.ts'

const by = (rows: readonly Json[], slug: string): Json => rows.find((row) => row.slug === slug)

describe('the answers of an old site', () => {
  it('have the fields and types of the recorded exchanges', () => {
    const vectors = join(ROOT, 'test/conformance/vectors/events-write.json')
    const scenarios: Json[] = JSON.parse(readFileSync(vectors, 'utf8'))
    const full = scenarios.find(({ name }) => name === 'events/create-full').steps[1].response.body
    const { events } = JSON.parse(recorded('first', 'events-1').body)
    const festival = events.find((event: Json) => event.id === 102)
    const typeOf = (value: unknown) => (Array.isArray(value) ? 'array' : typeof value)
    const same = (told: Json, replayed: Json, where: string) => {
      for (const [name, value] of Object.entries<Json>(told)) {
        const other = replayed[name]
        // An image is `false` when there is none; ids are tokens in recordings; a venue has no fields that are empty.
        if (name === 'image' || name === 'id' || (other === undefined && where !== 'event')) continue
        assert.equal(typeOf(other), typeOf(value), `${where}.${name}`)
        if (typeOf(value) === 'object') same(value, other, name)
        if (typeOf(value) === 'array' && typeof value[0] === 'object') same(value[0], other[0], name)
      }
    }
    same(full, festival, 'event')
  })
})

describe('kalends import of a WordPress site', () => {
  const site = new ReplayedSite()
  let home: NewHome
  let address: string

  before(async () => {
    home = await NewHome.make()
    address = `${await site.listen()}/wp-json/tribe/events/v1/`
  })
  afterEach(() => {
    site.fault = () => false
  })
  after(() => {
    site.close()
    home.close()
  })

  it('is killed, goes on where it was, through timeouts and faults, and brings everything once', async () => {
    let child: ChildProcess | null = null
    site.fault = (url, times, response) => {
      if (url.pathname.endsWith('opera.png') && times === 0) {
        response.writeHead(503).end()
        return true
      }
      if (!/\/events$/.test(url.pathname) || url.searchParams.get('page') !== '3') return false
      child?.kill('SIGKILL')
      return true
    }
    child = home.start(address)
    await finished(child)
    // Those of two pages, but for the one with a password.
    assert.deepEqual((await home.rows('events')).map(({ slug }) => slug).sort(), [
      '%e9%9f%b3%e6%a5%bd%e7%a5%ad',
      'choir',
      'long-ago',
      'market-day',
      'the-festival',
      'weekly-1',
      'weekly-2',
    ])

    const since = site.asked.length
    const faults = ['500', 'silence', 'half', '429', 'cut']
    const made: string[] = []
    site.fault = (url, _, response) => {
      if (!/\/events$/.test(url.pathname)) return false
      const fault = faults.shift()
      if (fault === undefined) return false
      made.push(fault)
      if (fault === '500') response.writeHead(500).end('<h1>There has been a critical error on this website.')
      else if (fault === '429') response.writeHead(429, { 'retry-after': '0' }).end()
      else if (fault === 'half') response.writeHead(200).end(recorded('first', 'events-2').body.slice(0, 500))
      else if (fault === 'cut') response.destroy()
      // Of silence, nothing is said until the patience of the other side ends.
      return true
    }
    const { code, out, err } = await home.run(address)
    assert.equal(code, 0, err)
    assert.deepEqual(made, ['500', 'silence', 'half', '429', 'cut'])
    assert.match(err, /the answer took too long; trying again/)
    assert.match(out, /^3 created, 0 updated, 3 unchanged/m)
    assert.deepEqual(site.pages('events', since), [2, 2, 2, 2, 2, 2, 3])
    assert.deepEqual([site.pages('categories', since), site.pages('venues', since)], [[], []])
    assert.equal((await home.rows('events')).length, 10)
  })

  it('asks for all of time, as a list there begins today, and not for what only others may see', () => {
    const lists = site.asked.filter(({ url }) => /\/events$/.test(url.pathname))
    for (const { url, authorization } of lists) {
      assert.equal(url.searchParams.get('start_date'), '1000-01-02')
      assert.equal(url.searchParams.get('end_date'), '9999-12-30 23:59:59')
      assert.equal(url.searchParams.get('status'), null)
      assert.equal(authorization, undefined)
    }
    assert.deepEqual(site.pages('categories'), [1, 2])
    assert.deepEqual(site.pages('venues'), [1, 2])
  })

  it('brings every field as it was meant', async () => {
    const [events, venues, organizers, terms, images] = await Promise.all(
      (['events', 'venues', 'organizers', 'terms', 'images'] as const).map((table) => home.rows(table)),
    )
    const festival = by(events ?? [], 'the-festival')
    assert.equal(festival.title, 'Rock & Roll – “Live”')
    assert.match(festival.description, /Much <b>to<\/b> see, and it’s all new/)
    assert.doesNotMatch(festival.description, /iframe/)
    assert.equal(festival.date_utc, Date.UTC(2024, 4, 6, 5, 8, 9) / 1000)
    assert.deepEqual(
      [festival.start_local, festival.end_local, festival.timezone, festival.featured, festival.sticky],
      ['2031-06-10 19:00:00', '2031-06-12 22:00:00', 'Asia/Tokyo', 1, 1],
    )
    assert.equal(festival.cost, '$10 – $20')
    assert.equal(festival.website, 'https://tickets.example.org/?show=7&from=site')
    const market = by(events ?? [], 'market-day')
    assert.deepEqual(
      [market.timezone, market.all_day, market.start_local, market.end_local, market.cost, market.image],
      ['UTC+5.5', 1, '2031-06-14 00:00:00', '2031-06-15 23:59:59', 'Free', null],
    )
    assert.equal(by(events ?? [], 'long-ago').website, null)
    assert.equal(by(events ?? [], 'by-invitation').hide_from_listings, 1)
    const opera = by(venues ?? [], 'theatre-de-lopera')
    assert.deepEqual(
      [opera.venue, opera.city, opera.geo_lat, opera.date_utc],
      ['Théâtre de l’Opéra', 'Paris', 48.8719697, Date.UTC(2021, 2, 4, 8) / 1000],
    )
    assert.equal(by(venues ?? [], 'yard').stateprovince, null)
    assert.deepEqual(
      (organizers ?? []).map(({ organizer, email }) => [organizer, email]),
      [
        ['City Hall', null],
        ['Jazz Guild & Friends', 'info@guild.example.org'],
      ],
    )
    assert.equal(images?.length, 2)
    assert.ok(images?.some(({ id }) => id === festival.image) && images?.some(({ id }) => id === opera.image))
    const named = (slug: string) => by(terms ?? [], slug)
    assert.deepEqual((terms ?? []).map(({ slug }) => slug).sort(), [
      'acid-jazz',
      'cafe-talk',
      'family',
      'musik',
      'never-used',
      'open-air',
      'summer',
      'workshops',
    ])
    assert.deepEqual([named('cafe-talk').name, named('family').parent], ['Café & talk', named('cafe-talk').id])
    assert.equal(named('acid-jazz').parent, named('musik').id)
  })

  it('tells what it could not bring, and why', async () => {
    const other = await NewHome.make()
    try {
      site.fault = (url, _, response) => {
        if (!url.pathname.endsWith('opera.png')) return false
        response.writeHead(404).end()
        return true
      }
      const { out } = await other.run(address)
      assert.match(out, /^venue 51: It was brought without image: image: /m)
      assert.match(out, /^organizer 62: It was brought without website: /m)
      assert.match(out, /^event 102: Its tickets were not brought/m)
      assert.match(out, /^event 105: It is protected by a password/m)
      assert.match(out, /^event 106: There is no place here for the additional fields of the old site: Dress code\.$/m)
      assert.match(out, /^author 1: .* importing user/m)
      assert.match(out, /^author 4: /m)
      assert.doesNotMatch(out, /^event 10[1347]: |^events: /m)
      assert.match(out, /^10 created, 0 updated, 0 unchanged, 0 moved to the trash, 1 skipped/m)
      site.fault = (url, _, response) => {
        if (!url.pathname.includes('/wp/v2/')) return false
        response.writeHead(401).end('{"code":"rest_forbidden"}')
        return true
      }
      assert.match((await other.run(address)).out, /^events: The old site does not tell which events it hides/m)
    } finally {
      other.close()
    }
  })

  it('brings only what has changed when it is run again, and reads a list again that changes under way', async () => {
    const before = await home.rows('events')
    const again = await home.run(address)
    assert.match(again.out, /^0 created, 0 updated, 10 unchanged/m)
    assert.equal(JSON.stringify(await home.rows('events')), JSON.stringify(before))

    const since = site.asked.length
    // While the second page is asked for, an event of the first is removed: all that follow move up by one.
    site.fault = (url) => {
      if (/\/events$/.test(url.pathname) && url.searchParams.get('page') === '2') site.recording = 'later'
      return false
    }
    const { out } = await home.run(address)
    assert.deepEqual(site.pages('events', since), [1, 2, 3, 1, 2, 3])
    assert.match(out, /^0 created, 1 updated/m)
    const festival = by(await home.rows('events'), 'the-festival')
    assert.deepEqual([festival.title, festival.image], ['Rock & Roll, sold out', null])
    assert.ok(by(await home.rows('events'), 'market-day'), 'what was removed there stays here')
    site.recording = 'first'
  })

  it('looks again for events that a list in no certain order has not shown, and tells of those it never shows', async () => {
    const since = site.asked.length
    // The second page shows the first once more, as a database may do whose order leaves room for chance.
    site.fault = (url, _, response) => {
      if (!/\/events$/.test(url.pathname) || url.searchParams.get('page') !== '2') return false
      response.end(recorded('first', 'events-1').body)
      return true
    }
    const { out } = await home.run(address, ['--dry-run'])
    assert.deepEqual(site.pages('events', since), [1, 2, 3, 1, 2, 3])
    assert.match(out, /^events: The old site counts 4 more than it shows/m)
  })

  it('brings what is not published to who signs in, and tells nobody the password', async () => {
    const wrong = await home.run(address, ['--site-user', 'editor'], { KALENDS_SITE_PASSWORD: 'wrong password' })
    assert.equal(wrong.code, 1)
    assert.match(wrong.err, /refuses the credentials/)
    const { code, out, err } = await home.run(address, ['--site-user', 'editor'], {
      KALENDS_SITE_PASSWORD: SITE_PASSWORD,
    })
    assert.equal(code, 0, err)
    assert.match(out, /^2 created/m)
    assert.ok(!`${out}${err}`.includes(SITE_PASSWORD))
    // A draft has no date of publication there, which is nothing to tell of.
    assert.doesNotMatch(out, /event 111/)
    const events = await home.rows('events')
    assert.deepEqual([by(events, 'unfinished').status, by(events, 'board-meeting').status], ['draft', 'private'])
    const without = await home.run(address, ['--site-user', 'editor'])
    assert.match(without.err, /KALENDS_SITE_PASSWORD/)
  })

  it('says so when the site does not know who signs in', async () => {
    const plain = site.asked.length
    // Some servers do not hand the header on: the reader is anybody.
    site.fault = (url, _, response) => {
      if (!url.searchParams.has('status')) return false
      const { status, body } = recorded('first', 'refused-status')
      response.writeHead(status).end(body)
      return true
    }
    const { code, err } = await home.run(address, ['--site-user', 'editor'], { KALENDS_SITE_PASSWORD: SITE_PASSWORD })
    assert.equal(code, 1)
    assert.match(err, /does not let this user see venues that are not published/)
    assert.ok(site.asked.length > plain)
  })

  it('reads a site without permalinks, without haste', async () => {
    const other = await NewHome.make()
    try {
      const since = site.asked.length
      const plain = `${new URL(address).origin}/?rest_route=/tribe/events/v1/`
      const { code, out, err } = await other.run(plain, [], { KALENDS_SITE_PAUSE: '40' })
      assert.equal(code, 0, err)
      assert.match(out, /^10 created/m)
      // Images too are asked for in turn, and not sooner than the others.
      const times = site.asked.slice(since).map(({ at }) => at)
      assert.equal(site.asked.slice(since).filter(({ url }) => url.pathname.endsWith('.png')).length, 2)
      for (const [n, at] of times.entries()) assert.ok(n === 0 || at - (times[n - 1] ?? 0) > 25, `request ${n}`)
    } finally {
      other.close()
    }
  })

  it('gives up with a sentence, when the site does', async () => {
    const answer = (status: number, body: string) => {
      site.fault = (_, __, response) => {
        response.writeHead(status).end(body)
        return true
      }
    }
    answer(503, '')
    const down = await home.run(address)
    assert.equal(down.code, 1)
    assert.match(down.err, /cannot be read: the site answered 503$/m)
    answer(200, '<html>')
    assert.equal((await home.run(address)).code, 1)
    answer(200, '{"name":"another interface"}')
    assert.match((await home.run(address)).err, /is not the REST interface of a calendar/)
    const closed = await home.run(address, [], { KALENDS_FETCH_HOSTS: '' })
    assert.match(closed.err, /allow its host with KALENDS_FETCH_HOSTS/)
  })
})

describe('kalends import of another Kalends', () => {
  let service: Service
  let home: NewHome
  let address: string
  const create = (path: string, json: object) => service.expect(201, 'editor', path, { json })

  before(async () => {
    home = await NewHome.make()
    const port = await freePort()
    service = await startService({ settings: { baseUrl: `http://127.0.0.1:${port}`, timezone: 'Europe/Paris' } })
    address = `${await service.listen(port)}/calendar/events/v1`
    const whole = await create('/events', {
      title: 'Festival',
      start_date: '2031-06-10 19:00',
      end_date: '2031-06-12 22:00',
      website: 'https://example.org/?a=1&copy=2',
      tickets: [{ name: 'Standing', price: '12.50', currency: 'EUR', url: 'https://tickets.example.org/' }],
    })
    // A part comes before its whole.
    await create('/events', { title: 'Session', start_date: '2031-06-09', end_date: '2031-06-09', parent: whole.id })
    for (let n = 0; n < 60; n++)
      await create('/events', { title: `Weekly ${n}`, start_date: '2031-07-01', end_date: '2031-07-01' })
  })
  after(async () => {
    await service.close()
    home.close()
  })

  it('brings tickets, parents and as many pages as there are', async () => {
    const { code, out, err } = await home.run(address)
    assert.equal(code, 0, err)
    assert.match(out, /^62 created/m)
    const events = await home.rows('events')
    const festival = by(events, 'festival')
    assert.equal(festival.website, 'https://example.org/?a=1&copy=2')
    assert.equal(by(events, 'session').parent, festival.id)
    const [ticket, ...more] = await home.rows('tickets')
    assert.deepEqual([ticket.event, ticket.name, more.length], [festival.id, 'Standing', 0])
    assert.match((await home.run(address)).out, /^0 created, 0 updated, 62 unchanged/m)
  })
})
