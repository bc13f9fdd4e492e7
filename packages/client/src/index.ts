import type {
  AuditEntry,
  AuditListParameters,
  Category,
  CategoryInput,
  CategoryListParameters,
  ChangeListParameters,
  Changes,
  Deliveries,
  Delivery,
  Event,
  EventInput,
  EventListParameters,
  Image,
  ImageListParameters,
  Invitation,
  NewToken,
  NewWebhook,
  Organizer,
  OrganizerInput,
  OrganizerListParameters,
  OwnAccount,
  Tag,
  TagInput,
  TagListParameters,
  Token,
  User,
  UserInput,
  UserListParameters,
  Venue,
  VenueInput,
  VenueListParameters,
  Version,
  Versions,
  Webhook,
  WebhookInput,
  WebhookListParameters,
} from './types.ts'

export type * from './types.ts'
export { verifyWebhook, WebhookError, type WebhookPayload } from './webhook.ts'

export interface KalendsOptions {
  /** The address of the service, such as `https://calendar.example.org`. */
  readonly url: string
  /** A token of a user. */
  readonly token?: string | undefined
  /** The name or e-mail address of a user, with `password`. */
  readonly username?: string | undefined
  readonly password?: string | undefined
  /** The language of messages, such as `fr`. */
  readonly language?: string | undefined
  /** Below the address; another mount of the interface. */
  readonly path?: string | undefined
  readonly fetch?: typeof globalThis.fetch | undefined
  /** How often a request that was not answered is sent again; 2 unless given. */
  readonly retries?: number | undefined
}

/** A request that the service refused or could not answer. */
export class KalendsError extends Error {
  override readonly name = 'KalendsError'
  readonly code: string
  readonly status: number
  /** The refused parameters, each with the reason; of a missing one the reason is `missing`. */
  readonly params: Readonly<Record<string, string>>
  /** The number under which a failure of the service is in its log. */
  readonly requestId: string | null
  /** How long to wait before trying again, in seconds. */
  readonly retryAfter: number | null

  constructor(response: Response, body: { code?: string; message?: string; data?: Record<string, unknown> }) {
    super(body.message ?? `the service answered ${response.status}`)
    const { params, invalid_params: invalid, request_id: requestId } = body.data ?? {}
    const missing = Array.isArray(params) ? Object.fromEntries(params.map((name) => [name, 'missing'])) : params
    this.code = body.code ?? 'unknown'
    this.status = response.status
    this.params = { ...(missing as Record<string, string>), ...(invalid as Record<string, string>) }
    this.requestId = typeof requestId === 'string' ? requestId : response.headers.get('x-request-id')
    const retry = Number(response.headers.get('retry-after'))
    this.retryAfter = retry > 0 ? retry : null
  }
}

/** A page of a list. */
export interface Page<Item> {
  readonly items: Item[]
  readonly total: number
  readonly totalPages: number
  /** Whether there is a page behind this one. */
  readonly hasNext: boolean
}

/** A record, by its number or by its slug. */
export type Ref = number | { readonly slug: string }

type Query = Record<string, unknown>

/** Sends requests for the resources below. */
class Connection {
  readonly #base: string
  readonly #headers: Record<string, string>
  readonly #fetch: typeof globalThis.fetch
  readonly #retries: number

  constructor({
    url,
    token,
    username,
    password,
    language,
    path = '/calendar/events/v1',
    fetch = globalThis.fetch,
    retries = 2,
  }: KalendsOptions) {
    this.#retries = retries
    this.#base = url.replace(/\/+$/, '') + path
    this.#fetch = (...request) => fetch(...request)
    const basic =
      username !== undefined && password !== undefined ? `Basic ${base64(`${username}:${password}`)}` : undefined
    const authorization = token !== undefined ? `Bearer ${token}` : basic
    this.#headers = { ...(authorization && { authorization }), ...(language && { 'accept-language': language }) }
  }

  async send<T>(method: string, path: string, query: Query = {}, body?: unknown): Promise<T> {
    const isFile = body instanceof Blob
    const response = await this.#request(`${this.#base}${path}${search(query)}`, {
      method,
      headers: {
        ...this.#headers,
        // The same for every attempt, so that a write is done once.
        ...(method !== 'GET' && { 'idempotency-key': crypto.randomUUID() }),
        ...(body !== undefined && {
          'content-type': isFile ? body.type || 'application/octet-stream' : 'application/json',
        }),
      },
      ...(body !== undefined && { body: isFile ? body : JSON.stringify(body) }),
    })
    const answer = await response.json().catch(() => ({}))
    if (!response.ok) throw new KalendsError(response, answer as object)
    return answer as T
  }

  /** Sends a request, again if it was not answered. */
  async #request(address: string, init: RequestInit): Promise<Response> {
    for (let attempt = 0; ; attempt++) {
      const response = await this.#fetch(address, init).catch((error: unknown) => {
        if (attempt >= this.#retries) throw error
        return null
      })
      // 409 with Retry-After: an earlier attempt still runs.
      const isOpen =
        response === null ||
        UNANSWERED.has(response.status) ||
        (response.status === 409 && response.headers.has('retry-after'))
      if (response !== null && (!isOpen || attempt >= this.#retries)) return response
      const asked = Number(response?.headers.get('retry-after')) * 1000
      const pause = Math.min(asked > 0 ? asked : FIRST_PAUSE * 2 ** attempt, LONGEST_PAUSE)
      await response?.body?.cancel()
      await new Promise((resolve) => setTimeout(resolve, pause))
    }
  }
}

/** Statuses of requests that were not done, and may be sent again. */
const UNANSWERED = new Set([429, 502, 503, 504])
/** The first pause before another attempt, and the longest, in milliseconds. */
const FIRST_PAUSE = 500
const LONGEST_PAUSE = 60_000

interface WireList {
  readonly total: number
  readonly total_pages: number
  readonly next_rest_url?: string
}

/** A kind of record that can be listed, read and removed. */
class Readable<Item, Parameters extends object> {
  protected readonly connection: Connection
  protected readonly name: string

  constructor(connection: Connection, name: string) {
    this.connection = connection
    this.name = name
  }

  /** One page of a list. */
  async list(parameters: Parameters = {} as Parameters): Promise<Page<Item>> {
    return this.#page(parameters as Query).then(({ page }) => page)
  }

  /** Every record of a list, page after page, as they are read. */
  async *all(parameters: Parameters = {} as Parameters): AsyncGenerator<Item, void, undefined> {
    let query: Query | null = { per_page: 50, ...parameters }
    while (query !== null) {
      const { page, next }: { page: Page<Item>; next: Query | null } = await this.#page(query)
      yield* page.items
      query = next
    }
  }

  /** One record. */
  get(ref: Ref, query: { readonly password?: string } = {}): Promise<Item> {
    return this.connection.send('GET', this.path(ref), query)
  }

  /** Removes a record: to the trash where there is one, with `force` for good. */
  remove(ref: Ref, query: { readonly force?: boolean } = {}): Promise<Item> {
    return this.connection.send('DELETE', this.path(ref), query)
  }

  protected path(ref: Ref): string {
    return `/${this.name}/${typeof ref === 'number' ? ref : `by-slug/${encodeURIComponent(ref.slug)}`}`
  }

  /** Links are followed by their parameters, so that a proxy's address stays the one that was given. */
  async #page(query: Query): Promise<{ page: Page<Item>; next: Query | null }> {
    const answer = await this.connection.send<WireList & Record<string, Item[]>>('GET', `/${this.name}`, query)
    const { total, total_pages: totalPages, next_rest_url: next } = answer
    const page = { items: answer[this.name] ?? [], total, totalPages, hasNext: next !== undefined }
    return { page, next: next === undefined ? null : Object.fromEntries(new URL(next).searchParams) }
  }
}

/** A kind of record that can be created and changed too. */
class Writable<Item, Input extends object, Parameters extends object> extends Readable<Item, Parameters> {
  create(input: Input): Promise<Item> {
    return this.connection.send('POST', `/${this.name}`, {}, input)
  }

  /** Changes the named fields, and no others. */
  update(ref: Ref, changes: Partial<Input>): Promise<Item> {
    return this.connection.send('PATCH', this.path(ref), {}, changes)
  }
}

/** A kind of record whose versions are kept. */
class Versioned<Item, Input extends object, Parameters extends object> extends Writable<Item, Input, Parameters> {
  /** Versions of a record, newest first. */
  async versions(
    id: number,
    query: { readonly page?: number; readonly per_page?: number } = {},
  ): Promise<Versions['versions']> {
    return (await this.connection.send<Versions>('GET', `${this.path(id)}/versions`, query)).versions
  }

  /** A record as it was, and what differs now. */
  version(id: number, version: number): Promise<Version> {
    return this.connection.send('GET', `${this.path(id)}/versions/${version}`)
  }

  /** Brings a version back. */
  restoreVersion(id: number, version: number): Promise<Item> {
    return this.connection.send('POST', `${this.path(id)}/versions/${version}/restore`)
  }
}

class Images extends Readable<Image, ImageListParameters> {
  /** Uploads a picture. */
  create(file: Blob): Promise<Image> {
    return this.connection.send('POST', `/${this.name}`, {}, file)
  }
}

/** Users, for administrators; and one's own account. */
class Users extends Readable<User, UserListParameters> {
  /** The user who asks. */
  me(): Promise<OwnAccount> {
    return this.connection.send('GET', '/users/me')
  }

  /** Invites a user: the answer has the link to set a password. */
  create(input: UserInput): Promise<Invitation> {
    return this.connection.send('POST', '/users', {}, input)
  }

  update(id: number, changes: Partial<UserInput> & { readonly disabled?: boolean }): Promise<User> {
    return this.connection.send('PATCH', this.path(id), {}, changes)
  }

  /** Removes a user, whose records go to the one that `reassign` names. */
  override remove(ref: Ref, query: { readonly force?: boolean; readonly reassign?: number } = {}): Promise<User> {
    return this.connection.send('DELETE', this.path(ref), query)
  }
}

/** One's own tokens. */
class OwnTokens {
  readonly #connection: Connection

  constructor(connection: Connection) {
    this.#connection = connection
  }

  async list(): Promise<Token[]> {
    return (await this.#connection.send<{ tokens: Token[] }>('GET', '/users/me/tokens')).tokens
  }

  /** Creates a token, which only this answer shows. */
  create(input: { readonly token_name?: string; readonly expires?: string } = {}): Promise<NewToken> {
    return this.#connection.send('POST', '/users/me/tokens', {}, input)
  }

  remove(id: number): Promise<Token> {
    return this.#connection.send('DELETE', `/users/me/tokens/${id}`)
  }
}

/** Webhooks, for administrators. */
class Webhooks extends Writable<Webhook, WebhookInput, WebhookListParameters> {
  /** Creates a webhook. Only this answer has its secret. */
  override create(input: WebhookInput): Promise<NewWebhook> {
    return this.connection.send('POST', '/webhooks', {}, input)
  }

  /** Makes a new secret. The old one is used as well for a day. */
  rotate(id: number): Promise<NewWebhook> {
    return this.connection.send('POST', `${this.path(id)}/rotate`)
  }

  /** Deliveries of a webhook, newest first. */
  async deliveries(id: number, query: { readonly page?: number; readonly status?: string } = {}): Promise<Delivery[]> {
    return (await this.connection.send<Deliveries>('GET', `${this.path(id)}/deliveries`, query)).deliveries
  }

  /** Sends a delivery again. */
  resend(id: number, delivery: string): Promise<Delivery> {
    return this.connection.send('POST', `${this.path(id)}/deliveries/${encodeURIComponent(delivery)}/resend`)
  }
}

/** A calendar, over its REST interface. */
export class Kalends {
  readonly events: Versioned<Event, EventInput, EventListParameters>
  readonly venues: Versioned<Venue, VenueInput, VenueListParameters>
  readonly organizers: Versioned<Organizer, OrganizerInput, OrganizerListParameters>
  readonly categories: Writable<Category, CategoryInput, CategoryListParameters>
  readonly tags: Writable<Tag, TagInput, TagListParameters>
  readonly images: Images
  readonly users: Users
  readonly tokens: OwnTokens
  readonly webhooks: Webhooks
  /** The audit log, for administrators. */
  readonly audit: Readable<AuditEntry, AuditListParameters>
  readonly #connection: Connection

  constructor(options: KalendsOptions) {
    const connection = new Connection(options)
    this.events = new Versioned(connection, 'events')
    this.venues = new Versioned(connection, 'venues')
    this.organizers = new Versioned(connection, 'organizers')
    this.categories = new Writable(connection, 'categories')
    this.tags = new Writable(connection, 'tags')
    this.images = new Images(connection, 'images')
    this.users = new Users(connection, 'users')
    this.tokens = new OwnTokens(connection)
    this.webhooks = new Webhooks(connection, 'webhooks')
    this.audit = new Readable(connection, 'audit')
    this.#connection = connection
  }

  /**
   * What has changed since a token; everything there is without one. Awaited, it is one page with the token `next`. With
   * `for await` it is every change, and `token` is the one for the next time.
   */
  changes(parameters: ChangeListParameters = {}): ChangeStream {
    return new ChangeStream((since) => this.#connection.send('GET', '/changes', { ...parameters, ...since }))
  }
}

/** A change of a record. */
export type Change = Changes['changes'][number]

/** The changes since a token: one page if awaited, all of them with `for await`. */
export class ChangeStream implements PromiseLike<Changes>, AsyncIterable<Change> {
  /** Where the next read begins, after all that was read so far. */
  token: string | undefined
  readonly #read: (since: { readonly since?: string }) => Promise<Changes>

  constructor(read: (since: { readonly since?: string }) => Promise<Changes>) {
    this.#read = read
  }

  // biome-ignore lint/suspicious/noThenProperty: a page can be awaited
  then<A = Changes, B = never>(
    done?: ((page: Changes) => A | PromiseLike<A>) | null,
    failed?: ((error: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#page().then(done, failed)
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Change, void, undefined> {
    for (;;) {
      const { changes, next, more } = await this.#read(this.token === undefined ? {} : { since: this.token })
      yield* changes
      this.token = next
      if (!more) return
    }
  }

  async #page(): Promise<Changes> {
    const page = await this.#read({})
    this.token = page.next
    return page
  }
}

function search(query: Query): string {
  const pairs = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === null) continue
    // Not comma-separated: a name may have a comma in it.
    if (Array.isArray(value)) for (const item of value) pairs.append(`${name}[]`, String(item))
    else pairs.append(name, String(value))
  }
  return pairs.size === 0 ? '' : `?${pairs}`
}

/** Base64 of UTF-8, where btoa knows Latin-1 alone. */
function base64(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)))
}
