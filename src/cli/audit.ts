import { Command, Option } from 'commander'
import { auditEntry, readSite } from '../app.ts'
import { ConfigError } from '../config.ts'
import { type AuditEntry, list } from '../domain/audit.ts'
import { systemClock } from '../lib/clock.ts'
import { AppError } from '../lib/errors.ts'
import { problemText } from '../lib/problem-text.ts'
import { openStore } from '../store.ts'
import { refuseMissing } from './check.ts'
import { say, sayTable, storeConfig, withStore } from './options.ts'
import { migrateFor } from './upgrade.ts'

interface Flags extends Record<string, unknown> {
  readonly record?: string
  readonly user?: string
  readonly way?: string
  readonly action?: string
  readonly since?: string
  readonly until?: string
  readonly json?: boolean
  readonly limit: string
}

export function auditCommand(): Command {
  return withStore(new Command('audit'))
    .description('Show who changed what, the newest first.')
    .addOption(new Option('--record <record>', 'a kind of record, or one record: event, event:12'))
    .addOption(new Option('--user <name>', 'changes by this user'))
    .addOption(new Option('--way <way>', 'rest, screen, command, import or job'))
    .addOption(new Option('--action <action>', 'created, changed or removed'))
    .addOption(new Option('--since <date>', 'changes from this time on, such as 2031-06-10 or "yesterday"'))
    .addOption(new Option('--until <date>', 'changes up to this time'))
    .addOption(new Option('--limit <number>', 'how many changes are shown').default('50'))
    .addOption(new Option('--json', 'one JSON object a line, with the fields before and after'))
    .addHelpText('after', '\nTimes are in UTC; dates of options are in the time zone of the calendar.')
    .action(run)
}

/** Rows that are read at once. */
const PAGE = 50
const MAX_LIMIT = 1_000_000

async function run(flags: Flags): Promise<void> {
  const limit = /^\d{1,7}$/.test(flags.limit) ? Number(flags.limit) : 0
  if (limit < 1 || limit > MAX_LIMIT) throw new ConfigError(`--limit must be a number from 1 to ${MAX_LIMIT}`)
  const config = storeConfig(flags)
  refuseMissing(config)
  const db = openStore(config)
  try {
    await migrateFor(db)
    const site = await readSite(config, db)
    const user = { id: 0, name: '', role: 'administrator' } as const
    await tell({ db, clock: systemClock, site, user }, flags, limit)
  } catch (error) {
    throw asConfigError(error)
  } finally {
    await db.close()
  }
}

async function tell(scope: Parameters<typeof list>[0], flags: Flags, limit: number): Promise<void> {
  const { record, user, way, action, since: after, until: before } = flags
  const asked = Object.entries({ record, user, way, action, after, before }).filter(([, value]) => value !== undefined)
  const entries: AuditEntry[] = []
  let shown = 0
  for (let cursor: string | null = ''; cursor !== null && shown < limit; ) {
    const query = { ...Object.fromEntries(asked), per_page: PAGE, ...(cursor && { cursor }) }
    const page = await list(scope, () => query, flags.json ? 'all' : 'short')
    const some = page.entries.slice(0, limit - shown)
    if (flags.json) for (const entry of some) say(JSON.stringify(auditEntry(entry)))
    else entries.push(...some)
    shown += some.length
    cursor = page.next
  }
  if (!flags.json) sayTable(['TIME (UTC)', 'USER', 'WAY', 'FROM', 'ACTION', 'RECORD', 'FIELDS'], entries.map(line))
}

function line(entry: AuditEntry): string[] {
  const { user_name, way, address, action, kind, record, title, names } = entry
  const named = [record === 0 ? kind : `${kind}:${record}`, title].filter(Boolean).join(' ')
  const fields = action === 'changed' ? names.join(', ') : ''
  return [String(auditEntry(entry).date_utc), user_name ?? '-', way, address ?? '-', action, oneLine(named), fields]
}

/** The longest name of a record in a table. */
const LONGEST = 60

/** A name without what a terminal would obey. */
function oneLine(text: string): string {
  const plain = text.replace(/[\p{Cc}\p{Cf}]+/gu, ' ')
  return plain.length > LONGEST ? `${plain.slice(0, LONGEST - 1)}…` : plain
}

function asConfigError(error: unknown): unknown {
  if (!(error instanceof AppError) || error.details.params === undefined) return error
  const problems = Object.entries(error.details.params).map(
    ([name, problem]) => `--${OPTIONS[name] ?? name} ${problemText('en', problem)}`,
  )
  return new ConfigError(problems.join('; '))
}

const OPTIONS: Record<string, string> = { after: 'since', before: 'until' }
