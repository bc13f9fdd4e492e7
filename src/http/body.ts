import { AppError } from '../lib/errors.ts'
import { fieldsOf, pairsOf } from './form.ts'

/** How many fields a form or query may have. */
const MOST_FIELDS = 5000

/** Reads a query string or form: `name[]=` makes lists, `venue[city]=` makes data. */
export function readForm(text: string): Record<string, unknown> {
  const pairs = pairsOf(text, MOST_FIELDS)
  if (pairs === null) throw new AppError('rest_too_many_fields', { fill: { most: MOST_FIELDS } })
  return fieldsOf(pairs)
}

/** Reads a request body by its type; an absent one has no fields. */
export function readBody(body: unknown, type: string | undefined): Record<string, unknown> {
  if (!Buffer.isBuffer(body) || body.length === 0) return {}
  const text = decode(body)
  if (type?.toLowerCase().startsWith('application/x-www-form-urlencoded')) return readForm(text)
  const value = parse(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new AppError('rest_invalid_json', { fill: { reason: 'not a JSON object' } })
  return value as Record<string, unknown>
}

function decode(body: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body)
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

/** Reads a file that was sent as the body, or as the first file of a form. */
export async function readFile(body: unknown, type = ''): Promise<Buffer> {
  const bytes = Buffer.isBuffer(body) ? body : Buffer.alloc(0)
  const sent = /^multipart\/form-data/i.test(type) ? await fileOfForm(bytes, type) : bytes
  if (sent.length === 0) throw new AppError('rest_missing_callback_param', { params: { file: { problem: 'missing' } } })
  return sent
}

async function fileOfForm(bytes: Buffer, type: string): Promise<Buffer> {
  const form = await new Response(new Uint8Array(bytes), { headers: { 'content-type': type } }).formData().catch(() => {
    throw new AppError('rest_bad_request')
  })
  const file = [...form.values()].find((part) => typeof part !== 'string')
  return file === undefined ? Buffer.alloc(0) : Buffer.from(await file.arrayBuffer())
}
