import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { acting } from '../domain/acting.ts'
import { doOnce, type StoredAnswer } from '../domain/idempotency.ts'
import { AppError, type ErrorCode } from '../lib/errors.ts'
import { chooseLanguage, DEFAULT_LANGUAGE } from '../lib/texts.ts'
import { handedOver } from './anonymous-reads.ts'
import type { Headers } from './cache/cached-response.ts'
import { parseHeaders } from './cache/head.ts'
import { type AnswerContext, callOf, splitUrl } from './call.ts'
import { compressStream, encodingFor, NOT_MODIFIED_HEADERS, replyTo, tagsOf } from './conditional.ts'
import type { Answer, Call, Endpoint } from './endpoint.ts'
import { asAppError, errorBody } from './errors.ts'
import { fingerprintOf, idempotencyKeyOf, isKept } from './idempotency.ts'
import { asksForProblem, PROBLEM_TYPE, problemBody } from './problem-details.ts'
import { keyOf, PRIVATE, read, varyOf } from './read.ts'
import { sentAs } from './sparse.ts'

/** Calls an endpoint and sends its answer. Reads come from the cache if possible. */
export async function sendAnswer(
  endpoint: Pick<Endpoint, 'handle' | 'isRead'>,
  context: AnswerContext,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  if (request.method !== 'GET' && request.method !== 'HEAD') return sendWrite(endpoint, context, request, reply)
  const handed = handedOver.get(request.raw)
  const result = handed
    ? handed.result()
    : await read(endpoint, context, request, versionFor(request), () => headersOf(request, reply))
  if ('answer' in result) return sendUncached(result.answer, result.search, request, reply)
  context.cache.aliases.put(keyOf(request.user, request.language.name, request.originalUrl), result.key)
  const { status, head, body } = await replyTo(result.response, request.headers)
  for (const [name, value] of parseHeaders(head)) reply.header(name, value)
  if (status === 304) return sendNotModified(reply)
  return reply.code(status).send(body ?? undefined)
}

/** The version that the settings were read at, unless signing in took time since. */
function versionFor({ user, version }: FastifyRequest): string | null {
  return user === null ? version : null
}

/** The headers of a response that all readers get. */
function headersOf(request: FastifyRequest, reply: FastifyReply): Headers {
  // These are of a single request.
  const { 'x-request-id': _, ratelimit: __, 'ratelimit-policy': ___, ...set } = addVary(request, reply).getHeaders()
  return set as Headers
}

/** Calls an endpoint that writes: once for each `Idempotency-Key`. */
async function sendWrite(
  endpoint: Pick<Endpoint, 'handle' | 'isRead'>,
  context: AnswerContext,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const [, sent] = splitUrl(request.url)
  const call = loggedCall(callOf(context, request, sent), context, request)
  const key = context.once === undefined ? null : idempotencyKeyOf(request)
  const { user, db, quotas } = call.scope
  if (key === null || user === null || endpoint.isRead?.(call))
    return sendUncached(await endpoint.handle(call), sent, request, reply)
  const { answer, isReplayed } = await doOnce(db, {
    user: user.id,
    key,
    request: fingerprintOf(request),
    inOneTransaction: context.once === 'in-one-transaction',
    count: (bytes) => quotas.answers.add(db, user.id, bytes),
    run: async (shared) => write(await endpoint.handle({ ...call, scope: { ...call.scope, db: shared } }), sent),
    answerTo(error) {
      const appError = asAppError(error as Error)
      return isKept(appError) ? writeError(appError, request) : null
    },
  })
  if (isReplayed) reply.header('idempotent-replayed', 'true')
  return sendWritten(answer, request, reply)
}

/** A request whose writes are logged as those of its user. */
function loggedCall(call: Call, { way }: AnswerContext, { ip, user }: FastifyRequest): Call {
  return { ...call, scope: acting(call.scope, way, { user, address: ip }) }
}

/** Sends an answer without caching it. */
function sendUncached(answer: Answer, search: string, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { status = 200, headers = {}, body } = answer
  if (!(body instanceof Readable) && status !== 304) return sendWritten(write(answer, search), request, reply)
  addVary(request, reply).code(status).header('cache-control', PRIVATE).headers(headers)
  if (status === 304) return sendNotModified(reply)
  if (body instanceof Readable) {
    const encoding = encodingFor(request.headers['accept-encoding'])
    if (encoding === null) return reply.send(body)
    return reply.header('content-encoding', encoding).send(compressStream(body, encoding))
  }
  throw new Error('an answer has no body')
}

/** The answer as it is sent. */
function write(answer: Answer, search: string): StoredAnswer {
  const { status = 200, headers = {}, body } = answer
  const sent = sentAs(answer, search)
  const bytes = typeof sent === 'string' ? Buffer.from(sent) : sent
  const isTagged = Object.keys(headers).some((name) => name.toLowerCase() === 'etag')
  return {
    status,
    headers: {
      ...(typeof body !== 'string' && { 'content-type': JSON_TYPE }),
      ...(status < 300 && !isTagged && { etag: `"${tagsOf(answer, bytes).tag}"` }),
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

/** The answer to an error of a request, as it is sent. */
function writeError(error: AppError, request: FastifyRequest): StoredAnswer {
  const { headers, body } = errorContent(error, request, request.language.name)
  return { status: error.status, headers: { ...headers, ...error.details.headers }, body: Buffer.from(body) }
}

/** An error in the form that `Accept` asks for. */
function errorContent(
  error: AppError,
  { headers, id }: FastifyRequest,
  language: string,
): { headers: Record<string, string>; body: string } {
  return asksForProblem(headers.accept)
    ? { headers: { 'content-type': PROBLEM_TYPE }, body: JSON.stringify(problemBody(error, language, id)) }
    : { headers: { 'content-type': JSON_TYPE }, body: JSON.stringify(errorBody(error, language, id)) }
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
  const content: Pick<Answer, 'headers' | 'body'> = page?.(appError) ?? errorContent(appError, request, language)
  return addVary(request, reply)
    .code(appError.status)
    .header('cache-control', 'no-store')
    .headers({ ...appError.details.headers, ...content.headers })
    .send(content.body)
}

/** Adds `Vary`. */
function addVary(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  return reply.header('vary', varyOf(request, reply.getHeader('vary') as string | undefined))
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
