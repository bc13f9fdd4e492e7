import type { BufferPool } from '../../lib/buffer-pool.ts'
import type { KeyedResponse } from './cached-response.ts'
import type { ScratchFile } from './scratch-file.ts'

/** Two writes in turn that take longer, in milliseconds, show a disk that cannot keep up. One may be a busy processor. */
const MAX_WRITE = 20
/** How long nothing is written after that, in milliseconds. */
const REST = 10_000
/** Recent reads remembered. A larger set would promote responses that repeat by chance. */
const MAX_RECENT = 32

const NOTHING = Buffer.alloc(0)

/** Responses in a scratch file. Reading one back is far cheaper than making it. */
export class StoredResponses {
  readonly #scratch: ScratchFile
  readonly #now: () => number
  #restsUntil = 0
  #wasSlow = false
  readonly #buffers: BufferPool
  /** Hashes of recent reads. */
  readonly #recent = new Set<number>()

  /** `now` is a clock in milliseconds. */
  constructor(scratch: ScratchFile, buffers: BufferPool, now: () => number = () => performance.now()) {
    this.#scratch = scratch
    this.#buffers = buffers
    this.#now = now
  }

  /** Returns the response, and whether it is read often enough to move to memory. */
  get(hash: number, key: string): (KeyedResponse & { readonly often: boolean }) | undefined {
    let lent: Buffer = NOTHING
    const entry = this.#scratch.get(hash, (length) => {
      lent = this.#buffers.take(length)
      return lent
    })
    if (entry === undefined) return undefined
    const { head, body } = entry
    if (!head.startsWith(key) || head[key.length] !== '\n') return undefined
    let from = key.length + 1
    const line = () => {
      const end = head.indexOf('\n', from)
      const text = head.slice(from, end)
      from = end + 1
      return text
    }
    const [tag, until, route, position, dependsOn] = [line(), Number(line()), line(), Number(line()), line()]
    const response = { tag, until, route, dependsOn, lines: head.slice(from), variants: {} }
    const isFrequent = this.#recent.has(hash)
    if (this.#recent.size >= MAX_RECENT) this.#recent.clear()
    this.#recent.add(hash)
    const release = () => this.#buffers.giveBack(lent)
    if (!isFrequent) return { key, response: { ...response, body, release }, position, often: false }
    const copy = Buffer.from(body)
    release()
    return { key, response: { ...response, body: copy }, position, often: true }
  }

  /** Answers false if there is no room, or the disk is too slow: everybody waits while it writes. */
  put(hash: number, { key, response, position }: KeyedResponse): boolean {
    const began = this.#now()
    if (began < this.#restsUntil) return false
    const { tag, until, route, dependsOn, lines, body } = response
    const head = `${key}\n${tag}\n${until}\n${route}\n${position}\n${dependsOn}\n${lines}`
    const isStored = this.#scratch.put(hash, head, body)
    const ended = this.#now()
    const isSlow = ended - began > MAX_WRITE
    if (isSlow && this.#wasSlow) this.#restsUntil = ended + REST
    this.#wasSlow = isSlow
    return isStored
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
