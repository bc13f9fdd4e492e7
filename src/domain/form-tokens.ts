import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Clock } from '../lib/clock.ts'
import * as secrets from '../storage/secrets.ts'
import type { Scope } from './scope.ts'

/**
 * Tokens of forms that anybody may send: when the form was made, and a nonce by which each is taken once. All nodes sign
 * with the key in the database. A script of the page adds a proof of work.
 */

/** Name of the key. */
const KEY = 'forms'
/** How long a form may be open, in milliseconds. */
const LIFETIME = 24 * 3600 * 1000
/** A proof has several small parts: so it takes about the same time on each try. */
const PARTS = 4
/** Leading zero bits of the hash of each part. With four parts, about 130,000 hashes in all: a second on a phone. */
const BITS = 15

/** What a script needs to make a proof; see web/suggest.js. */
export const PROOF = { parts: PARTS, bits: BITS } as const

export interface FormToken {
  readonly nonce: string
  /** Milliseconds since the form was made. */
  readonly age: number
  readonly isExpired: boolean
}

type Store = Pick<Scope, 'db' | 'clock'>

/** The clock tells whole seconds; the rest is that of the machine. */
function milliseconds(clock: Clock): number {
  return clock() * 1000 + (Date.now() % 1000)
}

/** The key of all nodes, made on first use. */
async function keyOf({ db }: Pick<Scope, 'db'>): Promise<string> {
  const known = await db.read((tx) => secrets.find(tx, KEY))
  if (known !== undefined) return known
  return db.writeWithoutInvalidating(async (tx) => {
    await secrets.create(tx, KEY, randomBytes(32).toString('hex'))
    return (await secrets.find(tx, KEY)) ?? ''
  })
}

/** A token for a new form. */
export async function issue(store: Store): Promise<string> {
  const content = `${milliseconds(store.clock).toString(36)}.${randomBytes(12).toString('base64url')}`
  return `${content}.${sign(await keyOf(store), content)}`
}

/** Reads a token; null if we did not make it. */
export async function read(store: Store, given: unknown): Promise<FormToken | null> {
  const [, made = '', nonce = '', signature = ''] =
    /^([0-9a-z]{1,12})\.([\w-]{16})\.([\w-]{43})$/.exec(typeof given === 'string' ? given : '') ?? []
  if (nonce === '') return null
  const own = sign(await keyOf(store), `${made}.${nonce}`)
  if (!timingSafeEqual(Buffer.from(own), Buffer.from(signature))) return null
  const age = milliseconds(store.clock) - Number.parseInt(made, 36)
  return { nonce, age, isExpired: age > LIFETIME }
}

/** A text that only this calendar can compute, such as a network that must not be stored as it is. */
export async function fingerprint(store: Pick<Scope, 'db'>, text: string): Promise<string> {
  return sign(await keyOf(store), `fingerprint ${text}`)
}

function sign(key: string, content: string): string {
  return createHmac('sha256', key).update(content).digest('base64url')
}

/** What the proof of a token is made for. */
export function nonceOf(token: string): string {
  return token.split('.')[1] ?? ''
}

/** Whether a proof of work is right: numbers whose hashes with the nonce begin with zeros. Four hashes at most. */
export function isProved(nonce: string, proof: unknown): boolean {
  if (typeof proof !== 'string' || proof.length > 50) return false
  const numbers = proof.split(',')
  return (
    numbers.length === PARTS && numbers.every((number, part) => /^\d+$/.test(number) && isPart(nonce, part, number))
  )
}

function isPart(nonce: string, part: number, number: string): boolean {
  const bytes = hash('sha256', `${nonce} ${part} ${number}`, 'buffer')
  return bytes.readUInt32BE(0) >>> (32 - BITS) === 0
}
