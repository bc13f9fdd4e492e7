import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { Command } from 'commander'
import { createScope, openStore } from '../app.ts'
import { ConfigError } from '../config.ts'
import { importCalendar } from '../domain/import-calendar.ts'
import { importAddress } from '../domain/import-sent.ts'
import { importTable, TableError } from '../domain/import-table.ts'
import type { Report } from '../domain/imports.ts'
import type { Scope } from '../domain/scope.ts'
import * as users from '../domain/users.ts'
import { AppError } from '../lib/errors.ts'
import { problemText } from '../lib/problem-text.ts'
import { DEFAULT_LANGUAGE, text } from '../lib/texts.ts'
import { configOf, flag, say, withSettings } from './options.ts'

export function importCommand(): Command {
  return withSettings(new Command('import'), 'data', 'baseUrl', 'timezone')
    .description('Bring events in: a calendar (.ics), a table (.csv), or the address of either.')
    .argument('<source>', 'a file, or an address')
    .addOption(flag('--dry-run', 'report what would happen, and change nothing', 'KALENDS_DRY_RUN'))
    .addOption(
      flag('--user <name>', 'the author of new events (default: the first administrator)', 'KALENDS_IMPORT_USER'),
    )
    .addHelpText('after', '\nWhat was imported before is known again: only what has changed is changed.')
    .action(bring)
}

interface Flags extends Record<string, unknown> {
  readonly dryRun?: boolean
  readonly user?: string
}

async function bring(source: string, flags: Flags): Promise<void> {
  const config = configOf(flags)
  const db = openStore(config)
  try {
    await db.migrate()
    const user = await users.importer({ db }, flags.user ?? null)
    const report = await importFrom({ ...createScope(config, db), user }, source, flags.dryRun === true)
    tell(report, flags.dryRun === true)
  } catch (error) {
    throw asConfigError(error)
  } finally {
    await db.close()
  }
}

async function importFrom(scope: Scope, source: string, dryRun: boolean): Promise<Report> {
  const options = { dryRun, onProgress: show }
  if (/^(https?|webcals?):\/\//i.test(source)) return importAddress(scope, source, options)
  // An unreadable file is told of before anything else.
  await (await open(source)).close()
  const chunks = createReadStream(source)
  if (/\.(csv|tsv)$/i.test(source)) return importTable(scope, chunks, options)
  const report = await importCalendar(scope, chunks, options)
  if (report === null) throw new ConfigError(`"${source}" is not an iCalendar file: it has no BEGIN:VCALENDAR`)
  return report
}

/** A line that counts up, where a person watches. */
function show({ created, updated, unchanged, removed, skipped }: Report): void {
  if (!process.stderr.isTTY) return
  process.stderr.write(
    `\r${created + updated + unchanged + removed + skipped} entries, ${created} created, ${skipped} skipped`,
  )
}

/** The report; a command that could do nothing fails. */
function tell({ notes, ...counts }: Report, dryRun: boolean): void {
  if (process.stderr.isTTY) process.stderr.write('\n')
  for (const { line, uid, problem } of notes) {
    const place = line > 0 ? `line ${line}` : ''
    say(`${[place, printable(uid)].filter(Boolean).join(', ')}: ${printable(problemText(DEFAULT_LANGUAGE, problem))}`)
  }
  const told = counts.skipped > notes.length ? ` (the first ${notes.length} are listed)` : ''
  say(
    `${dryRun ? 'Would be: ' : ''}${counts.created} created, ${counts.updated} updated, ${counts.unchanged} unchanged, ` +
      `${counts.removed} moved to the trash, ${counts.skipped} skipped${told}.`,
  )
  if (counts.skipped > 0 && counts.created + counts.updated + counts.unchanged + counts.removed === 0)
    process.exitCode = 1
}

/** Text of a stranger's file must not steer the terminal. */
function printable(told: string): string {
  return told.replace(/\p{C}+/gu, ' ')
}

function asConfigError(error: unknown): unknown {
  if (error instanceof TableError) return new ConfigError(error.message)
  if (!(error instanceof AppError)) return error
  const [problem] = Object.values(error.details.params ?? {})
  return new ConfigError(
    problem === undefined
      ? text(DEFAULT_LANGUAGE, `errors.${error.code}`, error.details.fill)
      : problemText(DEFAULT_LANGUAGE, problem),
  )
}
