import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'

declare module 'fastify' {
  interface FastifyInstance {
    stopping: Stopping
  }
}

/** How often idle connections are looked for, in milliseconds. */
const SWEEP = 20
/** How long a connection may be idle after the announcement, or take to send its first byte, in milliseconds. */
const PATIENCE = 500

/**
 * How a server stops without resetting a request. First it announces it: every answer ends its connection, and `/readyz`
 * says so. Then the port is closed elsewhere. At last running requests are finished, and idle connections are closed.
 */
export class Stopping {
  readonly #server: Server
  readonly #open = new Set<Socket>()
  /** When it was announced, in milliseconds. */
  #since: number | null = null

  constructor(server: Server) {
    this.#server = server
  }

  /** Begins to watch connections, also those that others have taken the event of. */
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

  /** Finishes what runs; settled when the last connection has ended. There must be no new ones. */
  async finish(): Promise<void> {
    this.announce()
    const [announced, begun] = [this.#since ?? 0, performance.now()]
    while (this.#open.size > 0) {
      // After what has arrived was read: those who sent it are not idle.
      await nextTurn()
      // Every connection that was used since the announcement has ended, so that nobody is about to use the others.
      if (performance.now() - announced >= PATIENCE) this.#server.closeIdleConnections()
      if (performance.now() - begun >= PATIENCE) this.#endSilent()
      await sleep(SWEEP)
    }
  }

  #endSilent(): void {
    for (const socket of this.#open) if (socket.bytesRead === 0) socket.destroy()
  }
}

export function addStopping(app: FastifyInstance): void {
  const stopping = new Stopping(app.server)
  app.decorate('stopping', stopping)
  app.addHook('preClose', async () => stopping.announce())
}
