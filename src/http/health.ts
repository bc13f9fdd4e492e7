import type { FastifyInstance } from 'fastify'
import { withTimeout } from '../lib/with-timeout.ts'

/** State of the service. */
export interface Health {
  isReady(): Promise<boolean>
  /** The last known problem of the database, in a word. */
  trouble(): string | null
  /** Whether migrations are running. */
  isMigrating(): boolean
}

/** Timeout of the readiness check, in milliseconds. */
const READY_TIMEOUT = 1500

const ALIVE = '/healthz'
const READY = '/readyz'
export const HEALTH_PATHS = [ALIVE, READY]

export function addHealth(app: FastifyInstance, service: Health): void {
  const isReady = withTimeout(() => service.isReady(), READY_TIMEOUT, false)
  app.get(ALIVE, { config: { open: true }, logLevel: 'warn' }, async () => ({ status: 'alive' }))
  app.get(READY, { config: { open: true }, logLevel: 'warn' }, async (_, reply) => {
    if (app.stopping.isAnnounced) return reply.code(503).header('retry-after', '5').send({ status: 'stopping' })
    const migrating = service.isMigrating()
    const ready = !migrating && (await isReady().catch(() => false))
    return reply
      .code(ready ? 200 : 503)
      .headers(ready ? {} : { 'retry-after': '5' })
      .send({
        status: ready ? 'ready' : migrating ? 'migrating' : 'not ready',
        trouble: service.trouble() ?? undefined,
      })
  })
}
