import { hash, timingSafeEqual } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { METRICS_TYPE } from '../lib/metrics.ts'

/** Where figures are shown on the main port: to whoever has the token. */
export interface MetricsAccess {
  readonly token: string
  readonly read: () => Promise<string>
}

/** Whether a request may read figures. Without a token everybody may. */
export function mayRead(authorization: string | undefined, token: string): boolean {
  if (token === '') return true
  const given = hash('sha256', authorization ?? '', 'buffer')
  return timingSafeEqual(given, hash('sha256', `Bearer ${token}`, 'buffer'))
}

export function addMetrics(app: FastifyInstance, { token, read }: MetricsAccess): void {
  app.get('/metrics', { config: { open: true }, logLevel: 'warn' }, async (request, reply) => {
    reply.header('cache-control', 'no-store')
    if (!mayRead(request.headers.authorization, token))
      return reply.code(401).header('www-authenticate', 'Bearer').send({ status: 'a token is needed' })
    return reply.type(METRICS_TYPE).send(await read())
  })
}
