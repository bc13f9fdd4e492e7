import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'

declare module 'fastify' {
  interface FastifyInstance {
    stopping: Stopping
  }
}

/** How often idle connections are checked, in milliseconds. */
const CHECK_INTERVAL = 20
/** How long after the announcement a connection may be idle, or take to send its first byte, in milliseconds. */
const GRACE_PERIOD = 500

/**
 * Graceful shutdown without resetting a request. First, announce: every response closes its connection, and `/readyz`
 * answers 503. Then others close the port. Last, running requests finish and idle connections are closed.
 */
export class Stopping {
  readonly #server: Server
  readonly #open = new Set<Socket>()
  /** Time of the announcement, in milliseconds. */
  #since: number | null = null

  constructor(server: Server) {
    this.#server = server
  }

  /** Tracks open connections, also those that other listeners handle. */
  watch(): void {
    this.#server.on('connection', (socket) => {
      this.#open.add(socket)
      socket.once('close', () => this.#open.delete(socket))
    })
  }

  get isAnnounced(): boolean {
    return this.#since !== null
  }

  announce(): void {
    this.#since ??= performance.now()
  }

  /** Waits for running requests; resolves when the last connection has closed. The port must be closed. */
  async finish(): Promise<void> {
    this.announce()
    const [announced, begun] = [this.#since ?? 0, performance.now()]
    while (this.#open.size > 0) {
      // Read arrived bytes first: their connections are not idle.
      await nextTurn()
      // Every connection used since the announcement has closed, so no client is about to use the others.
      if (performance.now() - announced >= GRACE_PERIOD) this.#server.closeIdleConnections()
      if (performance.now() - begun >= GRACE_PERIOD) this.#closeSilent()
      await sleep(CHECK_INTERVAL)
    }
  }

  #closeSilent(): void {
    for (const socket of this.#open) if (socket.bytesRead === 0) socket.destroy()
  }
}

export function addStopping(app: FastifyInstance): void {
  const stopping = new Stopping(app.server)
  app.decorate('stopping', stopping)
  app.addHook('preClose', async () => stopping.announce())
}
