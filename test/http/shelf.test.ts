import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import sharp from 'sharp'
import { fill } from '../../src/domain/event-parts.ts'
import { Listings, NONE } from '../../src/domain/listings.ts'
import type { Scope } from '../../src/domain/scope.ts'
import { Scratch } from '../../src/http/cache/scratch-file.ts'
import { EventShelf } from '../../src/rest/rendered/rendered-events.ts'
import { TemplateStore } from '../../src/rest/rendered/template-store.ts'
import type { EventFilter } from '../../src/storage/event-filter.ts'
import { STUB_BY_ID } from '../../src/storage/events.ts'
import * as records from '../../src/storage/records.ts'
import { type Json, type Service, startService } from '../support/service.ts'

const ROUNDS = 60

/** Numbers that are the same in every run, so that a failure can be looked into. */
function seeded(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

/** Everything at the top level, by name: such an answer is made from the rows, without the shelf. */
const LONG_WAY = {
  list: 'events,rest_url,next_rest_url,previous_rest_url,total,total_pages',
  event:
    'id,global_id,global_id_lineage,author,status,date,date_utc,modified,modified_utc,url,rest_url,title,slug,start_date,start_date_details,end_date,end_date_details,utc_start_date,utc_start_date_details,utc_end_date,utc_end_date_details,timezone,timezone_abbr,description,excerpt,image,all_day,cost,cost_details,website,show_map,show_map_link,hide_from_listings,sticky,featured,parent,categories,tags,venue,organizer,ticketed,tickets,distance,custom_fields,json_ld',
}

const SETTINGS = { rateLimit: '0', userRateLimit: '0', loginLimit: '0' } as const

/** A calendar that somebody changes at random. */
class Site {
  readonly events = new Map<number, string>()
  readonly venues: number[] = []
  readonly organizers: number[] = []
  readonly categories: number[] = []
  readonly tags: number[] = []
  readonly images: number[] = []
  readonly #service: Service
  readonly #pick: (below: number) => number

  constructor(service: Service, pick: (below: number) => number) {
    this.#service = service
    this.#pick = pick
  }

  one<T>(list: readonly T[]): T {
    return list[this.#pick(list.length)] as T
  }

  async send(method: 'POST' | 'PUT' | 'DELETE', path: string, json?: object): Promise<Json> {
    const answer = await this.#service.call('administrator', path, { method, ...(json && { json }) })
    assert.ok(answer.statusCode < 500, `${method} ${path} ${answer.body}`)
    return answer.statusCode < 300 ? answer.json() : null
  }

  async fill(): Promise<void> {
    for (let n = 0; n < 4; n++) {
      this.venues.push((await this.send('POST', '/venues', { venue: `Hall ${n}`, geo_lat: n, geo_lng: n })).id)
      this.organizers.push((await this.send('POST', '/organizers', { organizer: `Guild ${n}` })).id)
      this.categories.push((await this.send('POST', '/categories', { name: `Kind ${n}` })).id)
      this.tags.push((await this.send('POST', '/tags', { name: `Mark ${n}` })).id)
    }
    for (let n = 0; n < 12; n++) await this.create()
  }

  async create(): Promise<void> {
    const day = String(1 + this.#pick(28)).padStart(2, '0')
    const made = await this.send('POST', '/events', {
      title: `Event ${this.#pick(5)}`,
      start_date: `2031-06-${day} 19:00`,
      end_date: `2031-06-${day} 22:00`,
      ...this.#details(),
    })
    if (made !== null) this.events.set(made.id, made.slug)
  }

  #details(): Record<string, unknown> {
    const some = (list: readonly number[]) => list.filter(() => this.#pick(3) === 0)
    const all = {
      venue: some(this.venues),
      organizer: some(this.organizers),
      categories: some(this.categories),
      tags: some(this.tags),
      status: this.one(['publish', 'publish', 'draft', 'private', 'pending', 'future']),
      password: this.one(['', '', '', '', 'sesame']),
      parent: this.one([0, ...this.events.keys()]),
      tickets: this.one([[], [{ name: 'Seat', price: String(this.#pick(9)), currency: 'USD' }]]),
      title: `Event ${this.#pick(9)}`,
      featured: this.#pick(2) === 0,
      hide_from_listings: this.#pick(8) === 0,
      ...(this.images.length > 0 && { image: this.one(this.images) }),
      author: this.one([this.#service.ids.author, this.#service.ids.editor]),
    }
    return Object.fromEntries(Object.entries(all).filter(() => this.#pick(3) === 0))
  }

  /** One change, whichever. */
  async change(): Promise<string> {
    const status = this.one(['publish', 'publish', 'draft', 'private'])
    const event = this.one([...this.events.keys()])
    const terms = this.one([['categories', this.categories] as const, ['tags', this.tags] as const])
    const linked = this.one([
      ['venues', 'venue', this.venues] as const,
      ['organizers', 'organizer', this.organizers] as const,
    ])
    const [kind, name, ids] = linked
    const name_ = `Name ${this.#pick(4)}`
    const steps: (() => Promise<unknown>)[] = [
      () => this.create(),
      () => this.send('PUT', `/events/${event}`, this.#details()),
      () => this.send('PUT', `/events/${event}`, this.#details()),
      () => this.send('PUT', `/events/${event}`, { status }),
      () => this.send('DELETE', `/events/${event}`),
      () => this.send('DELETE', `/events/${event}?force=true`),
      () => this.send('PUT', `/${kind}/${this.one(ids)}`, { [name]: name_ }),
      () => this.send('PUT', `/${kind}/${this.one(ids)}`, { status }),
      () => this.send('PUT', `/${kind}/${this.one(ids)}`, { image: this.one([0, ...this.images]) }),
      () => this.send('DELETE', `/${kind}/${this.one(ids)}${this.one(['', '?force=true'])}`),
      async () => ids.push((await this.send('POST', `/${kind}`, { [name]: name_ })).id),
      () => this.send('PUT', `/${terms[0]}/${this.one(terms[1])}`, { name: name_ }),
      () => this.send('PUT', `/${terms[0]}/${this.one(terms[1])}`, { slug: `slug-${this.#pick(9)}` }),
      () => this.send('PUT', `/categories/${this.one(this.categories)}`, { parent: this.one([0, ...this.categories]) }),
      () => this.send('DELETE', `/${terms[0]}/${this.one(terms[1])}`),
      async () => {
        const made = await this.send('POST', `/${terms[0]}`, { name: name_ })
        if (made !== null) (terms[1] as number[]).push(made.id)
      },
      async () => {
        const raw = await picture(this.#pick(200))
        const headers = { 'content-type': 'image/png' }
        const made = await this.#service.call('administrator', '/images', { method: 'POST', raw, headers })
        if (made.statusCode < 300) this.images.push(made.json().id)
      },
      async () => this.images.length > 0 && this.send('DELETE', `/images/${this.one(this.images)}?force=true`),
      () =>
        this.#service.db.write(async (tx) => {
          const { author, editor } = this.#service.ids
          await records.reassign(tx, this.one([author, editor]), this.one([author, editor]))
        }),
    ]
    const step = this.#pick(steps.length)
    await steps[step]?.()
    return String(steps[step])
  }
}

async function picture(shade: number): Promise<Buffer> {
  const background = { r: shade, g: 0, b: 0 }
  return sharp({ create: { width: 8, height: 8, channels: 3, background } })
    .png()
    .toBuffer()
}

describe('events that are put together from memory', () => {
  for (const seed of [1, 2]) {
    it(`are those that the rows tell, whatever changes, from seed ${seed}`, async () => {
      const service = await startService({ settings: SETTINGS, clock: () => Date.UTC(2031, 5, 1) / 1000 })
      const site = new Site(service, seeded(seed))
      await site.fill()
      let last = 'the beginning'
      for (let round = 0; round < ROUNDS; round++) {
        for (const { path, fields } of addresses(site)) {
          const short = await service.call(null, path)
          const long = await service.call(null, `${path}${path.includes('?') ? '&' : '?'}_fields=${fields}`)
          assert.equal(short.statusCode, long.statusCode, `${path} after ${last}`)
          if (short.statusCode === 200) assert.deepEqual(told(short.json()), told(long.json()), `${path} after ${last}`)
        }
        last = await site.change()
      }
      await service.close()
    })
  }

  it('are never filled with what a slower reader has read of an older state', async () => {
    const service = await startService()
    const json = {
      title: 'A concert',
      start_date: '2031-06-10 19:00',
      end_date: '2031-06-10 22:00',
      venue: { venue: 'A hall' },
    }
    const { id } = await service.expect(201, 'administrator', '/events', { json })
    const stubs = await service.db.look(STUB_BY_ID, id)
    const { baseUrl: home, timezone, currency } = service.config
    const site = { home, timezone, currency } as Scope['site']
    const scratch = new Scratch(2 ** 20)
    const shelf = new EventShelf({ home, rest: home, host: 'example.org' }, site, new TemplateStore(scratch, 0))
    const older = shelf.at('1')
    const reading = service.db.read((tx) => fill(tx, { user: null } as Scope, older, stubs))
    const newer = shelf.at('2')
    await reading
    assert.equal(newer.isFull(stubs), false)
    assert.equal(shelf.at('2').isFull(stubs), false)
    assert.equal(older.isFull(stubs), true)
    scratch.close()
    await service.close()
  })

  function addresses(site: Site): { path: string; fields: string }[] {
    const [venue, category, tag] = [site.one(site.venues), site.one(site.categories), site.one(site.tags)]
    const lists = [
      '/events',
      '/events?per_page=3&page=2',
      '/events?per_page=3&page=2',
      `/events?venue=${venue}`,
      `/events?categories=${category}`,
      `/events?tags=${tag}&per_page=50`,
      '/events?featured=true',
      '/events?search=name',
      `/events?include=${[...site.events.keys()].slice(-5).join()}`,
    ]
    const some = [...site.events].filter((_, n, { length }) => n === length - 1 || n % 5 === 0)
    return [
      ...lists.map((path) => ({ path, fields: LONG_WAY.list })),
      ...some.flatMap(([id, slug]) => [
        { path: `/events/${id}`, fields: LONG_WAY.event },
        { path: `/events/by-slug/${slug}`, fields: LONG_WAY.event },
      ]),
    ]
  }

  /** Without what names the request itself. */
  function told(body: Json): Json {
    const text = JSON.stringify(body).replaceAll(/_fields=[^"&]*&?/g, '')
    return JSON.parse(text.replaceAll(/[?&]"/g, '"'))
  }
})

describe('lists that are remembered', () => {
  it('are bounded together, however many are asked for', () => {
    const listings = new Listings()
    const ids = Array.from({ length: 7000 }, (_, n) => n)
    assert.equal(listings.get('1', ''), undefined)
    for (let n = 0; n < 3000; n++)
      listings.put('1', `list ${n}`, { filter: {} as EventFilter, total: ids.length, head: NONE, ids, ends: new Map() })
    let held = 0
    for (let n = 2999; n >= 0; n--) if (listings.get('1', `list ${n}`) !== undefined) held++
    assert.ok(held > 100 && held < 400, String(held))
    assert.equal(listings.get('2', 'list 2999'), undefined)
  })
})
