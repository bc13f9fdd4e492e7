import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

/** The most that is read and thrown away so that its sender sees the answer, in bytes: what a proxy may have taken. */
const MOST_IGNORED = 104_857_600

/** Which answers end their connection. A proxy keeps its connections, and counts one that breaks as a failure. */
export function closeAfterErrors(app: FastifyInstance): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    const length = Number(request.headers['content-length'])
    // Whoever still sends a body would see a broken connection, and no answer.
    const isSending = !request.raw.complete && length > 0 && length <= MOST_IGNORED
    // While the server stops, every one: what a proxy kept open would keep the server too.
    if (app.stopping.isAnnounced && !isSending) reply.header('connection', 'close')
    else if (reply.hasHeader('connection') && length <= MOST_IGNORED) reply.removeHeader('connection')
    done(null, payload)
  })
}

/** How long nothing may happen on a connection, and how often it is looked at, in milliseconds. */
export const IDLE = { after: 120_000, every: 20_000 }

/**
 * Ends connections on which nothing happens: nobody's answer stays in memory because they have stopped to read it. Node
 * does so too, by a timer of each connection that it winds up for every piece which comes or goes, at a tenth of what
 * an answer from memory costs. Here only those have a timer that were seen to rest.
 */
export function closeIdleConnections(server: Server, { after, every } = IDLE): void {
  /** How much had come and gone over each when it was looked at last. */
  const seen = new Map<Socket, number>()
  server.keepAliveTimeout = 0
  server.on('connection', (socket) => {
    seen.set(socket, 0)
    socket.once('close', () => seen.delete(socket))
  })
  const look = () => {
    for (const [socket, before] of seen) {
      const now = socket.bytesRead + socket.bytesWritten
      if (now !== before) socket.setTimeout(0)
      else if (!socket.timeout) socket.setTimeout(after - every)
      seen.set(socket, now)
    }
  }
  const timer = setInterval(look, every).unref()
  server.once('close', () => clearInterval(timer))
}
