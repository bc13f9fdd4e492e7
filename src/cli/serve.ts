import { Command } from 'commander'
import { createApp, openStore } from '../app.ts'
import * as users from '../domain/users.ts'
import { configOf, say, withSettings } from './options.ts'

/** How long running requests may take to finish when the service is stopped, in milliseconds. */
const GRACE = 10_000

export function serveCommand(): Command {
  return withSettings(new Command('serve'), 'port', 'host', 'data', 'baseUrl', 'timezone')
    .description('Start the service.')
    .addHelpText('after', '\nFurther settings are variables; the README lists them all.')
    .action(serve)
}

async function serve(flags: Record<string, unknown>): Promise<void> {
  const config = configOf(flags)
  const db = openStore(config)
  await db.migrate()
  const app = await createApp(config, db)
  // What came due while the service was down is published before anyone can ask for it.
  await app.keepSchedule()
  try {
    await app.server.listen({ port: config.port, host: config.host })
  } catch (error) {
    await app.close()
    throw error
  }
  const first = await users.createFirst(app)
  if (first !== null) {
    say('\nThis is a new calendar. Its administrator, shown only this once:\n')
    say(`  user      ${first.name}\n  password  ${first.password}\n`)
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      app.server.log.info(`${signal}: finishing running requests`)
      setTimeout(() => process.exit(1), GRACE).unref()
      void app.close()
    })
  }
}
