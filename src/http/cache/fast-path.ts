import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import proxyAddr from '@fastify/proxy-addr'
import type { FastifyInstance } from 'fastify'
import type { Limits } from '../../domain/limits.ts'
import type { Scope } from '../../domain/scope.ts'
import { accessLog } from '../access-log.ts'
import { keyOf } from '../answer.ts'
import { replyTo } from '../conditional.ts'
import { languageChooser, languageIn } from '../language.ts'
import { isOverLimit, type RateLimits } from '../rate-limit.ts'
import { tracing } from '../tracing.ts'
import type { Cache } from './cache.ts'
import type { Reply } from './cached-response.ts'
import { giveHead, headersIn } from './head.ts'

interface FrontOptions extends RateLimits {
  readonly languages: readonly string[]
  readonly trustProxy: readonly string[]
}

/**
 * Answers cached reads of anonymous readers before Fastify routes them: nearly all requests of a calendar are such.
 * Everything else is passed to Fastify.
 */
export function installFastPath(
  app: FastifyInstance,
  { db, limits }: Pick<Scope, 'db'> & { readonly limits: Limits },
  { responses, aliases }: Cache,
  options: FrontOptions,
): void {
  const listeners = app.server.listeners('request') as RequestListener[]
  app.server.removeAllListeners('request')
  const passToFastify: RequestListener = (request, response) => {
    for (const listener of listeners) listener(request, response)
  }
  const trusted = options.trustProxy.length > 0 ? proxyAddr.compile([...options.trustProxy]) : null
  const choose = languageChooser(options.languages)

  const { idOf, traceOf } = tracing(options.trustProxy)
  const log = accessLog(app)
  const { stopping } = app
  const send = (request: IncomingMessage, response: ServerResponse, reply: Reply, ip: string, began: number) => {
    const id = idOf(request)
    write(request, response, reply, id)
    const { method = '', url = '' } = request
    const ms = performance.now() - began
    log({ time: Date.now(), id, trace: traceOf(request), method, url, ip, status: reply.status, ms })
  }
  const answer = (request: IncomingMessage, response: ServerResponse, version: string, began: number) => {
    const { headers, url = '', socket } = request
    const language = languageIn(url, options.languages) ?? choose(headers['accept-language'])
    const key = keyOf(null, language, url)
    const cached = responses.get(key, version) ?? responses.get(aliases.get(key) ?? '', version)
    if (cached === undefined) return passToFastify(request, response)
    const ip = trusted === null ? (socket.remoteAddress ?? '') : proxyAddr(request, trusted)
    if (isOverLimit(limits, options, { ip, socket, headers })) return passToFastify(request, response)
    const reply = replyTo(cached, headers)
    if (!(reply instanceof Promise)) return send(request, response, reply, ip, began)
    reply.then(
      (made) => send(request, response, made, ip, began),
      () => passToFastify(request, response),
    )
  }
  app.server.on('request', (request, response) => {
    const { method, headers } = request
    if (stopping.isAnnounced || (method !== 'GET' && method !== 'HEAD') || headers.authorization !== undefined)
      return passToFastify(request, response)
    // Health checks are answered without the database.
    if (HEALTH.test(request.url ?? '')) return passToFastify(request, response)
    const began = performance.now()
    const version = versionOf(db)
    if (typeof version === 'string') answer(request, response, version, began)
    else if (version === null) passToFastify(request, response)
    else
      version.then(
        (told) => answer(request, response, told, began),
        () => passToFastify(request, response),
      )
  })
}

/** Addresses of health checks, also behind a language. */
const HEALTH = /^(?:\/[a-z]{2})?\/(?:healthz|readyz)\b/

/** Null if the database cannot tell: Fastify reports the error, which would end the process here. */
function versionOf(db: Scope['db']): ReturnType<Scope['db']['version']> | null {
  try {
    return db.version()
  } catch {
    return null
  }
}

/** How long a body is that is sent in one piece with its head at most, in bytes. */
const SMALL = 6144

/** Sends a reply to the request that has this id. */
function write(request: IncomingMessage, response: ServerResponse, { status, head, body }: Reply, id: string): void {
  if (!giveHead(response, status, head, id)) response.writeHead(status, [...headersIn(head).flat(), 'x-request-id', id])
  if (body === null || request.method === 'HEAD') response.end()
  // As text, a body goes out with its head in one piece, which for a small one is worth copying it.
  else if (body.length < SMALL) response.end(body.toString('latin1'), 'latin1')
  else response.end(body)
}
