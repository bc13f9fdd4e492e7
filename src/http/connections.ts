import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

/**
 * Limit on the part of a body that is read and discarded so that the client sees the response, in bytes. A proxy may
 * have buffered that much.
 */
const MAX_DISCARDED = 104_857_600

/** Decides which responses close their connection. A proxy pools connections, and counts a reset as a failure. */
export function closeAfterErrors(app: FastifyInstance): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    const length = Number(request.headers['content-length'])
    // A client that is still sending would see a reset, and no response.
    const isSending = !request.raw.complete && length > 0 && length <= MAX_DISCARDED
    // A stopping server closes every connection: pooled ones would keep it alive.
    if (app.stopping.isAnnounced && !isSending) reply.header('connection', 'close')
    else if (reply.hasHeader('connection') && length <= MAX_DISCARDED) reply.removeHeader('connection')
    done(null, payload)
  })
}

/** Timeout of idle connections, and how often they are checked, in milliseconds. */
export const IDLE = { after: 120_000, every: 20_000 }

/**
 * Closes idle connections, so that a client that stops reading does not keep its response in memory. Node can do so,
 * too, but it resets a timer for every chunk, at a tenth of the cost of a cached response. Here only connections that
 * were seen idle have a timer.
 */
export function closeIdleConnections(server: Server, { after, every } = IDLE): void {
  /** Bytes transferred by each connection at the last check. */
  const seen = new Map<Socket, number>()
  server.keepAliveTimeout = 0
  server.on('connection', (socket) => {
    seen.set(socket, 0)
    socket.once('close', () => seen.delete(socket))
  })
  const check = () => {
    for (const [socket, before] of seen) {
      const now = socket.bytesRead + socket.bytesWritten
      if (now !== before) socket.setTimeout(0)
      else if (!socket.timeout) socket.setTimeout(after - every)
      seen.set(socket, now)
    }
  }
  const timer = setInterval(check, every).unref()
  server.once('close', () => clearInterval(timer))
}
