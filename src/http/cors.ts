import cors from '@fastify/cors'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { AppError } from '../lib/errors.ts'

const READING = ['GET', 'HEAD', 'OPTIONS']

/** Pages of any origin may read; only configured origins may write, and the site's own. */
export async function allowOrigins(app: FastifyInstance, writeOrigins: readonly string[], home: string): Promise<void> {
  const writers = new Set([...writeOrigins, new URL(home).origin])
  await app.register(cors, {
    hook: 'onRequest',
    delegator: (request, done) => {
      const { origin = '', 'access-control-request-method': asked } = request.headers
      const reading = READING.includes(asked ?? request.method ?? 'GET')
      done(null, {
        origin: reading ? '*' : writers.has(origin) ? origin : false,
        methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
        allowedHeaders: ['Authorization', 'Content-Type', 'If-Match', 'If-None-Match', 'X-HTTP-Method-Override'],
        exposedHeaders: ['ETag', 'Link', 'Location', 'Retry-After', 'X-Request-Id', 'X-TEC-Total', 'X-TEC-TotalPages'],
        maxAge: 86_400,
        // An OPTIONS without a preflight's headers is an ordinary request.
        strictPreflight: false,
      })
    },
  })
  // A browser sends remembered Basic credentials along with a foreign page's form, without asking first.
  app.addHook('onRequest', async (request: FastifyRequest) => {
    const { origin, host } = request.headers
    if (origin === undefined || READING.includes(request.method) || writers.has(origin)) return
    if (URL.canParse(origin) && new URL(origin).host === host) return
    throw new AppError('rest_origin_forbidden', { fill: { origin } })
  })
}
