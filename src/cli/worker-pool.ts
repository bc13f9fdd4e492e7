import cluster, { type Worker } from 'node:cluster'
import type { createLogger } from '../app.ts'
import { Sums } from '../domain/limits.ts'
import { ConnectionCounts, type ConnectionLimits, ConnectionShare } from '../lib/connection-counts.ts'
import { limitGrace } from './stopping.ts'
import type { Order, Report } from './worker.ts'

/** Workers cannot be kept running; the message says why. */
export class WorkerError extends Error {}

/** A worker that ends sooner than this after it began to listen has failed, in milliseconds. */
const SOON = 10_000
/** How often in a row one may fail. */
const MOST_FAILURES = 5
/** The wait before another is started, doubled with each failure, in milliseconds. */
const PAUSE = 100

/** One worker, and those that follow it. */
interface Place {
  readonly number: number
  worker: Worker
  /** The connections that it has open. */
  connections: ConnectionShare
  state: 'loading' | 'waiting' | 'started' | 'listening' | 'ended'
  /** When it began to listen, in milliseconds. */
  since: number
  failures: number
  pause?: NodeJS.Timeout
}

/** As many workers as are asked for: one that ends is replaced, unless that is of no use. */
export class WorkerPool {
  readonly #log: ReturnType<typeof createLogger>
  readonly #places: readonly Place[]
  readonly #sums = new Sums()
  readonly #connections: ConnectionCounts
  readonly #up = Promise.withResolvers<readonly string[]>()
  readonly #end = Promise.withResolvers<void>()
  #port: number | null = null
  #isMigrating = false
  #isUp = false
  #isStopping = false

  /** Starts them; they load, and wait. */
  constructor(count: number, log: ReturnType<typeof createLogger>, limits: ConnectionLimits) {
    this.#log = log
    this.#connections = new ConnectionCounts(limits)
    this.#places = Array.from({ length: count }, (_, n) => this.#fill({ number: n + 1, failures: 0 }))
    // Nobody listens to these two yet.
    this.#up.promise.catch(() => {})
    this.#end.promise.catch(() => {})
    // When this process ends the others do, but for one that is too busy to notice.
    process.on('exit', () => {
      for (const { worker, state } of this.#places) if (state !== 'ended') worker.process.kill('SIGKILL')
    })
  }

  /** Lets them listen; answers where when all of them do, and nothing if they were stopped before. While the database is migrated they only say so. */
  listen(port: number, isMigrating: boolean): Promise<readonly string[]> {
    this.#port = port
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

  /** Lets them finish running requests, and replaces none. */
  stop(): void {
    if (this.#isStopping) return
    this.#isStopping = true
    limitGrace()
    for (const place of this.#places) {
      clearTimeout(place.pause)
      if (place.state !== 'loading') tell(place.worker, { kind: 'stop' })
    }
    this.#settle()
  }

  #fill(free: Pick<Place, 'number' | 'failures'>): Place {
    const worker = cluster.fork()
    const connections = new ConnectionShare(this.#connections)
    const place: Place = Object.assign(free, {
      worker,
      connections,
      state: 'loading' as const,
      since: Number.POSITIVE_INFINITY,
    })
    worker.on('message', (report: Report) => {
      // What it sent last may come after its end.
      if (place.worker === worker && place.state !== 'ended') this.#hear(place, report)
    })
    worker.on('error', (error) => this.#log.error({ err: error, worker: place.number }, 'a worker cannot be reached'))
    closeLost(worker)
    worker.on('exit', (code, signal) => this.#leave(place, signal ? `by ${signal}` : `with code ${code}`))
    return place
  }

  #hear(place: Place, report: Report): void {
    if (report.kind === 'counted') {
      tell(place.worker, { kind: 'totals', totals: [...this.#sums.add(report.window, report.counts)] })
    } else if (report.kind === 'opened') {
      const isOpen = place.connections.open(report.address)
      tell(place.worker, { kind: 'admitted', id: report.id, isOpen })
    } else if (report.kind === 'closed') {
      place.connections.close(report.address)
    } else if (report.kind === 'waiting') {
      place.state = 'waiting'
      this.#order(place)
    } else {
      place.state = 'listening'
      place.since = performance.now()
      this.#log.info({ worker: place.number, process: place.worker.process.pid }, 'worker ready')
      if (this.#places.some(({ state }) => state !== 'listening')) return
      this.#isUp = true
      this.#up.resolve(report.addresses)
    }
  }

  /** Tells one that waits what to do, if that is known. */
  #order(place: Place): void {
    if (place.state !== 'waiting') return
    if (this.#isStopping) tell(place.worker, { kind: 'stop' })
    else if (this.#port !== null) {
      place.state = 'started'
      tell(place.worker, { kind: 'start', number: place.number, port: this.#port, isMigrating: this.#isMigrating })
    }
  }

  #leave(place: Place, how: string): void {
    place.state = 'ended'
    place.connections.closeAll()
    place.failures = performance.now() - place.since < SOON ? place.failures + 1 : 1
    const { number, failures } = place
    if (this.#isStopping) this.#settle()
    else if (!this.#isUp) this.#fail(`worker ${number} ended ${how} before it listened`)
    else if (failures === MOST_FAILURES)
      this.#fail(`worker ${number} ended soon after its start, ${failures} times in a row, the last time ${how}`)
    else {
      this.#log.error({ worker: number, failures }, `worker ended ${how}; another is started`)
      place.pause = setTimeout(() => this.#fill(place), PAUSE * 2 ** failures)
    }
  }

  #fail(message: string): void {
    const error = new WorkerError(message)
    this.#up.reject(error)
    this.#end.reject(error)
    this.stop()
  }

  #settle(): void {
    this.#up.resolve([])
    if (this.#places.every(({ state }) => state === 'ended')) this.#end.resolve()
  }
}

/**
 * Closes the connection that was on its way to a worker when it was killed: Node's round robin keeps one open that no
 * worker took, and its client would wait for ever. There is at most one, as the next is sent when that one was taken.
 */
function closeLost({ process: child }: Worker): void {
  let sent: { seq?: number; handle: { close?(): void } } | null = null
  const send = child.send.bind(child) as (...args: unknown[]) => boolean
  child.send = (message: { seq?: number }, handle?: unknown, ...rest: unknown[]) => {
    if (typeof handle === 'object' && handle !== null) sent = { ...message, handle }
    return send(message, handle, ...rest)
  }
  child.on('internalMessage', ({ ack }: { ack?: number }) => {
    if (ack === sent?.seq) sent = null
  })
  child.once('exit', () => sent?.handle.close?.())
}

/** One that has just ended hears nothing, and that is told by its exit. */
function tell(worker: Worker, order: Order): void {
  worker.send(order, () => {})
}
