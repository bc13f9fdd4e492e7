import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { networkInterfaces } from 'node:os'
import { closePort } from './accept-queue.ts'

/** Where to listen. */
export interface Place {
  readonly host: string
  /** 0 for any that is free. */
  readonly port: number
}

/** Accepts connections, also at both addresses of `localhost`, and passes them on. */
export class Listener {
  readonly #take: (socket: Socket) => void
  readonly #isPaused: boolean
  #servers: Server[] = []
  #isClosed = false

  /** With `isPaused`, nothing is read from connections, so that they can be passed to another process. */
  constructor(take: (socket: Socket) => void, { isPaused = false } = {}) {
    this.#take = take
    this.#isPaused = isPaused
  }

  get isOpen(): boolean {
    return this.#servers.length > 0
  }

  /** Begins to accept; answers the addresses as people write them, none if it was closed meanwhile. */
  async open({ host, port }: Place): Promise<string[]> {
    const first = await this.#listen(host, port)
    this.#servers.push(first)
    if (host === 'localhost') await this.#listenElsewhere(first)
    if (this.#isClosed) this.closeNow()
    return this.#servers.flatMap((server) => urlsOf(server.address() as AddressInfo))
  }

  /** Stops accepting; resets no connection. */
  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.all(this.#servers.map((server) => closePort(server, (socket) => this.#accept(socket))))
    this.#servers = []
  }

  closeNow(): void {
    this.#isClosed = true
    for (const server of this.#servers) server.close()
    this.#servers = []
  }

  #accept(socket: Socket): void {
    // Until somebody else listens.
    socket.on('error', () => {})
    this.#take(socket)
  }

  async #listen(host: string, port: number): Promise<Server> {
    // As Node's HTTP server has them.
    const options = { allowHalfOpen: true, noDelay: true, pauseOnConnect: this.#isPaused }
    const server = createServer(options, (socket) => this.#accept(socket))
    server.listen({ host, port })
    await once(server, 'listening')
    return server
  }

  /** At further addresses of the same name, if they can be had. */
  async #listenElsewhere(first: Server): Promise<void> {
    const { address: used, port } = first.address() as AddressInfo
    for (const { address } of await lookup('localhost', { all: true }).catch(() => [])) {
      if (address === used) continue
      const server = await this.#listen(address, port).catch(() => null)
      if (server !== null) this.#servers.push(server)
    }
  }
}

function urlsOf({ address, port }: AddressInfo): string[] {
  if (address.includes(':')) return [`http://[${address}]:${port}`]
  const all = Object.values(networkInterfaces()).flatMap((one) => one ?? [])
  const own = all.filter(({ family }) => family === 'IPv4').map((one) => one.address)
  return (address === '0.0.0.0' ? own : [address]).map((one) => `http://${one}:${port}`)
}
