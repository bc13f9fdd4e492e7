import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Instant } from '../calendar/zone.ts'
import { acting } from '../domain/acting.ts'
import { doOnce, type StoredAnswer } from '../domain/idempotency.ts'
import type { Scope, User } from '../domain/scope.ts'
import type { Clock } from '../lib/clock.ts'
import { AppError, type ErrorCode } from '../lib/errors.ts'
import { onceWithError } from '../lib/lazy.ts'
import { chooseLanguage, DEFAULT_LANGUAGE } from '../lib/texts.ts'
import type { Way } from '../schema/audit.ts'
import type { Addresses } from './addresses.ts'
import { readBody, readFile, readForm } from './body.ts'
import type { Cache } from './cache/cache.ts'
import type { CachedResponse, Headers } from './cache/cached-response.ts'
import { parseHeaders, serializeHeaders } from './cache/head.ts'
import { normalPath, normalSearch } from './cache/normal-address.ts'
import { ObservedClock } from './cache/validity.ts'
import { compressStream, encodingFor, NOT_MODIFIED_HEADERS, replyTo, tagOf } from './conditional.ts'
import { type Answer, type Call, type Endpoint, MAIN_MOUNT } from './endpoint.ts'
import { asAppError, errorBody } from './errors.ts'
import { fingerprintOf, idempotencyKeyOf, isKept } from './idempotency.ts'
import { routeLabel } from './measure.ts'
import { asksForProblem, PROBLEM_TYPE, problemBody } from './problem-details.ts'
import { fieldsIn, sparse } from './sparse.ts'
import { refuseUnknown } from './strict.ts'

/** `max-age` and `stale-while-revalidate` of public responses, in seconds. */
const MAX_AGE = 10
const STALE_WHILE_REVALIDATE = 60

/** Everything that answering a request needs. */
export interface AnswerContext {
  readonly scope: Omit<Scope, 'user'>
  readonly cache: Cache
  readonly addresses: Addresses
  /** Names of the query parameters that the endpoint knows. */
  readonly known: ReadonlySet<string>
  /** Limit on the bytes of a body besides files. */
  readonly bodyLimit: number
  /** Counts further requests of the sender against the limits. */
  readonly countRequests: (more: number, request: FastifyRequest) => void
  /** How the audit log calls what the request writes. */
  readonly way: Way
  /** Set if a write is done once for each `Idempotency-Key`. */
  readonly once?: 'in-one-transaction' | 'in-many-transactions'
}

/** Calls an endpoint and sends its answer. Reads come from the cache if possible. */
export async function sendAnswer(
  endpoint: Pick<Endpoint, 'handle'>,
  context: AnswerContext,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const [path, sent] = splitUrl(request.url)
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    return sendWrite(endpoint, context, request, reply)
  }
  const { cache, scope, known } = context
  refuseUnknown(sent, known)
  const search = normalSearch(sent, known)
  // These answers depend on more than the address and the user: a page has the token of its session.
  if (request.session !== null || search.includes('password=')) {
    return sendUncached(await endpoint.handle(callOf(context, request, search)), search, request, reply)
  }
  const key = keyFor(request, path, search)
  const version = versionFor(request) ?? (await scope.db.version())
  let uncached: Answer | null = null
  let isOwnRender = false
  const make = async () => {
    isOwnRender = true
    await cache.queue.take()
    const began = scope.clock()
    const observed = new ObservedClock(scope)
    const answer = await endpoint.handle(callOf(context, request, search, { version, clock: observed.clock }))
    uncached = answer
    const isCacheable = (answer.status ?? 200) === 200 && !answer.secret && !(answer.body instanceof Readable)
    const until = Math.min(answer.until ?? observed.until, observed.until)
    return isCacheable ? buildResponse(answer, search, { began, made: scope.clock(), until }, request, reply) : null
  }
  const retryAlone = (error: unknown) => {
    // Rate limits are per sender. A request that waited for another sender's failed render tries by itself.
    if (isOwnRender || !(error instanceof AppError && error.code === 'rest_too_many_requests')) throw error
    return null
  }
  const { responses, aliases } = cache
  const cached = responses.get(key, version) ?? (await responses.make(key, version, make).catch(retryAlone))
  if (cached === null) {
    const answer: Answer = uncached ?? (await endpoint.handle(callOf(context, request, search)))
    return sendUncached(answer, search, request, reply)
  }
  aliases.put(keyOf(request.user, request.language.name, request.originalUrl), key)
  const { status, head, body } = await replyTo(cached, request.headers)
  for (const [name, value] of parseHeaders(head)) reply.header(name, value)
  if (status === 304) return sendNotModified(reply)
  return reply.code(status).send(body ?? undefined)
}

/** Calls an endpoint that writes: once for each `Idempotency-Key`. */
async function sendWrite(
  endpoint: Pick<Endpoint, 'handle'>,
  context: AnswerContext,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const [, sent] = splitUrl(request.url)
  const call = loggedCall(callOf(context, request, sent), context, request)
  const key = context.once === undefined ? null : idempotencyKeyOf(request)
  if (key === null || call.scope.user === null) return sendUncached(await endpoint.handle(call), sent, request, reply)
  const { answer, isReplayed } = await doOnce(call.scope.db, {
    user: call.scope.user.id,
    key,
    request: fingerprintOf(request),
    inOneTransaction: context.once === 'in-one-transaction',
    run: async (db) => write(await endpoint.handle({ ...call, scope: { ...call.scope, db } }), sent),
    answerTo(error) {
      const appError = asAppError(error as Error)
      return isKept(appError) ? writeError(appError, request) : null
    },
  })
  if (isReplayed) reply.header('idempotent-replayed', 'true')
  return sendWritten(answer, request, reply)
}

/** The version that the settings were read at, unless signing in took time since. */
function versionFor({ user, version }: FastifyRequest): string | null {
  return user === null ? version : null
}

/** Cache key of a response. Users share no responses. */
export function keyOf(user: User | null, language: string, url: string): string {
  return `${user === null ? '' : user.id} ${language} ${url}`
}

/** Cache key for the normal form of the address. */
function keyFor(request: FastifyRequest, path: string, search: string): string {
  const { language, mount, user, routeOptions, params } = request
  const prefix = language.byAddress ? `/${language.name}` : ''
  const routed = normalPath(path, routeOptions.url ?? '', params as Record<string, string>)
  // Links in a response contain the mount that the request came by.
  const normal = routed.startsWith(MAIN_MOUNT) ? `${mount}${routed.slice(MAIN_MOUNT.length)}` : routed
  return keyOf(user, language.name, `${prefix}${normal}${search === '' ? '' : `?${search}`}`)
}

/** The request in the form that endpoints take. A cacheable read has a data version and an observed clock. */
function callOf(
  { scope, addresses, countRequests, bodyLimit }: AnswerContext,
  request: FastifyRequest,
  search: string,
  reading: { version: string; clock: Clock } | null = null,
): Call {
  const {
    id,
    version = '',
    delivery = version,
    slug = delivery,
    '*': rest = '',
  } = request.params as Partial<Record<string, string>>
  return {
    scope: { ...scope, user: request.user, ...(reading && { clock: reading.clock }) },
    session: request.session,
    addresses,
    language: request.language.name,
    method: request.method,
    header: (name) => request.headers[name],
    path: request.url,
    id: Number(id),
    slug,
    rest,
    query: () => readForm(search),
    body: onceWithError(() => readBody(request.body, request.headers['content-type'], bodyLimit)),
    file: () => readFile(request.body, request.headers['content-type'], request.headers['content-disposition']),
    search: new URLSearchParams(search),
    sent: splitUrl(request.url)[1],
    countRequests: (more) => countRequests(more, request),
    version: reading?.version ?? null,
  }
}

/** A request whose writes are logged as those of its user. */
function loggedCall(call: Call, { way }: AnswerContext, { ip, user }: FastifyRequest): Call {
  return { ...call, scope: acting(call.scope, way, { user, address: ip }) }
}

/** Builds the response to store in the cache. */
function buildResponse(
  answer: Answer,
  search: string,
  { began, made, until }: { began: Instant; made: Instant; until: Instant },
  request: FastifyRequest,
  reply: FastifyReply,
): CachedResponse {
  const body = bytesOf(answer.body, search)
  // These are of a single request.
  const { 'x-request-id': _, ratelimit: __, 'ratelimit-policy': ___, ...set } = addVary(request, reply).getHeaders()
  const isText = typeof answer.body === 'string'
  const headers = {
    ...(set as Headers),
    'content-type': isText ? 'text/plain; charset=utf-8' : 'application/json; charset=utf-8',
    'cache-control': cacheControl(request.user, until - made),
    // The time before the data was read, so never too late.
    'last-modified': new Date(began * 1000).toUTCString(),
    ...answer.headers,
  }
  return {
    body,
    tag: tagOf(answer.mark ?? body, answer.revision),
    lines: serializeHeaders(headers),
    until,
    route: routeLabel(request.routeOptions.url),
    variants: {},
  }
}

function cacheControl(user: User | null, seconds: number): string {
  if (user !== null) return PRIVATE
  return `public, max-age=${Math.max(0, Math.min(MAX_AGE, seconds))}, stale-while-revalidate=${STALE_WHILE_REVALIDATE}`
}

const PRIVATE = 'private, no-store'

/** Sends an answer without caching it. */
function sendUncached(answer: Answer, search: string, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { status = 200, headers = {}, body } = answer
  if (!(body instanceof Readable) && status !== 304) return sendWritten(write(answer, search), request, reply)
  addVary(request, reply).code(status).header('cache-control', PRIVATE).headers(headers)
  if (status === 304) return sendNotModified(reply)
  if (body instanceof Readable) {
    const encoding = request.method === 'HEAD' ? null : encodingFor(request.headers['accept-encoding'])
    if (encoding === null) return reply.send(body)
    return reply.header('content-encoding', encoding).send(compressStream(body, encoding))
  }
  throw new Error('an answer has no body')
}

/** The answer as it is sent. */
function write(answer: Answer, search: string): StoredAnswer {
  const { status = 200, headers = {}, body } = answer
  if (body instanceof Readable) throw new Error('a stream cannot be kept')
  const bytes = bytesOf(body, search)
  const isTagged = Object.keys(headers).some((name) => name.toLowerCase() === 'etag')
  return {
    status,
    headers: {
      ...(typeof body !== 'string' && { 'content-type': JSON_TYPE }),
      ...(status < 300 && !isTagged && { etag: `"${tagOf(answer.mark ?? bytes, answer.revision)}"` }),
      ...headers,
    },
    body: bytes,
  }
}

const JSON_TYPE = 'application/json; charset=utf-8'

function sendWritten(
  { status, headers, body }: StoredAnswer,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  return addVary(request, reply).code(status).header('cache-control', PRIVATE).headers(headers).send(body)
}

/** Headers of a single request, which no cached response has. */
const OWN_HEADERS = new Set(['x-request-id', 'ratelimit', 'ratelimit-policy'])

/** Sends 304, with only the headers that RFC 9110 section 15.4.5 asks for. */
function sendNotModified(reply: FastifyReply): FastifyReply {
  for (const name of Object.keys(reply.getHeaders()))
    if (!OWN_HEADERS.has(name) && !NOT_MODIFIED_HEADERS.has(name)) reply.removeHeader(name)
  return reply.code(304).send()
}

function bytesOf(body: Exclude<Answer['body'], Readable>, search: string): Buffer {
  if (Buffer.isBuffer(body)) return body
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(select(body, search)))
}

/** The answer to an error of a request, as it is sent. */
function writeError(error: AppError, request: FastifyRequest): StoredAnswer {
  const content = errorContent(error, request, request.language.name)
  const body = select(content.body, splitUrl(request.url)[1])
  const headers = { ...content.headers, ...error.details.headers }
  return { status: error.status, headers, body: Buffer.from(JSON.stringify(body)) }
}

/** An error in the form that `Accept` asks for. */
function errorContent(
  error: AppError,
  { headers, id }: FastifyRequest,
  language: string,
): { headers: Record<string, string>; body: object } {
  return asksForProblem(headers.accept)
    ? { headers: { 'content-type': PROBLEM_TYPE }, body: problemBody(error, language, id) }
    : { headers: { 'content-type': JSON_TYPE }, body: errorBody(error, language, id) }
}

/** Sends an error, as a page if `page` is given. Logs errors of ours (5xx). */
export async function sendError(
  error: Error,
  request: FastifyRequest,
  reply: FastifyReply,
  page?: (appError: AppError) => Answer,
): Promise<FastifyReply> {
  const appError = asAppError(error)
  if (appError.status >= 500) request.log.error({ err: error }, 'request failed')
  if (appError.status === 401) reply.header('www-authenticate', 'Basic realm="Kalends", charset="UTF-8"')
  // Some errors occur before the hook that chooses the language.
  const language = request.language?.name ?? chooseLanguage(request.headers['accept-language'])
  const [, search] = splitUrl(request.url)
  const content: Pick<Answer, 'headers' | 'body'> = page?.(appError) ?? errorContent(appError, request, language)
  return addVary(request, reply)
    .code(appError.status)
    .header('cache-control', 'no-store')
    .headers({ ...appError.details.headers, ...content.headers })
    .send(typeof content.body === 'string' ? content.body : JSON.stringify(select(content.body, search)))
}

/** Adds `Vary`. */
function addVary(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const known = reply.getHeader('vary')
  const language = request.language?.byAddress ? undefined : 'Accept-Language'
  const cookie = request.routeOptions.config.session ? 'Cookie' : undefined
  const names = [known, language, 'Authorization', cookie, 'Accept-Encoding']
  return reply.header('vary', names.filter(Boolean).join(', '))
}

// Not imported: importing node:http makes Node load all of fetch, which takes longer than loading all of our modules.
const { STATUS_CODES } = process.getBuiltinModule('node:http')

const PARSER_ERRORS: Record<string, ErrorCode> = {
  HPE_HEADER_OVERFLOW: 'rest_headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'rest_request_timeout',
}

/** Answers a request that Node could not parse, in the format of every other error. */
export function sendClientError(error: Error & { code?: string }, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy()
    return
  }
  const appError = new AppError(PARSER_ERRORS[error.code ?? ''] ?? 'rest_bad_request')
  const body = JSON.stringify(errorBody(appError, DEFAULT_LANGUAGE, ''))
  const head = [
    `HTTP/1.1 ${appError.status} ${STATUS_CODES[appError.status]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}

/** Splits a URL into path and query string, without the question mark. */
export function splitUrl(url: string): [path: string, search: string] {
  const mark = url.indexOf('?')
  return mark === -1 ? [url, ''] : [url.slice(0, mark), url.slice(mark + 1)]
}

/** Applies `_fields`, if given. */
function select(body: object, search: string): unknown {
  const fields = search.includes('_fields') ? fieldsIn(new URLSearchParams(search)) : null
  return fields === null ? body : sparse(body, fields)
}
