import { hash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { pipeline, type Readable, type Transform } from 'node:stream'
import { promisify } from 'node:util'
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from 'node:zlib'
import type { Check } from '../domain/scope.ts'
import { AppError } from '../lib/errors.ts'
import type { Encoding, Kept, Reply, Variant } from './cache/cached-response.ts'
import { headersIn, headWith, linesOf } from './cache/head.ts'
import type { Call } from './endpoint.ts'

/** Names the bytes of an answer and, before the first dash, the state of the record itself, which is what a writer means. */
export function tagOf(body: Buffer | string, revision = ''): string {
  return `${revision}-${hash('sha1', body, 'base64url').slice(0, 16)}`
}

/** What is shorter gains nothing from being compressed. */
const WORTH_COMPRESSING = 1000

/** The answer to a reader's own conditions, in an encoding that they understand, which is made once. */
export function replyTo(kept: Kept, asked: IncomingHttpHeaders): Reply | Promise<Reply> {
  const encoding = kept.body.length < WORTH_COMPRESSING ? null : encodingFor(asked['accept-encoding'])
  const name = encoding ?? 'identity'
  const known = kept.variants[name]
  const variant = known ?? makeVariant(kept, encoding)
  if (known === undefined) kept.variants[name] = variant
  return variant instanceof Promise
    ? variant.then((made) => chooseFrom(made, kept, asked))
    : chooseFrom(variant, kept, asked)
}

function chooseFrom(variant: Variant, { tag }: Kept, asked: IncomingHttpHeaders): Reply {
  return isNamed(tag, asked['if-none-match']) ? knownOf(variant) : variant.whole
}

function makeVariant(kept: Kept, encoding: Encoding | null): Variant | Promise<Variant> {
  if (encoding === null) return variantOf(kept, null, kept.body)
  return compress[encoding](kept.body).then((bytes) => {
    const made = variantOf(kept, encoding, bytes)
    kept.variants[encoding] = made
    return made
  })
}

const compress: Record<Encoding, (body: Buffer) => Promise<Buffer>> = {
  br: (body) => promisify(brotliCompress)(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
  gzip: (body) => promisify(gzip)(body),
}

/** The same of a text that is too long to be kept, while it is written: in memory for a window of it. */
export function compressed(text: Readable, encoding: Encoding): Readable {
  // A reader who goes away ends both; whoever sends it is told of a fault by the stream itself.
  return pipeline(text, compressor[encoding](), () => {})
}

const compressor: Record<Encoding, () => Transform> = {
  br: () =>
    createBrotliCompress({
      params: { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_LGWIN]: 18 },
    }),
  gzip: () => createGzip(),
}

function variantOf(kept: Kept, encoding: Encoding | null, body: Buffer): Variant {
  let own = `\r\ncontent-length: ${body.length}`
  // What names itself by a weak tag has one for all encodings.
  if (!kept.lines.includes('\r\netag: ')) own += `\r\netag: "${kept.tag}${encoding === null ? '' : `~${encoding}`}"`
  if (encoding !== null) own += `\r\ncontent-encoding: ${encoding}`
  return { whole: { status: 200, head: headWith(200, kept.lines + own), body }, known: null }
}

function knownOf(variant: Variant): Reply {
  if (variant.known === null) {
    const lines = linesOf(Object.fromEntries(headersIn(variant.whole.head).filter(([name]) => BRIEF.has(name))))
    variant.known = { status: 304, head: headWith(304, lines), body: null }
  }
  return variant.known
}

/** What word of an unchanged answer carries: all else is known with it (RFC 9110 section 15.4.5). */
const BRIEF = new Set(['etag', 'cache-control', 'vary', 'access-control-allow-origin'])

/** How a tag ends, in each encoding. */
const ENDS = new Set(['"', '~br"', '~gzip"'])

/** Whether a condition names a tag, weak or not (RFC 9110 section 8.8.3.2), in whatever encoding. */
export function isNamed(tag: string, condition: string | undefined): boolean {
  if (condition === undefined) return false
  // Nearly always it is this one alone.
  if (condition[0] === '"' && condition.startsWith(tag, 1) && ENDS.has(condition.slice(1 + tag.length))) return true
  return tagsIn(condition).some((one) => one === '*' || one === tag)
}

/**
 * A check of the record that a request is about to change against its `If-Match`, or none if it has none. It compares
 * the record's own state: that another event has got the same tag meanwhile is no reason to refuse.
 */
export function unchanged<T>({ header }: Call, revisionOf: (shown: T) => string): Check<T> {
  const ifMatch = header('if-match')
  if (ifMatch === undefined) return null
  const wanted = tagsIn(ifMatch)
  return (shown) => {
    const own = revisionOf(shown)
    if (!wanted.some((tag) => tag === '*' || tag.split('-')[0] === own)) throw new AppError('rest_precondition_failed')
  }
}

/** The entity tags of a header, without what tells encodings apart. */
function tagsIn(header: string): string[] {
  if (header.trim() === '*') return ['*']
  return [...header.matchAll(/"([^"]*)"/g)].map(([, tag = '']) => tag.replace(/~(br|gzip)$/, ''))
}

const encodings = new Map<string, Encoding | null>()

/** The best encoding that a reader takes; null for none. */
export function encodingFor(header: string | string[] | undefined): Encoding | null {
  if (header === undefined) return null
  const text = String(header)
  const known = encodings.get(text)
  if (known !== undefined) return known
  const taken = new Map(
    text.split(',').map((part) => {
      // By single signs: a pattern for the space around them takes the square of its length.
      const [name = '', weight = 'q=1'] = part.toLowerCase().split(';', 2)
      return [name.trim(), Number(weight.trim().replace(/^q=/, ''))]
    }),
  )
  const takes = (name: string) => (taken.get(name) ?? taken.get('*') ?? 0) > 0
  const best = takes('br') ? 'br' : takes('gzip') ? 'gzip' : null
  // Browsers send a handful of headers; whoever sends others without end does not fill the memory.
  if (encodings.size < 1000) encodings.set(text, best)
  return best
}
