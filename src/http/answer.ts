import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Instant } from '../calendar/zone.ts'
import type { Scope, User } from '../domain/scope.ts'
import type { Clock } from '../lib/clock.ts'
import { AppError, type ErrorCode } from '../lib/errors.ts'
import { once } from '../lib/lazy.ts'
import { chooseLanguage, DEFAULT_LANGUAGE } from '../lib/texts.ts'
import type { Addresses } from './addresses.ts'
import { readBody, readFile, readForm } from './body.ts'
import type { Cache } from './cache/cache.ts'
import type { CachedResponse, Headers } from './cache/cached-response.ts'
import { headersIn, linesOf } from './cache/head.ts'
import { normalPath, normalSearch } from './cache/normal-address.ts'
import { ObservedClock } from './cache/validity.ts'
import { compressed, encodingFor, NOT_MODIFIED_HEADERS, replyTo, tagOf } from './conditional.ts'
import type { Answer, Call, Endpoint } from './endpoint.ts'
import { asAppError, errorBody } from './errors.ts'
import { fieldsIn, sparse } from './sparse.ts'

/** How long others may keep what everybody gets, in seconds; and how long show it while they ask for it anew. */
const FRESH = 10
const STALE = 60

/** What a request is answered with. */
export interface Answering {
  readonly scope: Omit<Scope, 'user'>
  readonly cache: Cache
  readonly addresses: Addresses
  /** The names of the query parameters that the endpoint knows. */
  readonly known: ReadonlySet<string>
}

/** Calls an endpoint and sends its answer; a read is answered from the cache while that is valid. */
export async function sendAnswer(
  endpoint: Pick<Endpoint, 'handle'>,
  answering: Answering,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const [path, sent] = splitUrl(request.url)
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    return sendOnce(await endpoint.handle(callOf(answering, request, sent)), sent, request, reply)
  }
  const { cache, scope, known } = answering
  const search = normalSearch(sent, known)
  // Whether a password opens something depends on more than the address.
  if (search.includes('password=')) {
    return sendOnce(await endpoint.handle(callOf(answering, request, search)), search, request, reply)
  }
  const key = keyFor(request, path, search)
  const version = await scope.db.version()
  let uncached: Answer | null = null
  let isMaker = false
  const make = async () => {
    isMaker = true
    await cache.queue.take()
    const began = scope.clock()
    const observed = new ObservedClock(scope)
    const answer = await endpoint.handle(callOf(answering, request, search, { version, clock: observed.clock }))
    uncached = answer
    const isForOthers = (answer.status ?? 200) === 200 && !answer.secret && !(answer.body instanceof Readable)
    const until = Math.min(answer.until ?? observed.until, observed.until)
    return isForOthers ? responseOf(answer, search, { began, made: scope.clock(), until }, request, reply) : null
  }
  const refused = (error: unknown) => {
    // Limits are each sender's own: a request that waited for another's answer is tried by itself.
    if (isMaker || !(error instanceof AppError && error.code === 'rest_too_many_requests')) throw error
    return null
  }
  const { responses, aliases } = cache
  const cached = responses.get(key, version) ?? (await responses.make(key, version, make).catch(refused))
  if (cached === null) {
    const answer: Answer = uncached ?? (await endpoint.handle(callOf(answering, request, search)))
    return sendOnce(answer, search, request, reply)
  }
  aliases.put(keyOf(request.user, request.language.name, request.originalUrl), key)
  const { status, head, body } = await replyTo(cached, request.headers)
  for (const [name, value] of headersIn(head)) reply.header(name, value)
  if (status === 304) return sendNotModified(reply)
  return reply.code(status).send(body ?? undefined)
}

/** The key of a response. Users share no responses. */
export function keyOf(user: User | null, language: string, url: string): string {
  return `${user === null ? '' : user.id} ${language} ${url}`
}

/** The key of the address in its normal form. */
function keyFor(request: FastifyRequest, path: string, search: string): string {
  const { language, user, routeOptions, params } = request
  const prefix = language.byAddress ? `/${language.name}` : ''
  const normal = normalPath(path, routeOptions.url ?? '', params as Record<string, string>)
  return keyOf(user, language.name, `${prefix}${normal}${search === '' ? '' : `?${search}`}`)
}

/** A request as an endpoint sees it; a read that may be cached has its version of the data and an observed clock. */
function callOf(
  { scope, addresses }: Answering,
  request: FastifyRequest,
  search: string,
  reading: { version: string; clock: Clock } | null = null,
): Call {
  const { id, slug = '', '*': rest = '' } = request.params as { id?: string; slug?: string; '*'?: string }
  return {
    scope: { ...scope, user: request.user, ...(reading && { clock: reading.clock }) },
    addresses,
    language: request.language.name,
    method: request.method,
    header: (name) => request.headers[name],
    id: Number(id),
    slug,
    rest,
    query: () => readForm(search),
    body: once(() => readBody(request.body, request.headers['content-type'], request.routeOptions.bodyLimit)),
    file: () => readFile(request.body, request.headers['content-type']),
    search: new URLSearchParams(search),
    sent: splitUrl(request.url)[1],
    version: reading?.version ?? null,
  }
}

/** The response to every reader whom an answer is for. */
function responseOf(
  answer: Answer,
  search: string,
  { began, made, until }: { began: Instant; made: Instant; until: Instant },
  request: FastifyRequest,
  reply: FastifyReply,
): CachedResponse {
  const body = bytesOf(answer.body, search)
  const { 'x-request-id': _, ...set } = varied(request, reply).getHeaders()
  const isText = typeof answer.body === 'string'
  const headers = {
    ...(set as Headers),
    'content-type': isText ? 'text/plain; charset=utf-8' : 'application/json; charset=utf-8',
    'cache-control': cacheControl(request.user, until - made),
    // Not later than the data was read.
    'last-modified': new Date(began * 1000).toUTCString(),
    ...answer.headers,
  }
  return {
    body,
    tag: tagOf(answer.mark ?? body, answer.revision),
    lines: linesOf(headers),
    until,
    variants: {},
  }
}

function cacheControl(user: User | null, seconds: number): string {
  if (user !== null) return PRIVATE
  return `public, max-age=${Math.max(0, Math.min(FRESH, seconds))}, stale-while-revalidate=${STALE}`
}

const PRIVATE = 'private, no-store'

/** Sends an answer that is not cached. */
function sendOnce(answer: Answer, search: string, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { status = 200, headers = {}, body } = answer
  varied(request, reply).code(status).header('cache-control', PRIVATE).headers(headers)
  if (status === 304) return sendNotModified(reply)
  if (body instanceof Readable) {
    const encoding = request.method === 'HEAD' ? null : encodingFor(request.headers['accept-encoding'])
    if (encoding === null) return reply.send(body)
    return reply.header('content-encoding', encoding).send(compressed(body, encoding))
  }
  const bytes = bytesOf(body, search)
  if (typeof body !== 'string') reply.type('application/json; charset=utf-8')
  if (status < 300 && !reply.hasHeader('etag'))
    reply.header('etag', `"${tagOf(answer.mark ?? bytes, answer.revision)}"`)
  return reply.send(bytes)
}

/** Sends 304 with only the headers that a client needs to go on using its copy. */
function sendNotModified(reply: FastifyReply): FastifyReply {
  for (const name of Object.keys(reply.getHeaders()))
    if (name !== 'x-request-id' && !NOT_MODIFIED_HEADERS.has(name)) reply.removeHeader(name)
  return reply.code(304).send()
}

function bytesOf(body: Exclude<Answer['body'], Readable>, search: string): Buffer {
  if (Buffer.isBuffer(body)) return body
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(select(body, search)))
}

/** Sends the answer to a failed request, as a page where one is made, and logs what is a fault of ours. */
export async function sendError(
  error: Error,
  request: FastifyRequest,
  reply: FastifyReply,
  page?: (told: AppError) => Answer,
): Promise<FastifyReply> {
  const told = asAppError(error)
  if (told.status >= 500) request.log.error({ err: error }, 'request failed')
  if (told.status === 401) reply.header('www-authenticate', 'Basic realm="Kalends", charset="UTF-8"')
  // Some errors come before the hook that chooses the language.
  const language = request.language?.name ?? chooseLanguage(request.headers['accept-language'])
  const [, search] = splitUrl(request.url)
  const shown = page?.(told) ?? { body: errorBody(told, language, request.id) }
  return varied(request, reply)
    .code(told.status)
    .header('cache-control', 'no-store')
    .headers({ ...told.details.headers, ...shown.headers })
    .send(typeof shown.body === 'string' ? shown.body : select(shown.body, search))
}

/** Tells caches what an answer depends on. */
function varied(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const known = reply.getHeader('vary')
  const language = request.language?.byAddress ? undefined : 'Accept-Language'
  return reply.header('vary', [known, language, 'Authorization', 'Accept-Encoding'].filter(Boolean).join(', '))
}

// Not imported: a module that imports node:http makes Node load its whole fetch, which takes longer than all of ours.
const { STATUS_CODES } = process.getBuiltinModule('node:http')

const OF_PARSER: Record<string, ErrorCode> = {
  HPE_HEADER_OVERFLOW: 'rest_headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'rest_request_timeout',
}

/** Answers what is not even a request, in the shape of every other error. */
export function sendClientError(error: Error & { code?: string }, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy()
    return
  }
  const told = new AppError(OF_PARSER[error.code ?? ''] ?? 'rest_bad_request')
  const body = JSON.stringify(errorBody(told, DEFAULT_LANGUAGE, ''))
  const head = [
    `HTTP/1.1 ${told.status} ${STATUS_CODES[told.status]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}

/** A request's path, and its query string without the question mark. */
export function splitUrl(url: string): [path: string, search: string] {
  const mark = url.indexOf('?')
  return mark === -1 ? [url, ''] : [url.slice(0, mark), url.slice(mark + 1)]
}

/** The parts of a response that `_fields` asks for, if it asks for any. */
function select(body: object, search: string): unknown {
  const fields = search.includes('_fields') ? fieldsIn(new URLSearchParams(search)) : null
  return fields === null ? body : sparse(body, fields)
}
