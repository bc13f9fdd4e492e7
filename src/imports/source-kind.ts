import { CsvReader } from '../lib/csv.ts'
import { decodeOctets } from '../lib/octets.ts'
import { utf16Of } from '../lib/utf16.ts'
import { readHeader } from './table/headers.ts'

/** What a file or an answer is, by its content. */
export type SourceKind = 'calendar' | 'table' | 'json' | 'html'

/** How much of the beginning tells what it is, in octets. */
export const HEAD = 16_384

/** Types of answers that are tables, whatever their first row is. */
const TABLE_TYPE = /^(text|application)\/(x-)?(csv|comma-separated-values|tab-separated-values|tsv)\b/i
/** Types that tell nothing, as servers give them to files they do not know; spreadsheets claim CSV. */
const VAGUE_TYPE = /^($|text\/plain|application\/(octet-stream|vnd\.ms-excel|force-download|download|unknown))/i
const BEGIN = /(^|[\r\n])[ \t]*BEGIN:VCALENDAR/i

/** The beginning of a file as text, without a byte order mark. */
function headText(bytes: Uint8Array): string {
  const head = bytes.subarray(0, HEAD)
  const encoding = utf16Of(head)
  const text =
    encoding === null
      ? decodeOctets(Buffer.from(head).toString('latin1'), bytes.length > HEAD)
      : new TextDecoder(encoding).decode(head)
  return text.replace(/^\ufeff/, '')
}

/**
 * What octets are, by their beginning and the type that they were sent with: the beginning counts more, since servers
 * send calendars and tables with any type. Null if it cannot be told.
 */
export function sourceKind(bytes: Uint8Array, type = ''): SourceKind | null {
  const text = headText(bytes)
  const start = text.trimStart()
  if (/^BEGIN:VCALENDAR/i.test(start)) return 'calendar'
  // A faulty program writes its warnings before the calendar.
  if (start.startsWith('<')) return BEGIN.test(text) && !/<(!doctype|html)/i.test(text) ? 'calendar' : 'html'
  if (/^[{[]/.test(start)) return 'json'
  const { names, isOpen } = firstRow(text)
  const isKnown = names.length > 0 && readHeader(names).lacking.length === 0
  if (isKnown || TABLE_TYPE.test(type)) return 'table'
  if (BEGIN.test(text) || /^text\/calendar/i.test(type)) return 'calendar'
  return (names.length > 1 || isOpen) && VAGUE_TYPE.test(type) ? 'table' : null
}

/** The cells of the first row, and whether a quote in it is not closed; none in a file that is not text. */
function firstRow(text: string): { names: readonly string[]; isOpen: boolean } {
  const reader = new CsvReader()
  const [row] = text.includes('\0') ? [] : [...reader.push(Buffer.from(text)), ...reader.end()]
  return { names: row?.cells.slice(0, 1000) ?? [], isOpen: row?.isOpen ?? false }
}
