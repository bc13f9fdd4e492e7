import { mkdtempSync, rmSync } from 'node:fs'
import { Agent } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type App, createApp } from '../../src/app.ts'
import type { Role } from '../../src/domain/access.ts'
import { publishDue } from '../../src/domain/publishing.ts'
import type { Clock } from '../../src/lib/clock.ts'
import { openDatabase } from '../../src/storage/database.ts'
import { ask, type Received } from './answers.ts'
import { NOON } from './calendar.ts'
import { basic, type Json, request, type Service, startService } from './service.ts'
import { signIn } from './staff.ts'
import { copyInto, freshStore, type Store } from './store.ts'

/** Another path to the REST interface. */
export const MOUNT = '/wp-json/tribe/events/v1'
const SETTINGS = { rateLimit: '0', userRateLimit: '0', loginLimit: '0', mounts: MOUNT } as const

export const KINDS = ['event', 'venue', 'organizer', 'category', 'tag', 'image'] as const
export type Kind = (typeof KINDS)[number]
export const PLURALS: Readonly<Record<Kind, string>> = {
  event: 'events',
  venue: 'venues',
  organizer: 'organizers',
  category: 'categories',
  tag: 'tags',
  image: 'images',
}

/** By whom something is read, or how: headers of the request. */
export const READERS = {
  anonymous: {},
  contributor: { authorization: basic('contributor') },
  editor: { authorization: basic('editor') },
  'in French': { 'accept-language': 'fr' },
  compressed: { 'accept-encoding': 'gzip' },
  'by HEAD': {},
} as const satisfies Record<string, Readonly<Record<string, string>>>
export type Reader = keyof typeof READERS | 'session'

/** A request that writes. `{venue:1}` in its path or body is the id of the second venue that is known. */
export interface Write {
  readonly by: Role
  readonly method: 'POST' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly json?: Json
}

/** Where a write is sent: to the service with the cache, or to another process with the same data. */
export type Node = 'here' | 'elsewhere'

const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

type Answering = 'cached' | 'uncached'
type Known = Record<Kind, number[]>

/** A database that histories begin with, and the ids of what is in it. */
export interface Beginning {
  readonly store: Store
  readonly known: Known
  drop(): Promise<void>
}

/** A service, and another one without the cache and with connections of its own, on the same data and with the same clock. */
export class CachedSite {
  readonly #service: Service
  #uncached: App
  readonly #folder: string
  readonly #session: { readonly cookie: string; readonly csrf: string }
  readonly #urls: Record<Answering, string>
  readonly #time: { now: number }
  readonly #agents = { cached: new Agent({ keepAlive: true }), uncached: new Agent({ keepAlive: true }) }
  readonly #known: Known

  /** The database that `fill` makes. */
  static async beginning(fill: (site: CachedSite) => Promise<void>): Promise<Beginning> {
    const folder = mkdtempSync(join(tmpdir(), 'kalends-cached-'))
    const store = await freshStore(folder)
    const known: Known = { event: [], venue: [], organizer: [], category: [], tag: [], image: [] }
    const drop = async () => {
      await store.drop()
      rmSync(folder, { recursive: true, force: true })
    }
    const site = await CachedSite.#on({ ...store, drop: async () => {} }, known, folder)
    await fill(site).finally(() => site.#stop())
    return { store, known, drop }
  }

  static async start({ store, known }: Beginning): Promise<CachedSite> {
    const folder = mkdtempSync(join(tmpdir(), 'kalends-cached-'))
    return CachedSite.#on(await copyInto(folder, store), structuredClone(known), folder)
  }

  static async #on(store: Store, known: Known, folder: string): Promise<CachedSite> {
    const time = { now: NOON }
    const clock = () => time.now
    const service = await startService({ store, settings: SETTINGS, clock })
    const uncached = await withoutCache(service, clock)
    const urls = { cached: await service.listen(), uncached: await listen(uncached) }
    return new CachedSite(service, uncached, folder, urls, await signIn(service, 'administrator'), time, known)
  }

  private constructor(
    service: Service,
    uncached: App,
    folder: string,
    urls: Record<Answering, string>,
    session: { readonly cookie: string; readonly csrf: string },
    time: { now: number },
    known: Known,
  ) {
    this.#service = service
    this.#uncached = uncached
    this.#folder = folder
    this.#urls = urls
    this.#session = session
    this.#time = time
    this.#known = known
  }

  async close(): Promise<void> {
    await this.#stop()
    rmSync(this.#folder, { recursive: true, force: true })
  }

  async #stop(): Promise<void> {
    for (const agent of Object.values(this.#agents)) agent.destroy()
    await this.#uncached.close()
    await this.#service.close()
  }

  get now(): Date {
    return new Date(this.#time.now * 1000)
  }

  /** A text with the ids of records in place of their numbers, and with dates of publication. */
  #filled(text: string): string {
    const later = (_: string, seconds: string) =>
      `"date_utc":"${new Date((this.#time.now + Number(seconds)) * 1000).toISOString()}"`
    const id = (_: string, kind: Kind, n: string) => {
      const ids = this.#known[kind]
      return String(ids[Number(n) % Math.max(ids.length, 1)] ?? 0)
    }
    // An id that is a value of JSON by itself is a number.
    return text
      .replace(/"later":(\d+)/g, later)
      .replace(/"\{(\w+):(\d+)\}"/g, id)
      .replace(/\{(\w+):(\d+)\}/g, id)
  }

  read(of: Answering, path: string, reader: Reader, more: Record<string, string> = {}): Promise<Received> {
    const own = reader === 'session' ? { cookie: this.#session.cookie } : READERS[reader]
    const method = reader === 'by HEAD' ? 'HEAD' : 'GET'
    const headers = { ...own, ...more }
    return ask(this.#urls[of] + this.#filled(path), { headers, method, agent: this.#agents[of] })
  }

  /** Sends a write; answers what became of it. */
  async write({ by, method, path, json }: Write, node: Node = 'here'): Promise<string> {
    const raw = path === '/images' && method === 'POST' ? PIXEL : JSON.stringify(json)
    const body = typeof raw === 'string' ? this.#filled(raw) : raw
    const type = typeof raw === 'string' ? 'application/json' : 'image/png'
    const call = { method, ...(body !== undefined && { raw: body, headers: { 'content-type': type } }) }
    const asked = request(by, this.#filled(path), call)
    const answer = await (node === 'here' ? this.#service.inject(asked) : this.#uncached.server.inject(asked))
    if (answer.statusCode >= 500 && answer.statusCode !== 503) throw new Error(`${method} ${path}: ${answer.body}`)
    const parts: Json[] = path === '/batch' && answer.statusCode === 200 ? answer.json().responses : []
    const statuses = parts.length > 0 ? parts.map(({ status }) => status) : [answer.statusCode]
    if (parts.length === 0 && answer.statusCode === 201) this.#learn(path, answer.json())
    for (const [n, { status, body }] of parts.entries()) if (status === 201) this.#learn(json.requests[n].path, body)
    return `${by} ${method} ${asked.url} ${typeof raw === 'string' ? body : ''} → ${statuses} ${node}`
  }

  /** Remembers what was made at a path. */
  #learn(path: string, { id }: Json): void {
    for (const kind of KINDS)
      if (path === `/${PLURALS[kind]}` && !this.#known[kind].includes(id)) this.#known[kind].push(id)
  }

  /** Sends the form of a screen for staff. */
  async submit(path: string, fields: Record<string, string>): Promise<string> {
    const { cookie, csrf } = this.#session
    const filled = Object.entries(fields).map(([name, value]) => [name, this.#filled(value)])
    const payload = new URLSearchParams([['csrf', csrf], ...filled]).toString()
    const headers = { cookie, 'content-type': 'application/x-www-form-urlencoded' }
    const url = this.#filled(path)
    const { statusCode } = await this.#service.inject({ method: 'POST', url, headers, payload })
    if (statusCode >= 500) throw new Error(`${path}: ${statusCode}`)
    await this.#renewUncached()
    return `POST ${url} ${new URLSearchParams(filled)} → ${statusCode}`
  }

  /** A process reads the settings when it starts, whatever it makes of later ones. */
  async #renewUncached(): Promise<void> {
    await this.#uncached.close()
    this.#uncached = await withoutCache(this.#service, () => this.#time.now)
    this.#urls.uncached = await listen(this.#uncached)
  }

  /** Sets the clock, and publishes what is due then; without a node, the job that does so comes later. */
  async wait(seconds: number, node: Node | null): Promise<string> {
    this.#time.now += seconds
    if (node === null) return `${seconds} seconds later: ${this.now.toISOString()}`
    const db = node === 'here' ? this.#service.db : this.#uncached.db
    const published = await publishDue({ db, clock: () => this.#time.now })
    return `${seconds} seconds later: ${this.now.toISOString()}, ${published} published ${node}`
  }

  async render(): Promise<string> {
    await this.#service.render()
    return 'the JSON of all events was rendered'
  }
}

function withoutCache({ config, where }: Service, clock: Clock): Promise<App> {
  return createApp({ ...config, cache: false }, openDatabase(where), { clock, logger: false })
}

function listen({ server }: App): Promise<string> {
  return server.listen({ port: 0, host: '127.0.0.1' })
}
