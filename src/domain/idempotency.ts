import { createCipheriv, createDecipheriv, hash, hkdfSync, randomBytes, randomUUID } from 'node:crypto'
import { promisify } from 'node:util'
import { deflateRaw, inflateRaw } from 'node:zlib'
import { AppError } from '../lib/errors.ts'
import type { Database } from '../storage/database.ts'
import * as storage from '../storage/idempotency.ts'
import { runInOneTransaction } from '../storage/shared-transaction.ts'
import type { JobKind } from './job-run.ts'
import { sweepingJob } from './sweeping.ts'

/** How long an answer is kept, in seconds. */
const KEPT = 24 * 3600
/** How long a request whose process was killed keeps others from its key, and how often it renews that, in seconds. */
const LEASE = 15
const RENEWAL = 5
/** Limit on the stored size of a body, in bytes. A longer one is replayed without its content. */
const MAX_STORED = 1_000_000
/** Limit on the keys of one user. Beyond it, the oldest are forgotten. */
const MAX_KEYS = 100_000

/** An answer as it is sent. */
export interface StoredAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

/** A request under a key. */
export interface KeyedRequest {
  readonly user: number
  readonly key: string
  /** Method, address and body, hashed. */
  readonly request: string
  /** Whether all of its writes can be one transaction. */
  readonly inOneTransaction: boolean
  run(db: Database): Promise<StoredAnswer>
  /** Called with the bytes of the answer, once it is stored. */
  count(bytes: number): Promise<void>
  /** The answer to an error, if it is kept; null if the request may be tried again. */
  answerTo(error: unknown): StoredAnswer | null
}

/**
 * Does a request once for each key: a repeated one gets the stored answer. The answer is stored in the transaction of the
 * change, so there is never one without the other.
 */
export async function doOnce(
  db: Database,
  request: KeyedRequest,
): Promise<{ readonly answer: StoredAnswer; readonly isReplayed: boolean }> {
  const row = { user: request.user, key: hash('sha256', `${request.user} ${request.key}`), request: request.request }
  const own = { ...row, claim: randomUUID() }
  const known = await db.writeWithoutInvalidating((tx) => storage.claim(tx, own, LEASE, KEPT))
  if (known !== null) return { answer: await answerOf(known, request), isReplayed: true }
  const renewal = setInterval(() => void storage.renew(db, own, LEASE).catch(() => {}), RENEWAL * 1000).unref()
  try {
    const { answer, stored } = await runAndStore(db, request, own)
    await request.count(bytesOf(stored))
    return { answer, isReplayed: false }
  } catch (error) {
    const answer = request.answerTo(error)
    const stored = answer && (await pack(request, answer))
    await db
      .writeWithoutInvalidating(async (tx) => {
        if (stored === null) await storage.release(tx, own)
        else await storage.complete(tx, own, stored)
      })
      // The claim runs out by itself.
      .catch(() => {})
    if (stored !== null) await request.count(bytesOf(stored))
    throw error
  } finally {
    clearInterval(renewal)
  }
}

async function runAndStore(
  db: Database,
  request: KeyedRequest,
  own: Parameters<typeof storage.complete>[1],
): Promise<{ readonly answer: StoredAnswer; readonly stored: PackedAnswer }> {
  if (!request.inOneTransaction) {
    const answer = await request.run(db)
    const stored = await pack(request, answer)
    await db.writeWithoutInvalidating((tx) => storage.complete(tx, own, stored))
    return { answer, stored }
  }
  let stored: PackedAnswer | undefined
  const [outcome] = await runInOneTransaction(db, [{ run: request.run }], async (tx, [made]) => {
    if (made === undefined) throw new Error('a part has no outcome')
    // Another process took over if this one was not heard of for too long.
    stored = await pack(request, made())
    if (!(await storage.complete(tx, own, stored))) throw inUse()
  })
  if (outcome === undefined || stored === undefined) throw new Error('a part has no outcome')
  return { answer: outcome(), stored }
}

/** Bytes that an answer takes beside its content, with its key. */
const ROW = 500

function bytesOf({ headers, body }: PackedAnswer): number {
  return ROW + (headers?.length ?? 0) + (body?.length ?? 0)
}

/** The stored answer to a request that was sent before. */
async function answerOf(known: storage.KeyRow, request: KeyedRequest): Promise<StoredAnswer> {
  if (known.request !== request.request) throw new AppError('rest_idempotency_key_reused')
  if (known.status === null) throw inUse()
  return {
    status: known.status,
    headers: JSON.parse(known.headers ?? '{}') as Record<string, string>,
    body: known.body === null ? Buffer.from('{}') : await unpack(request, known.body),
  }
}

function inUse(): AppError {
  return new AppError('rest_idempotency_key_in_use', { headers: { 'retry-after': '1' } })
}

/** Answers may hold secrets, such as a new token. So they are encrypted with the key, of which only a hash is stored. */
function secretOf({ user, key }: KeyedRequest): Buffer {
  return Buffer.from(hkdfSync('sha256', key, String(user), 'idempotency', 32))
}

const CIPHER = 'aes-256-gcm'
const IV_BYTES = 12
const TAG_BYTES = 16

type PackedAnswer = Pick<storage.KeyRow, 'status' | 'headers' | 'body'>

async function pack(request: KeyedRequest, { status, headers, body }: StoredAnswer): Promise<PackedAnswer> {
  const small = await promisify(deflateRaw)(body)
  const iv = randomBytes(IV_BYTES)
  const cipher = createCipheriv(CIPHER, secretOf(request), iv)
  const sealed = [iv, cipher.update(small), cipher.final(), cipher.getAuthTag()]
  const isKept = small.length <= MAX_STORED
  return {
    status,
    headers: JSON.stringify(headers),
    body: isKept ? Buffer.concat(sealed).toString('base64') : null,
  }
}

async function unpack(request: KeyedRequest, stored: string): Promise<Buffer> {
  const bytes = Buffer.from(stored, 'base64')
  const decipher = createDecipheriv(CIPHER, secretOf(request), bytes.subarray(0, IV_BYTES))
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES))
  const small = Buffer.concat([decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()])
  return promisify(inflateRaw)(small)
}

/** Removes old keys. */
export function forgettingKeys({ db }: { readonly db: Database }): JobKind {
  return sweepingJob(db, 'forget-idempotency-keys', 600, (tx, most) => storage.sweep(tx, KEPT, MAX_KEYS, most))
}
