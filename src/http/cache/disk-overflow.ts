import type { Scratch } from '../../rest/rendered/template-store.ts'
import type { Kept, Keyed } from './cached-response.ts'

/** How many answers are put aside in one turn of the event loop, so that nobody waits for it. */
const AT_ONCE = 4
/** Of how many that were read back last it is known: were it more, some would come twice among them by chance alone. */
const MOST_READ = 32

/**
 * Answers that memory has no room for, put aside while the data stays the same: to read one back takes far less than
 * to make it.
 */
export class Spill {
  readonly #scratch: Scratch
  /** Those that were read back of late. */
  readonly #read = new Set<number>()
  #waiting: [number: number, keyed: Keyed][] = []

  constructor(scratch: Scratch) {
    this.#scratch = scratch
  }

  /**
   * An answer, and whether it is asked for so often that it should be in memory again: what comes back once in a long
   * while would only push others out.
   */
  get(number: number, key: string): { readonly kept: Kept; readonly often: boolean } | undefined {
    const row = this.#scratch.get(number)
    if (row === undefined) return undefined
    const [, head, body] = row
    if (!head.startsWith(key) || head[key.length] !== '\n') return undefined
    const from = key.length + 1
    const middle = head.indexOf('\n', from)
    const end = head.indexOf('\n', middle + 1)
    const tag = head.slice(from, middle)
    const until = Number(head.slice(middle + 1, end))
    const lines = head.slice(end + 1)
    const often = this.#read.has(number)
    if (this.#read.size >= MOST_READ) this.#read.clear()
    this.#read.add(number)
    return { kept: { body, tag, lines, until, variants: {} }, often }
  }

  /** Puts answers aside, a few at a time. */
  put(entries: Iterable<[number: number, keyed: Keyed]>): void {
    if (this.#waiting.length === 0) setImmediate(() => this.#work())
    for (const entry of entries) this.#waiting.push(entry)
  }

  /** One is no longer true; another may take its place. */
  delete(number: number): void {
    this.#scratch.delete(number)
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
    for (const [number, { key, kept }] of this.#waiting.splice(0, AT_ONCE)) {
      const { tag, until, lines, body } = kept
      if (!this.#scratch.has(number)) this.#scratch.put(number, 0, [key, tag, until, lines].join('\n'), body)
    }
    if (this.#waiting.length > 0) setImmediate(() => this.#work())
  }
}
