import { Command, Option } from 'commander'
import { BackupError } from '../app.ts'
import { ConfigError } from '../config.ts'
import { restoreStore } from '../store.ts'
import { say, storeConfig, withStore } from './options.ts'
import { ProgressLine } from './progress.ts'

export function restoreCommand(): Command {
  return withStore(new Command('restore'))
    .argument('<file>', 'a file that "kalends backup" has written')
    .addOption(new Option('--force', 'replace the calendar that is there'))
    .description('Restore a backup: to a data folder or, with --database, to PostgreSQL.')
    .addHelpText('after', '\nStop the service first. The backup is checked before anything is changed.')
    .action(restore)
}

async function restore(file: string, flags: Record<string, unknown>): Promise<void> {
  const config = storeConfig(flags)
  const line = new ProgressLine()
  try {
    const { created, version } = await restoreStore(config, file, flags.force === true, line.show)
    line.end()
    const where = config.databaseUrl === '' ? config.data : 'the database'
    say(`Restored the backup of ${created} (version ${version}) to ${where}.`)
  } catch (error) {
    line.end()
    throw error instanceof BackupError ? new ConfigError(error.message) : error
  }
}
