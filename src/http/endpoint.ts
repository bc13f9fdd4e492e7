import type { Readable } from 'node:stream'
import type { Payload, Scope } from '../domain/scope.ts'
import type { ShelfView } from '../rest/rendered/rendered-events.ts'
import type { Fields } from '../schema/field.ts'
import type { ResponseName } from '../schema/responses.ts'
import type { Addresses } from './addresses.ts'

/** Where the REST interface lies below the base address. */
export const NAMESPACE = 'calendar/events/v1'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
export const METHODS: readonly Method[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']
export const UPDATE: readonly Method[] = ['POST', 'PUT', 'PATCH']

/** A request, as an endpoint sees it. */
export interface Call {
  readonly scope: Scope
  readonly addresses: Addresses
  readonly language: string
  readonly method: string
  /** A header of the request. */
  readonly header: (name: 'if-none-match' | 'if-match') => string | undefined
  /** The variable parts of the path. */
  readonly id: number
  readonly slug: string
  /** What a view's `*` stands for. */
  readonly rest: string
  /** The parameters of the query string. */
  readonly query: Payload
  /** The fields of the body. */
  readonly body: Payload
  /** The bytes of the file that was sent, by itself or in a form. */
  readonly file: () => Promise<Buffer>
  /** Every pair of the query string, for links to further pages; of a read, those of parameters that it knows. */
  readonly search: URLSearchParams
  /** The query string as it was sent, for redirects. */
  readonly sent: string
  /** Events that are ready to be sent to everybody, for those whose answer can be made of them. */
  readonly shelf: ShelfView | null
}

export interface Answer {
  readonly status?: number
  /** The state of the record that it shows: what `If-Match` is compared with. */
  readonly revision?: string
  /** Said of what is meant for the asker alone, though they are nobody in particular: it is neither kept here nor elsewhere. */
  readonly secret?: true
  readonly headers?: Record<string, string>
  /** Names what is in the body, where that is known without reading all of it. */
  readonly mark?: string
  /** Made JSON of, unless it is bytes of it already; of text, or a stream of it, the headers say of what type. */
  readonly body: object | string | Buffer | Readable
  /** Unix seconds when it could change by time alone, where that is sooner than the clock it looked at lets on. */
  readonly until?: number
}

/** A page or a feed: what people and calendar programs read beside the REST interface. */
export interface View {
  /** Below the base address, as the router writes it: `/event/:slug`, `/events/category/*`. */
  readonly path: string
  readonly methods: readonly ('GET' | 'POST')[]
  /** The names of its query parameters; none if it has none. */
  readonly parameters?: readonly string[]
  handle(call: Call): Promise<Answer>
}

/** One operation of the REST interface. The router, the namespace index and the documentation are made from these. */
export interface Endpoint {
  /** Its name in the documentation; its description is the text `operations.<name>`. */
  readonly name: string
  readonly methods: readonly Method[]
  /** Below the namespace, with `:id` and `:slug` for the variable parts. */
  readonly path: string
  /** Who may call it at all; what they may do with which record is decided in domain/. */
  readonly access: 'anyone' | 'signed-in'
  /** Query parameters of GET and DELETE, fields of the body of the others. */
  readonly parameters: Fields
  /** What it answers when all is well. */
  readonly answers: ResponseName
  /** Whether it takes a file; then its body may be larger, and of other types. */
  readonly upload?: true
  /** The types of that file, where they are not those of images. */
  readonly takes?: readonly string[]
  handle(call: Call): Promise<Answer>
}
