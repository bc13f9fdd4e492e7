import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Command, Option } from 'commander'
import { type Config, ConfigError } from '../config.ts'
import type { CheckPart } from '../domain/check.ts'
import { checkStore } from '../store.ts'
import { say, storeConfig, withStore } from './options.ts'

export function checkCommand(): Command {
  return withStore(new Command('check'))
    .addOption(new Option('--repair', 'make again what can be derived'))
    .description('Check what is stored: database, links, counts, indexes and files of images.')
    .addHelpText('after', '\nEnds with 0 if all is well, else with 1. The service may run meanwhile.')
    .action(run)
}

/** Problems of one kind that are listed. */
const SHOWN = 20

async function run(flags: Record<string, unknown>): Promise<void> {
  const config = storeConfig(flags)
  refuseMissing(config)
  let left = 0
  for await (const part of checkStore(config, flags.repair === true)) left += tell(part)
  if (left === 0) return
  const hint = flags.repair ? '' : '; --repair makes again what can be derived'
  console.error(`kalends: ${left} ${left === 1 ? 'problem' : 'problems'}${hint}`)
  process.exitCode = 1
}

/** A folder without a database must not get one. */
export function refuseMissing({ databaseUrl, data }: Config): void {
  if (databaseUrl === '' && !existsSync(join(data, 'kalends.sqlite')))
    throw new ConfigError(`there is no database in ${data}`)
}

/** Prints the result of a part. Returns the number of problems that are left. */
function tell({ name, findings, note }: CheckPart): number {
  if (findings.length === 0) say(`ok        ${name}${note === undefined ? '' : ` (${note})`}`)
  for (const { text, isRepaired } of findings.slice(0, SHOWN))
    say(`${isRepaired ? 'repaired' : 'problem '}  ${name}: ${text}`)
  if (findings.length > SHOWN) say(`          ${name}: ${findings.length - SHOWN} more`)
  if (findings.length > 0 && note !== undefined) say(`          ${note}`)
  return findings.filter(({ isRepaired }) => !isRepaired).length
}
