import type { CachedResponse, KeyedResponse } from './cached-response.ts'
import type { ScratchFile } from './scratch-file.ts'

/** Responses written per turn of the event loop, so that requests are not held up. */
const WRITES_PER_TURN = 4
/** Recent reads remembered. A larger set would promote responses that repeat by chance. */
const MAX_RECENT = 32

/** Responses evicted from memory, in a scratch file. Reading one back is far cheaper than rendering it. */
export class DiskOverflow {
  readonly #scratch: ScratchFile
  /** Hashes of recent reads. */
  readonly #recent = new Set<number>()
  #waiting: [hash: number, keyed: KeyedResponse][] = []

  constructor(scratch: ScratchFile) {
    this.#scratch = scratch
  }

  /** Returns the response, and whether it is read often enough to move back to memory. */
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
    const isFrequent = this.#recent.has(hash)
    if (this.#recent.size >= MAX_RECENT) this.#recent.clear()
    this.#recent.add(hash)
    return { response: { body, tag, lines, until, variants: {} }, often: isFrequent }
  }

  /** Queues responses and writes a few per turn. */
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
    this.#recent.clear()
  }

  close(): void {
    this.#waiting = []
    this.#scratch.close()
  }

  #write(): void {
    for (const [hash, { key, response }] of this.#waiting.splice(0, WRITES_PER_TURN)) {
      const { tag, until, lines, body } = response
      if (!this.#scratch.has(hash)) this.#scratch.put(hash, 0, [key, tag, until, lines].join('\n'), body)
    }
    if (this.#waiting.length > 0) setImmediate(() => this.#write())
  }
}
