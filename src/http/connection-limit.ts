import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import proxyAddr from '@fastify/proxy-addr'
import type { ConnectionCounter } from '../lib/connection-counts.ts'
import { AppError } from '../lib/errors.ts'
import { once } from '../lib/lazy.ts'
import { isLoopback } from '../lib/loopback.ts'
import { DEFAULT_LANGUAGE } from '../lib/texts.ts'
import { errorBody } from './errors.ts'
import { networkOf } from './rate-limit.ts'

/** How long a refused client may take to read the 503, in milliseconds, and how many may do so at once. */
const REFUSAL_TIMEOUT = 1000
const MAX_REFUSED = 200
/** Minimum interval between log entries about refusals, in milliseconds. */
const LOG_INTERVAL = 60_000

interface LimitOptions {
  /** Limit on open connections of this process. */
  readonly roomForConnections: number
  readonly trustProxy: readonly string[]
  readonly rateLimitLoopback: boolean
}

/** Refuses connections over the limits before reading from them. Open connections are not affected. */
export function limitConnections(
  server: Server,
  counter: ConnectionCounter,
  options: LimitOptions,
  log: { warn(details: object, message: string): void },
): void {
  const listeners = server.listeners('connection') as ((socket: Socket) => void)[]
  server.removeAllListeners('connection')
  const trusted = options.trustProxy.length > 0 ? proxyAddr.compile([...options.trustProxy]) : () => false
  const addressOf = (socket: Socket) => {
    const address = socket.remoteAddress ?? ''
    const isExempt = trusted(address, 0) || (!options.rateLimitLoopback && isLoopback(address))
    return isExempt ? null : networkOf(address)
  }
  // Refused connections use file descriptors, too.
  const mostRefused = Math.min(MAX_REFUSED, Math.floor(options.roomForConnections / 4))
  const most = options.roomForConnections - mostRefused
  const refuse = createRefuser(log, mostRefused)
  let open = 0
  const admitOrRefuse = (socket: Socket, address: string | null, isOpen: boolean) => {
    if (!isOpen) refuse(socket)
    else if (socket.destroyed) counter.close(address)
    else {
      socket.once('close', () => counter.close(address))
      for (const listener of listeners) listener.call(server, socket)
    }
  }
  server.on('connection', (socket) => {
    if (open >= most) return refuse(socket)
    open++
    socket.once('close', () => open--)
    const address = addressOf(socket)
    const isOpen = counter.open(address)
    if (typeof isOpen === 'boolean') return admitOrRefuse(socket, address, isOpen)
    // The server's own listener is not attached yet.
    socket.on('error', ignore)
    isOpen.then((admitted) => {
      socket.off('error', ignore)
      admitOrRefuse(socket, address, admitted)
    })
  })
}

function ignore(): void {}

/** Sends 503 and reads the rest of the request: otherwise the client might see a reset instead of the response. */
function createRefuser(log: Parameters<typeof limitConnections>[3], mostRefused: number): (socket: Socket) => void {
  let open = 0
  let refusedSinceLog = 0
  let lastLogged = Number.NEGATIVE_INFINITY
  return (socket) => {
    refusedSinceLog++
    if (performance.now() - lastLogged > LOG_INTERVAL) {
      log.warn({ refused: refusedSinceLog, ip: socket.remoteAddress }, 'too many connections: some are refused')
      lastLogged = performance.now()
      refusedSinceLog = 0
    }
    socket.on('error', ignore)
    if (open >= mostRefused) return socket.destroy()
    open++
    const timer = setTimeout(() => socket.destroy(), REFUSAL_TIMEOUT)
    socket.once('close', () => {
      clearTimeout(timer)
      open--
    })
    socket.end(refusal().text)
    socket.resume()
  }
}

const refusal = once(() => {
  const body = JSON.stringify(errorBody(new AppError('rest_unavailable'), DEFAULT_LANGUAGE, ''))
  const head = [
    'HTTP/1.1 503 Service Unavailable',
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Retry-After: 5',
    'Connection: close',
  ]
  return { text: `${head.join('\r\n')}\r\n\r\n${body}` }
})
