import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { networkInterfaces } from 'node:os'
import { closePort } from './accept-queue.ts'

export interface ListenAddress {
  readonly host: string
  /** 0 for any free port. */
  readonly port: number
}

/** Accepts connections, for `localhost` on both IPv4 and IPv6, and passes them to a callback. */
export class Listener {
  readonly #onConnection: (socket: Socket) => void
  readonly #isPaused: boolean
  readonly #isBackground: boolean
  #servers: Server[] = []
  #isClosed = false

  /**
   * With `isPaused`, sockets are not read from, so that they can be passed to another process. With `isBackground`, it does
   * not keep the process alive.
   */
  constructor(onConnection: (socket: Socket) => void, { isPaused = false, isBackground = false } = {}) {
    this.#onConnection = onConnection
    this.#isPaused = isPaused
    this.#isBackground = isBackground
  }

  get isOpen(): boolean {
    return this.#servers.length > 0
  }

  /** Starts listening. Returns the URLs, or none if it was closed meanwhile. */
  async open({ host, port }: ListenAddress): Promise<string[]> {
    const first = await this.#listen(host, port)
    this.#servers.push(first)
    if (host === 'localhost') await this.#listenOnOtherAddresses(first)
    if (this.#isClosed) this.closeNow()
    return this.#servers.flatMap((server) => urlsOf(server.address() as AddressInfo))
  }

  /** Stops accepting, without resetting a connection. */
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
    // The receiver has not attached its own listener yet.
    socket.on('error', () => {})
    this.#onConnection(socket)
  }

  async #listen(host: string, port: number): Promise<Server> {
    // Same options as Node's HTTP server.
    const options = { allowHalfOpen: true, noDelay: true, pauseOnConnect: this.#isPaused }
    const server = createServer(options, (socket) => this.#accept(socket))
    server.listen({ host, port })
    await once(server, 'listening')
    if (this.#isBackground) server.unref()
    return server
  }

  /** Listens on the other addresses of `localhost`, where possible. */
  async #listenOnOtherAddresses(first: Server): Promise<void> {
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
