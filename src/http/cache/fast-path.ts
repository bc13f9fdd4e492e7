import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import proxyAddr from '@fastify/proxy-addr'
import type { FastifyInstance } from 'fastify'
import type { CurrentSite } from '../../domain/current-site.ts'
import type { Limits } from '../../domain/limits.ts'
import type { Scope } from '../../domain/scope.ts'
import { currentTracer, type Span } from '../../lib/traces.ts'
import type { AccessLog } from '../access-log.ts'
import { type AnonymousRead, handedOver } from '../anonymous-reads.ts'
import { replyTo } from '../conditional.ts'
import { languageChooser, languageIn } from '../language.ts'
import { countAnswer, endSpan, traceAnswer } from '../measure.ts'
import { countHit, isOver, limitLines, type RateLimits } from '../rate-limit.ts'
import { keyOf, type ReadResult } from '../read.ts'
import { hasSession } from '../session-cookie.ts'
import { tracing } from '../tracing.ts'
import type { Cache } from './cache.ts'
import type { CachedResponse, Reply } from './cached-response.ts'
import { parseHeaders, writeRawHead } from './head.ts'

/** A cached response on its way: sender, header lines of the limit, and when the request began. */
interface Sending {
  readonly ip: string
  readonly limit: string
  readonly began: number
  /** Span of a read that was not cached. */
  readonly span?: Span | null
  /** Called when the body is sent. */
  readonly release?: (() => void) | undefined
}

interface FastPathOptions extends RateLimits {
  readonly baseUrl: string
  readonly languages: readonly string[]
  readonly trustProxy: readonly string[]
}

/**
 * Answers anonymous readers before Fastify routes the request: nearly all requests of a calendar are such. Cached
 * responses are sent at once, others of the REST interface and of some pages are made. Everything else is passed to Fastify.
 */
export function installFastPath(
  app: FastifyInstance,
  { db, limits, current }: Pick<Scope, 'db'> & { readonly limits: Limits; readonly current: CurrentSite },
  { responses, aliases }: Cache,
  read: AnonymousRead,
  log: AccessLog,
  options: FastPathOptions,
): void {
  const listeners = app.server.listeners('request') as RequestListener[]
  app.server.removeAllListeners('request')
  const passToFastify: RequestListener = (request, response) => {
    for (const listener of listeners) listener(request, response)
  }
  const trusted = options.trustProxy.length > 0 ? proxyAddr.compile([...options.trustProxy]) : null
  const choose = languageChooser(() => current.last.languages)

  const { idOf, traceOf } = tracing(options.trustProxy)
  const tracer = currentTracer()
  const { stopping } = app
  const send = (request: IncomingMessage, response: ServerResponse, reply: Reply, sending: Sending, route: string) => {
    const { ip, limit, began, span, release } = sending
    const id = idOf(request)
    write(request, response, reply, id, limit, release)
    const { method = '', url = '' } = request
    const ms = performance.now() - began
    const trace = traceOf(request)
    countAnswer(method, route, reply.status, ms)
    if (span) endSpan(span, method, route, reply.status)
    else if (tracer !== null && span === undefined) traceAnswer(method, route, reply.status, ms, trace)
    log({ time: Date.now(), id, trace, method, url, ip, status: reply.status, ms })
  }
  const reply = (request: IncomingMessage, response: ServerResponse, found: CachedResponse, sending: Sending) => {
    const made = replyTo(found, request.headers)
    if (!(made instanceof Promise)) {
      const { release } = found
      return send(request, response, made, release ? { ...sending, release } : sending, found.route)
    }
    made.then(
      (packed) => {
        found.release?.()
        send(request, response, packed, sending, found.route)
      },
      () => passToFastify(request, response),
    )
  }
  const byAlias = (key: string, version: string) => {
    const normal = aliases.get(key)
    return normal === undefined ? undefined : responses.get(normal, version)
  }
  const answer = (request: IncomingMessage, response: ServerResponse, version: string, began: number) => {
    const { headers, url = '', socket } = request
    const language = languageIn(url, options.languages) ?? choose(headers['accept-language'])
    const key = keyOf(null, language, url)
    const cached = responses.get(key, version) ?? byAlias(key, version)
    const ip = trusted === null ? (socket.remoteAddress ?? '') : proxyAddr(request, trusted)
    const sender = { ip, socket, headers }
    const found = cached ?? read(request, sender, version)
    if (found === null) return passToFastify(request, response)
    const hits = countHit(limits, options, sender)
    if (isOver(options, hits)) return passToFastify(request, response)
    const limit = limitLines(options, hits)
    if (typeof found !== 'function') return reply(request, response, found, { ip, limit, began })
    const handOver = (result: () => ReadResult) => {
      handedOver.set(request, { hits, result })
      passToFastify(request, response)
    }
    const span = tracer?.begin('GET', traceOf(request)) ?? null
    const reading = tracer === null || span === null ? found() : tracer.within(span, found)
    reading.then(
      (result) => {
        if ('answer' in result) return handOver(() => result)
        aliases.put(key, result.key)
        reply(request, response, result.response, { ip, limit, began, span })
      },
      (error) =>
        handOver(() => {
          throw error
        }),
    )
  }
  app.server.on('request', (request, response) => {
    const { method, headers } = request
    const isRead = method === 'GET' || method === 'HEAD'
    const isAnonymous = headers.authorization === undefined && !hasSession(headers.cookie, options.baseUrl)
    if (stopping.isAnnounced || !isRead || !isAnonymous) return passToFastify(request, response)
    // Health checks do not touch the database.
    if (HEALTH.test(request.url ?? '')) return passToFastify(request, response)
    const began = performance.now()
    const version = versionOf(db)
    if (typeof version === 'string') answer(request, response, version, began)
    else if (version === null) passToFastify(request, response)
    else
      version.then(
        (current) => answer(request, response, current, began),
        () => passToFastify(request, response),
      )
  })
}

/** Paths of health checks, with or without a language prefix. */
const HEALTH = /^(?:\/[a-z]{2})?\/(?:healthz|readyz)\b/

/** Returns null if the database fails: Fastify reports the error. Thrown here, it would end the process. */
function versionOf(db: Scope['db']): ReturnType<Scope['db']['version']> | null {
  try {
    return db.version()
  } catch {
    return null
  }
}

/** Bodies below this size, in bytes, are sent in one write with their head. */
const SMALL_BODY = 6144

/** Sends a reply, with the request's id and the state of its limit in headers. */
function write(
  request: IncomingMessage,
  response: ServerResponse,
  { status, head, body }: Reply,
  id: string,
  limit: string,
  release?: () => void,
): void {
  if (!writeRawHead(response, status, head + limit, id))
    response.writeHead(status, [...parseHeaders(head + limit).flat(), 'x-request-id', id])
  // A connection that breaks off releases nothing, and the garbage collector does.
  if (body === null || request.method === 'HEAD') response.end(release)
  // Node joins a text body with the head in one write. For a small body this is worth the copy.
  else if (body.length < SMALL_BODY) {
    response.end(body.toString('latin1'), 'latin1')
    release?.()
  } else response.end(body, release)
}
