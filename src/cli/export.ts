import { createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Command, Option } from 'commander'
import { EXPORTS, ExportError, exportEvents } from '../app.ts'
import { ConfigError } from '../config.ts'
import { filters } from '../domain/event-stream.ts'
import { problemList } from '../lib/problem-text.ts'
import { DEFAULT_LANGUAGE, text } from '../lib/texts.ts'
import { openStore } from '../store.ts'
import { configOf, flag, withSettings } from './options.ts'
import { migrateFor } from './upgrade.ts'

interface Flags extends Record<string, unknown> {
  format: string
  output?: string
  all?: boolean
}

/** Flags for the filters of the event list, by parameter. */
const FILTER_FLAGS = new Map(
  Object.entries(filters).map(([name, field]) => {
    const help = text(DEFAULT_LANGUAGE, `fields.${field.text}`)
    const flags = `--${name.replaceAll('_', '-')} <${field.kind.type === 'boolean' ? 'yes|no' : 'value'}>`
    return [name, flag(flags, help, `KALENDS_EXPORT_${name.toUpperCase()}`)]
  }),
)

export function exportCommand(): Command {
  const command = withSettings(new Command('export'), 'data', 'baseUrl', 'timezone')
    .description('Write events to a file or to standard output: past and future, those that everybody sees.')
    .addOption(
      flag('--format <format>', 'how to write them', 'KALENDS_EXPORT_FORMAT')
        .choices([...EXPORTS.keys()])
        .makeOptionMandatory(),
    )
    .addOption(flag('--output <file>', 'where to; without it, to standard output', 'KALENDS_EXPORT_OUTPUT'))
    .addOption(new Option('--all', 'also what only an administrator sees: drafts, private, protected, unlisted events'))
  for (const option of FILTER_FLAGS.values()) command.addOption(option)
  return command.action(write)
}

async function write(flags: Flags): Promise<void> {
  const config = configOf(flags)
  const query = [...FILTER_FLAGS].map(([name, option]) => [name, flags[option.attributeName()]])
  const db = openStore(config)
  try {
    await migrateFor(db)
    let leftOut = 0
    const made = await exportEvents(config, db, {
      format: flags.format,
      query: Object.fromEntries(query.filter(([, value]) => value !== undefined)),
      all: flags.all === true,
      onDamage({ kind, id, reason }) {
        if (kind === 'event') leftOut++
        const why = reason instanceof Error ? reason.message : problemList(DEFAULT_LANGUAGE, reason)
        process.stderr.write(`Left out ${kind} ${id}: ${why}\n`)
      },
    })
    const source = Readable.from(made.text, { objectMode: false })
    if (flags.output === undefined) await toStandardOutput(source)
    else {
      // The file may hold private events, so only its owner may read it.
      await toFile(source, flags.output, flags.all === true ? 0o600 : 0o666)
      process.stderr.write(`Exported ${made.total - leftOut} events to ${flags.output}.\n`)
    }
  } catch (error) {
    throw error instanceof ExportError ? new ConfigError(error.message) : error
  } finally {
    await db.close()
  }
}

/** Writes a temporary file and renames it, so that an existing file is replaced as a whole or not at all. */
async function toFile(source: Readable, file: string, mode: number): Promise<void> {
  const partial = `${file}.${process.pid}.partial`
  try {
    await pipeline(source, createWriteStream(partial, { flags: 'wx', flush: true, mode }))
    await rename(partial, file)
  } catch (error) {
    await rm(partial, { force: true })
    throw error
  }
}

/** The reader may close the pipe early, as `head` does. */
async function toStandardOutput(source: Readable): Promise<void> {
  try {
    await pipeline(source, process.stdout, { end: false })
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EPIPE')) throw error
  }
}
