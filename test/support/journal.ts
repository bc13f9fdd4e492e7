import assert from 'node:assert/strict'
import sharp from 'sharp'
import type { Chance, Client, Reply } from './campaign.ts'

/** The state of an event: which of its contents it has, and which image; null when it does not exist. */
type State = { readonly version: number; readonly image: number | null } | null

/** Acknowledged, refused because of the disk, or without an answer. */
type Outcome = 'acknowledged' | 'refused' | 'missing'

interface Entry {
  readonly key: string
  /** What was acknowledged last. */
  state: State
  /** What was asked for since, and not answered. */
  asked: State | undefined
}

const WHEN = { start_date: '2031-06-10 19:00', end_date: '2031-06-10 22:00' }
/** How many events one writer has at once. */
const MOST = 8

/**
 * One writer: creates, changes and removes events and uploads images, and knows what was acknowledged. All that an event
 * says names its version, so that half a change is noticed.
 */
export class Journal {
  readonly #name: string
  readonly #chance: Chance
  readonly #entries: Entry[] = []
  readonly #images: number[] = []
  /** Files of images that were acknowledged since the last check. */
  #files: string[] = []
  #made = 0
  /** Whether the service may refuse a write because of its disk. Nothing of a refused write may be there. */
  readonly #mayRefuse: boolean
  acknowledged = 0
  refused = 0

  constructor(name: string, chance: Chance, { mayRefuse = false } = {}) {
    this.#name = name
    this.#chance = chance
    this.#mayRefuse = mayRefuse
  }

  /** Events that are known to exist. */
  get live(): number {
    return this.#entries.filter(({ state }) => state !== null).length
  }

  /** Writes until an answer is missing, or `isOver`. */
  async write(client: Client, isOver: () => boolean): Promise<void> {
    for (let outcome: Outcome | null = null; !isOver() && outcome !== 'missing'; ) {
      outcome = await this.#step(client)
      if (outcome === 'acknowledged') this.acknowledged++
      if (outcome === 'refused') this.refused++
    }
  }

  /** The outcome of a write by the status of its answer. */
  #outcomeOf({ status, bytes }: Reply, expected: number, what: string): Outcome {
    if (status === 0) return 'missing'
    if (this.#mayRefuse && (status === 503 || status === 507)) return 'refused'
    assert.equal(status, expected, `${what}: ${bytes}`)
    return 'acknowledged'
  }

  async #step(client: Client): Promise<Outcome> {
    const live = this.#entries.filter(({ state }) => state !== null)
    const choice = this.#chance.next()
    if (choice < 0.15) return this.#upload(client)
    if (live.length === 0 || (choice < 0.45 && live.length < MOST)) return this.#create(client)
    const entry = this.#chance.pick(live)
    if (choice < 0.6 || live.length > MOST) return this.#ask(client, entry, null, 'DELETE')
    const version = (entry.state?.version ?? 0) + 1
    return this.#ask(client, entry, { version, image: this.#someImage() }, 'PUT')
  }

  #create(client: Client): Promise<Outcome> {
    const entry: Entry = { key: `${this.#name}-${++this.#made}`, state: null, asked: undefined }
    this.#entries.push(entry)
    return this.#ask(client, entry, { version: 0, image: this.#someImage() }, 'POST')
  }

  #someImage(): number | null {
    return this.#images.length === 0 || this.#chance.next() < 0.5 ? null : this.#chance.pick(this.#images)
  }

  async #ask(client: Client, entry: Entry, state: State, method: 'POST' | 'PUT' | 'DELETE'): Promise<Outcome> {
    const { key } = entry
    entry.asked = state
    const path = method === 'POST' ? '/events' : `/events/by-slug/${key}${method === 'DELETE' ? '?force=true' : ''}`
    const reply = await client.send(method, path, state === null ? undefined : contentOf(key, state))
    const outcome = this.#outcomeOf(reply, method === 'POST' ? 201 : 200, `${method} ${path}`)
    if (outcome === 'acknowledged') entry.state = state
    if (outcome !== 'missing') entry.asked = undefined
    return outcome
  }

  async #upload(client: Client): Promise<Outcome> {
    const channel = () => Math.floor(this.#chance.between(0, 256))
    const background = { r: channel(), g: channel(), b: channel() }
    const picture = await sharp({ create: { width: 64, height: 48, channels: 3, background } })
      .png()
      .toBuffer()
    const reply = await client.send('POST', '/images', picture)
    const outcome = this.#outcomeOf(reply, 201, 'POST /images')
    if (outcome !== 'acknowledged') return outcome
    const { id, url } = JSON.parse(String(reply.bytes))
    const { pathname } = new URL(url)
    this.#images.push(id)
    this.#files.push(pathname)
    return outcome
  }

  /** Compares all that was written with what is there; what was not answered is there whole, or not at all. */
  async check(client: Client): Promise<void> {
    for (const entry of this.#entries) {
      const { key, state, asked } = entry
      const found = await this.#read(client, key)
      const allowed = asked === undefined ? [state] : [state, asked]
      const isAllowed = allowed.some((one) => JSON.stringify(one) === JSON.stringify(found))
      assert.ok(isAllowed, `${key} is ${JSON.stringify(found)}, and not one of ${JSON.stringify(allowed)}`)
      // A tag is made by the change that names it.
      if (asked && found?.version !== asked.version) await this.#checkAbsent(client, tagOf(key, asked.version))
      entry.state = found
      entry.asked = undefined
    }
    // Removed events stay removed: they need not be asked for again.
    this.#entries.splice(0, this.#entries.length, ...this.#entries.filter(({ state }) => state !== null))
    for (const path of this.#files) await checkImage(client, path)
    this.#files = []
  }

  async #read(client: Client, key: string): Promise<State> {
    const { status, bytes } = await client.send('GET', `/events/by-slug/${key}`)
    if (status === 404) return null
    assert.equal(status, 200, `${key}: ${bytes}`)
    const { title, description, website, tags, venue, image } = JSON.parse(String(bytes))
    const version = Number(/ v(\d+)$/.exec(title)?.[1])
    const said = { title, description, website, tags: tags.map(({ name }: { name: string }) => name) }
    const { image: _, venue: __, slug: ___, start_date, end_date, ...whole } = contentOf(key, { version, image: null })
    assert.deepEqual({ ...said, description: description.trim() }, whole, `${key} is half of two versions`)
    assert.equal(venue.venue, `Hall of ${key}`)
    return { version, image: image === false ? null : image.id }
  }

  async #checkAbsent(client: Client, tag: string): Promise<void> {
    const { bytes } = await client.send('GET', `/tags?hide_empty=0&slug=${tag}`)
    assert.deepEqual(JSON.parse(String(bytes)).tags, [], `the tag ${tag} is there, and no event that made it`)
  }
}

function tagOf(key: string, version: number): string {
  return `${key}-v${version}`
}

function contentOf(key: string, { version, image }: NonNullable<State>) {
  return {
    title: `Event ${key} v${version}`,
    slug: key,
    description: `<p>${key} is at v${version}.</p>`,
    website: `https://example.org/${key}/v${version}`,
    tags: [tagOf(key, version)],
    venue: { venue: `Hall of ${key}` },
    image: image ?? '',
    ...WHEN,
  }
}

/** Checks that a file is there, and is a whole picture. */
export async function checkImage(client: Client, path: string): Promise<void> {
  const { status, bytes, headers } = await client.send('GET', `/${path}`)
  assert.equal(status, 200, `${path} is missing`)
  assert.equal(bytes.length, Number(headers['content-length']), path)
  const { info } = await sharp(bytes).raw().toBuffer({ resolveWithObject: true })
  assert.deepEqual([info.width, info.height], [64, 48], path)
}
