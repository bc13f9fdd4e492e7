import cluster from 'node:cluster'
import { Command } from 'commander'
import { createApp, openStore, protectData, warnOfProxy } from '../app.ts'
import type { Config } from '../config.ts'
import * as users from '../domain/users.ts'
import { configOf, sayOnce, withSettings } from './options.ts'
import { endProcess, onSignals } from './stopping.ts'
import { serveAsWorker } from './worker.ts'
import { serveWithWorkers } from './workers.ts'

export function serveCommand(): Command {
  return withSettings(new Command('serve'), 'port', 'host', 'workers', 'data', 'baseUrl', 'timezone')
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
  await db.migrate()
  const app = await createApp(config, db)
  const started = start(app, config)
  onSignals((signal) => {
    app.server.log.info(`${signal}: finishing running requests`)
    void Promise.allSettled([started])
      .then(() => app.close())
      .then(endProcess)
  })
  try {
    await started
  } catch (error) {
    await app.close()
    throw error
  }
}

async function start(app: Awaited<ReturnType<typeof createApp>>, config: Config): Promise<void> {
  const { port, host } = config
  // What came due while the service was down is published before anyone can ask for it.
  await app.keepSchedule()
  await protectData(config, app.server.log)
  await app.server.listen({ port, host })
  warnOfProxy(config, app.server.log)
  await welcome(app)
}

/** Makes the first administrator of a new calendar, and shows the password. */
async function welcome(store: Parameters<typeof users.createFirst>[0]): Promise<void> {
  const first = await users.createFirst(store)
  if (first === null) return
  sayOnce(
    '\nThis is a new calendar. Its administrator, shown only this once:\n\n' +
      `  user      ${first.name}\n  password  ${first.password}\n`,
  )
}
