import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Scope } from '../domain/scope.ts'
import { AppError, type ErrorCode } from '../lib/errors.ts'
import { chooseLanguage, DEFAULT_LANGUAGE } from '../lib/texts.ts'
import { readBody, readFile, readForm } from './body.ts'
import type { Addresses, Answer, Call, Endpoint } from './endpoint.ts'
import { asAppError, errorBody } from './errors.ts'
import { sparse } from './sparse.ts'

/** Calls an endpoint and sends what it answers. */
export async function sendAnswer(
  endpoint: Pick<Endpoint, 'handle'>,
  scope: Omit<Scope, 'user'>,
  addresses: Addresses,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { id, slug = '', '*': rest = '' } = request.params as { id?: string; slug?: string; '*'?: string }
  const [, search] = splitUrl(request.url)
  const call: Call = {
    scope: { ...scope, user: request.user },
    addresses,
    language: request.language.name,
    id: Number(id),
    slug,
    rest,
    query: () => readForm(search),
    body: () => readBody(request.body, request.headers['content-type']),
    file: () => readFile(request.body, request.headers['content-type']),
    search: new URLSearchParams(search),
  }
  const { status = 200, headers = {}, body } = await endpoint.handle(call)
  return varied(request, reply)
    .code(status)
    .headers(headers)
    .send(typeof body === 'string' || body instanceof Readable ? body : select(body, search))
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
    .headers({ ...told.details.headers, ...shown.headers })
    .send(typeof shown.body === 'string' ? shown.body : select(shown.body, search))
}

/** Tells caches what an answer depends on. */
function varied(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const known = reply.getHeader('vary')
  const names = [known, request.language?.byAddress ? undefined : 'Accept-Language', 'Authorization'].filter(Boolean)
  return reply.header('vary', names.join(', '))
}

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
  const fields = search.includes('_fields') ? new URLSearchParams(search).get('_fields') : null
  return fields === null ? body : sparse(body, fields)
}
