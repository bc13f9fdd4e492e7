import { setTimeout as sleep } from 'node:timers/promises'
import { warnOfProxy } from '../app.ts'
import type { Config } from '../config.ts'
import { publishDue } from '../domain/publishing.ts'
import type { Scope } from '../domain/scope.ts'
import { systemClock } from '../lib/clock.ts'
import { Listener } from '../lib/listener.ts'
import { createLogger } from '../log.ts'
import { openStore, protectData } from '../store.ts'
import { openMetricsPort } from './metrics-server.ts'
import { shown } from './options.ts'
import { endProcess, onSignals, stopMessage } from './stopping.ts'
import { Upgrade, UpgradeStopped } from './upgrade.ts'
import { WorkerPool } from './worker-pool.ts'

/**
 * The primary process: it migrates the database, accepts connections and hands them to the workers, round-robin. With
 * SO_REUSEPORT, a few connections would be spread less evenly, and those that wait for a stopping worker would be reset. Node's
 * own cluster module resets some when the last worker stops.
 */
export async function serveWithWorkers(
  config: Config,
  welcome: (store: Pick<Scope, 'db' | 'clock'>) => Promise<void>,
): Promise<void> {
  const log = createLogger(config)
  // Opened before workers are forked: a failure then needs no cleanup.
  const store = { db: openStore(config), clock: systemClock }
  const workers = new WorkerPool(config.workers, log, config)
  const upgrade = new Upgrade(store.db, log)
  const listener = new Listener((connection) => workers.take(connection), { isPaused: true })
  onSignals(config.stopDelay, (signal, longest) => {
    const delay = listener.isOpen ? longest : 0
    log.info(stopMessage(signal, delay))
    upgrade.stop()
    void stop(workers, listener, delay)
  })
  if (config.tlsCert !== '') process.on('SIGHUP', () => workers.reloadCertificate())
  // Workers load during the migration. They are forked after the signal handlers are set: a worker that loses the primary
  // while it loads prints a stack trace.
  workers.load()
  const listen = async (isMigrating: boolean): Promise<boolean> => {
    const isStarted = await workers.start(isMigrating)
    if (isStarted) await openMetricsPort(config, () => workers.metrics(), log)
    const addresses = isStarted ? await listener.open(config) : []
    for (const address of addresses) log.info(`Server listening at ${shown(config, address)}`)
    if (addresses.length > 0) warnOfProxy(config, log)
    return addresses.length > 0
  }
  try {
    // During a long migration, health checks must be answered.
    const isLong = await upgrade.isLong()
    let isListening = isLong && (await listen(true))
    await upgrade.run()
    // Publishes events that came due while the service was down, before the first request.
    await publishDue(store).catch((error) => log.error({ err: error }, 'scheduled publishing failed'))
    await protectData(config, log)
    if (isLong) workers.open()
    else isListening = await listen(false)
    upgrade.end()
    if (isListening) await welcome(store)
  } catch (error) {
    workers.stop()
    if (!(error instanceof UpgradeStopped)) throw error
  } finally {
    await store.db.close()
  }
  await workers.ended
  await endProcess()
}

/** Announces the stop, accepts connections for `delay` milliseconds, then lets workers finish running requests. */
async function stop(workers: WorkerPool, listener: Listener, delay: number): Promise<void> {
  workers.announce()
  await sleep(delay)
  await listener.close()
  await workers.handedOut()
  workers.stop()
}
