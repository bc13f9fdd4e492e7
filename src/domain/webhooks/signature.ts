import { createHmac, randomBytes } from 'node:crypto'

/** Signatures as in the Standard Webhooks specification (standardwebhooks.com), version 1. */

const PREFIX = 'whsec_'

/** Random octets in a secret. */
const OCTETS = 32

export function newSecret(): string {
  return `${PREFIX}${randomBytes(OCTETS).toString('base64')}`
}

/** Headers of a message. With several secrets, a receiver that knows one of them can check it. */
export function signedHeaders(
  message: string,
  timestamp: number,
  body: string,
  secrets: readonly string[],
): Record<string, string> {
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(PREFIX.length), 'base64')
    return `v1,${createHmac('sha256', key).update(`${message}.${timestamp}.${body}`).digest('base64')}`
  })
  return {
    'webhook-id': message,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures.join(' '),
  }
}
