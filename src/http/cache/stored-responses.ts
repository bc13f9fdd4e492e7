import type { CachedResponse, KeyedResponse } from './cached-response.ts'
import type { ScratchFile } from './scratch-file.ts'

/** Recent reads remembered. A larger set would promote responses that repeat by chance. */
const MAX_RECENT = 32

/** Responses in a scratch file. Reading one back is far cheaper than making it. */
export class StoredResponses {
  readonly #scratch: ScratchFile
  /** Hashes of recent reads. */
  readonly #recent = new Set<number>()

  constructor(scratch: ScratchFile) {
    this.#scratch = scratch
  }

  /** Returns the response, and whether it is read often enough to move to memory. */
  get(hash: number, key: string): { readonly response: CachedResponse; readonly often: boolean } | undefined {
    const entry = this.#scratch.get(hash)
    if (entry === undefined) return undefined
    const { head, body } = entry
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

  /** Answers false if there is no room. */
  put(hash: number, { key, response: { tag, until, lines, body } }: KeyedResponse): boolean {
    return this.#scratch.put(hash, [key, tag, until, lines].join('\n'), body)
  }

  delete(hash: number): void {
    this.#scratch.delete(hash)
  }

  clear(): void {
    this.#scratch.clear()
    this.#recent.clear()
  }

  close(): void {
    this.#scratch.close()
  }
}
