import { type Command, Option } from 'commander'
import { type Config, flagName, readConfig, SETTINGS, type SettingName } from '../config.ts'
import { acting } from '../domain/acting.ts'
import type { Scope } from '../domain/scope.ts'
import { systemClock } from '../lib/clock.ts'
import { openStore } from '../store.ts'
import { migrateFor } from './upgrade.ts'

/** Adds flags for settings. The help of each shows its variable and default. */
export function withSettings(command: Command, ...names: SettingName[]): Command {
  for (const name of names) {
    const { variable, fallback, help } = SETTINGS[name]
    const note = [fallback && `default: ${fallback}`, `env: ${variable}`].filter(Boolean).join(', ')
    command.addOption(new Option(`${flagName(name)} <${name === 'data' ? 'folder' : name}>`, `${help} (${note})`))
  }
  return command
}

/** Adds flags for the place of the data: a folder, or an address of PostgreSQL. */
export function withStore(command: Command): Command {
  const { variable, help } = SETTINGS.databaseUrl
  return withSettings(command, 'data').addOption(new Option('--database <address>', `${help} (env: ${variable})`))
}

/** Configuration of a command with the flags of {@link withStore}. */
export function storeConfig(flags: Record<string, unknown>): Config {
  return configOf({ ...flags, databaseUrl: flags.database })
}

/** A flag of one command, and the variable that also sets it. */
export function flag(flags: string, help: string, variable: `KALENDS_${string}`): Option {
  return new Option(flags, help).env(variable)
}

/** Configuration from flags, variables and defaults. */
export function configOf(flags: Record<string, unknown>): Config {
  const given = Object.keys(SETTINGS).filter((name) => typeof flags[name] === 'string')
  return readConfig(Object.fromEntries(given.map((name) => [name, flags[name]])), process.env)
}

/** Opens and migrates the database of a command, runs `work`, and closes it in any case. */
export async function onStore<T>(
  flags: Record<string, unknown>,
  work: (store: Pick<Scope, 'db' | 'clock'>) => Promise<T>,
): Promise<T> {
  const db = openStore(configOf(flags))
  try {
    await migrateFor(db)
    return await work(acting({ db, clock: systemClock }, 'command'))
  } finally {
    await db.close()
  }
}

/** Address of the port, as a client writes it. */
export function shown({ tlsCert }: Config, address: string): string {
  return tlsCert === '' ? address : address.replace(/^http:/, 'https:')
}

/** Said where nobody could change users or settings. */
export const NO_ADMINISTRATOR =
  'This calendar has no administrator. Make one with "kalends user role NAME administrator", or add one with ' +
  '"kalends user add NAME --role administrator --email ADDRESS".'

/** Prints a line. */
export function say(line = ''): void {
  process.stdout.write(`${line}\n`)
}

/** Prints a secret that is shown once. Falls back to standard error if standard output fails. */
export function sayOnce(text: string): void {
  process.stdout.once('error', () => {})
  process.stdout.write(`${text}\n`, (error) => {
    if (error) console.error(text)
  })
}

/** Prints rows as an aligned table with a heading. */
export function sayTable(head: readonly string[], rows: readonly (readonly string[])[]): void {
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => (row[column] ?? '').length)))
  for (const row of [head, ...rows])
    say(
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
}
