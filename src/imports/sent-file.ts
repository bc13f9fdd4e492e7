import { need, rightsOf } from '../domain/access.ts'
import { readingOf } from '../domain/records.ts'
import type { Payload, Scope } from '../domain/scope.ts'
import { AppError, refuse } from '../lib/errors.ts'
import { FetchRefused, safeFetch } from '../lib/safe-fetch.ts'
import { readFields } from '../schema/field.ts'
import { importParameters } from '../schema/import.ts'
import { type CalendarOptions, importCalendar } from './calendar/import-calendar.ts'
import type { ImportReport } from './import-run.ts'

/** Content types of a body with the address of a calendar. */
const FIELDS = /^\s*(\{|(url|dry_run)=)/

/** Limit on events of a request: recurrence rules can multiply entries. */
const MAX_EVENTS = 50_000

/** Limit on images fetched for a request. */
const MAX_IMAGES = 20

/** Limits on steps of recurrence rules and on text of occurrences, in characters. */
const MAX_RULE_STEPS = 20_000_000
const MAX_TEXT = 50_000_000

/** Imports the calendar of a request body, or at its address. */
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
    most: MAX_EVENTS,
    mostImages: MAX_IMAGES,
    mostSteps: MAX_RULE_STEPS,
    mostText: MAX_TEXT,
  }
  if (named) return importAddress(scope, values.url ?? '', options)
  return isCalendar('file', await importCalendar(scope, pieces(bytes), options))
}

/** Imports the calendar at an address. */
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

/** Replaces `webcal:` by `https:`. */
function withHttps<T>(url: T): T | string {
  return typeof url === 'string' ? url.trim().replace(/^webcals?:\/\//i, 'https://') : url
}

/** Yields bytes in small chunks, so that parsing does not hold the event loop. */
function* pieces(bytes: Buffer, size = 16_384): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}
