import { setTimeout } from 'node:timers/promises'
import { type Answered, type FetchLimits, FetchRefused, safeRequest } from '../lib/safe-fetch.ts'

/** A site that cannot be read, or not any further; the message says why. */
export class SiteError extends Error {}

/** A record of a site, as it came. */
export type Remote = Readonly<Record<string, unknown>>

export interface RemotePage {
  readonly items: readonly Remote[]
  readonly page: number
  readonly pages: number
  readonly total: number
}

export interface SiteOptions {
  readonly credentials: { readonly user: string; readonly password: string } | null
  /** Milliseconds between two requests, and before the first repetition of one. */
  readonly pause?: number
  readonly patience?: number
  /** Told of what has to be asked again. */
  readonly onTrouble?: (message: string) => void
}

/** How often a request is sent again; the wait doubles every time. */
const MOST_RETRIES = 6
/** The longest wait that a site may ask for, in milliseconds. */
const LONGEST_WAIT = 120_000
const PER_PAGE = 50
/** A page of events with long descriptions is larger than any image. */
const PAGE_LIMITS = { mostBytes: 50_000_000, timeout: 60_000 }

/** Reads the REST interface of a calendar, one request at a time, without haste. */
export class SiteClient {
  readonly address: string
  readonly #limits: FetchLimits
  readonly #options: SiteOptions
  #last = 0

  constructor(address: string, limits: FetchLimits, options: SiteOptions) {
    this.address = address.replace(/[?#].*$/, '').replace(/\/+$/, '')
    this.#limits = { ...limits, ...PAGE_LIMITS }
    this.#options = options
  }

  get isKnown(): boolean {
    return this.#options.credentials !== null
  }

  /** Refuses an address that is not that of such an interface. */
  async check(): Promise<void> {
    const { status, body } = await this.#get('')
    if (status === 401 || status === 403) throw new SiteError(`${this.address} refuses the credentials`)
    if (status !== 200 || typeof body?.namespace !== 'string' || typeof body.routes !== 'object') {
      throw new SiteError(
        `${this.address} is not the REST interface of a calendar: it should look like https://old.example.org/wp-json/tribe/events/v1`,
      )
    }
  }

  /** One page of a list; null behind the last. */
  async page(list: string, page: number, parameters: Record<string, string>): Promise<RemotePage | null> {
    const search = new URLSearchParams({ ...parameters, page: String(page), per_page: String(PER_PAGE) })
    const { status, body } = await this.#get(`/${list}?${search}`)
    if (status === 404) return null
    if (status === 401 || status === 403) throw new SiteError(`${this.address} refuses the credentials for ${list}`)
    const items = body?.[list]
    if (status !== 200 || !Array.isArray(items)) throw new SiteError(`${this.address}/${list} answered ${status}`)
    const isRemote = (item: unknown): item is Remote => typeof item === 'object' && item !== null && 'id' in item
    return {
      items: items.filter(isRemote),
      page,
      pages: Number(body?.total_pages) || 1,
      total: Number(body?.total) || 0,
    }
  }

  async #get(path: string): Promise<{ status: number; body: Remote | null }> {
    const { pause = 200, patience = 1000, onTrouble = () => {} } = this.#options
    for (let retries = 0; ; retries++) {
      await setTimeout(Math.max(0, this.#last + pause - performance.now()))
      this.#last = performance.now()
      const answer = await this.#try(path)
      if ('status' in answer) return answer
      if (retries >= MOST_RETRIES) throw new SiteError(`${this.address}${path} cannot be read: ${answer.trouble}`)
      const wait = Math.min(Math.max(patience * 2 ** retries, answer.wait), LONGEST_WAIT)
      onTrouble(`${answer.trouble}; trying again in ${Math.ceil(wait / 1000)} s`)
      await setTimeout(wait)
    }
  }

  async #try(path: string): Promise<{ status: number; body: Remote | null } | { trouble: string; wait: number }> {
    const { credentials } = this.#options
    const authorization =
      credentials && `Basic ${Buffer.from(`${credentials.user}:${credentials.password}`).toString('base64')}`
    try {
      const answer = await safeRequest(`${this.address}${path}`, this.#limits, {
        accept: 'application/json',
        ...(authorization && { authorization }),
      })
      if (answer.status === 429 || answer.status >= 500)
        return { trouble: `the site answered ${answer.status}`, wait: retryAfter(answer) }
      return { status: answer.status, body: parse(answer.bytes) }
    } catch (error) {
      if (error instanceof SyntaxError) return { trouble: 'the answer was broken', wait: 0 }
      if (!(error instanceof FetchRefused)) throw error
      if (error.problem === 'fetch_failed' || error.problem === 'fetch_too_slow')
        return { trouble: error.problem === 'fetch_failed' ? 'no answer' : 'the answer took too long', wait: 0 }
      throw new SiteError(
        error.problem === 'fetch_forbidden'
          ? `${this.address} is not on the public internet: allow its host with KALENDS_FETCH_HOSTS`
          : `${this.address} cannot be read: ${error.problem}`,
      )
    }
  }
}

/** What a site asks to wait, in milliseconds: seconds, or a date (RFC 9110 §10.2.3). */
function retryAfter({ headers }: Answered): number {
  const value = headers['retry-after'] ?? ''
  const wait = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now()
  return Number.isFinite(wait) ? wait : 0
}

function parse(bytes: Buffer): Remote | null {
  const value: unknown = JSON.parse(bytes.toString())
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Remote) : null
}
