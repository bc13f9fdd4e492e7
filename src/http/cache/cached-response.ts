import type { Instant } from '../../calendar/zone.ts'

export type Encoding = 'br' | 'gzip'

/** The headers of a response by name. */
export type Headers = Readonly<Record<string, string>>

/** Headers as they are sent, each in a line that begins with its line break: see head.ts. */
export type HeaderLines = string

/** What is sent to a reader: all of a response, or 304. */
export interface Reply {
  readonly status: 200 | 304
  /** The status line and the headers. */
  readonly head: string
  readonly body: Buffer | null
}

/** A response in one encoding; both replies are made once and sent often. */
export interface Variant {
  readonly whole: Reply
  notModified: Reply | null
}

/** A response that can be sent to every reader whom it was made for. */
export interface CachedResponse {
  readonly body: Buffer
  /** The part of the `ETag` that all encodings share. */
  readonly tag: string
  /** All headers but those of a single request, and those that depend on the encoding. */
  readonly lines: HeaderLines
  /** When time alone may change it. */
  readonly until: Instant
  /** By encoding; each is made when it is first asked for: see conditional.ts. */
  readonly variants: Partial<Record<Encoding | 'identity', Variant | Promise<Variant>>>
}

/** A response with its key: see keyOf. */
export interface KeyedResponse {
  readonly key: string
  readonly response: CachedResponse
}
