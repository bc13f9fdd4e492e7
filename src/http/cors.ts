import type { FastifyInstance } from 'fastify'
import { AppError } from '../lib/errors.ts'

const READ_METHODS = ['GET', 'HEAD', 'OPTIONS']

const EXPOSED =
  'ETag, Idempotent-Replayed, Link, Location, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id, X-TEC-Total, X-TEC-TotalPages, X-WP-Total, X-WP-TotalPages'

/** Headers of every read: pages of any origin may read. */
export const READ_HEADERS = {
  vary: 'Origin',
  'access-control-allow-origin': '*',
  'access-control-expose-headers': EXPOSED,
}

/** Further headers of a preflight response. `max-age` is one day, in seconds. */
const PREFLIGHT = {
  'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
  'access-control-allow-headers':
    'Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, X-HTTP-Method-Override',
  'access-control-max-age': '86400',
  'content-length': '0',
}

/** Pages of any origin may read. Only the site's own and the configured origins may write. */
export function allowOrigins(app: FastifyInstance, writeOrigins: readonly string[], home: string): void {
  const writers = new Set([...writeOrigins, new URL(home).origin])
  app.addHook('onRequest', async ({ method, headers }, reply) => {
    const { origin = '', 'access-control-request-method': next = method } = headers
    // A preflight asks about another method. The response to a read is cached, so it depends on no header.
    const effectiveMethod = method === 'OPTIONS' ? next : method
    const isRead = READ_METHODS.includes(effectiveMethod)
    if (!isRead && !writers.has(origin)) {
      reply.header('vary', READ_HEADERS.vary)
      return
    }
    reply.headers(isRead ? READ_HEADERS : { ...READ_HEADERS, 'access-control-allow-origin': origin })
    // Before authentication: a preflight has no credentials.
    if (method === 'OPTIONS') return reply.code(204).headers(PREFLIGHT).send()
  })
  // CSRF: browsers send stored Basic credentials with a form of a foreign page, without a preflight.
  app.addHook('onRequest', async ({ method, headers: { origin, host } }) => {
    if (origin === undefined || READ_METHODS.includes(method) || writers.has(origin)) return
    if (URL.canParse(origin) && new URL(origin).host === host) return
    throw new AppError('rest_origin_forbidden', { fill: { origin } })
  })
}
