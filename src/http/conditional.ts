import { hash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { pipeline, type Readable, type Transform } from 'node:stream'
import { promisify } from 'node:util'
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from 'node:zlib'
import type { Check } from '../domain/scope.ts'
import { AppError } from '../lib/errors.ts'
import type { CachedResponse, Encoding, Reply, Variant } from './cache/cached-response.ts'
import { joinHead, parseHeaders, serializeHeaders } from './cache/head.ts'
import type { Answer, Call } from './endpoint.ts'

/** Entity tag: the revision of the record, a dash, and a hash of the bytes. `If-Match` compares only the revision. */
export function tagOf(body: Buffer | string, revision = ''): string {
  return `${revision}-${hash('sha1', body, 'base64url').slice(0, 16)}`
}

/** Header line of a tag. */
export function etagLine(tag: string): string {
  return `\r\netag: "${tag}"`
}

/** A longer mark is stored as its hash. */
const MAX_MARK = 200

/** The tag of an answer with these bytes, and that of all but its counts, from which it can be told when they change. */
export function tagsOf({ mark, counts, revision }: Answer, bytes: Buffer): { tag: string; withoutCounts: string } {
  if (counts === undefined) return { tag: tagOf(mark ?? bytes, revision), withoutCounts: '' }
  const withoutCounts = mark !== undefined && mark.length <= MAX_MARK ? mark : tagOf(mark ?? bytes)
  return { tag: tagWithCounts(withoutCounts, counts, revision), withoutCounts }
}

/** The tag of an answer with these counts. */
export function tagWithCounts(withoutCounts: string, counts: readonly number[], revision?: string): string {
  return tagOf(`${withoutCounts} ${counts.join()}`, revision)
}

/** Shorter bodies, in bytes, gain nothing from compression. */
const MIN_COMPRESSED = 1000

/** Chooses the reply by `If-None-Match` and `Accept-Encoding`. Each encoding is compressed once. */
export function replyTo(response: CachedResponse, headers: IncomingHttpHeaders): Reply | Promise<Reply> {
  const encoding = response.body.length < MIN_COMPRESSED ? null : encodingFor(headers['accept-encoding'])
  const name = encoding ?? 'identity'
  const known = response.variants[name]
  const variant = known ?? makeVariant(response, encoding)
  if (known === undefined) response.variants[name] = variant
  return variant instanceof Promise
    ? variant.then((made) => chooseReply(made, response, headers))
    : chooseReply(variant, response, headers)
}

function chooseReply(variant: Variant, { tag }: CachedResponse, headers: IncomingHttpHeaders): Reply {
  return matchesEtag(tag, headers['if-none-match']) ? notModifiedOf(variant) : variant.whole
}

function makeVariant(response: CachedResponse, encoding: Encoding | null): Variant | Promise<Variant> {
  if (encoding === null) return variantOf(response, null, response.body)
  return compress[encoding](response.body).then((bytes) => {
    const made = variantOf(response, encoding, bytes)
    response.variants[encoding] = made
    return made
  })
}

const compress: Record<Encoding, (body: Buffer) => Promise<Buffer>> = {
  br: (body) => promisify(brotliCompress)(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
  gzip: (body) => promisify(gzip)(body),
}

/** Compresses a stream that is too long to cache. */
export function compressStream(text: Readable, encoding: Encoding): Readable {
  // `pipeline` destroys both streams if the client disconnects. The sender sees errors on the stream itself.
  return pipeline(text, compressor[encoding](), () => {})
}

const compressor: Record<Encoding, () => Transform> = {
  br: () =>
    createBrotliCompress({
      params: { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_LGWIN]: 18 },
    }),
  gzip: () => createGzip(),
}

function variantOf(response: CachedResponse, encoding: Encoding | null, body: Buffer): Variant {
  const lines = encoding === null ? response.lines : encodedLines(response, encoding)
  return {
    whole: { status: 200, head: joinHead(200, `${lines}\r\ncontent-length: ${body.length}`), body },
    notModified: null,
  }
}

/** The headers of a content encoding. An answer with its own weak tag uses it for all of them. */
function encodedLines({ lines, tag }: CachedResponse, encoding: Encoding): string {
  const own = lines.replace(etagLine(tag), etagLine(`${tag}~${encoding}`))
  return `${own}\r\ncontent-encoding: ${encoding}`
}

function notModifiedOf(variant: Variant): Reply {
  if (variant.notModified === null) {
    const lines = serializeHeaders(
      Object.fromEntries(parseHeaders(variant.whole.head).filter(([name]) => NOT_MODIFIED_HEADERS.has(name))),
    )
    variant.notModified = { status: 304, head: joinHead(304, lines), body: null }
  }
  return variant.notModified
}

/** Headers of a 304 (RFC 9110 section 15.4.5). The client has the others. */
export const NOT_MODIFIED_HEADERS = new Set(['etag', 'cache-control', 'vary', 'access-control-allow-origin'])

/** Suffixes of a tag, by encoding. */
const TAG_SUFFIXES = new Set(['"', '~br"', '~gzip"'])

/** Whether `If-None-Match` matches a tag, weak or strong (RFC 9110 section 8.8.3.2), in any encoding. */
export function matchesEtag(tag: string, condition: string | undefined): boolean {
  if (condition === undefined) return false
  // Fast path for a single ETag.
  if (condition[0] === '"' && condition.startsWith(tag, 1) && TAG_SUFFIXES.has(condition.slice(1 + tag.length)))
    return true
  return isNamed(condition, (one) => one === tag)
}

/**
 * Check of `If-Match` against the record about to be changed; null without the header. It compares the record's own
 * revision, so a change to a linked record does not fail it. A weak tag counts: proxies that compress weaken tags.
 */
export function ifMatchCheck<T>({ header }: Call, revisionOf: (shown: T) => string): Check<T> {
  const ifMatch = header('if-match')
  if (ifMatch === undefined) return null
  return (shown) => {
    const own = revisionOf(shown)
    if (!isNamed(ifMatch, (tag) => tag.split('-')[0] === own)) throw new AppError('rest_precondition_failed')
  }
}

/** Whether a condition is `*`, or has a tag that fits, without its encoding suffix. */
function isNamed(condition: string, fits: (tag: string) => boolean): boolean {
  if (condition.trim() === '*') return true
  return [...condition.matchAll(/"([^"]*)"/g)].some(([, tag = '']) => fits(tag.replace(/~(br|gzip)$/, '')))
}

const encodings = new Map<string, Encoding | null>()

/** Best encoding that `Accept-Encoding` allows; null for none. */
export function encodingFor(header: string | string[] | undefined): Encoding | null {
  if (header === undefined) return null
  const text = String(header)
  const known = encodings.get(text)
  if (known !== undefined) return known
  const weights = new Map(
    text.split(',').map((part) => {
      // Split by single characters: a regular expression with optional spaces would take quadratic time.
      const [name = '', weight = 'q=1'] = part.toLowerCase().split(';', 2)
      return [name.trim(), Number(weight.trim().replace(/^q=/, ''))]
    }),
  )
  const accepts = (name: string) => (weights.get(name) ?? weights.get('*') ?? 0) > 0
  const best = accepts('br') ? 'br' : accepts('gzip') ? 'gzip' : null
  // Browsers send few distinct headers. The bound keeps others from filling memory.
  if (encodings.size < 1000) encodings.set(text, best)
  return best
}
