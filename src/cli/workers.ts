import { setTimeout as sleep } from 'node:timers/promises'
import { createLogger, openStore, protectData, warnOfProxy } from '../app.ts'
import type { Config } from '../config.ts'
import { publishDue } from '../domain/events.ts'
import type { Scope } from '../domain/scope.ts'
import { systemClock } from '../lib/clock.ts'
import { Listener } from '../lib/listener.ts'
import { endProcess, onSignals, stopMessage } from './stopping.ts'
import { Upgrade, UpgradeStopped } from './upgrade.ts'
import { WorkerPool } from './worker-pool.ts'

/**
 * The primary of several processes: it brings the database up to date, accepts connections and hands them to the workers in
 * turn. Sharing the port by SO_REUSEPORT instead would spread few of them less evenly, and reset those that wait for a worker
 * that stops. Node's own cluster hands them out too, but resets some when the last worker stops.
 */
export async function serveWithWorkers(
  config: Config,
  welcome: (store: Pick<Scope, 'db' | 'clock'>) => Promise<void>,
): Promise<void> {
  const log = createLogger(config.logLevel)
  // Before there are workers to stop: a database that cannot be opened is told, and that is all.
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
  // They load while the database is brought up to date. Signals are handled by now: a worker that loads when this process
  // is killed shows a stack trace.
  workers.load()
  const listen = async (isMigrating: boolean): Promise<boolean> => {
    const isStarted = await workers.start(isMigrating)
    const addresses = isStarted ? await listener.open(config) : []
    for (const address of addresses) log.info(`Server listening at ${address}`)
    if (addresses.length > 0) warnOfProxy(config, log)
    return addresses.length > 0
  }
  try {
    // What takes long is not to look like a service that is dead.
    const isLong = await upgrade.isLong()
    let isListening = isLong && (await listen(true))
    await upgrade.run()
    // What came due while the service was down is published before anyone can ask for it.
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

/** Announces the end, accepts connections for some more milliseconds, then lets the workers finish what runs. */
async function stop(workers: WorkerPool, listener: Listener, delay: number): Promise<void> {
  workers.announce()
  await sleep(delay)
  await listener.close()
  await workers.handedOut()
  workers.stop()
}
