import cluster from 'node:cluster'
import { setTimeout as sleep } from 'node:timers/promises'
import { Command } from 'commander'
import { type App, createApp, warnOfProxy, writeMetrics } from '../app.ts'
import type { Config } from '../config.ts'
import { publishDue } from '../domain/publishing.ts'
import * as users from '../domain/users.ts'
import { Listener } from '../lib/listener.ts'
import { createLogger } from '../log.ts'
import { openStore, protectData } from '../store.ts'
import { openMetricsPort } from './metrics-server.ts'
import { configOf, NO_ADMINISTRATOR, sayOnce, shown, withSettings } from './options.ts'
import { endProcess, onSignals, stopMessage } from './stopping.ts'
import { Upgrade, UpgradeStopped } from './upgrade.ts'
import { serveAsWorker } from './worker.ts'
import { serveWithWorkers } from './workers.ts'

export function serveCommand(): Command {
  const more = ['tlsCert', 'tlsKey', 'backupEvery', 'backupTo', 'keep'] as const
  return withSettings(new Command('serve'), 'port', 'host', 'workers', 'data', 'baseUrl', 'timezone', ...more)
    .description('Start the service.')
    .addHelpText('after', '\nFurther settings are variables; the README lists them all.')
    .action(serve)
}

async function serve(flags: Record<string, unknown>): Promise<void> {
  const config = configOf(flags)
  if (cluster.isWorker) return serveAsWorker(config)
  return config.workers > 1 ? serveWithWorkers(config, welcome) : serveAlone(config)
}

async function serveAlone(config: Config): Promise<void> {
  const db = openStore(config)
  const logger = createLogger(config)
  const upgrade = new Upgrade(db, logger)
  const app = await createApp(config, db, { logger, isMigrating: () => upgrade.isRunning })
  const listener = new Listener(app.take)
  const started = start(app, listener, config, upgrade)
  if (config.tlsCert !== '') process.on('SIGHUP', () => app.reloadCertificate())
  let isStopping = false
  onSignals(config.stopDelay, (signal, longest) => {
    isStopping = true
    const delay = listener.isOpen ? longest : 0
    logger.info(stopMessage(signal, delay))
    upgrade.stop()
    void Promise.allSettled([started])
      .then(() => stop(app, listener, delay))
      .then(endProcess)
  })
  try {
    await started
  } catch (error) {
    if (isStopping && error instanceof UpgradeStopped) return
    listener.closeNow()
    await app.close()
    throw error
  }
}

async function start(app: App, listener: Listener, config: Config, upgrade: Upgrade): Promise<void> {
  const listen = async () => {
    await app.ready()
    await openMetricsPort(config, async () => writeMetrics(await app.metrics(true)), app.server.log)
    for (const address of await listener.open(config))
      app.server.log.info(`Server listening at ${shown(config, address)}`)
    warnOfProxy(config, app.server.log)
  }
  // During a long migration, health checks must be answered.
  const isLong = await upgrade.isLong()
  if (isLong) await listen()
  await upgrade.run()
  // Publishes events that came due while the service was down, before the first request.
  await publishDue(app).catch((error) => app.server.log.error({ err: error }, 'scheduled publishing failed'))
  app.startJobs()
  upgrade.end()
  await protectData(config, app.server.log)
  if (!isLong) await listen()
  await welcome(app)
}

/** Announces the stop, accepts connections for `delay` milliseconds, then finishes running requests. */
async function stop(app: App, listener: Listener, delay: number): Promise<void> {
  app.server.stopping.announce()
  await sleep(delay)
  await listener.close()
  await app.finish()
  await app.close()
}

/** Creates the first administrator of a new calendar, and prints the password. Tells if there is none in an older one. */
async function welcome(store: Parameters<typeof users.createFirst>[0]): Promise<void> {
  const first = await users.createFirst(store)
  if (first === null) {
    if (await users.lacksAdministrator(store)) sayOnce(NO_ADMINISTRATOR)
    return
  }
  sayOnce(
    '\nThis is a new calendar. Its administrator, shown only this once:\n\n' +
      `  user      ${first.name}\n  password  ${first.password}\n`,
  )
}
