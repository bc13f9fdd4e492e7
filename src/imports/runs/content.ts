import type { Scope } from '../../domain/scope.ts'
import { AppError } from '../../lib/errors.ts'
import { Upload } from '../../lib/upload.ts'
import { fetchImportable, withHttps } from '../sent-file.ts'
import { DATE_ORDERS, type DateOrder } from '../table/dates.ts'

/** What is to be imported. */
export interface Content {
  /** Name of the file, or the address. */
  readonly name: string
  readonly url: string | null
  readonly bytes: Buffer
  /** Content type of an answer. */
  readonly type: string | undefined
}

/** How a table is read; calendars need nothing of it. */
export interface ReadingOptions {
  /** Meaning of columns by their place, if told by hand. */
  readonly columns: Readonly<Record<string, string>> | null
  /** Order of day and month, if told by hand. */
  readonly dates: DateOrder | null
}

const MAX_NAME = 200

/** The file or the address of a form. */
export async function contentOf(scope: Scope, fields: Readonly<Record<string, unknown>>): Promise<Content> {
  const { file, url } = fields
  if (file instanceof Upload)
    return { name: file.name.slice(0, MAX_NAME) || '–', url: null, bytes: file.bytes, type: undefined }
  const address = typeof url === 'string' ? String(withHttps(url)) : ''
  if (address === '') throw new AppError('rest_missing_callback_param', { params: { file: { problem: 'missing' } } })
  return { name: address.slice(0, 2000), url: address, ...(await fetchImportable(scope, address)) }
}

/** `column[0]` … and `date_order` of a form. */
export function readingOf(fields: Readonly<Record<string, unknown>>): ReadingOptions {
  const { column, date_order } = fields
  const columns = typeof column === 'object' && column !== null ? Object.entries(column) : []
  const order = date_order === 'dmy' ? 'day-first' : date_order === 'mdy' ? 'month-first' : null
  const named = columns.filter(
    (pair): pair is [string, string] => /^\d{1,3}$/.test(pair[0]) && typeof pair[1] === 'string',
  )
  return { columns: named.length === 0 ? null : Object.fromEntries(named), dates: order }
}

/** Options as they are stored. */
export function parseOptions(json: string): ReadingOptions {
  const { columns = null, dates = null } = JSON.parse(json) as Partial<ReadingOptions>
  return { columns, dates: dates !== null && DATE_ORDERS.includes(dates) ? dates : null }
}

/** The order of the site, for dates for which a table shows none. */
export function assumedDates({ site }: Pick<Scope, 'site'>): DateOrder {
  return site.dateOrder === 'dmy' ? 'day-first' : 'month-first'
}
