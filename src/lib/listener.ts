import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { networkInterfaces } from 'node:os'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'

/** No connection came for this long, in milliseconds: those who wait for an answer open none. */
const QUIET = 30
/** How long such a moment is waited for, in milliseconds. */
const PATIENCE = 300

/** Where to listen. */
export interface Place {
  readonly host: string
  /** 0 for any that is free. */
  readonly port: number
}

/**
 * Accepts connections, also at both addresses of `localhost`, and passes them on. The system resets connections that wait
 * to be accepted when a port is closed, although their clients may have sent a request. So this closes it in a moment
 * when there is none.
 */
export class Listener {
  readonly #take: (socket: Socket) => void
  readonly #isPaused: boolean
  #servers: Server[] = []
  #accepted = 0
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

  /** Stops to accept, in a moment when no connection waits to be accepted. */
  async close(): Promise<void> {
    this.#isClosed = true
    if (!this.isOpen) return
    const deadline = performance.now() + PATIENCE
    while (performance.now() < deadline && (await this.#isBusy(() => sleep(QUIET))));
    // Node accepts one connection in a turn of its event loop.
    while (performance.now() < 2 * PATIENCE + deadline && (await this.#isBusy(nextTurn)));
    this.closeNow()
  }

  closeNow(): void {
    this.#isClosed = true
    for (const server of this.#servers) server.close()
    this.#servers = []
  }

  /** Whether connections come during a pause. */
  async #isBusy(pause: () => Promise<unknown>): Promise<boolean> {
    const before = this.#accepted
    await pause()
    return this.#accepted !== before
  }

  async #listen(host: string, port: number): Promise<Server> {
    // As Node's HTTP server has them.
    const options = { allowHalfOpen: true, noDelay: true, pauseOnConnect: this.#isPaused }
    const server = createServer(options, (socket) => {
      this.#accepted++
      // Until somebody else listens.
      socket.on('error', () => {})
      this.#take(socket)
    })
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
