import { Readable } from 'node:stream'
import type { Instant } from '../calendar/zone.ts'
import type { User } from '../domain/scope.ts'
import type { BufferPool, Lent } from '../lib/buffer-pool.ts'
import { AppError } from '../lib/errors.ts'
import type { CachedResponse, Headers } from './cache/cached-response.ts'
import { writeDependencies } from './cache/counts.ts'
import { headerDate, serializeWithShared } from './cache/head.ts'
import { normalPath, normalSearch } from './cache/normal-address.ts'
import { ObservedClock } from './cache/validity.ts'
import { type AnswerContext, callOf, type RoutedRequest, splitUrl } from './call.ts'
import { etagLine, tagsOf } from './conditional.ts'
import { type Answer, type Endpoint, MAIN_MOUNT } from './endpoint.ts'
import { routeLabel } from './measure.ts'
import { sentAs } from './sparse.ts'
import { refuseUnknown } from './strict.ts'

/** `max-age` and `stale-while-revalidate` of public responses, in seconds. */
const MAX_AGE = 10
const STALE_WHILE_REVALIDATE = 60

/** What a read came to: a response for everybody who asks the same, by its key, or an answer for this request alone. */
export type ReadResult =
  | { readonly key: string; readonly response: CachedResponse }
  | { readonly answer: Answer; readonly search: string }

/**
 * Answers a read, from the cache if possible. `version` is the version of the data that the settings of the site were read
 * at, if it is still current. `headers` are those of every response. Whoever gives a pool gives the memory of the body back to it.
 */
export async function read(
  endpoint: Pick<Endpoint, 'handle'>,
  context: AnswerContext,
  request: RoutedRequest,
  knownVersion: string | null,
  headers: () => Headers,
  pool: BufferPool | null = null,
): Promise<ReadResult> {
  const [path, sent] = splitUrl(request.url)
  const { cache, scope, known } = context
  refuseUnknown(sent, known)
  const search = normalSearch(sent, known)
  // These answers depend on more than the address and the user: a page has the token of its session.
  if (request.session !== null || search.includes('password='))
    return { answer: await endpoint.handle(callOf(context, request, search)), search }
  const key = keyFor(request, path, search)
  const version = knownVersion ?? (await scope.db.version())
  let uncached: Answer | null = null
  let isOwnRender = false
  const make = async () => {
    const began = scope.clock()
    const observed = new ObservedClock(scope)
    const answer = await endpoint.handle(callOf(context, request, search, { version, clock: observed.clock }))
    uncached = answer
    const isCacheable = (answer.status ?? 200) === 200 && !answer.secret && !(answer.body instanceof Readable)
    const until = Math.min(answer.until ?? observed.until, observed.until)
    return isCacheable
      ? buildResponse(answer, search, { began, made: scope.clock(), until }, request, headers(), pool)
      : null
  }
  const makeInTurn = () => {
    isOwnRender = true
    return cache.queue.run(request.match?.route.url ?? '', make)
  }
  const retryAlone = (error: unknown) => {
    // Rate limits are per sender. A request that waited for another sender's failed render tries by itself.
    if (isOwnRender || !(error instanceof AppError && error.code === 'rest_too_many_requests')) throw error
    return null
  }
  const { responses } = cache
  const response = responses.get(key, version) ?? (await responses.make(key, version, makeInTurn).catch(retryAlone))
  if (response !== null) return { key, response }
  return { answer: uncached ?? (await endpoint.handle(callOf(context, request, search))), search }
}

/** Cache key of a response. Users share no responses. */
export function keyOf(user: User | null, language: string, url: string): string {
  return `${user === null ? '' : user.id} ${language} ${url}`
}

/** Cache key for the normal form of the address. */
function keyFor(request: RoutedRequest, path: string, search: string): string {
  const { language, mount, user, match } = request
  const prefix = language.byAddress ? `/${language.name}` : ''
  const routed = normalPath(path, match?.route.url ?? '', match?.params ?? {})
  // Links in a response contain the mount that the request came by.
  const normal = routed.startsWith(MAIN_MOUNT) ? `${mount}${routed.slice(MAIN_MOUNT.length)}` : routed
  return keyOf(user, language.name, `${prefix}${normal}${search === '' ? '' : `?${search}`}`)
}

/** Builds the response to store in the cache. */
function buildResponse(
  answer: Answer,
  search: string,
  { began, made, until }: { began: Instant; made: Instant; until: Instant },
  request: RoutedRequest,
  headers: Headers,
  pool: BufferPool | null,
): CachedResponse {
  const { bytes: body, release } = inBytes(sentAs(answer, search), pool)
  const isText = typeof answer.body === 'string'
  const { tag, withoutCounts } = tagsOf(answer, body)
  const lines = serializeWithShared(headers, {
    'content-type': isText ? 'text/plain; charset=utf-8' : 'application/json; charset=utf-8',
    'cache-control': cacheControl(request.user, until - made),
    // The time before the data was read, so never too late.
    'last-modified': headerDate(began),
    ...answer.headers,
  })
  return {
    body,
    tag,
    lines: answer.headers?.etag === undefined ? lines + etagLine(tag) : lines,
    until,
    dependsOn: answer.dependsOn ? writeDependencies(answer.dependsOn, withoutCounts) : '',
    route: request.match?.route.label ?? routeLabel(undefined),
    variants: {},
    ...(release && { release }),
  }
}

function inBytes(sent: string | Buffer, pool: BufferPool | null): Lent {
  if (typeof sent !== 'string') return { bytes: sent }
  return pool === null ? { bytes: Buffer.from(sent) } : pool.encode(sent)
}

function cacheControl(user: User | null, seconds: number): string {
  if (user !== null) return PRIVATE
  return `public, max-age=${Math.max(0, Math.min(MAX_AGE, seconds))}, stale-while-revalidate=${STALE_WHILE_REVALIDATE}`
}

export const PRIVATE = 'private, no-store'

/** Value of `Vary`. */
export function varyOf(
  { language, match }: Partial<Pick<RoutedRequest, 'language' | 'match'>>,
  known?: string,
): string {
  const byLanguage = language?.byAddress ? undefined : 'Accept-Language'
  const cookie = match?.route.session ? 'Cookie' : undefined
  return [known, byLanguage, 'Authorization', cookie, 'Accept-Encoding'].filter(Boolean).join(', ')
}
