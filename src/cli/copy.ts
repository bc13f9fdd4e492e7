import { Command } from 'commander'
import { CopyError, copyDatabase } from '../app.ts'
import { ConfigError } from '../config.ts'
import { openAddress } from '../store.ts'
import { flag, say } from './options.ts'

export function copyCommand(): Command {
  return new Command('copy')
    .description('Copy everything from one database to an empty one; what was interrupted is taken up again.')
    .addOption(flag('--from <address>', 'sqlite:FOLDER or postgres://…', 'KALENDS_COPY_FROM').makeOptionMandatory())
    .addOption(flag('--to <address>', 'sqlite:FOLDER or postgres://…', 'KALENDS_COPY_TO').makeOptionMandatory())
    .addOption(flag('--restart', 'begin an unfinished copy anew', 'KALENDS_COPY_RESTART'))
    .addHelpText(
      'after',
      '\nWhat is written to the source meanwhile is not copied. The files of images are not copied: take the folder images/ along.',
    )
    .action(copy)
}

async function copy({ from, to, restart }: { from: string; to: string; restart?: boolean }): Promise<void> {
  const [source, target] = [open('--from', from), open('--to', to)]
  try {
    const counts = await copyDatabase(source, target, withoutPassword(from), show, { restart })
    const rows = Object.values(counts).reduce((sum, count) => sum + count, 0)
    say(`Copied and verified ${rows} rows.`)
  } catch (error) {
    throw error instanceof CopyError ? new ConfigError(error.message) : error
  } finally {
    await source.close()
    await target.close()
  }
}

function open(name: string, address: string) {
  const db = openAddress(address)
  if (db === null) throw new ConfigError(`${name} must be sqlite:FOLDER or postgres://…, and "${address}" is not`)
  return db
}

/** Name of the source in the mark of an unfinished copy, without credentials. */
function withoutPassword(address: string): string {
  if (!URL.canParse(address) || address.startsWith('sqlite:')) return address
  const url = new URL(address)
  url.password = ''
  return url.href
}

/** Progress: one line per table, updated in place on a terminal. */
function show(table: string, copied: number, total: number): void {
  const line = `${table.padEnd(17)} ${copied} of ${total}`
  if (process.stdout.isTTY) process.stdout.write(`\r${line}${copied >= total ? '\n' : ''}`)
  else if (copied >= total) say(line)
}
