import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { createLogger, openStore, protectData, warnOfProxy } from '../app.ts'
import type { Config } from '../config.ts'
import { publishDue } from '../domain/events.ts'
import type { Scope } from '../domain/scope.ts'
import { systemClock } from '../lib/clock.ts'
import { endProcess, onSignals } from './stopping.ts'
import { Upgrade, UpgradeStopped } from './upgrade.ts'
import { WorkerPool } from './worker-pool.ts'

/**
 * The primary of several processes: it brings the database up to date and has the workers listen. Connections come in
 * here and are handed out in turn (Node's round robin): sharing the port by SO_REUSEPORT instead would spread few of them
 * less evenly, and reset those that wait for a worker that stops.
 */
export async function serveWithWorkers(
  config: Config,
  welcome: (store: Pick<Scope, 'db' | 'clock'>) => Promise<void>,
): Promise<void> {
  const log = createLogger(config.logLevel)
  const port = await findPort(config)
  // They load while the database is brought up to date.
  const workers = new WorkerPool(config.workers, log, config)
  const store = { db: openStore(config), clock: systemClock }
  const upgrade = new Upgrade(store.db, log)
  onSignals((signal) => {
    log.info(`${signal}: finishing running requests`)
    upgrade.stop()
    workers.stop()
  })
  const listen = async (isMigrating: boolean): Promise<boolean> => {
    const addresses = await workers.listen(port, isMigrating)
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

/** Asks for the port before anything is done, so that a refusal is told once; 0 becomes the one that all will use. */
async function findPort({ port, host }: Config): Promise<number> {
  const server = createServer().listen({ port, host })
  await once(server, 'listening')
  const found = (server.address() as AddressInfo).port
  server.close()
  await once(server, 'close')
  return found
}
