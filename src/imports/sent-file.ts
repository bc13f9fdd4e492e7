import { need, rightsOf } from '../domain/access.ts'
import { readingOf } from '../domain/records.ts'
import type { Payload, Scope } from '../domain/scope.ts'
import { AppError, type Problem, refuse } from '../lib/errors.ts'
import { FetchRefused, safeRequest } from '../lib/safe-fetch.ts'
import { asOctets } from '../lib/utf16.ts'
import { readFields } from '../schema/field.ts'
import { importParameters } from '../schema/import.ts'
import { type CalendarOptions, importCalendar } from './calendar/import-calendar.ts'
import type { ImportReport } from './import-run.ts'
import { type SourceKind, sourceKind } from './source-kind.ts'
import { importTable, type TableChunks, type TableOptions } from './table/import-table.ts'

/** Beginning of a body with fields, such as the address of a calendar. */
const FIELDS = /^\s*(\{|(url|dry_run|dates)=)/

/** Limit on events of a request: recurrence rules can multiply entries. */
const MAX_EVENTS = 50_000

/** Limit on images fetched for a request. */
const MAX_IMAGES = 20

/** Limits on steps of recurrence rules and on text of occurrences, in characters. */
const MAX_RULE_STEPS = 20_000_000
const MAX_TEXT = 50_000_000

/** Limits on an import that a request asks for. */
export const REQUEST_LIMITS = {
  most: MAX_EVENTS,
  mostImages: MAX_IMAGES,
  mostSteps: MAX_RULE_STEPS,
  mostText: MAX_TEXT,
} as const

export type FileOptions = CalendarOptions & TableOptions

/** Imports the file of a request body, or at its address. */
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
  const options = { ...REQUEST_LIMITS, dryRun: values.dry_run === true, dates: values.dates ?? null }
  if (named) return importAddress(scope, values.url ?? '', options)
  const report = await importBytes(scope, bytes, undefined, options)
  if (report === null) throw refused('file', { problem: 'not_a_calendar' })
  return report
}

/** Imports the calendar or table at an address. */
async function importAddress(scope: Scope, url: string, options: FileOptions): Promise<ImportReport> {
  const { bytes, type } = await fetchImportable(scope, url)
  try {
    const report = await importBytes(scope, bytes, type, options)
    if (report === null) throw refused('url', { problem: 'not_importable', status: 200, type: typeOf(type) })
    return report
  } catch (error) {
    // The table is what is wrong, and the address was sent.
    const problem = error instanceof AppError ? error.details.params?.file : undefined
    throw problem === undefined ? error : refused('url', problem)
  }
}

/** Fetches what is at an address, with the content type that it was sent with. */
export async function fetchImportable(
  scope: Pick<Scope, 'fetchLimits'>,
  url: string,
): Promise<{ bytes: Buffer; type: string | undefined }> {
  try {
    const { status, headers, bytes } = await safeRequest(url, scope.fetchLimits)
    const type = headers['content-type']
    if (status !== 200 || (headers['content-encoding'] ?? 'identity') !== 'identity')
      throw refused('url', { problem: 'fetch_answered', status, type: typeOf(type) })
    return { bytes, type }
  } catch (error) {
    throw error instanceof FetchRefused ? refused('url', { problem: error.problem }) : error
  }
}

/** Imports a calendar or a table, as its content shows; null if it is neither. */
export async function importBytes(
  scope: Scope,
  bytes: Buffer,
  type: string | undefined,
  options: FileOptions,
): Promise<ImportReport | null> {
  const kind = sourceKind(bytes, type)
  // Cells of one octet take longest to parse.
  const size = kind === 'table' ? 4096 : 16_384
  return importChunks(scope, { [Symbol.iterator]: () => pieces(bytes, size) }, kind, options)
}

/** The same for chunks that can be read twice. Only a table is known for certain: a calendar may begin anywhere. */
export async function importChunks(
  scope: Scope,
  chunks: TableChunks,
  kind: SourceKind | null,
  options: FileOptions,
): Promise<ImportReport | null> {
  if (kind === 'table') return importTable(scope, chunks, options)
  return importCalendar(scope, asOctets(chunks), options)
}

function refused(name: 'file' | 'url', problem: Problem): AppError {
  return new AppError('rest_invalid_param', { params: { [name]: problem } })
}

/** A content type, short enough for a message. */
export function typeOf(header: string | undefined): string {
  const [type = ''] = (header ?? '').split(';', 1)
  return /^[\w.+-]{1,60}\/[\w.+-]{1,60}$/.test(type.trim()) ? type.trim().toLowerCase() : 'no content type'
}

/** Replaces `webcal:` by `https:`. */
export function withHttps<T>(url: T): T | string {
  return typeof url === 'string' ? url.trim().replace(/^webcals?:\/\//i, 'https://') : url
}

/** Yields bytes in small chunks, so that parsing does not hold the event loop. */
function* pieces(bytes: Buffer, size: number): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}
