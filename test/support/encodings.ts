import type { Call } from './service.ts'

/** Ways to send the fields of a record. */
export const ENCODINGS = ['json', 'form', 'multipart'] as const
export type Encoding = (typeof ENCODINGS)[number]

/** Fields as a client sends them in this way. Forms have only text, which ends its lines by CRLF. */
export async function encoded(fields: object, encoding: Encoding): Promise<Pick<Call, 'json' | 'raw' | 'headers'>> {
  if (encoding === 'json') return { json: fields }
  const type = 'application/x-www-form-urlencoded'
  const pairs = Object.entries(fields).flatMap(([name, value]) => pairsOf(name, value))
  if (encoding === 'form') {
    const lines = pairs.map(([name, value]) => [name, value.replace(/\r\n?|\n/g, '\r\n')])
    return { raw: new URLSearchParams(lines).toString(), headers: { 'content-type': type } }
  }
  const form = new FormData()
  for (const [name, value] of pairs) form.append(name, value)
  const request = new Response(form)
  const headers = { 'content-type': request.headers.get('content-type') ?? '' }
  return { raw: Buffer.from(await request.arrayBuffer()), headers }
}

/** `venue[image][id]=4`; an empty text for null, and nothing for an empty list. */
function pairsOf(name: string, value: unknown): [name: string, text: string][] {
  if (typeof value !== 'object' || value === null) return [[name, value === null ? '' : String(value)]]
  return Object.entries(value).flatMap(([part, inner]) => pairsOf(`${name}[${part}]`, inner))
}
