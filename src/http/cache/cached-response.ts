import type { Instant } from '../../calendar/zone.ts'

export type Encoding = 'br' | 'gzip'

/** The headers of an answer by name. */
export type Headers = Readonly<Record<string, string>>

/** Headers as they are sent, each in a line that begins with its break: see head.ts. */
export type Lines = string

/** What a reader gets of a kept answer: all of it, or word that they have it. */
export interface Reply {
  readonly status: 200 | 304
  /** Its first line, and those of its headers. */
  readonly head: string
  readonly body: Buffer | null
}

/** An answer in one encoding; both forms are made once, and sent often. */
export interface Variant {
  readonly whole: Reply
  known: Reply | null
}

/** An answer that is ready to be sent to everyone whom it was made for. */
export interface Kept {
  readonly body: Buffer
  /** The part of its `ETag` that all of its encodings share. */
  readonly tag: string
  /** All but those of a single request, and those that depend on the encoding. */
  readonly lines: Lines
  /** When time alone may change it. */
  readonly until: Instant
  /** What is sent of it, by encoding; each is made once, when it is first asked for: see conditional.ts. */
  readonly variants: Partial<Record<Encoding | 'identity', Variant | Promise<Variant>>>
}

/** An answer with what it is kept by: see keyOf. */
export interface Keyed {
  readonly key: string
  readonly kept: Kept
}
