import cluster from 'node:cluster'
import { type App, createApp, createLogger, openStore } from '../app.ts'
import type { Config } from '../config.ts'
import type { Sharing } from '../domain/limits.ts'
import { onSignals } from './stopping.ts'

/** Counts, in the form that messages carry. */
type Counts = readonly (readonly [string, number])[]

/** What a worker tells the primary process. */
export type Report =
  | { readonly kind: 'waiting' }
  | { readonly kind: 'listening'; readonly addresses: readonly string[] }
  | { readonly kind: 'counted'; readonly window: number; readonly counts: Counts }

/** What the primary process tells a worker. */
export type Order =
  | { readonly kind: 'start'; readonly number: number; readonly port: number }
  | { readonly kind: 'stop' }
  | { readonly kind: 'totals'; readonly totals: Counts }

/** The worker that keeps the schedule for all. */
const SCHEDULER = 1

/** Answers requests beside other processes, as the primary one orders. When that is gone, Node ends this one. */
export async function serveAsWorker(config: Config): Promise<void> {
  const primary = new Primary()
  let app: App | undefined
  let stopping = false
  const stop = () => {
    if (stopping) return
    stopping = true
    process.once('disconnect', () => process.exit(0))
    Promise.resolve(app?.close()).then(
      // In order, so that a connection which is on its way here goes to another worker.
      () => cluster.worker?.disconnect(),
      () => process.exit(1),
    )
  }
  onSignals(stop)
  primary.onStop = stop
  try {
    const { number, port } = await primary.started()
    const logger = createLogger(config.logLevel).child({ worker: number })
    app = await createApp(config, openStore(config), {
      logger,
      // What is written to one file makes every worker read anew: counts are not worth that.
      ...(config.databaseUrl === '' && { sharing: primary }),
    })
    if (number === SCHEDULER) await app.keepSchedule()
    const addresses: string[] = []
    // The primary process says it once, for all.
    logger.level = 'silent'
    await app.server.listen({
      port,
      host: config.host,
      listenTextResolver: (address) => {
        addresses.push(address)
        return ''
      },
    })
    logger.level = config.logLevel
    primary.tell({ kind: 'listening', addresses })
  } catch (error) {
    // The primary process is no reason to live on.
    process.channel?.unref()
    await app?.close()
    throw error
  }
}

/** The primary process, seen from a worker. */
class Primary implements Sharing {
  onStop = (): void => {}
  #onStart = (_: Order & { kind: 'start' }): void => {}
  #onTotals = (_: Counts): void => {}

  constructor() {
    process.on('message', (order: Order) => {
      if (order.kind === 'start') this.#onStart(order)
      else if (order.kind === 'totals') this.#onTotals(order.totals)
      else this.onStop()
    })
  }

  /** Says that everything is loaded, and waits until the database is up to date. */
  started(): Promise<Order & { kind: 'start' }> {
    return new Promise((resolve) => {
      this.#onStart = resolve
      this.tell({ kind: 'waiting' })
    })
  }

  /** Asked for one at a time: see Limits. */
  add(window: number, counts: ReadonlyMap<string, number>): Promise<ReadonlyMap<string, number>> {
    return new Promise((resolve, reject) => {
      this.#onTotals = (totals) => resolve(new Map(totals))
      this.tell({ kind: 'counted', window, counts: [...counts] }, reject)
    })
  }

  tell(report: Report, onError: (error: Error) => void = () => {}): void {
    process.send?.(report, undefined, undefined, (error: Error | null) => {
      if (error !== null) onError(error)
    })
  }
}
