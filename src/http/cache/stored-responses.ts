import { BufferPool } from '../../lib/buffer-pool.ts'
import type { CachedResponse, KeyedResponse } from './cached-response.ts'
import type { ScratchFile } from './scratch-file.ts'

/** Recent reads remembered. A larger set would promote responses that repeat by chance. */
const MAX_RECENT = 32

const NOTHING = Buffer.alloc(0)

/** Responses in a scratch file. Reading one back is far cheaper than making it. */
export class StoredResponses {
  readonly #scratch: ScratchFile
  readonly #buffers = new BufferPool()
  /** Hashes of recent reads. */
  readonly #recent = new Set<number>()

  constructor(scratch: ScratchFile) {
    this.#scratch = scratch
  }

  /** Returns the response, and whether it is read often enough to move to memory. */
  get(hash: number, key: string): { readonly response: CachedResponse; readonly often: boolean } | undefined {
    let lent: Buffer = NOTHING
    const entry = this.#scratch.get(hash, (length) => {
      lent = this.#buffers.take(length)
      return lent
    })
    if (entry === undefined) return undefined
    const { head, body } = entry
    if (!head.startsWith(key) || head[key.length] !== '\n') return undefined
    const [tag = '', until = '', route = ''] = head.slice(key.length + 1).split('\n', 3)
    const lines = head.slice([key, tag, until, route, ''].join('\n').length)
    const known = { tag, until: Number(until), route, lines, variants: {} }
    const isFrequent = this.#recent.has(hash)
    if (this.#recent.size >= MAX_RECENT) this.#recent.clear()
    this.#recent.add(hash)
    const release = () => this.#buffers.giveBack(lent)
    if (!isFrequent) return { response: { ...known, body, release }, often: false }
    const copy = Buffer.from(body)
    release()
    return { response: { ...known, body: copy }, often: true }
  }

  /** Answers false if there is no room. */
  put(hash: number, { key, response: { tag, until, route, lines, body } }: KeyedResponse): boolean {
    return this.#scratch.put(hash, [key, tag, until, route, lines].join('\n'), body)
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
