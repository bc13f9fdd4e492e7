import { AppError } from '../lib/errors.ts'

/** A part of a multipart form: a field, or a file. */
export interface MultipartPart {
  readonly name: string
  readonly isFile: boolean
  /** Name of the file, if it is one. */
  readonly file: string
  readonly bytes: Buffer
}

/** Limit on the headers of a part, in bytes. */
const MAX_HEAD_BYTES = 8192

const BOUNDARY = /;\s*boundary=(?:"([^"\r\n]{1,70})"|([^\s;"]{1,70}))(?=[;\s]|$)/i
const DISPOSITION = /^content-disposition:\s*form-data(?=\s*(?:;|$))/im
/** Some clients omit an empty file name. */
const OCTET_STREAM = /^content-type:\s*application\/octet-stream/im
const PARAMETER = /\s*;\s*([^\s=;]+)(?:=(?:"((?:[^"\\\r\n]|\\.)*)"|([^\s;]*)))?/y

const LINE = Buffer.from('\r\n')
const BLANK_LINE = Buffer.from('\r\n\r\n')
const END = Buffer.from('--')

/**
 * Splits a multipart form (RFC 7578) into parts, which are views of its bytes. A form with more than `most` parts is
 * refused before any is read. Runs in linear time.
 */
export function partsOf(bytes: Buffer, type: string, most: number): MultipartPart[] {
  const [, quoted, plain] = BOUNDARY.exec(type) ?? []
  const boundary = quoted ?? plain
  if (boundary === undefined) throw new AppError('rest_bad_request')
  const delimiter = Buffer.from(`\r\n--${boundary}`)
  const ends = delimitersIn(bytes, delimiter, most)
  const parts: MultipartPart[] = []
  for (const [n, end] of ends.entries()) {
    const at = end + delimiter.length
    if (startsWith(bytes, END, at)) return parts
    const start = bytes.indexOf(LINE, at) + LINE.length
    // Only spaces may follow a delimiter.
    if (start - at > 64 || bytes.toString('latin1', at, start).trim() !== '') throw new AppError('rest_bad_request')
    const next = ends[n + 1]
    if (next === undefined || start < at) break
    parts.push(partOf(bytes.subarray(start, Math.max(start, next))))
  }
  // The last delimiter is missing.
  throw new AppError('rest_bad_request')
}

/** Positions of the delimiters. The first may be at the very start, without a CRLF before it. */
function delimitersIn(bytes: Buffer, delimiter: Buffer, most: number): number[] {
  const isFirst = startsWith(bytes, delimiter.subarray(LINE.length), 0)
  const found = isFirst ? [-LINE.length] : []
  // The blank line of an empty part may belong to the next delimiter.
  const from = isFirst ? delimiter.length - LINE.length : 0
  for (let at = bytes.indexOf(delimiter, from); at !== -1; at = bytes.indexOf(delimiter, at + delimiter.length)) {
    found.push(at)
    // There is one more delimiter than parts.
    if (found.length > most + 1) throw new AppError('rest_too_many_fields', { fill: { most } })
  }
  return found
}

function startsWith(bytes: Buffer, sought: Buffer, at: number): boolean {
  return bytes.subarray(at, at + sought.length).equals(sought)
}

function partOf(bytes: Buffer): MultipartPart {
  const end = bytes.subarray(0, MAX_HEAD_BYTES).indexOf(BLANK_LINE)
  const head = end === -1 ? '' : bytes.toString('utf8', 0, end)
  const parameters = parametersOf(head)
  const name = parameters.get('name')
  if (name === undefined) throw new AppError('rest_bad_request')
  const isFile = parameters.has('filename') || parameters.has('filename*') || OCTET_STREAM.test(head)
  const file = parameters.get('filename') ?? ''
  return { name, isFile, file, bytes: bytes.subarray(end + BLANK_LINE.length) }
}

/** Parameters of `Content-Disposition`, by lower-case name. */
function parametersOf(head: string): Map<string, string> {
  const found = new Map<string, string>()
  const disposition = DISPOSITION.exec(head)
  if (disposition === null) return found
  PARAMETER.lastIndex = disposition.index + disposition[0].length
  for (let match = PARAMETER.exec(head); match !== null; match = PARAMETER.exec(head)) {
    const [, name = '', quoted, plain = ''] = match
    found.set(name.toLowerCase(), quoted === undefined ? plain : unquote(quoted))
  }
  return found
}

/** Browsers write quotes as `%22`, other clients with a backslash. */
function unquote(text: string): string {
  return text
    .replace(/\\(.)/g, '$1')
    .replace(/%22/g, '"')
    .replace(/%0D%0A/gi, '\r\n')
}
