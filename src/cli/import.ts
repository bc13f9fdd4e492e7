import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { Command, Option } from 'commander'
import { createScope, openStore } from '../app.ts'
import { ConfigError } from '../config.ts'
import type { Scope } from '../domain/scope.ts'
import * as users from '../domain/users.ts'
import { importCalendar } from '../imports/calendar/import-calendar.ts'
import type { ImportReport } from '../imports/import-run.ts'
import { importAddress } from '../imports/sent-file.ts'
import { importSite, SiteError, type SiteReport } from '../imports/site/import-site.ts'
import type { SiteOptions } from '../imports/site/site-client.ts'
import { importTable, TableError } from '../imports/table/import-table.ts'
import { AppError } from '../lib/errors.ts'
import { problemText } from '../lib/problem-text.ts'
import { DEFAULT_LANGUAGE, text } from '../lib/texts.ts'
import { configOf, flag, say, withSettings } from './options.ts'
import { migrateFor } from './upgrade.ts'

export function importCommand(): Command {
  return withSettings(new Command('import'), 'data', 'baseUrl', 'timezone')
    .description('Bring events in: a calendar (.ics), a table (.csv), or a whole site of the WordPress calendar.')
    .argument(
      '<source>',
      'a file, the address of a calendar (.ics), or of a REST interface (…/wp-json/tribe/events/v1)',
    )
    .addOption(flag('--dry-run', 'report what would happen, and change nothing', 'KALENDS_DRY_RUN'))
    .addOption(
      flag('--user <name>', 'the author of new events (default: the first administrator)', 'KALENDS_IMPORT_USER'),
    )
    .addOption(
      new Option(
        '--adopt',
        'entries with the UIDs, and rows with the slugs, of events of this site change those events',
      ),
    )
    .addOption(flag('--site-user <name>', 'a user of the site, to bring what is not published', 'KALENDS_SITE_USER'))
    .addHelpText('after', '\nThe password of --site-user is asked for, or read from KALENDS_SITE_PASSWORD.')
    .addHelpText('after', '\nWhat was imported before is known again: only what has changed is changed.')
    .action(bring)
}

interface Flags extends Record<string, unknown> {
  readonly dryRun?: boolean
  readonly adopt?: boolean
  readonly user?: string
  readonly siteUser?: string
}

async function bring(source: string, flags: Flags): Promise<void> {
  const config = configOf(flags)
  const db = openStore(config)
  try {
    await migrateFor(db)
    const user = await users.importer({ db }, flags.user ?? null)
    const report = await importFrom({ ...createScope(config, db), user }, source, flags)
    tell(report, flags.dryRun === true)
  } catch (error) {
    throw asConfigError(error)
  } finally {
    await db.close()
  }
}

async function importFrom(scope: Scope, source: string, flags: Flags): Promise<ImportReport & Partial<SiteReport>> {
  const options = { dryRun: flags.dryRun === true, adopt: flags.adopt === true, onProgress: show }
  if (/^webcals?:\/\/|^https?:.*\.ics($|\?)/i.test(source)) return importAddress(scope, source, options)
  if (/^https?:\/\//i.test(source)) {
    if (options.adopt)
      throw new ConfigError('--adopt is for calendars and tables: the events of another site have other ids')
    const credentials = flags.siteUser === undefined ? null : { user: flags.siteUser, password: await sitePassword() }
    const onTrouble = (message: string) => console.error(`kalends: ${message}`)
    return importSite(scope, source, { ...options, credentials, onTrouble, ...paceOf(process.env) })
  }
  // An unreadable file is told of before anything else.
  await (await open(source)).close()
  const chunks = createReadStream(source)
  if (/\.(csv|tsv)$/i.test(source)) return importTable(scope, chunks, options)
  const report = await importCalendar(scope, chunks, options)
  if (report === null) throw new ConfigError(`"${source}" is not an iCalendar file: it has no BEGIN:VCALENDAR`)
  return report
}

/** The password of the user of a site: never an argument, which others on the machine could read. */
async function sitePassword(): Promise<string> {
  const given = process.env.KALENDS_SITE_PASSWORD
  if (given !== undefined && given !== '') return given
  if (!process.stdin.isTTY) throw new ConfigError('--site-user needs a password: set KALENDS_SITE_PASSWORD')
  process.stderr.write('Password of the site: ')
  // What is typed is not shown.
  const hidden = new Writable({ write: (_, __, done) => done() })
  const lines = createInterface({ input: process.stdin, output: hidden, terminal: true })
  try {
    return (await lines.question('')).trim()
  } finally {
    lines.close()
    process.stderr.write('\n')
  }
}

/** How long to wait between requests, and for an answer, in milliseconds: a site of one's own may be asked faster. */
function paceOf({ KALENDS_SITE_PAUSE, KALENDS_SITE_TIMEOUT }: NodeJS.ProcessEnv): Partial<SiteOptions> {
  const [pause, timeout] = [KALENDS_SITE_PAUSE, KALENDS_SITE_TIMEOUT].map((value = '') =>
    /^\d{1,6}$/.test(value) ? Number(value) : undefined,
  )
  return {
    ...(pause !== undefined && { pause, patience: Math.min(1000, pause * 5) }),
    ...(timeout && { timeout }),
  }
}

/** A line that counts up, where a person watches. */
function show({ created, updated, unchanged, removed, skipped }: ImportReport, stage = ''): void {
  if (!process.stderr.isTTY) return
  process.stderr.write(
    `\r${stage && `${stage}: `}${created + updated + unchanged + removed + skipped} entries, ${created} created, ${skipped} skipped`,
  )
}

/** The report; a command that could do nothing fails. */
function tell({ notes, brought = {}, ...counts }: ImportReport & Partial<SiteReport>, dryRun: boolean): void {
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
  for (const [kind, count] of Object.entries(brought)) say(`${kind}: ${count} brought`)
  if (counts.skipped > 0 && counts.created + counts.updated + counts.unchanged + counts.removed === 0)
    process.exitCode = 1
}

/** Text of a stranger's file must not steer the terminal. */
function printable(told: string): string {
  return told.replace(/\p{C}+/gu, ' ')
}

function asConfigError(error: unknown): unknown {
  if (error instanceof TableError || error instanceof SiteError) return new ConfigError(error.message)
  if (!(error instanceof AppError)) return error
  const [problem] = Object.values(error.details.params ?? {})
  return new ConfigError(
    problem === undefined
      ? text(DEFAULT_LANGUAGE, `errors.${error.code}`, error.details.fill)
      : problemText(DEFAULT_LANGUAGE, problem),
  )
}
