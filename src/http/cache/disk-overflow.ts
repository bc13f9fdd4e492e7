import type { CachedResponse, KeyedResponse } from './cached-response.ts'
import type { ScratchFile } from './scratch-file.ts'

/** How many responses are written in one turn of the event loop, so that nobody waits for them. */
const AT_ONCE = 4
/** How many of the last reads are remembered: with more, some would be repeated by chance. */
const MOST_READ = 32

/** Responses that memory has no room for, in a scratch file: to read one back is far cheaper than to make it. */
export class DiskOverflow {
  readonly #scratch: ScratchFile
  /** The hashes of those that were read last. */
  readonly #read = new Set<number>()
  #waiting: [hash: number, keyed: KeyedResponse][] = []

  constructor(scratch: ScratchFile) {
    this.#scratch = scratch
  }

  /** A response, and whether it is read so often that it should be in memory again. */
  get(hash: number, key: string): { readonly response: CachedResponse; readonly often: boolean } | undefined {
    const row = this.#scratch.get(hash)
    if (row === undefined) return undefined
    const [, head, body] = row
    if (!head.startsWith(key) || head[key.length] !== '\n') return undefined
    const from = key.length + 1
    const middle = head.indexOf('\n', from)
    const end = head.indexOf('\n', middle + 1)
    const tag = head.slice(from, middle)
    const until = Number(head.slice(middle + 1, end))
    const lines = head.slice(end + 1)
    const often = this.#read.has(hash)
    if (this.#read.size >= MOST_READ) this.#read.clear()
    this.#read.add(hash)
    return { response: { body, tag, lines, until, variants: {} }, often }
  }

  /** Writes responses, a few at a time. */
  put(entries: Iterable<[hash: number, keyed: KeyedResponse]>): void {
    if (this.#waiting.length === 0) setImmediate(() => this.#write())
    for (const entry of entries) this.#waiting.push(entry)
  }

  delete(hash: number): void {
    this.#scratch.delete(hash)
  }

  clear(): void {
    this.#waiting = []
    this.#scratch.clear()
    this.#read.clear()
  }

  close(): void {
    this.#waiting = []
    this.#scratch.close()
  }

  #write(): void {
    for (const [hash, { key, response }] of this.#waiting.splice(0, AT_ONCE)) {
      const { tag, until, lines, body } = response
      if (!this.#scratch.has(hash)) this.#scratch.put(hash, 0, [key, tag, until, lines].join('\n'), body)
    }
    if (this.#waiting.length > 0) setImmediate(() => this.#write())
  }
}
