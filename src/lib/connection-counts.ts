export interface ConnectionLimits {
  /** Limits on open connections, in total and per address; 0 for no limit. */
  readonly connections: number
  readonly connectionsPerAddress: number
}

/** Counts open connections. Those without an address count in the total only. */
export interface ConnectionCounter {
  /** Counts a connection if the limits allow it; returns whether they do. */
  open(address: string | null): boolean | Promise<boolean>
  /** Releases a counted connection. */
  close(address: string | null): void
}

export class ConnectionCounts implements ConnectionCounter {
  readonly #limits: ConnectionLimits
  readonly #byAddress = new Map<string, number>()
  #total = 0

  constructor(limits: ConnectionLimits) {
    this.#limits = limits
  }

  open(address: string | null): boolean {
    const { connections, connectionsPerAddress } = this.#limits
    const own = address === null ? 0 : (this.#byAddress.get(address) ?? 0)
    if (connections > 0 && this.#total >= connections) return false
    if (address !== null && connectionsPerAddress > 0 && own >= connectionsPerAddress) return false
    this.#total++
    if (address !== null) this.#byAddress.set(address, own + 1)
    return true
  }

  close(address: string | null): void {
    this.#total--
    if (address === null) return
    const left = (this.#byAddress.get(address) ?? 0) - 1
    if (left > 0) this.#byAddress.set(address, left)
    else this.#byAddress.delete(address)
  }
}

/** The connections of one worker, so that they can be released when it exits. */
export class ConnectionShare implements ConnectionCounter {
  readonly #counts: ConnectionCounts
  readonly #opened = new Map<string | null, number>()

  constructor(counts: ConnectionCounts) {
    this.#counts = counts
  }

  open(address: string | null): boolean {
    const isOpen = this.#counts.open(address)
    if (isOpen) this.#opened.set(address, (this.#opened.get(address) ?? 0) + 1)
    return isOpen
  }

  close(address: string | null): void {
    const left = (this.#opened.get(address) ?? 0) - 1
    if (left < 0) return
    if (left === 0) this.#opened.delete(address)
    else this.#opened.set(address, left)
    this.#counts.close(address)
  }

  closeAll(): void {
    for (const [address, count] of [...this.#opened]) for (let n = 0; n < count; n++) this.close(address)
  }
}
