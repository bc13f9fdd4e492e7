import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'

/** A connection that is passed on, in both directions. */
interface Link {
  readonly near: Socket
  readonly far: Socket
}

/** Passes connections on to a server, and breaks them in the ways in which networks do. */
export class FaultyNetwork {
  readonly #target: URL
  readonly #links = new Set<Link>()
  readonly #server: Server
  /** Settled while something is passed on; what comes meanwhile waits. */
  #open: Promise<void> = Promise.resolve()
  #goOn: (() => void) | null = null
  /** How long each piece takes on its way, in milliseconds. */
  delay = 0
  /** Whether new connections are refused. */
  isDown = false

  /** In front of the server that an address, such as that of a database, names. */
  constructor(target: string) {
    this.#target = new URL(target)
    this.#server = createServer((near) => this.#accept(near))
  }

  /** Begins to listen; answers the address that leads through it. */
  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    const through = new URL(this.#target)
    through.host = `127.0.0.1:${(this.#server.address() as AddressInfo).port}`
    return through.href
  }

  /** Ends all connections. */
  cut(): void {
    for (const { near, far } of this.#links) {
      near.resetAndDestroy()
      far.resetAndDestroy()
    }
  }

  /** Passes nothing on, without a word, until it goes on. */
  stall(): void {
    if (this.#goOn !== null) return
    this.#open = new Promise((resolve) => {
      this.#goOn = resolve
    })
  }

  /** Passes on what was held, also of connections that one side has given up. */
  goOn(): void {
    this.#goOn?.()
    this.#goOn = null
  }

  /** Loses all that is on its way, now and later, of the connections that there are; they are not told. */
  lose(): void {
    for (const { near, far } of this.#links) {
      for (const socket of [near, far]) socket.removeAllListeners('data').resume()
    }
  }

  async close(): Promise<void> {
    this.goOn()
    this.cut()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  #accept(near: Socket): void {
    if (this.isDown) {
      near.resetAndDestroy()
      return
    }
    const link = { near, far: connect(Number(this.#target.port), this.#target.hostname) }
    this.#links.add(link)
    this.#join(link, near, link.far)
    this.#join(link, link.far, near)
  }

  /** Passes on what comes, in order. */
  #join(link: Link, from: Socket, to: Socket): void {
    let last = Promise.resolve()
    const pass = (step: () => void) => {
      last = last.then(async () => {
        if (this.delay > 0) await setTimeout(this.delay)
        await this.#open
        step()
      })
    }
    from.on('error', () => {})
    from.on('data', (data) => pass(() => to.write(data)))
    from.on('close', () => {
      this.#links.delete(link)
      pass(() => to.destroySoon())
    })
  }
}
