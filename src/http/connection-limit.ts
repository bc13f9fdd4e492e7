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

/** How long a refused connection may take to read why, in milliseconds, and how many may do so. */
const READING = 1000
const MOST_REFUSED = 200
/** How often refusals are logged, in milliseconds. */
const LOGGED = 60_000

interface LimitOptions {
  /** The most connections that this process may have open. */
  readonly roomForConnections: number
  readonly trustProxy: readonly string[]
  readonly rateLimitLoopback: boolean
}

/** Refuses connections of which there are too many, before anything is read from them; those that are open go on. */
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
  // Refused connections need descriptors too.
  const mostRefused = Math.min(MOST_REFUSED, Math.floor(options.roomForConnections / 4))
  const most = options.roomForConnections - mostRefused
  const refuse = refuser(log, mostRefused)
  let open = 0
  const settle = (socket: Socket, address: string | null, isOpen: boolean) => {
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
    if (typeof isOpen === 'boolean') return settle(socket, address, isOpen)
    // Until somebody else listens.
    socket.on('error', ignore)
    isOpen.then((told) => {
      socket.off('error', ignore)
      settle(socket, address, told)
    })
  })
}

function ignore(): void {}

/** Tells why, and reads what is still sent: else the sender might see a broken connection in place of the answer. */
function refuser(log: Parameters<typeof limitConnections>[3], mostRefused: number): (socket: Socket) => void {
  let open = 0
  let since = 0
  let logged = Number.NEGATIVE_INFINITY
  return (socket) => {
    since++
    if (performance.now() - logged > LOGGED) {
      log.warn({ refused: since, ip: socket.remoteAddress }, 'too many connections: some are refused')
      logged = performance.now()
      since = 0
    }
    socket.on('error', ignore)
    if (open >= mostRefused) return socket.destroy()
    open++
    const timer = setTimeout(() => socket.destroy(), READING)
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
