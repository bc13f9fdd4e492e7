import assert from 'node:assert/strict'
import sharp from 'sharp'
import * as records from '../../src/storage/records.ts'
import type { Json, Service } from './service.ts'

/** Numbers that are the same in every run, so that a failure can be looked into. */
export function seeded(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

/** A calendar that is changed at random. */
export class RandomSite {
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
      recurrence: this.one([null, 'FREQ=WEEKLY;COUNT=4', { rule: 'FREQ=DAILY;COUNT=3', except: ['2031-06-12'] }]),
    }
    return Object.fromEntries(Object.entries(all).filter(() => this.#pick(3) === 0))
  }

  /** One change, whichever. */
  async change(): Promise<string> {
    const status = this.one(['publish', 'publish', 'draft', 'private'])
    const scope = this.one(['this', 'following', 'all'])
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
      () => this.send('PUT', `/events/${event}?scope=${scope}`, this.#details()),
      () => this.send('DELETE', `/events/${event}?scope=${scope}`),
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
