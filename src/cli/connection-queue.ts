import type { Worker } from 'node:cluster'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Order } from './worker.ts'

/** How often it is looked whether all were handed out, in milliseconds. */
const LOOK = 5

/** A worker, as far as connections are concerned. */
export interface Taker {
  readonly worker: Worker
  readonly state: string
  /** Whether it has taken the connection that it was given last. */
  isFree: boolean
}

/**
 * Connections that are handed to workers in turn. Each gets the next one when it has taken the last: one that has no core
 * just then gets fewer, and there is at most one on its way to a worker that is killed.
 */
export class ConnectionQueue {
  readonly #takers: () => readonly Taker[]
  readonly #most: number
  #waiting: Socket[] = []
  /** The taker that was given a connection last. */
  #last = 0

  /** At most so many wait. */
  constructor(takers: () => readonly Taker[], most: number) {
    this.#takers = takers
    this.#most = most
  }

  /** Takes a connection from which nothing was read. */
  add(connection: Socket): void {
    if (this.#waiting.length >= this.#most) connection.destroy()
    else this.#waiting.push(connection)
    this.handOut()
  }

  /** Gives connections to whoever is free. */
  handOut(): void {
    while (this.#waiting.length > 0) {
      const taker = this.#next()
      if (taker === undefined) return
      taker.isFree = false
      // If the worker ends meanwhile, Node closes the connection.
      taker.worker.send({ kind: 'connection' } satisfies Order, this.#waiting.shift(), () => {})
    }
  }

  /** Settled when every connection was given to a worker, or there is none left. */
  async emptied(): Promise<void> {
    while (this.#waiting.length > 0 && this.#isSomebody('listening')) await sleep(LOOK)
  }

  /** Whose turn it is; those that leave are asked only if there is nobody else. */
  #next(): Taker | undefined {
    const wanted = this.#isSomebody('listening') ? 'listening' : 'leaving'
    const takers = this.#takers()
    for (let n = 1; n <= takers.length; n++) {
      const index = (this.#last + n) % takers.length
      const taker = takers[index]
      if (!taker?.isFree || taker.state !== wanted) continue
      this.#last = index
      return taker
    }
    return undefined
  }

  #isSomebody(wanted: string): boolean {
    return this.#takers().some(({ state }) => state === wanted)
  }
}
