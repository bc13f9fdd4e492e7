import { Command } from 'commander'
import { BackupError } from '../app.ts'
import { ConfigError } from '../config.ts'
import { backUpStore } from '../store.ts'
import { say, storeConfig, withStore } from './options.ts'
import { ProgressLine, sizeText } from './progress.ts'

export function backupCommand(): Command {
  return withStore(new Command('backup'))
    .argument('<target>', 'file to write, or a folder, where the file is named by the time')
    .description('Back the database and all images up to one file, while the service runs.')
    .addHelpText('after', '\nThe file is a tar archive. It is checked when it is written; "kalends restore" reads it.')
    .action(backUp)
}

async function backUp(target: string, flags: Record<string, unknown>): Promise<void> {
  const config = storeConfig(flags)
  const line = new ProgressLine()
  // Ends by `exit`, so that nothing unfinished is left.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
  try {
    const { path, bytes, files, missing } = await backUpStore(config, target, { onProgress: line.show })
    line.end()
    if (missing.length > 0) console.error(`kalends: ${missing.length} files of images were missing before the backup`)
    say(`Backed up to ${path}: ${sizeText(bytes)} with ${files} files of images, checked.`)
  } catch (error) {
    line.end()
    throw error instanceof BackupError ? new ConfigError(error.message) : error
  }
}
