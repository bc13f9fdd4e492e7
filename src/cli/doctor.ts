import { Command } from 'commander'
import { type Config, ConfigError } from '../config.ts'
import type { Diagnosis } from '../domain/diagnosis.ts'
import { diagnoseStore } from '../store.ts'
import { say, storeConfig, withSettings, withStore } from './options.ts'

export function doctorCommand(): Command {
  return withSettings(withStore(new Command('doctor')), 'port', 'baseUrl')
    .description('Look at configuration, permissions, space, clock, database, address and mail; say what to do.')
    .addHelpText('after', '\nEnds with 0 if all is well, else with 1. Nothing is changed.')
    .action(run)
}

async function run(flags: Record<string, unknown>): Promise<void> {
  let config: Config
  try {
    config = storeConfig(flags)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    tell({ isWell: false, name: 'configuration', text: error.message, advice: 'correct this variable or flag' })
    process.exitCode = 1
    return
  }
  tell({ isWell: true, name: 'configuration', text: 'all settings can be used', advice: 'nothing to do' })
  for await (const diagnosis of diagnoseStore(config)) {
    tell(diagnosis)
    if (!diagnosis.isWell) process.exitCode = 1
  }
}

function tell({ isWell, name, text, advice }: Diagnosis): void {
  say(`${isWell ? 'ok     ' : 'problem'}  ${name}: ${text} (${advice})`)
}
