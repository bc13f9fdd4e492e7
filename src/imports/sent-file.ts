import { need, rightsOf } from '../domain/access.ts'
import { readingOf } from '../domain/records.ts'
import type { Payload, Scope } from '../domain/scope.ts'
import { AppError, refuse } from '../lib/errors.ts'
import { FetchRefused, safeFetch } from '../lib/safe-fetch.ts'
import { readFields } from '../schema/field.ts'
import { importParameters } from '../schema/import.ts'
import { type CalendarOptions, importCalendar } from './calendar/import-calendar.ts'
import type { ImportReport } from './import-run.ts'

/** A body that names the address of a calendar, as JSON or as a form, and is none itself. */
const FIELDS = /^\s*(\{|(url|dry_run)=)/

/** How many events one request may bring: rules can make many of little. */
const MOST_EVENTS = 50_000

/** How many images one request may have fetched: somebody waits for its answer. */
const MOST_IMAGES = 20

/** How many steps the rules of one request may take, and how much text recurring entries may come to, in characters. */
const MOST_RULE_STEPS = 20_000_000
const MOST_TEXT = 50_000_000

/** Imports the calendar that a request brings, or names. */
export async function importSent(
  scope: Scope,
  { query, body, file }: { query: Payload; body: Payload; file: () => Promise<Buffer> },
): Promise<ImportReport> {
  need(rightsOf(scope.user).edit === 'all')
  const bytes = await file()
  const named = FIELDS.test(bytes.subarray(0, 100).toString('latin1'))
  const raw = { ...query(), ...(named && body()) }
  const { values, problems } = readFields(
    importParameters,
    { ...raw, url: named ? withHttps(raw.url) : undefined },
    { mode: 'query', reading: readingOf(scope) },
  )
  if (named && !values.url) problems.url ??= { problem: 'missing' }
  refuse(problems)
  const options = {
    dryRun: values.dry_run === true,
    most: MOST_EVENTS,
    mostImages: MOST_IMAGES,
    mostSteps: MOST_RULE_STEPS,
    mostText: MOST_TEXT,
  }
  if (named) return importAddress(scope, values.url ?? '', options)
  return isCalendar('file', await importCalendar(scope, pieces(bytes), options))
}

/** Imports the calendar that lies at an address. */
export async function importAddress(scope: Scope, url: string, options: CalendarOptions): Promise<ImportReport> {
  need(rightsOf(scope.user).edit === 'all')
  try {
    const bytes = await safeFetch(withHttps(url), scope.fetchLimits)
    return isCalendar('url', await importCalendar(scope, pieces(bytes), options))
  } catch (error) {
    if (!(error instanceof FetchRefused)) throw error
    throw new AppError('rest_invalid_param', { params: { url: { problem: error.problem } } })
  }
}

function isCalendar(name: 'file' | 'url', report: ImportReport | null): ImportReport {
  if (report === null) throw new AppError('rest_invalid_param', { params: { [name]: { problem: 'not_a_calendar' } } })
  return report
}

/** Calendars to subscribe to are often given as `webcal:`. */
function withHttps<T>(url: T): T | string {
  return typeof url === 'string' ? url.trim().replace(/^webcals?:\/\//i, 'https://') : url
}

/** Bytes by and by, so that no more of them than needed is taken apart at once. */
function* pieces(bytes: Buffer, size = 16_384): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}
