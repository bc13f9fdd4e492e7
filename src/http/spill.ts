import { hash } from 'node:crypto'
import type { Kept } from './kept.ts'
import type { Scratch } from './template-store.ts'

/** How many answers are put aside in one turn of the event loop, so that nobody waits for it. */
const AT_ONCE = 8

/**
 * Answers that memory has no room for, put aside while the data stays the same: to read one back takes far less than
 * to make it.
 */
export class Spill {
  readonly #scratch: Scratch
  #epoch = 0
  #keys = new Set<number>()
  #waiting: [string, Kept][] = []

  constructor(scratch: Scratch) {
    this.#scratch = scratch
  }

  has(key: string): boolean {
    return this.#keys.size > 0 && this.#keys.has(numberOf(key))
  }

  get(key: string): Kept | undefined {
    if (!this.has(key)) return undefined
    const row = this.#scratch.get(numberOf(key))
    if (row === undefined || row[0] !== this.#epoch) return undefined
    const [, head, body] = row
    const { key: kept, ...rest } = JSON.parse(head) as Pick<Kept, 'tag' | 'headers' | 'until'> & { key: string }
    // What never ends is no number in JSON.
    const until = rest.until ?? Number.POSITIVE_INFINITY
    const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
    return kept === key ? { ...rest, until, body: bytes, variants: {} } : undefined
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
      this.#scratch.put(number, epoch, JSON.stringify({ key, tag, headers, until }), body)
      this.#keys.add(number)
    }
    if (this.#waiting.length > 0) setImmediate(() => this.#work(epoch))
  }
}

/** A key as a number, which is nearly always its own; the key itself is kept along with the answer. */
function numberOf(key: string): number {
  return Number.parseInt(hash('sha1', key).slice(0, 12), 16)
}
