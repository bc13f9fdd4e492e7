import type { Socket } from 'node:net'
import { type App, createApp } from '../app.ts'
import type { Config } from '../config.ts'
import type { Sharing } from '../domain/limits.ts'
import type { ConnectionCounter } from '../lib/connection-counts.ts'
import type { Family } from '../lib/metrics.ts'
import { createLogger } from '../log.ts'
import { openStore } from '../store.ts'
import { endProcess, onSignals } from './stopping.ts'

/** Counts by key, as messages carry them. */
type Counts = readonly (readonly [string, number])[]

/** Message from a worker to the primary process. */
export type WorkerReport =
  | { readonly kind: 'waiting' }
  | { readonly kind: 'listening' }
  | { readonly kind: 'taken' }
  | { readonly kind: 'leaving'; readonly delay: number }
  | { readonly kind: 'counted'; readonly window: number; readonly counts: Counts }
  | { readonly kind: 'opened'; readonly id: number; readonly address: string | null }
  | { readonly kind: 'closed'; readonly address: string | null }
  /** Asks for the figures of all workers. */
  | { readonly kind: 'metrics'; readonly id: number }
  | { readonly kind: 'figures'; readonly id: number; readonly figures: readonly Family[] }

/** Message from the primary process to a worker. */
export type Order =
  | { readonly kind: 'start'; readonly number: number; readonly isMigrating: boolean }
  | { readonly kind: 'open' }
  /** Sent with a socket. */
  | { readonly kind: 'connection' }
  | { readonly kind: 'announce' }
  /** Reads the certificate again. */
  | { readonly kind: 'reload' }
  | { readonly kind: 'stop' }
  | { readonly kind: 'totals'; readonly totals: Counts }
  | { readonly kind: 'admitted'; readonly id: number; readonly isOpen: boolean }
  /** Asks for the figures of this worker. */
  | { readonly kind: 'read'; readonly id: number; readonly withShared: boolean }
  | { readonly kind: 'metrics'; readonly id: number; readonly text: string }

/** The only worker that runs jobs on an embedded database. On a server every worker does, so that each starts those that it added at once. */
const JOB_WORKER = 1

/** Runs a worker under the control of the primary process. Node exits it when the primary is gone. */
export async function serveAsWorker(config: Config): Promise<void> {
  const primary = new Primary()
  let app: App | undefined
  let isStopping = false
  const stop = () => {
    if (isStopping) return
    isStopping = true
    void finish(app).then(endProcess, () => process.exit(1))
  }
  onSignals(config.stopDelay, (_, delay) => {
    if (app === undefined) return stop()
    // The primary may still hand out connections to this worker until it gets this message.
    app.server.stopping.announce()
    primary.tell({ kind: 'leaving', delay }, stop)
  })
  // The primary passes it on.
  if (config.tlsCert !== '') process.on('SIGHUP', () => {})
  primary.onStop = stop
  primary.onAnnounce = () => app?.server.stopping.announce()
  try {
    const { number, isMigrating } = await primary.started()
    let isClosed = isMigrating
    const opened = Promise.withResolvers<void>()
    primary.onOpen = () => {
      isClosed = false
      opened.resolve()
    }
    const logger = createLogger(config).child({ worker: number })
    app = await createApp(config, openStore(config), {
      logger,
      counter: primary,
      isMigrating: () => isClosed,
      readMetrics: () => primary.metrics(),
      // Limits are counted in the primary: a write to the shared file would invalidate the caches of all workers.
      ...(config.databaseUrl === '' && { sharing: primary }),
    })
    const { startJobs, take } = app
    if (number === JOB_WORKER || config.databaseUrl !== '') {
      if (isClosed) void opened.promise.then(startJobs)
      else startJobs()
    }
    await app.ready()
    primary.onConnection = take
    primary.onRead = app.metrics
    primary.onReload = app.reloadCertificate
    primary.tell({ kind: 'listening' })
  } catch (error) {
    // The channel must not keep this process alive.
    process.channel?.unref()
    await app?.close()
    throw error
  }
}

async function finish(app: App | undefined): Promise<void> {
  await app?.finish()
  await app?.close()
}

/** The worker's end of the channel to the primary process. */
class Primary implements Sharing, ConnectionCounter {
  onConnection = (_: Socket): void => {}
  onAnnounce = (): void => {}
  onReload = (): void => {}
  onRead = (_: boolean): Promise<Family[]> => Promise.resolve([])
  onStop = (): void => {}
  /** Called when the migration is finished. */
  onOpen = (): void => {}
  #onStart = (_: Order & { kind: 'start' }): void => {}
  #onTotals = (_: Counts): void => {}
  /** Pending requests to open a connection, by id. */
  readonly #opening = new Map<number, (isOpen: boolean) => void>()
  #last = 0
  /** Pending requests for the figures of all workers, by id. */
  readonly #reading = new Map<number, (text: string) => void>()

  constructor() {
    process.on('message', (order: Order, connection?: Socket) => {
      if (order.kind === 'connection') this.#take(connection)
      else if (order.kind === 'announce') this.onAnnounce()
      else if (order.kind === 'start') this.#onStart(order)
      else if (order.kind === 'open') this.onOpen()
      else if (order.kind === 'totals') this.#onTotals(order.totals)
      else if (order.kind === 'admitted') this.#admit(order.id, order.isOpen)
      else if (order.kind === 'reload') this.onReload()
      else if (order.kind === 'metrics') this.#reading.get(order.id)?.(order.text)
      else if (order.kind === 'read') void this.#read(order)
      else this.onStop()
    })
  }

  /** Reports that the code is loaded, and waits for the start message. */
  started(): Promise<Order & { kind: 'start' }> {
    return new Promise((resolve) => {
      this.#onStart = resolve
      this.tell({ kind: 'waiting' })
    })
  }

  /** Called one at a time: see Limits. */
  add(window: number, counts: ReadonlyMap<string, number>): Promise<ReadonlyMap<string, number>> {
    return new Promise((resolve, reject) => {
      this.#onTotals = (totals) => resolve(new Map(totals))
      this.tell({ kind: 'counted', window, counts: [...counts] }, reject)
    })
  }

  /** Only the primary process knows all open connections. If it is gone, none is refused. */
  open(address: string | null): Promise<boolean> {
    const id = ++this.#last
    return new Promise((resolve) => {
      this.#opening.set(id, resolve)
      this.tell({ kind: 'opened', id, address }, () => this.#admit(id, true))
    })
  }

  close(address: string | null): void {
    this.tell({ kind: 'closed', address })
  }

  /** Figures of all workers, as text. */
  async metrics(): Promise<string> {
    const id = ++this.#last
    try {
      return await new Promise<string>((resolve, reject) => {
        this.#reading.set(id, resolve)
        this.tell({ kind: 'metrics', id }, reject)
      })
    } finally {
      this.#reading.delete(id)
    }
  }

  async #read({ id, withShared }: Order & { kind: 'read' }): Promise<void> {
    this.tell({ kind: 'figures', id, figures: await this.onRead(withShared).catch(() => []) })
  }

  /** The socket is undefined if it was closed on its way here. */
  #take(connection: Socket | undefined): void {
    this.tell({ kind: 'taken' })
    if (connection === undefined) return
    // As Node's HTTP server sets it.
    connection.allowHalfOpen = true
    connection.on('error', () => {})
    this.onConnection(connection)
  }

  #admit(id: number, isOpen: boolean): void {
    this.#opening.get(id)?.(isOpen)
    this.#opening.delete(id)
  }

  tell(report: WorkerReport, onError: (error: Error) => void = () => {}): void {
    process.send?.(report, undefined, undefined, (error: Error | null) => {
      if (error !== null) onError(error)
    })
  }
}
