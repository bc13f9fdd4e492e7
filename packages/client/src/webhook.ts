/** Webhooks, by the rules of Standard Webhooks. */

/** The body of a webhook. */
export interface WebhookPayload {
  readonly type: string
  readonly timestamp: string
  readonly data: { readonly type: string; readonly id: number; readonly record?: unknown }
}

/** A request that is not a webhook of the service, or is too old. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError'
}

/** How old a webhook may be, in seconds. */
const TOLERANCE = 300

type HeadersLike = Headers | Readonly<Record<string, string | readonly string[] | undefined>>

/** Checks the signature and the age of a webhook. Returns its payload, or throws a WebhookError. */
export async function verifyWebhook(
  body: string | Uint8Array,
  headers: HeadersLike,
  secret: string | undefined,
): Promise<WebhookPayload> {
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body)
  const id = headerOf(headers, 'webhook-id')
  const timestamp = headerOf(headers, 'webhook-timestamp')
  const signatures = headerOf(headers, 'webhook-signature')
  if (id === '' || timestamp === '' || signatures === '') throw new WebhookError('a header of the webhook is missing')
  if (!/^\d+$/.test(timestamp) || Math.abs(Date.now() / 1000 - Number(timestamp)) > TOLERANCE)
    throw new WebhookError('the webhook is too old, or from the future')
  const key = await keyOf(secret ?? '')
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${text}`)
  for (const signature of signatures.split(' ')) {
    const [version, value = ''] = signature.split(',')
    const bytes = version === 'v1' ? bytesOf(value) : null
    if (bytes !== null && (await crypto.subtle.verify('HMAC', key, bytes, signed)))
      return JSON.parse(text) as WebhookPayload
  }
  throw new WebhookError('the signature of the webhook is wrong')
}

function headerOf(headers: HeadersLike, name: string): string {
  if (headers instanceof Headers) return headers.get(name) ?? ''
  const found = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1]
  return typeof found === 'string' ? found : (found?.[0] ?? '')
}

async function keyOf(secret: string): Promise<CryptoKey> {
  const bytes = bytesOf(secret.replace(/^whsec_/, ''))
  if (bytes === null || bytes.length === 0) throw new WebhookError('the secret is not one of a webhook')
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify'])
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))
  } catch {
    return null
  }
}
