import { Buffers } from '../lib/buffers.ts'
import type { Kept } from './kept.ts'
import type { Scratch } from './template-store.ts'

/** How many answers are put aside in one turn of the event loop, so that nobody waits for it. */
const AT_ONCE = 8
/** Of how many that were read back last it is known: were it more, some would come twice among them by chance alone. */
const MOST_READ = 32

/**
 * Answers that memory has no room for, put aside while the data stays the same: to read one back takes far less than
 * to make it.
 */
export class Spill {
  readonly #scratch: Scratch
  readonly #buffers = new Buffers()
  /** Those that were read back of late. */
  readonly #read = new Set<number>()
  #waiting: [string, Kept][] = []

  constructor(scratch: Scratch) {
    this.#scratch = scratch
  }

  /**
   * An answer, and whether it is asked for so often that it should be in memory again: what comes back once in a long
   * while would only push others out. Until then, it lies in a buffer that is lent.
   */
  get(key: string): { readonly kept: Kept; readonly often: boolean } | undefined {
    const number = numberOf(key)
    if (!this.#scratch.has(number)) return undefined
    let lent: Buffer | null = null
    const row = this.#scratch.get(number, (length) => {
      lent = this.#buffers.lend(length)
      return lent
    })
    if (row === undefined) return undefined
    const [, head] = row
    const [own = '', tag = '', until = ''] = head.split('\n', 3)
    if (own !== key) return undefined
    const lines = head.slice(own.length + tag.length + until.length + 3)
    const often = this.#read.has(number)
    if (this.#read.size >= MOST_READ) this.#read.clear()
    this.#read.add(number)
    const kept = { body: row[2], tag, lines, until: Number(until), variants: {} }
    if (often) return { kept: { ...kept, body: Buffer.from(kept.body) }, often }
    const release = () => {
      if (lent !== null) this.#buffers.giveBack(lent)
      lent = null
    }
    return { kept: { ...kept, release }, often }
  }

  /** Puts answers aside, a few at a time. */
  put(entries: Iterable<[string, Kept]>): void {
    if (this.#waiting.length === 0) setImmediate(() => this.#work())
    for (const entry of entries) this.#waiting.push(entry)
  }

  /** Nothing of it is true any more. */
  forget(): void {
    this.#waiting = []
    this.#scratch.clear()
    this.#read.clear()
  }

  close(): void {
    this.#waiting = []
    this.#scratch.close()
  }

  #work(): void {
    for (const [key, { tag, lines, until, body }] of this.#waiting.splice(0, AT_ONCE)) {
      const number = numberOf(key)
      if (!this.#scratch.has(number)) this.#scratch.put(number, 0, [key, tag, until, lines].join('\n'), body)
    }
    if (this.#waiting.length > 0) setImmediate(() => this.#work())
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
