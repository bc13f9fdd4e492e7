import assert from 'node:assert/strict'
import { createScope } from '../../src/app.ts'
import { mergeLinked, mergeTerms } from '../../src/domain/merging.ts'
import { publishDue } from '../../src/domain/publishing.ts'
import fc from './property.ts'
import { type Json, type Service, startService } from './service.ts'

export const WRITERS = ['contributor', 'author', 'editor'] as const
const EVENT = { title: 'E', start_date: '2031-07-01 10:00', end_date: '2031-07-01 11:00' }
const LISTS = {
  event: 'events',
  venue: 'venues',
  organizer: 'organizers',
  category: 'categories',
  tag: 'tags',
} as const
export type Kind = keyof typeof LISTS
const KINDS = Object.keys(LISTS) as Kind[]
const ACTS = ['create', 'change', 'place', 'status', 'trash', 'remove', 'merge', 'series', 'image', 'wait'] as const
const MANY = ['create', 'create', 'change', 'place', 'place', 'status', 'status'] as const

/** One write: what is done, by whom, and which of the known records it concerns. */
export const write = fc.record({
  act: fc.constantFrom(...ACTS, ...MANY),
  kind: fc.constantFrom(...KINDS, 'event', 'event', 'category'),
  writer: fc.constantFrom(...WRITERS, 'editor'),
  which: fc.nat(1000),
  other: fc.nat(1000),
  status: fc.constantFrom('publish', 'publish', 'draft', 'pending', 'private', 'future', 'trash'),
  odd: fc.constantFrom({}, {}, { password: 'secret' }, { hide_from_listings: true }, { hide_from_listings: false }),
  name: fc.constantFrom('A', 'B', 'C', 'D', 'E', 'F'),
})
export type Write = typeof write extends fc.Arbitrary<infer One> ? One : never

/** A service that is written to at random. A refusal is as good as a write. */
export class WrittenSite {
  readonly service: Service
  readonly #known: Record<Kind, number[]> = { event: [], venue: [], organizer: [], category: [], tag: [] }
  readonly #clock: { now: number }
  #image = 0

  constructor(service: Service, clock: { now: number }) {
    this.service = service
    this.#clock = clock
  }

  static async start(): Promise<WrittenSite> {
    const clock = { now: Math.floor(Date.parse('2031-01-01T00:00:00Z') / 1000) }
    const site = new WrittenSite(await startService({ clock: () => clock.now }), clock)
    return site
  }

  async write(one: Write): Promise<void> {
    this.#clock.now += one.act === 'wait' ? 5000 : 1
    if (one.act === 'wait') await publishDue({ db: this.service.db, clock: () => this.#clock.now })
    else if (one.act === 'merge' && one.kind !== 'event') await this.#merge(one, one.kind)
    else if (one.act === 'image') await this.#describeImage(one)
    else await this.#send(one)
  }

  #one(kind: Kind, which: number): number {
    const ids = this.#known[kind]
    return ids[which % Math.max(ids.length, 1)] ?? 0
  }

  async #send({ act, kind: asked, ...one }: Write): Promise<void> {
    const kind = act === 'series' ? 'event' : asked
    const path = `/${LISTS[kind]}`
    const id = this.#one(kind, one.which)
    if (act === 'create' || id === 0) {
      const json = { ...this.#content(kind, one), ...this.#place(kind, one) }
      const created = await this.#call(one.writer, path, { json })
      // Drafts of others and equal records are not known twice.
      const made = created.statusCode === 201 ? created.json() : {}
      if (made.id !== undefined && !this.#known[kind].includes(made.id)) this.#known[kind].push(made.id)
      return
    }
    const query = act === 'remove' ? { force: 'true' } : {}
    if (act === 'trash' || act === 'remove') await this.#call(one.writer, `${path}/${id}`, { method: 'DELETE', query })
    else await this.#call(one.writer, `${path}/${id}`, { method: 'PATCH', json: this.#change(act, kind, one) })
  }

  async #call(...request: Parameters<Service['call']>) {
    const answer = await this.service.call(...request)
    assert.ok(answer.statusCode < 500, answer.body)
    return answer
  }

  #change(act: Write['act'], kind: Kind, one: Omit<Write, 'act' | 'kind'>): object {
    if (act === 'place') return this.#place(kind, one)
    if (act === 'status' && kind !== 'category' && kind !== 'tag') return { status: one.status }
    if (act === 'series') {
      const rules = [null, 'FREQ=DAILY;COUNT=3', 'FREQ=WEEKLY;COUNT=2', 'FREQ=DAILY;COUNT=5;INTERVAL=2']
      const rule = rules[one.other % rules.length]
      return { recurrence: rule && { rule }, ...(one.other % 3 === 0 && { scope: 'all' }) }
    }
    return this.#content(kind, one)
  }

  /** Where a record belongs. */
  #place(kind: Kind, { other, which, name }: Omit<Write, 'act' | 'kind'>): object {
    if (kind === 'category') return other % 2 === 0 ? { parent: this.#one('category', other) } : { slug: `s${other}` }
    if (kind !== 'event') return { slug: `s${other}` }
    const pick = (of: Kind) => [this.#one(of, other)].filter((id) => id > 0)
    return {
      ...(other % 2 === 0 ? { parent: this.#one('event', other) } : { slug: `s${other}` }),
      ...(which % 3 === 0 && { tags: [name] }),
      ...(which % 3 === 1 && { categories: pick('category'), organizer: pick('organizer') }),
      ...(which % 2 === 0 && { venue: other % 5 === 0 ? { venue: name, status: 'draft' } : pick('venue') }),
      ...(this.#image > 0 && which % 7 === 0 && { image: this.#image }),
    }
  }

  #content(kind: Kind, { status, odd, name, which, other, writer }: Omit<Write, 'act' | 'kind'>): object {
    if (kind === 'category' || kind === 'tag') return { name: `${name}${which % 20}`, description: `${other}` }
    const due = new Date((this.#clock.now + 3000) * 1000).toISOString()
    const dated = { status, ...(status === 'future' && { date_utc: due }) }
    const image = this.#image > 0 && other % 5 === 0 ? { image: this.#image } : {}
    if (kind !== 'event') return { [kind]: `${name}${which}`, ...dated, ...image }
    const author = writer === 'editor' && other % 9 === 0 ? { author: this.service.ids.author } : {}
    return { ...EVENT, title: name, ...dated, ...odd, ...author }
  }

  /** Makes an image, changes its text, or removes it. */
  async #describeImage({ which, name }: Write): Promise<void> {
    const path = `/images/${this.#image}`
    if (this.#image === 0) {
      const raw = Buffer.from(PIXEL, 'base64')
      const made = await this.#call('editor', '/images', { raw, headers: { 'content-type': 'image/png' } })
      this.#image = made.json().id
    } else if (which % 4 === 0) {
      await this.#call('editor', path, { method: 'DELETE', query: { force: 'true' } })
      this.#image = 0
    } else await this.#call('editor', path, { method: 'PATCH', json: { alt: name } })
  }

  async #merge({ which, other }: Write, kind: Exclude<Kind, 'event'>): Promise<void> {
    const user = { id: this.service.ids.editor, name: 'editor', role: 'editor' } as const
    const scope = { ...createScope(this.service.config, this.service.db), user, clock: () => this.#clock.now }
    const id = this.#one(kind, which)
    const into = { into: this.#one(kind, other) }
    const merged =
      kind === 'category' || kind === 'tag'
        ? mergeTerms(scope, kind, id, () => into)
        : mergeLinked(scope, kind, id, () => into)
    await merged.catch((error: Json) => assert.ok(error.status < 500, error))
  }
}

/** A picture of one pixel, as PNG. */
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
