import type { Kept } from './kept.ts'
import type { Scratch } from './template-store.ts'

/** How many answers are put aside in one turn of the event loop, so that nobody waits for it. */
const AT_ONCE = 8
/** Of how many that were read back it is known. */
const MOST_READ = 5000

/**
 * Answers that memory has no room for, put aside while the data stays the same: to read one back takes far less than
 * to make it.
 */
export class Spill {
  readonly #scratch: Scratch
  #epoch = 0
  #keys = new Set<number>()
  /** Those that were read back of late. */
  #read = new Set<number>()
  #waiting: [string, Kept][] = []

  constructor(scratch: Scratch) {
    this.#scratch = scratch
  }

  /** An answer, and whether it is asked for so often that it should be in memory again: what comes back once in a long while would only push others out. */
  get(key: string): { readonly kept: Kept; readonly often: boolean } | undefined {
    if (this.#keys.size === 0) return undefined
    const number = numberOf(key)
    const row = this.#keys.has(number) ? this.#scratch.get(number) : undefined
    if (row === undefined || row[0] !== this.#epoch) return undefined
    const [own, tag, until, ...headers] = row[1].split('\n') as [string, string, string, ...string[]]
    if (own !== key) return undefined
    const often = this.#read.has(number)
    if (this.#read.size >= MOST_READ) this.#read.clear()
    this.#read.add(number)
    const { buffer, byteOffset, byteLength } = row[2]
    const body = Buffer.from(buffer, byteOffset, byteLength)
    return { kept: { body, tag, headers, until: Number(until), variants: {} }, often }
  }

  /** Puts answers aside, a few at a time. */
  put(entries: Iterable<[string, Kept]>): void {
    if (this.#waiting.length === 0) setImmediate(() => this.#work(this.#epoch))
    for (const entry of entries) this.#waiting.push(entry)
  }

  /** Nothing of it is true any more. */
  forget(): void {
    this.#epoch++
    this.#waiting = []
    if (this.#keys.size > 0) this.#scratch.close()
    this.#keys = new Set()
    this.#read = new Set()
  }

  close(): void {
    this.#waiting = []
    this.#scratch.close()
  }

  #work(epoch: number): void {
    if (epoch !== this.#epoch) return
    for (const [key, { tag, headers, until, body }] of this.#waiting.splice(0, AT_ONCE)) {
      const number = numberOf(key)
      if (this.#keys.has(number)) continue
      // No header and no address has a line break in it.
      this.#scratch.put(number, epoch, [key, tag, until, ...headers].join('\n'), body)
      this.#keys.add(number)
    }
    if (this.#waiting.length > 0) setImmediate(() => this.#work(epoch))
  }
}

/** A key as a number, which is nearly always its own (two FNV-1a in one pass); the key itself is kept along with the answer. */
function numberOf(key: string): number {
  let one = 0x811c9dc5
  let other = 0x01000193
  for (let n = 0; n < key.length; n++) {
    const sign = key.charCodeAt(n)
    one = Math.imul(one ^ sign, 0x01000193)
    other = Math.imul(other ^ sign, 0x85ebca6b)
  }
  return (one >>> 0) * 2 ** 20 + (other >>> 12)
}
