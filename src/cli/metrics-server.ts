import { METRICS_TYPE, mayRead } from '../app.ts'
import type { Config } from '../config.ts'
import { Listener } from '../lib/listener.ts'

/** How long a reader may take to ask, in milliseconds. */
const TIMEOUT = 5000

/** Opens the port for figures, if one is configured. */
export async function openMetricsPort(
  { host, metricsPort, metricsToken }: Config,
  read: () => Promise<string>,
  log: { info(message: string): void; warn(details: object, message: string): void },
): Promise<void> {
  if (metricsPort === null) return
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
  // From now on Node enforces its timeouts.
  server.emit('listening')
  // Accepts on both addresses of localhost, as the main port does. It ends with the process.
  const listener = new Listener((socket) => void server.emit('connection', socket), { isBackground: true })
  for (const address of await listener.open({ host, port: metricsPort })) log.info(`Metrics at ${address}/metrics`)
}
