import type { Instant } from '../../calendar/zone.ts'

export type Encoding = 'br' | 'gzip'

/** Response headers by name. */
export type Headers = Readonly<Record<string, string>>

/** Serialized headers. Each line starts with its CRLF: see head.ts. */
export type HeaderLines = string

/** The full response, or 304. */
export interface Reply {
  readonly status: 200 | 304
  /** Status line and headers. */
  readonly head: string
  readonly body: Buffer | null
}

/** A response in one content encoding. Both replies are built once and sent many times. */
export interface Variant {
  readonly whole: Reply
  notModified: Reply | null
}

/** Cached response. Every reader with the same key gets it. */
export interface CachedResponse {
  readonly body: Buffer
  /** The part of the `ETag` that all content encodings share. */
  readonly tag: string
  /** Headers without a content encoding, except its length and per-request ones. */
  readonly lines: HeaderLines
  /** Expiry by the clock. A write may invalidate it earlier. */
  readonly until: Instant
  /** What it shows, as one line: see counts.ts. Empty if any write may change it. */
  readonly dependsOn: string
  /** Route that made it, for figures. */
  readonly route: string
  /** Gives the memory of the body back, once it is sent. A response that is not sent need not be given back. */
  readonly release?: () => void
  /** By encoding. Each is compressed on first use: see conditional.ts. */
  readonly variants: Partial<Record<Encoding | 'identity', Variant | Promise<Variant>>>
}

/** A response with its cache key: see keyOf. */
export interface KeyedResponse {
  readonly key: string
  readonly response: CachedResponse
  /** Up to which change of the data it is known to be valid: see FollowedChanges. */
  position: number
}
