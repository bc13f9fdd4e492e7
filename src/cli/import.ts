import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { Command, Option } from 'commander'
import { createScope, readSite } from '../app.ts'
import { ConfigError } from '../config.ts'
import { acting } from '../domain/acting.ts'
import type { Scope } from '../domain/scope.ts'
import * as users from '../domain/users.ts'
import { importFile } from '../imports/file.ts'
import type { ImportReport } from '../imports/import-run.ts'
import { type FileOptions, importBytes, typeOf, withHttps } from '../imports/sent-file.ts'
import { findSite } from '../imports/site/find-site.ts'
import { importSite, type SiteReport } from '../imports/site/import-site.ts'
import { SiteClient, SiteError, type SiteOptions } from '../imports/site/site-client.ts'
import { sourceKind } from '../imports/source-kind.ts'
import { DATE_ORDERS, type DateOrder } from '../imports/table/dates.ts'
import { AppError } from '../lib/errors.ts'
import { problemText } from '../lib/problem-text.ts'
import { DEFAULT_LANGUAGE, text } from '../lib/texts.ts'
import { openStore } from '../store.ts'
import { configOf, flag, say, withSettings } from './options.ts'
import { migrateFor } from './upgrade.ts'

export function importCommand(): Command {
  return withSettings(new Command('import'), 'data', 'baseUrl', 'timezone')
    .description('Bring events in: a calendar (.ics), a table (.csv), or a whole site of the WordPress calendar.')
    .argument(
      '<source>',
      'a file or an address: of a calendar, a table, a site or its REST interface (…/wp-json/tribe/events/v1)',
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
    .addOption(
      flag(
        '--dates <order>',
        'order of dates such as 03/04/2031 in a table (default: as the table shows)',
        'KALENDS_IMPORT_DATES',
      ).choices(DATE_ORDERS),
    )
    .addOption(flag('--site-user <name>', 'a user of the site, to bring what is not published', 'KALENDS_SITE_USER'))
    .addHelpText('after', '\nThe password of --site-user is asked for, or read from KALENDS_SITE_PASSWORD.')
    .addHelpText(
      'after',
      '\nWhat a source is, its content tells. Tables: our own export, venues, organizers and events as the WordPress',
    )
    .addHelpText(
      'after',
      'calendar imports them, and exports of Google Calendar, Outlook and Eventbrite, with , ; or tabs.',
    )
    .addHelpText('after', '\nWhat was imported before is known again: only what has changed is changed.')
    .action(bring)
}

interface Flags extends Record<string, unknown> {
  readonly dryRun?: boolean
  readonly adopt?: boolean
  readonly user?: string
  readonly dates?: DateOrder
  readonly siteUser?: string
}

async function bring(source: string, flags: Flags): Promise<void> {
  const config = configOf(flags)
  const db = openStore(config)
  try {
    await migrateFor(db)
    const user = await users.importer({ db }, flags.user ?? null)
    const site = await readSite(config, db)
    const scope = acting({ ...createScope(config, db), site, user }, 'import', { user })
    const report = await importFrom(scope, source, flags)
    tell(report, flags.dryRun === true)
  } catch (error) {
    throw asConfigError(error)
  } finally {
    await db.close()
  }
}

type Report = ImportReport & Partial<SiteReport>

async function importFrom(scope: Scope, source: string, flags: Flags): Promise<Report> {
  const { dryRun = false, adopt = false, dates = null } = flags
  const options = { dryRun, adopt, dates, onProgress: show }
  if (/^(https?|webcals?):\/\//i.test(source)) return importAddress(scope, withHttps(source), flags, options)
  const report = await importFile(scope, source, options)
  if (report === null)
    throw new ConfigError(`"${source}" is not an iCalendar file, as it has no BEGIN:VCALENDAR, and not a table (CSV)`)
  return report
}

/** Imports what an address answers: a calendar, a table, or the site that it is part of. */
async function importAddress(scope: Scope, address: string, flags: Flags, options: FileOptions): Promise<Report> {
  const credentials = flags.siteUser === undefined ? null : { user: flags.siteUser, password: await sitePassword() }
  const onTrouble = (message: string) => console.error(`kalends: ${message}`)
  const client = new SiteClient(address, scope.fetchLimits, { credentials, onTrouble, ...paceOf(process.env) })
  const answer = await client.answer(address)
  const { status, headers, bytes } = answer
  if (credentials !== null && (status === 401 || status === 403))
    throw new SiteError(`${address} refuses the credentials`)
  const kind = sourceKind(bytes, headers['content-type'])
  if (status === 200 && kind !== 'html' && kind !== 'json') {
    const report = await importBytes(scope, bytes, headers['content-type'], options)
    if (report !== null) return report
  }
  const site = status === 200 ? findSite(client, address, answer) : null
  if (site === null)
    throw new SiteError(
      `${address} is not the REST interface of a calendar, nor a calendar, a table or a page of a WordPress site with a ` +
        `calendar: it answered ${status} (${typeOf(headers['content-type'])})`,
    )
  if (options.adopt)
    throw new ConfigError('--adopt is for calendars and tables: the events of another site have other ids')
  return importSite(scope, site, { dryRun: options.dryRun, onProgress: show })
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
  if (error instanceof SiteError) return new ConfigError(error.message)
  if (!(error instanceof AppError)) return error
  const [problem] = Object.values(error.details.params ?? {})
  return new ConfigError(
    problem === undefined
      ? text(DEFAULT_LANGUAGE, `errors.${error.code}`, error.details.fill)
      : printable(problemText(DEFAULT_LANGUAGE, problem)),
  )
}
