import { Command } from 'commander'
import { openStore } from '../store.ts'
import { configOf, say, withSettings } from './options.ts'
import { migrateFor } from './upgrade.ts'

export function migrateCommand(): Command {
  return withSettings(new Command('migrate'), 'data')
    .description('Bring the database up to date; the other commands do so by themselves.')
    .action(async (flags: Record<string, unknown>) => {
      const db = openStore(configOf(flags))
      try {
        const ran = await migrateFor(db)
        say(ran.length === 0 ? 'The database is up to date.' : ran.map((name) => `Ran ${name}.`).join('\n'))
      } finally {
        await db.close()
      }
    })
}
