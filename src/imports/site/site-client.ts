import { setTimeout } from 'node:timers/promises'
import { type FetchedResponse, type FetchLimits, FetchRefused, safeRequest } from '../../lib/safe-fetch.ts'

/** Thrown when a site cannot be read (any further). */
export class SiteError extends Error {}

/** Record of a site as received. */
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
  /** Timeout of a response, in milliseconds. */
  readonly timeout?: number
  /** Called when a request is retried. */
  readonly onTrouble?: (message: string) => void
}

/** Limit on retries of a request. The pause doubles each time. */
const MAX_RETRIES = 6
/** The same for files, which are optional. */
const MAX_FILE_RETRIES = 2
/** The same for the first request: the address may be wrong. */
const MAX_FIRST_RETRIES = 3
/** Limit on `Retry-After`, in milliseconds. */
const MAX_WAIT = 120_000
/** The most that the calendar gives at once; a site may have set less. */
const PER_PAGE = 50
/** The most that WordPress gives at once. */
const POSTS_PER_PAGE = 100
/** What the address of the calendar ends with on a WordPress site. */
const CALENDAR = /\/tribe\/events\/v1$/
/** A page of events with long descriptions is larger than any image. */
const PAGE_LIMITS = { mostBytes: 50_000_000, timeout: 60_000 }

/** Kinds of answers to a first request, the ones that can be imported first. */
const ANYTHING = 'text/calendar, text/csv, application/json;q=0.9, text/html;q=0.8, */*;q=0.5'

interface Reply {
  readonly status: number
  readonly headers: FetchedResponse['headers']
  readonly body: unknown
}

/** Client of a REST interface: one request at a time, with pauses. */
export class SiteClient {
  readonly address: string
  readonly #limits: FetchLimits
  readonly #fileLimits: FetchLimits
  readonly #options: SiteOptions
  #last = 0

  constructor(address: string, limits: FetchLimits, options: SiteOptions) {
    const [path = '', query] = address.replace(/#.*$/, '').split('?')
    // A site without permalinks has its interface at `/?rest_route=/tribe/events/v1`.
    const route = new URLSearchParams(query).get('rest_route')
    this.address = (route === null ? path : `${path}?rest_route=${route}`).replace(/\/+$/, '')
    this.#fileLimits = limits
    this.#limits = { ...limits, ...PAGE_LIMITS }
    this.#options = options
  }

  get isKnown(): boolean {
    return this.#options.credentials !== null
  }

  /** A client for another address of the site, with the same pauses. */
  at(address: string): SiteClient {
    const client = new SiteClient(address, this.#fileLimits, this.#options)
    client.#last = this.#last
    return client
  }

  /** What any address of the site answers, whatever it is. */
  async answer(address: string): Promise<FetchedResponse> {
    const answer = await this.#withRetry(MAX_FIRST_RETRIES, async () => {
      const answer = await this.#request(address, ANYTHING, { ...this.#fileLimits, timeout: PAGE_LIMITS.timeout })
      // An index that was cut off.
      return 'trouble' in answer || !isBroken(answer) ? answer : BROKEN
    })
    if ('trouble' in answer) throw new SiteError(`${address} cannot be read: ${answer.trouble}`)
    return answer
  }

  /** Refuses an address that is not that of such an interface. `index` is what it has answered before. */
  async check(index: FetchedResponse | null = null): Promise<void> {
    const { status, body } = index === null ? await this.#ask('') : { status: index.status, body: jsonOf(index) }
    if (status === 401 || status === 403) throw new SiteError(`${this.address} refuses the credentials`)
    if (status !== 200 || typeof body?.namespace !== 'string' || typeof body.routes !== 'object') {
      throw new SiteError(
        `${this.address} is not the REST interface of a calendar: it should look like https://old.example.org/wp-json/tribe/events/v1`,
      )
    }
  }

  /** Page of a list; null after the last. */
  async page(list: string, page: number, parameters: Record<string, string>): Promise<RemotePage | null> {
    const { status, body } = await this.#ask(`/${list}`, {
      ...parameters,
      page: String(page),
      per_page: String(PER_PAGE),
    })
    if (status === 404) return null
    if (status === 401 || status === 403) throw new SiteError(`${this.address} refuses the credentials for ${list}`)
    if (status === 400 && parameters.status !== undefined)
      throw new SiteError(`${this.address} does not let this user see ${list} that are not published`)
    const items = body?.[list]
    if (status !== 200 || !Array.isArray(items)) throw new SiteError(`${this.address}/${list} answered ${status}`)
    return {
      items: items.filter(isRemote),
      page,
      pages: Number(body?.total_pages) || 1,
      total: Number(body?.total) || 0,
    }
  }

  /** One event, also one that no list shows; null if this reader may not see it. */
  async event(id: number): Promise<Remote | null> {
    const { status, body } = await this.#ask(`/events/${id}`)
    return status === 200 && isRemote(body) ? body : null
  }

  /**
   * The ids of the events that WordPress itself lists, those too that the calendar hides from its lists; null if it
   * does not tell.
   */
  async posts(page: number, parameters: Record<string, string>): Promise<{ ids: number[]; pages: number } | null> {
    const address = this.address.replace(CALENDAR, '/wp/v2/tribe_events')
    if (address === this.address) return null
    const search = { ...parameters, _fields: 'id', orderby: 'id', order: 'asc', page, per_page: POSTS_PER_PAGE }
    const { status, body, headers } = await this.#get(withQuery(address, search))
    if (status !== 200 || !Array.isArray(body)) return null
    return { ids: body.filter(isRemote).map(({ id }) => Number(id)), pages: Number(headers['x-wp-totalpages']) || 1 }
  }

  async #ask(path: string, parameters: Record<string, string> = {}): Promise<{ status: number; body: Remote | null }> {
    const { status, body } = await this.#get(withQuery(`${this.address}${path}`, parameters))
    return { status, body: isObject(body) ? body : null }
  }

  /** A file that a record names, wherever it lies: nobody is told who asks. Throws {@link FetchRefused}. */
  async file(address: string): Promise<Buffer> {
    const answer = await this.#withRetry(MAX_FILE_RETRIES, async () => {
      try {
        const found = await safeRequest(address, this.#fileLimits)
        return isTrouble(found) ? troubleOf(found) : found
      } catch (error) {
        return troubleIn(error) ?? Promise.reject(error)
      }
    })
    if ('trouble' in answer || answer.status !== 200) throw new FetchRefused('fetch_failed')
    return answer.bytes
  }

  async #get(address: string): Promise<Reply> {
    const answer = await this.#withRetry(MAX_RETRIES, () => this.#try(address))
    if ('trouble' in answer) throw new SiteError(`${address} cannot be read: ${answer.trouble}`)
    return answer
  }

  /** One request at a time, with a pause between two; what may go better later is asked again. */
  async #withRetry<T extends object>(most: number, ask: () => Promise<T | Trouble>): Promise<T | Trouble> {
    const { pause = 200, patience = 1000, onTrouble = () => {} } = this.#options
    for (let retries = 0; ; retries++) {
      await setTimeout(Math.max(0, this.#last + pause - performance.now()))
      const answer = await ask()
      // From its end: a site that takes long has not less time to itself.
      this.#last = performance.now()
      if (!('trouble' in answer) || retries >= most) return answer
      const wait = Math.min(Math.max(patience * 2 ** retries, answer.wait), MAX_WAIT)
      onTrouble(`${answer.trouble}; trying again in ${Math.ceil(wait / 1000)} s`)
      await setTimeout(wait)
    }
  }

  async #try(address: string): Promise<Reply | Trouble> {
    const answer = await this.#request(address, 'application/json', this.#limits)
    if ('trouble' in answer) return answer
    try {
      return { status: answer.status, headers: answer.headers, body: JSON.parse(answer.bytes.toString()) }
    } catch {
      return BROKEN
    }
  }

  async #request(address: string, accept: string, limits: FetchLimits): Promise<FetchedResponse | Trouble> {
    const { credentials, timeout = limits.timeout } = this.#options
    const authorization =
      credentials && `Basic ${Buffer.from(`${credentials.user}:${credentials.password}`).toString('base64')}`
    try {
      const headers = { accept, ...(authorization && { authorization }) }
      const answer = await safeRequest(address, { ...limits, timeout }, headers)
      return isTrouble(answer) ? troubleOf(answer) : answer
    } catch (error) {
      const trouble = troubleIn(error)
      if (trouble !== null) return trouble
      if (!(error instanceof FetchRefused)) throw error
      throw new SiteError(
        error.problem === 'fetch_forbidden'
          ? `${address} may not be fetched, as it is not on the public internet: allow its host with KALENDS_FETCH_HOSTS`
          : `${address} cannot be read: ${error.problem}`,
      )
    }
  }
}

/** Failure that is worth a retry. */
interface Trouble {
  readonly trouble: string
  /** Requested pause, in milliseconds. */
  readonly wait: number
}

const BROKEN: Trouble = { trouble: 'the answer was broken', wait: 0 }

/** The object of an answer in JSON; null if it is none. */
export function jsonOf({ bytes }: FetchedResponse): Remote | null {
  try {
    const value: unknown = JSON.parse(bytes.toString())
    return isObject(value) ? value : null
  } catch {
    return null
  }
}

function isBroken(answer: FetchedResponse): boolean {
  return /^\s*\{/.test(answer.bytes.subarray(0, 100).toString('latin1')) && jsonOf(answer) === null
}

function isTrouble({ status }: FetchedResponse): boolean {
  return status === 429 || status >= 500
}

function troubleOf(answer: FetchedResponse): Trouble {
  return { trouble: `the site answered ${answer.status}`, wait: retryAfter(answer) }
}

function troubleIn(error: unknown): Trouble | null {
  const problem = error instanceof FetchRefused ? error.problem : ''
  if (problem === 'fetch_failed') return { trouble: 'no answer', wait: 0 }
  return problem === 'fetch_too_slow' ? { trouble: 'the answer took too long', wait: 0 } : null
}

/** What a site asks to wait, in milliseconds: seconds, or a date (RFC 9110 §10.2.3). */
function retryAfter({ headers }: FetchedResponse): number {
  const value = headers['retry-after'] ?? ''
  const wait = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now()
  return Number.isFinite(wait) ? wait : 0
}

/** Adds parameters to an address. */
function withQuery(address: string, parameters: Record<string, string | number>): string {
  const search = new URLSearchParams(Object.entries(parameters).map(([name, value]) => [name, String(value)]))
  return search.size === 0 ? address : `${address}${address.includes('?') ? '&' : '?'}${search}`
}

function isObject(value: unknown): value is Remote {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Whether a value is a record of a site. */
export function isRemote(value: unknown): value is Remote {
  return isObject(value) && 'id' in value
}
