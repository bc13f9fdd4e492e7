import { AppError } from '../lib/errors.ts'
import { Upload } from '../lib/upload.ts'
import { fieldsOf, pairsOf } from './form.ts'
import { exceededBound, MAX_VALUES } from './json-bounds.ts'
import { partsOf } from './multipart.ts'

const MULTIPART = /^multipart\/form-data/i

/** Limit on fields of a form or query string. */
const MAX_FIELDS = 5000

/** Parses a query string or form: `name[]=` makes lists, `venue[city]=` makes objects. */
export function readForm(text: string): Record<string, unknown> {
  const pairs = pairsOf(text, MAX_FIELDS)
  if (pairs === null) throw tooMany(MAX_FIELDS)
  return fieldsOf(pairs)
}

function tooMany(most: number): AppError {
  return new AppError('rest_too_many_fields', { fill: { most } })
}

/** Parses a request body by its content type; no body has no fields. It may have `longest` bytes besides files. */
export function readBody(body: unknown, type = '', longest = Number.POSITIVE_INFINITY): Record<string, unknown> {
  if (!Buffer.isBuffer(body) || body.length === 0) return {}
  if (MULTIPART.test(type)) return readMultipart(body, type, longest)
  if (body.length > longest) throw new AppError('rest_payload_too_large')
  if (type.toLowerCase().startsWith('application/x-www-form-urlencoded')) return readForm(decode(body))
  return readJson(body)
}

function readMultipart(body: Buffer, type: string, longest: number): Record<string, unknown> {
  const parts = partsOf(body, type, MAX_FIELDS)
  const length = parts.reduce((sum, { isFile, bytes }) => sum + (isFile ? 0 : bytes.length), 0)
  if (length > longest) throw new AppError('rest_payload_too_large')
  // Browsers send an empty file if none was chosen.
  const given = parts.filter(({ isFile, bytes }) => !isFile || bytes.length > 0)
  return fieldsOf(
    given.map(({ name, isFile, file, bytes }) => [name, isFile ? new Upload(bytes, file) : decode(bytes)]),
  )
}

function readJson(body: Buffer): Record<string, unknown> {
  const exceeded = exceededBound(body)
  if (exceeded === 'values') throw tooMany(MAX_VALUES)
  if (exceeded === 'depth') throw new AppError('rest_invalid_json', { fill: { reason: 'nested too deeply' } })
  const value = parse(decode(body))
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new AppError('rest_invalid_json', { fill: { reason: 'not a JSON object' } })
  return value as Record<string, unknown>
}

const UTF_8 = new TextDecoder('utf-8', { fatal: true })

function decode(body: Buffer): string {
  try {
    return UTF_8.decode(body)
  } catch {
    throw new AppError('rest_invalid_json', { fill: { reason: 'not UTF-8 text' } })
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new AppError('rest_invalid_json', { fill: { reason: error instanceof Error ? error.message : 'broken' } })
  }
}

/** Reads an uploaded file: the body itself, or the first file of a form. The headers may name it. */
export async function readFile(body: unknown, type = '', disposition = ''): Promise<Upload> {
  const bytes = Buffer.isBuffer(body) ? body : Buffer.alloc(0)
  const isForm = MULTIPART.test(type) && bytes.length > 0
  const sent = isForm
    ? partsOf(bytes, type, MAX_FIELDS).find(({ isFile }) => isFile)
    : { bytes, file: FILE_NAME.exec(disposition)?.[1] ?? '' }
  if (sent === undefined || sent.bytes.length === 0)
    throw new AppError('rest_missing_callback_param', { params: { file: { problem: 'missing' } } })
  return new Upload(sent.bytes, sent.file)
}

/** Clients of WordPress name a file in the header `Content-Disposition`. */
const FILE_NAME = /;\s*filename="?([^";]{1,300})/i
