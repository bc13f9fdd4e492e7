import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import sharp from 'sharp'
import { openDatabase } from '../../src/storage/database.ts'
import { basic, type Json, type Service, startService } from '../support/service.ts'
import { ROOT } from '../support/sources.ts'

/** What goes wrong with a request, if anything: it is given the address and how often it was asked for. */
type Fault = (url: string, times: number, response: ServerResponse) => boolean

/** An old site: our own service behind a path of WordPress, with faults in between. */
class OldSite {
  fault: Fault = () => false
  readonly asked: { url: string; authorization: string | undefined; at: number }[] = []
  readonly #service: Service
  readonly #server: Server

  constructor(service: Service) {
    this.#service = service
    this.#server = createServer((request, response) => void this.#answer(request, response))
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', () => resolve()))
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  close(): void {
    this.#server.close()
    this.#server.closeAllConnections()
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = request.url ?? ''
    const { authorization } = request.headers
    const times = this.asked.filter((one) => one.url === url).length
    this.asked.push({ url, authorization, at: performance.now() })
    if (this.fault(url, times, response)) return
    const answer = await this.#service.inject({
      method: 'GET',
      url: url.replace('/wp-json/tribe/events/v1', '/calendar/events/v1'),
      headers: authorization === undefined ? {} : { authorization },
    })
    const home = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
    response.statusCode = answer.statusCode
    if (String(answer.headers['content-type']).startsWith('image/')) response.end(answer.rawPayload)
    else response.end(answer.body.replaceAll('http://old.example.org', home))
  }
}

interface Result {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

describe('kalends import of a site', () => {
  let service: Service
  let site: OldSite
  let address: string
  let folder: string
  const made: Json = {}

  const start = (args: string[], env: Record<string, string> = {}): ChildProcess =>
    spawn(
      process.execPath,
      [join(ROOT, 'bin/kalends.js'), 'import', address, '--user', 'ed', '--data', folder, ...args],
      {
        env: { ...process.env, KALENDS_FETCH_HOSTS: '127.0.0.1', KALENDS_SITE_PAUSE: '1', ...env },
      },
    )
  const run = (args: string[] = [], env: Record<string, string> = {}): Promise<Result> => {
    const child = start(args, env)
    let [out, err] = ['', '']
    child.stdout?.on('data', (data) => {
      out += data
    })
    child.stderr?.on('data', (data) => {
      err += data
    })
    return new Promise((resolve) => child.on('close', (code) => resolve({ code, out, err })))
  }
  const rows = async (table: 'events' | 'venues' | 'organizers' | 'terms' | 'images'): Promise<Json[]> => {
    const db = openDatabase(folder)
    const found = await db.read((tx) => tx.selectFrom(table).selectAll().orderBy('id').execute())
    await db.close()
    return found
  }
  const create = (path: string, json: object) => service.expect(201, 'editor', path, { json })

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'kalends-site-'))
    service = await startService({ settings: { baseUrl: 'http://old.example.org', timezone: 'Europe/Paris' } })
    site = new OldSite(service)
    address = `${await site.listen()}/wp-json/tribe/events/v1/`
    const db = openDatabase(folder)
    await db.migrate()
    await db.close()
    await new Promise((resolve) =>
      spawn(process.execPath, [
        join(ROOT, 'bin/kalends.js'),
        'user',
        'add',
        'ed',
        '--role',
        'editor',
        '--email',
        'e@example.org',
        '--data',
        folder,
      ]).on('close', resolve),
    )
    // Ids on the old site are not those here, and children are listed before their parents.
    for (let n = 0; n < 3; n++) await create('/venues', { venue: `Other ${n}` })
    made.top = await create('/categories', { name: 'Music', slug: 'musik' })
    made.sub = await create('/categories', { name: 'Acid jazz', parent: made.top.id, description: 'Loud' })
    const png = await sharp({ create: { width: 40, height: 30, channels: 3, background: 'red' } })
      .png()
      .toBuffer()
    made.image = await service.expect(201, 'editor', '/images', { raw: png, headers: { 'content-type': 'image/png' } })
    made.venue = await create('/venues', {
      venue: 'Hall & Yard',
      city: 'Paris',
      geo_lat: 48.8,
      geo_lng: 2.3,
      slug: 'the-hall',
      image: made.image.id,
    })
    made.organizer = await create('/organizers', {
      organizer: 'Guild',
      email: 'g@example.org',
      date: '2020-01-02 03:04:05',
    })
    made.whole = await create('/events', {
      title: 'Festival – “all”',
      start_date: '2031-06-10 19:00',
      end_date: '2031-06-12 22:00',
      timezone: 'Asia/Tokyo',
      slug: 'the-festival',
      date: '2024-05-06 07:08:09',
      description: '<p>Much <b>to</b> see</p>',
      cost: '10 – 20',
      featured: true,
      categories: [made.sub.id],
      tags: ['open air', 'summer'],
      venue: made.venue.id,
      organizer: [made.organizer.id],
      image: made.image.id,
      website: 'https://example.org/festival',
    })
    await create('/events', {
      title: 'Session',
      start_date: '2031-06-09',
      end_date: '2031-06-09',
      all_day: true,
      parent: made.whole.id,
    })
    await create('/events', { title: 'Long ago', start_date: '1999-06-09', end_date: '1999-06-09' })
    await create('/events', { title: 'Draft', start_date: '2031-06-20', end_date: '2031-06-20', status: 'draft' })
    await create('/events', {
      title: 'Secret',
      start_date: '2031-06-21',
      end_date: '2031-06-21',
      password: 'pw',
      description: 'x',
    })
    for (let n = 0; n < 120; n++)
      await create('/events', {
        title: `Weekly ${n}`,
        start_date: `2031-07-${String((n % 28) + 1).padStart(2, '0')}`,
        end_date: `2031-07-${String((n % 28) + 1).padStart(2, '0')}`,
        venue: made.venue.id,
      })
  })
  after(async () => {
    site.close()
    await service.close()
    rmSync(folder, { recursive: true })
  })

  it('is killed, goes on where it was, through timeouts and faults, and brings everything once', async () => {
    // Killed in the middle of the events.
    let child: ChildProcess | null = null
    site.fault = (url) => {
      if (!/\/events\?.*page=3/.test(url)) return false
      child?.kill('SIGKILL')
      return true
    }
    child = start([])
    await new Promise((resolve) => child?.on('close', resolve))
    const first = (await rows('events')).length
    assert.ok(first > 0 && first < 124, String(first))
    assert.deepEqual(await rows('terms').then((terms) => terms.map((term) => term.slug).sort()), [
      'acid-jazz',
      'musik',
      'open-air',
      'summer',
    ])

    const before = site.asked.length
    let isSilent = false
    site.fault = (url, _, response) => {
      const turn = site.asked.filter((one) => one.url === url).length
      if (!/\/events\?/.test(url) || turn % 2 === 1) return false
      const kind = site.asked.length % 4
      if (kind === 0) response.writeHead(500).end('<h1>Fatal error')
      else if (kind === 1) response.writeHead(429, { 'retry-after': '0' }).end()
      else if (kind === 2) response.writeHead(200).end('{"events":[{"id"')
      else if (isSilent) response.destroy()
      // Once it says nothing at all, until we lose our patience.
      else isSilent = true
      return true
    }
    const { code, out, err } = await run()
    assert.ok(isSilent)
    assert.equal(code, 0, err)
    assert.match(out, / 0 updated, /)
    const asked = site.asked.slice(before).map(({ url }) => url)
    assert.ok(!asked.some((url) => /categories|venues|organizers/.test(url)), asked.join('\n'))
    const events = await rows('events')
    assert.equal(events.length, 123)
    assert.equal(new Set(events.map((event) => event.slug)).size, 123)
    const festival = events.find((event) => event.slug === 'the-festival')
    assert.equal(festival.title, 'Festival – “all”')
    assert.equal(festival.date_utc, Date.UTC(2024, 4, 6, 5, 8, 9) / 1000)
    assert.deepEqual(
      [festival.start_local, festival.timezone, festival.featured],
      ['2031-06-10 19:00:00', 'Asia/Tokyo', 1],
    )
    assert.equal(festival.website, 'https://example.org/festival')
    assert.equal(events.find((event) => event.title === 'Session').parent, festival.id)
    assert.equal(events.find((event) => event.title === 'Long ago').website, null)
    const [hall] = (await rows('venues')).filter((venue) => venue.slug === 'the-hall')
    assert.deepEqual([hall.venue, hall.geo_lat], ['Hall & Yard', 48.8])
    const images = await rows('images')
    assert.equal(images.length, 1)
    assert.deepEqual([hall.image, festival.image], [images[0].id, images[0].id])
    const terms = await rows('terms')
    assert.equal(terms.find((term) => term.slug === 'acid-jazz').parent, terms.find((term) => term.slug === 'musik').id)
  })

  it('brings only what has changed when it is run again', async () => {
    site.fault = () => false
    const before = await rows('events')
    const again = (await run()).out
    assert.match(again, /^event \d+: It is protected by a password/m)
    assert.match(again, /^0 created, 0 updated, 123 unchanged/m)
    assert.equal(JSON.stringify(await rows('events')), JSON.stringify(before))
    await new Promise((resolve) => setTimeout(resolve, 1100))
    await service.expect(200, 'editor', `/events/${made.whole.id}`, {
      method: 'PATCH',
      json: { title: 'Renamed', image: false },
    })
    const dry = await run(['--dry-run'])
    assert.match(dry.out, /^Would be: 0 created, 1 updated/m)
    const { out } = await run()
    assert.match(out, /^0 created, 1 updated, 122 unchanged/m)
    const after = (await rows('events')).find((event) => event.slug === 'the-festival')
    assert.deepEqual([after.title, after.image], ['Renamed', null])
  })

  it('reads a list again that changes while it is read', async () => {
    const gone = (await service.expect(200, 'editor', '/events', { query: { start_date: '2031-07-01', per_page: 1 } }))
      .events[0]
    for (let n = 0; n < 3; n++)
      await create('/events', { title: `New ${n}`, start_date: '2031-08-01', end_date: '2031-08-01' })
    let removed = false
    // An event of the first page goes while the second is asked for: all that follow move up by one.
    site.fault = (url) => {
      if (/\/events\?.*page=2/.test(url) && !removed) {
        removed = true
        void service
          .expect(200, 'editor', `/events/${gone.id}`, { method: 'DELETE' })
          .then(() => site.asked.push({ url: 'removed', authorization: undefined, at: 0 }))
      }
      return false
    }
    const before = site.asked.length
    const { out } = await run()
    assert.match(out, /^3 created/m)
    const first = site.asked.slice(before).filter(({ url }) => /\/events\?.*page=1&/.test(url))
    assert.equal(first.length, 2)
    site.fault = () => false
  })

  it('brings what is not published to who signs in, and tells nobody the password', async () => {
    const wrong = await run(['--site-user', 'editor'], { KALENDS_SITE_PASSWORD: 'wrong password' })
    assert.equal(wrong.code, 1)
    assert.match(wrong.err, /refuses the credentials/)
    const password = Buffer.from(basic('editor').slice(6), 'base64').toString().split(':')[1] ?? ''
    const { code, out, err } = await run(['--site-user', 'editor'], { KALENDS_SITE_PASSWORD: password })
    assert.equal(code, 0, err)
    assert.match(out, /^2 created/m)
    assert.ok(!`${out}${err}`.includes(password))
    const events = await rows('events')
    assert.equal(events.find((event) => event.title === 'Draft').status, 'draft')
    const without = await run(['--site-user', 'editor'])
    assert.match(without.err, /KALENDS_SITE_PASSWORD/)
  })

  it('gives up with a sentence, when the site does', async () => {
    site.fault = (_, __, response) => {
      response.writeHead(503).end()
      return true
    }
    const down = await run()
    assert.equal(down.code, 1)
    assert.match(down.err, /cannot be read: the site answered 503$/m)
    site.fault = (_, __, response) => {
      response.end('<html>')
      return true
    }
    assert.equal((await run()).code, 1)
    site.fault = (_, __, response) => {
      response.end('{"name":"another interface"}')
      return true
    }
    assert.match((await run()).err, /is not the REST interface of a calendar/)
    const closed = await run([], { KALENDS_FETCH_HOSTS: '' })
    assert.match(closed.err, /allow its host with KALENDS_FETCH_HOSTS/)
  })
})
