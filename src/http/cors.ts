import type { FastifyInstance } from 'fastify'
import { AppError } from '../lib/errors.ts'

const READING = ['GET', 'HEAD', 'OPTIONS']

const EXPOSED = 'ETag, Link, Location, Retry-After, X-Request-Id, X-TEC-Total, X-TEC-TotalPages'

/** What a preflight request is told besides; for a day, in seconds. */
const PREFLIGHT = {
  'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
  'access-control-allow-headers': 'Authorization, Content-Type, If-Match, If-None-Match, X-HTTP-Method-Override',
  'access-control-max-age': '86400',
  'content-length': '0',
}

/** Pages of any origin may read; only configured origins may write, and the site's own. */
export function allowOrigins(app: FastifyInstance, writeOrigins: readonly string[], home: string): void {
  const writers = new Set([...writeOrigins, new URL(home).origin])
  app.addHook('onRequest', async ({ method, headers }, reply) => {
    const { origin = '', 'access-control-request-method': next = method } = headers
    // Only a preflight request speaks of another. The answer to a read is kept for others, so it depends on no header.
    const asked = method === 'OPTIONS' ? next : method
    reply.header('vary', 'Origin')
    const allowed = READING.includes(asked) ? '*' : writers.has(origin) ? origin : null
    if (allowed === null) return
    reply.headers({ 'access-control-allow-origin': allowed, 'access-control-expose-headers': EXPOSED })
    // Before credentials are asked for: a preflight request has none.
    if (method === 'OPTIONS') return reply.code(204).headers(PREFLIGHT).send()
  })
  // A browser sends remembered Basic credentials along with a foreign page's form, without asking first.
  app.addHook('onRequest', async ({ method, headers: { origin, host } }) => {
    if (origin === undefined || READING.includes(method) || writers.has(origin)) return
    if (URL.canParse(origin) && new URL(origin).host === host) return
    throw new AppError('rest_origin_forbidden', { fill: { origin } })
  })
}
