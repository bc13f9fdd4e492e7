import type { Worker } from 'node:cluster'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Order } from './worker.ts'

/** Interval between checks for an empty queue, in milliseconds. */
const CHECK_INTERVAL = 5

/** A worker that connections can be handed to. */
export interface ConnectionTarget {
  readonly worker: Worker
  readonly state: string
  /** The last connection, until it has confirmed it. */
  handed: Socket | null
}

/**
 * Hands connections to workers, round-robin. A worker gets the next one after it has confirmed the last: a busy worker gets
 * fewer, and at most one connection is lost with a worker that is killed.
 */
export class ConnectionQueue {
  readonly #targets: () => readonly ConnectionTarget[]
  readonly #limit: number
  #waiting: Socket[] = []
  /** Index of the worker that got the last connection. */
  #last = 0

  /** `limit` bounds the connections that wait. */
  constructor(targets: () => readonly ConnectionTarget[], limit: number) {
    this.#targets = targets
    this.#limit = limit
  }

  /** Queues a connection. Nothing may have been read from it. */
  add(connection: Socket): void {
    if (this.#waiting.length >= this.#limit) connection.destroy()
    else this.#waiting.push(connection)
    this.handOut()
  }

  /** Hands waiting connections to free workers. */
  handOut(): void {
    while (this.#waiting.length > 0) {
      const target = this.#next()
      const connection = this.#waiting[0]
      if (target === undefined || connection === undefined) return
      this.#waiting.shift()
      target.handed = connection
      // Node would keep it open for ever if the worker exits meanwhile.
      target.worker.send({ kind: 'connection' } satisfies Order, connection, { keepOpen: true }, () => {})
    }
  }

  /** Closes this process's end of the connection that a worker has got. If the worker has not confirmed it, it is cut off. */
  release(target: ConnectionTarget): void {
    target.handed?.destroy()
    target.handed = null
    this.handOut()
  }

  /** Resolves when no connection waits, or no worker is left. */
  async emptied(): Promise<void> {
    while (this.#waiting.length > 0 && this.#hasState('listening')) await sleep(CHECK_INTERVAL)
  }

  /** The next free worker. Workers that are about to stop are used only if there is no other. */
  #next(): ConnectionTarget | undefined {
    const wanted = this.#hasState('listening') ? 'listening' : 'leaving'
    const targets = this.#targets()
    for (let n = 1; n <= targets.length; n++) {
      const index = (this.#last + n) % targets.length
      const target = targets[index]
      // Between the end of a worker and the event that tells it, what is sent to it is lost.
      if (target?.handed !== null || target.state !== wanted || !target.worker.isConnected()) continue
      this.#last = index
      return target
    }
    return undefined
  }

  #hasState(wanted: string): boolean {
    return this.#targets().some(({ state }) => state === wanted)
  }
}
