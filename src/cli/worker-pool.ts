import cluster, { type Worker } from 'node:cluster'
import type { Socket } from 'node:net'
import type { createLogger } from '../app.ts'
import { Sums } from '../domain/limits.ts'
import { ConnectionCounts, type ConnectionLimits, ConnectionShare } from '../lib/connection-counts.ts'
import { roomForConnections } from '../lib/open-files.ts'
import { ConnectionQueue, type Taker } from './connection-queue.ts'
import { limitGrace } from './stopping.ts'
import type { Order, WorkerReport } from './worker.ts'

/** Workers cannot be kept running; the message says why. */
export class WorkerError extends Error {}

/** A worker that ends sooner than this after it began to listen has failed, in milliseconds. */
const SOON = 10_000
/** How often in a row one may fail. */
const MOST_FAILURES = 5
/** The wait before another is started, doubled with each failure, in milliseconds. */
const PAUSE = 100
/** How many connections may wait for a worker. */
const MOST_WAITING = 1000
/** How long a worker that was told to stop is still given connections at least, in milliseconds: the primary may be told too. */
const SHORTEST_LEAVE = 100

/** One worker, and those that follow it. */
interface WorkerSlot extends Taker {
  readonly number: number
  worker: Worker
  /** The connections that it has open. */
  connections: ConnectionShare
  state: 'loading' | 'waiting' | 'started' | 'listening' | 'leaving' | 'stopping' | 'ended'
  /** When it began to listen, in milliseconds. */
  since: number
  failures: number
  /** What happens to it next. */
  timer?: NodeJS.Timeout
}

/** As many workers as are asked for: one that ends is replaced, unless that is of no use. */
export class WorkerPool {
  readonly #log: ReturnType<typeof createLogger>
  readonly #count: number
  #places: readonly WorkerSlot[] = []
  readonly #sums = new Sums()
  readonly #connections: ConnectionCounts
  readonly #up = Promise.withResolvers<boolean>()
  readonly #end = Promise.withResolvers<void>()
  readonly #queue = new ConnectionQueue(() => this.#places, Math.min(MOST_WAITING, roomForConnections()))
  #isStarted = false
  #isMigrating = false
  #isAnnounced = false
  #isUp = false
  #isStopping = false

  constructor(count: number, log: ReturnType<typeof createLogger>, limits: ConnectionLimits) {
    this.#count = count
    this.#log = log
    this.#connections = new ConnectionCounts(limits)
    // Nobody listens to these two yet.
    this.#up.promise.catch(() => {})
    this.#end.promise.catch(() => {})
    // When this process ends the others do, but for one that is too busy to notice.
    process.on('exit', () => {
      for (const { worker, state } of this.#places) if (state !== 'ended') worker.process.kill('SIGKILL')
    })
  }

  /** Starts the processes; they load, and wait. */
  load(): void {
    this.#places = Array.from({ length: this.#count }, (_, n) => this.#fill({ number: n + 1, failures: 0 }))
  }

  /** Lets them begin; whether all of them did, or they were stopped before. While the database is migrated they only say so. */
  start(isMigrating: boolean): Promise<boolean> {
    this.#isStarted = true
    this.#isMigrating = isMigrating
    for (const place of this.#places) this.#order(place)
    return this.#up.promise
  }

  /** Lets them answer requests: the database was migrated. */
  open(): void {
    this.#isMigrating = false
    for (const { worker, state } of this.#places) {
      if (state === 'started' || state === 'listening') tell(worker, { kind: 'open' })
    }
  }

  /** Settled when the last has ended, or when they cannot be kept running. */
  get ended(): Promise<void> {
    return this.#end.promise
  }

  /** Gives a connection, from which nothing was read, to a worker. */
  take(connection: Socket): void {
    this.#queue.add(connection)
  }

  /** Lets them say that the service stops soon. */
  announce(): void {
    this.#isAnnounced = true
    for (const place of this.#places) {
      // Stopped with all others.
      if (place.state === 'leaving') {
        clearTimeout(place.timer)
        place.state = 'listening'
      }
      if (place.state !== 'loading') tell(place.worker, { kind: 'announce' })
    }
  }

  /** Settled when every connection was given to a worker. */
  handedOut(): Promise<void> {
    return this.#queue.emptied()
  }

  /** Lets them finish running requests, and replaces none. */
  stop(): void {
    if (this.#isStopping) return
    this.#isStopping = true
    limitGrace()
    for (const place of this.#places) {
      clearTimeout(place.timer)
      if (place.state !== 'loading') tell(place.worker, { kind: 'stop' })
    }
    this.#settle()
  }

  #fill(free: Pick<WorkerSlot, 'number' | 'failures'>): WorkerSlot {
    const worker = cluster.fork()
    const connections = new ConnectionShare(this.#connections)
    const place: WorkerSlot = Object.assign(free, {
      worker,
      connections,
      state: 'loading' as const,
      isFree: true,
      since: Number.POSITIVE_INFINITY,
    })
    worker.on('message', (report: WorkerReport) => {
      // What it sent last may come after its end.
      if (place.worker === worker && place.state !== 'ended') this.#hear(place, report)
    })
    worker.on('error', (error) => this.#log.error({ err: error, worker: place.number }, 'a worker cannot be reached'))
    worker.on('exit', (code, signal) => this.#leave(place, code ?? 0, signal))
    return place
  }

  #hear(place: WorkerSlot, report: WorkerReport): void {
    if (report.kind === 'counted') {
      tell(place.worker, { kind: 'totals', totals: [...this.#sums.add(report.window, report.counts)] })
    } else if (report.kind === 'opened') {
      const isOpen = place.connections.open(report.address)
      tell(place.worker, { kind: 'admitted', id: report.id, isOpen })
    } else if (report.kind === 'closed') {
      place.connections.close(report.address)
    } else if (report.kind === 'taken') {
      place.isFree = true
      this.#queue.handOut()
    } else if (report.kind === 'leaving') {
      this.#letLeave(place, report.delay)
    } else if (report.kind === 'waiting') {
      place.state = 'waiting'
      this.#order(place)
    } else {
      place.state = 'listening'
      place.since = performance.now()
      if (this.#isAnnounced) tell(place.worker, { kind: 'announce' })
      this.#log.info({ worker: place.number, process: place.worker.process.pid }, 'worker ready')
      this.#queue.handOut()
      if (this.#places.some(({ state }) => state !== 'listening')) return
      this.#isUp = true
      this.#up.resolve(true)
    }
  }

  /** One that was told to stop by itself. */
  #letLeave(place: WorkerSlot, delay: number): void {
    if (this.#isAnnounced || this.#isStopping) return
    place.state = 'leaving'
    place.timer = setTimeout(
      () => {
        place.state = 'stopping'
        // Behind the connections that it was given.
        tell(place.worker, { kind: 'stop' })
      },
      Math.max(delay, SHORTEST_LEAVE),
    )
  }

  /** Tells one that waits what to do, if that is known. */
  #order(place: WorkerSlot): void {
    if (place.state !== 'waiting') return
    if (this.#isStopping) tell(place.worker, { kind: 'stop' })
    else if (this.#isStarted) {
      place.state = 'started'
      tell(place.worker, { kind: 'start', number: place.number, isMigrating: this.#isMigrating })
    }
  }

  #leave(place: WorkerSlot, code: number, signal: string | null): void {
    clearTimeout(place.timer)
    place.state = 'ended'
    place.connections.closeAll()
    place.failures = performance.now() - place.since < SOON ? place.failures + 1 : 1
    const { number, failures } = place
    const how = signal ? `by ${signal}` : `with code ${code}`
    if (this.#isStopping) this.#settle()
    // One that fails has said why, and the next would fail too; one that was killed would not.
    else if (!this.#isUp && code !== 0) this.#fail(`worker ${number} ended ${how} before it listened`)
    else if (failures === MOST_FAILURES)
      this.#fail(`worker ${number} ended soon after its start, ${failures} times in a row, the last time ${how}`)
    else {
      this.#log.error({ worker: number, failures }, `worker ended ${how}; another is started`)
      place.timer = setTimeout(() => this.#fill(place), PAUSE * 2 ** failures)
    }
  }

  #fail(message: string): void {
    const error = new WorkerError(message)
    this.#up.reject(error)
    this.#end.reject(error)
    this.stop()
  }

  #settle(): void {
    this.#up.resolve(false)
    if (this.#places.every(({ state }) => state === 'ended')) this.#end.resolve()
  }
}

/** One that has just ended hears nothing, and that is told by its exit. */
function tell(worker: Worker, order: Order): void {
  worker.send(order, () => {})
}
