import cluster, { type Worker } from 'node:cluster'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { joinMetrics, writeMetrics } from '../app.ts'
import { Sums } from '../domain/limits.ts'
import { ConnectionCounts, type ConnectionLimits, ConnectionShare } from '../lib/connection-counts.ts'
import type { Family } from '../lib/metrics.ts'
import { roomForConnections } from '../lib/open-files.ts'
import type { createLogger } from '../log.ts'
import { ConnectionQueue, type ConnectionTarget } from './connection-queue.ts'
import { limitGrace } from './stopping.ts'
import type { Order, WorkerReport } from './worker.ts'

/** Thrown when workers keep failing. */
export class WorkerError extends Error {}

/** A worker that exits sooner than this after its start has failed, in milliseconds. */
const MIN_UPTIME = 10_000
/** Limit on failures in a row. */
const MAX_FAILURES = 5
/** Pause before a restart, doubled with each failure, in milliseconds. */
const RESTART_PAUSE = 100
/** Limit on connections that wait for a worker. */
const MAX_WAITING = 1000
/** A worker that got a signal takes connections for at least this long, in milliseconds: the signal may also go to the primary. */
const MIN_STOP_DELAY = 100

/** How long a worker may take to tell its figures, in milliseconds. */
const READ_TIMEOUT = 3000

/** Slot for a worker and its replacements. */
interface WorkerSlot extends ConnectionTarget {
  readonly number: number
  worker: Worker
  /** Its open connections. */
  connections: ConnectionShare
  state: 'loading' | 'waiting' | 'started' | 'listening' | 'leaving' | 'stopping' | 'ended'
  /** When it became ready, in milliseconds. */
  since: number
  failures: number
  /** Pending stop or restart. */
  timer?: NodeJS.Timeout
}

/** A fixed number of workers. One that exits is replaced, unless it keeps failing. */
export class WorkerPool {
  readonly #log: ReturnType<typeof createLogger>
  readonly #count: number
  #slots: readonly WorkerSlot[] = []
  readonly #sums = new Sums()
  readonly #connections: ConnectionCounts
  readonly #up = Promise.withResolvers<boolean>()
  readonly #end = Promise.withResolvers<void>()
  readonly #queue = new ConnectionQueue(() => this.#slots, Math.min(MAX_WAITING, roomForConnections()))
  /** Pending readings of figures, by id. */
  readonly #reading = new Map<number, (figures: readonly Family[]) => void>()
  #lastReading = 0
  #isStarted = false
  #isMigrating = false
  #isAnnounced = false
  #isUp = false
  #isStopping = false

  constructor(count: number, log: ReturnType<typeof createLogger>, limits: ConnectionLimits) {
    this.#count = count
    this.#log = log
    this.#connections = new ConnectionCounts(limits)
    // Avoids unhandled rejections before anyone awaits these.
    this.#up.promise.catch(() => {})
    this.#end.promise.catch(() => {})
    // Workers exit when the channel closes, unless they are too busy to notice.
    process.on('exit', () => {
      for (const { worker, state } of this.#slots) if (state !== 'ended') worker.process.kill('SIGKILL')
    })
  }

  /** Forks the processes. They load the code, then wait. */
  load(): void {
    this.#slots = Array.from({ length: this.#count }, (_, n) => this.#fork({ number: n + 1, failures: 0 }))
  }

  /** Starts the workers. Resolves to false if they were stopped before all were ready. During a migration they answer 503. */
  start(isMigrating: boolean): Promise<boolean> {
    this.#isStarted = true
    this.#isMigrating = isMigrating
    for (const slot of this.#slots) this.#order(slot)
    return this.#up.promise
  }

  /** Tells workers that the migration is finished. */
  open(): void {
    this.#isMigrating = false
    for (const { worker, state } of this.#slots) {
      if (state === 'started' || state === 'listening') send(worker, { kind: 'open' })
    }
  }

  /** Resolves when the last worker has exited, and rejects when workers keep failing. */
  get ended(): Promise<void> {
    return this.#end.promise
  }

  /** Hands a connection to a worker. Nothing may have been read from it. */
  take(connection: Socket): void {
    this.#queue.add(connection)
  }

  /** Lets workers read the certificate again. */
  reloadCertificate(): void {
    for (const { worker, state } of this.#slots) if (state !== 'ended') send(worker, { kind: 'reload' })
  }

  /** Figures of all workers, as text. The first also reads those that all share. */
  async metrics(): Promise<string> {
    const asked = this.#slots.filter(({ state }) => state === 'listening' || state === 'leaving')
    return writeMetrics(joinMetrics(await Promise.all(asked.map((slot, n) => this.#read(slot, n === 0)))))
  }

  /** Figures of one worker; none if it does not tell them in time. */
  async #read({ worker }: WorkerSlot, withShared: boolean): Promise<readonly Family[]> {
    const id = ++this.#lastReading
    const told = new Promise<readonly Family[]>((resolve) => this.#reading.set(id, resolve))
    send(worker, { kind: 'read', id, withShared })
    const late = sleep(READ_TIMEOUT, [], { ref: false })
    return Promise.race([told, late]).finally(() => this.#reading.delete(id))
  }

  /** Makes workers announce that the service is about to stop. */
  announce(): void {
    this.#isAnnounced = true
    for (const slot of this.#slots) {
      // It stops with all others.
      if (slot.state === 'leaving') {
        clearTimeout(slot.timer)
        slot.state = 'listening'
      }
      if (slot.state !== 'loading') send(slot.worker, { kind: 'announce' })
    }
  }

  /** Resolves when every connection was handed to a worker. */
  handedOut(): Promise<void> {
    return this.#queue.emptied()
  }

  /** Makes workers finish running requests and exit, without replacement. */
  stop(): void {
    if (this.#isStopping) return
    this.#isStopping = true
    limitGrace()
    for (const slot of this.#slots) {
      clearTimeout(slot.timer)
      if (slot.state !== 'loading') send(slot.worker, { kind: 'stop' })
    }
    this.#checkEnd()
  }

  #fork(free: Pick<WorkerSlot, 'number' | 'failures'>): WorkerSlot {
    const worker = cluster.fork()
    const connections = new ConnectionShare(this.#connections)
    const slot: WorkerSlot = Object.assign(free, {
      worker,
      connections,
      state: 'loading' as const,
      handed: null,
      since: Number.POSITIVE_INFINITY,
    })
    worker.on('message', (report: WorkerReport) => {
      // The last messages may arrive after the exit.
      if (slot.worker === worker && slot.state !== 'ended') this.#onReport(slot, report)
    })
    worker.on('error', (error) => this.#log.error({ err: error, worker: slot.number }, 'a worker cannot be reached'))
    worker.on('exit', (code, signal) => this.#onExit(slot, code ?? 0, signal))
    return slot
  }

  #onReport(slot: WorkerSlot, report: WorkerReport): void {
    if (report.kind === 'counted') {
      send(slot.worker, { kind: 'totals', totals: [...this.#sums.add(report.window, report.counts)] })
    } else if (report.kind === 'opened') {
      const isOpen = slot.connections.open(report.address)
      send(slot.worker, { kind: 'admitted', id: report.id, isOpen })
    } else if (report.kind === 'closed') {
      slot.connections.close(report.address)
    } else if (report.kind === 'figures') {
      this.#reading.get(report.id)?.(report.figures)
    } else if (report.kind === 'metrics') {
      void this.metrics().then((text) => send(slot.worker, { kind: 'metrics', id: report.id, text }))
    } else if (report.kind === 'taken') {
      this.#queue.release(slot)
    } else if (report.kind === 'leaving') {
      this.#stopLater(slot, report.delay)
    } else if (report.kind === 'waiting') {
      slot.state = 'waiting'
      this.#order(slot)
    } else {
      slot.state = 'listening'
      slot.since = performance.now()
      if (this.#isAnnounced) send(slot.worker, { kind: 'announce' })
      this.#log.info({ worker: slot.number, process: slot.worker.process.pid }, 'worker ready')
      this.#queue.handOut()
      if (this.#slots.some(({ state }) => state !== 'listening')) return
      this.#isUp = true
      this.#up.resolve(true)
    }
  }

  /** Stops one worker that got a signal itself. */
  #stopLater(slot: WorkerSlot, delay: number): void {
    if (this.#isAnnounced || this.#isStopping) return
    slot.state = 'leaving'
    slot.timer = setTimeout(
      () => {
        slot.state = 'stopping'
        // Arrives after the connections that were sent before.
        send(slot.worker, { kind: 'stop' })
      },
      Math.max(delay, MIN_STOP_DELAY),
    )
  }

  /** Starts or stops a worker that waits. */
  #order(slot: WorkerSlot): void {
    if (slot.state !== 'waiting') return
    if (this.#isStopping) send(slot.worker, { kind: 'stop' })
    else if (this.#isStarted) {
      slot.state = 'started'
      send(slot.worker, { kind: 'start', number: slot.number, isMigrating: this.#isMigrating })
    }
  }

  #onExit(slot: WorkerSlot, code: number, signal: string | null): void {
    clearTimeout(slot.timer)
    slot.state = 'ended'
    slot.connections.closeAll()
    this.#queue.release(slot)
    slot.failures = performance.now() - slot.since < MIN_UPTIME ? slot.failures + 1 : 1
    const { number, failures } = slot
    const how = signal ? `by ${signal}` : `with code ${code}`
    if (this.#isStopping) this.#checkEnd()
    // A worker that failed has logged why, and the next would fail too. One that was killed is replaced.
    else if (!this.#isUp && code !== 0) this.#fail(`worker ${number} ended ${how} before it listened`)
    else if (failures === MAX_FAILURES)
      this.#fail(`worker ${number} ended soon after its start, ${failures} times in a row, the last time ${how}`)
    else {
      this.#log.error({ worker: number, failures }, `worker ended ${how}; another is started`)
      slot.timer = setTimeout(() => this.#fork(slot), RESTART_PAUSE * 2 ** failures)
    }
  }

  #fail(message: string): void {
    const error = new WorkerError(message)
    this.#up.reject(error)
    this.#end.reject(error)
    this.stop()
  }

  #checkEnd(): void {
    this.#up.resolve(false)
    if (this.#slots.every(({ state }) => state === 'ended')) this.#end.resolve()
  }
}

/** Sends a message. Errors are ignored: the exit event reports a worker that is gone. */
function send(worker: Worker, order: Order): void {
  worker.send(order, () => {})
}
