import type { Readable } from 'node:stream'
import type { Dependencies } from '../domain/dependencies.ts'
import type { Payload, Scope, Site } from '../domain/scope.ts'
import type { Session } from '../domain/sessions.ts'
import type { AppError } from '../lib/errors.ts'
import type { Upload } from '../lib/upload.ts'
import type { Way } from '../schema/audit.ts'
import type { Fields } from '../schema/field.ts'
import type { ResponseName } from '../schema/responses.ts'
import type { Addresses } from './addresses.ts'
import type { JsonText } from './json-text.ts'

/** Path of the REST interface below the base address. */
export const NAMESPACE = 'calendar/events/v1'

/** Path that the REST interface always has. Further mounts are settings. */
export const MAIN_MOUNT = `/${NAMESPACE}`

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
export const METHODS: readonly Method[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']
export const UPDATE: readonly Method[] = ['POST', 'PUT', 'PATCH']

/** A request, in the form that endpoints take. */
export interface Call {
  readonly scope: Scope
  /** Session of the browser; null if the user signed in by a header, or not at all. */
  readonly session: Session | null
  readonly addresses: Addresses
  readonly language: string
  readonly method: string
  readonly header: (name: 'if-none-match' | 'if-match' | 'user-agent') => string | undefined
  /** The path below the base address, without a language, with its query string. */
  readonly path: string
  /** Variable parts of the path. */
  readonly id: number
  readonly slug: string
  /** The part of the path that matches `*` in a view's path. */
  readonly rest: string
  /** Parameters of the query string. */
  readonly query: Payload
  /** Fields of the body. */
  readonly body: Payload
  /** The uploaded file: the body itself, or the file of a form. */
  readonly file: () => Promise<Upload>
  /** All pairs of the query string, for pagination links. A read has only the parameters that it knows. */
  readonly search: URLSearchParams
  /** The query string as it was sent, for redirects. */
  readonly sent: string
  /** Counts further requests against the limits of the sender and the user. Throws 429 if there are too many. */
  readonly countRequests: (more: number) => void
  /** Version of the data that the answer is rendered from; null for a write. */
  readonly version: string | null
}

export interface Answer {
  readonly status?: number
  /** Revision of the record, which `If-Match` is compared with. */
  readonly revision?: string
  /** Set if the answer is for this client alone, though it is anonymous. It is never cached, here or by proxies. */
  readonly secret?: true
  readonly headers?: Record<string, string>
  /** Hashed for the `ETag` in place of the body, if that is cheaper. */
  readonly mark?: string
  /** Counts of terms in the body, in their order: the mark is without them. */
  readonly counts?: readonly number[]
  /**
   * An object is serialized as JSON; a JsonText or a Buffer already is JSON. For text and streams, the headers give the content
   * type.
   */
  readonly body: object | string | JsonText | Buffer | Readable
  /** Expiry in Unix seconds, if that is before the expiry derived from the handler's use of the clock. */
  readonly until?: number
  /** What it shows. Without it, any write may change it. */
  readonly dependsOn?: Dependencies | null
}

/** A page, feed or other address outside the REST interface. */
export interface View {
  /** Route pattern below the base address: `/event/:slug`, `/events/category/*`. */
  readonly path: string
  readonly methods: readonly ('GET' | 'POST')[]
  /** Names of its query parameters, if it has any. */
  readonly parameters?: readonly string[]
  /** Set if it takes a file: the body may then be larger, and of other types. */
  readonly upload?: true
  /** Set if a read of it may write. Then its queries share no snapshot. */
  readonly writes?: true
  /** Set if it mostly reads few rows: then it begins in the main thread, and needs no Fastify for anonymous readers. */
  readonly few?: true
  /** How the audit log calls what it writes: `screen`, if nothing is said. */
  readonly way?: Way
  /** Set if users who signed in on a page see their own version of it. */
  readonly session?: true
  handle(call: Call): Promise<Answer>
}

/** A static file, such as a stylesheet. */
export interface StaticFile {
  readonly type: string
  readonly headers: Record<string, string>
  readonly bytes: Buffer
  /** The bytes compressed with Brotli; null if that gains nothing. */
  readonly packed: (() => Promise<Buffer>) | null
  /** Whether the file is the one that was asked for, whatever the settings of the site have become. */
  readonly isCurrent: boolean
}

/** Route to one static file, or to a folder of them. */
export interface FileRoute {
  /** Below the base address; `:name` is the name of the file. */
  readonly path: string
  /** Returns null if there is no such file. */
  find(site: Site, name: string): Promise<StaticFile | null>
}

/** All routes of the server. */
export interface Routes {
  readonly endpoints: readonly Endpoint[]
  /** Loaded when an address is asked for that is no endpoint. */
  readonly views: () => Promise<readonly View[]>
  readonly files: readonly FileRoute[]
  /** Maps an address that other programs use to one of ours, before routing. Returns null for all others. */
  rewrite(path: string, search: string): string | null
  /** Renders an error as a page, for a request from a browser. */
  errorPage(error: AppError, call: Pick<Call, 'scope' | 'addresses' | 'language' | 'session' | 'path'>): Answer
}

/**
 * One operation of the REST interface. The router, the namespace index and the OpenAPI document are derived from these.
 */
export interface Endpoint {
  /** Its operation id. Its description is the text `operations.<name>`. */
  readonly name: string
  readonly methods: readonly Method[]
  /** Below the namespace, with `:id` and `:slug` as variable parts; `:delivery` and `:version` are slugs, too. */
  readonly path: string
  /**
   * Who may call it; domain/ decides about single records. With `by-password`, a user who signed in with a password or has
   * a session: a token must not change who may sign in, as that would outlive it.
   */
  readonly access: 'anyone' | 'signed-in' | 'by-password'
  /** Query parameters of GET and DELETE; body fields of the other methods. */
  readonly parameters: Fields
  /** Schema of a successful response. */
  readonly answers: ResponseName
  /** Set if it takes a file: the body may then be larger, and of other types. */
  readonly upload?: true
  /** Set if it writes in several transactions, or more than the database. Doing it twice must then do no harm. */
  readonly manyTransactions?: true
  /** Whether a request that is no GET only reads: then its answer is not stored for an `Idempotency-Key`. */
  isRead?(call: Call): boolean
  /** Content types of that file, if not those of images. */
  readonly takes?: readonly string[]
  handle(call: Call): Promise<Answer>
}
