import { createHash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { AppError, type Problem } from '../lib/errors.ts'

/** Limit on the length of a key, in characters. */
const MAX_KEY = 255

/** Errors that say nothing about the request itself, or that a retry is meant for. They are not kept. */
const NOT_KEPT = new Set([401, 408, 409, 429])

/** The key of a request; null if it has none, or nobody to whom it could belong. */
export function idempotencyKeyOf({ headers, user }: FastifyRequest): string | null {
  const key = headers['idempotency-key']
  if (key === undefined || user === null) return null
  const text = String(key)
  if (text.length >= 1 && text.length <= MAX_KEY) return text
  const problem: Problem = text === '' ? { problem: 'empty' } : { problem: 'too_long', longest: MAX_KEY }
  throw new AppError('rest_invalid_param', { params: { 'Idempotency-Key': problem } })
}

/**
 * Hash of everything that makes a request the same. A token makes another one: the stored answer of a batch may have what
 * only a password may get.
 */
export function fingerprintOf({ method, url, headers, body, user }: FastifyRequest): string {
  const type = headers['content-type'] ?? ''
  const sent = createHash('sha256').update(`${method} ${url}\n${type.replace(/;.*/s, '').trim().toLowerCase()}\n`)
  if (user?.byToken) sent.update('token\n')
  if (Buffer.isBuffer(body)) sent.update(withoutBoundary(body, type))
  return sent.digest('base64url')
}

/** Clients draw a new boundary for each attempt. */
function withoutBoundary(body: Buffer, type: string): Buffer | string {
  const boundary = /^multipart\/[^;]+;.*\bboundary="?([^";]+)/i.exec(type)?.[1]
  return boundary === undefined ? body : body.toString('latin1').replaceAll(boundary, '')
}

/** Whether the answer to an error is replayed. */
export function isKept(error: AppError): boolean {
  return error.status < 500 && !NOT_KEPT.has(error.status)
}
