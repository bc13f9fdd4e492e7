import { once } from 'node:events'
import type { Server } from 'node:http'
import { METRICS_TYPE, mayRead } from '../app.ts'
import type { Config } from '../config.ts'

/** How long a reader may take to ask, in milliseconds. */
const TIMEOUT = 5000

/** Opens the port for figures, if one is configured. */
export async function openMetricsPort(
  { host, metricsPort, metricsToken }: Config,
  read: () => Promise<string>,
  log: { info(message: string): void; warn(details: object, message: string): void },
): Promise<Server | null> {
  if (metricsPort === null) return null
  const { createServer } = await import('node:http')
  const server = createServer({ requestTimeout: TIMEOUT, headersTimeout: TIMEOUT }, (request, response) => {
    const [path] = (request.url ?? '').split('?')
    const refuse = (status: number, headers: Record<string, string> = {}) => response.writeHead(status, headers).end()
    if (path !== '/metrics') return refuse(404)
    if (request.method !== 'GET' && request.method !== 'HEAD') return refuse(405, { allow: 'GET, HEAD' })
    if (!mayRead(request.headers.authorization, metricsToken)) return refuse(401, { 'www-authenticate': 'Bearer' })
    read().then(
      (text) => response.writeHead(200, { 'content-type': METRICS_TYPE, 'cache-control': 'no-store' }).end(text),
      (error) => {
        log.warn({ err: error }, 'metrics cannot be read')
        refuse(503)
      },
    )
  })
  server.listen(metricsPort, host)
  await once(server, 'listening')
  // Ends with the process.
  server.unref()
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : metricsPort
  log.info(`Metrics at http://${host.includes(':') ? `[${host}]` : host}:${port}/metrics`)
  return server
}
