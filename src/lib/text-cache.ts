import { randomInt } from 'node:crypto'
import { BoundedCache } from './bounded-cache.ts'

/** Random per process, so that clients cannot provoke collisions. */
const SEED = randomInt(2 ** 32)

/**
 * Hash of a key that is made for each request, by FNV-1a. To look such a text up in a map is slow: V8 first looks for it
 * among all texts that it knows, and keeps a copy among its old objects.
 */
export function hashOf(key: string): number {
  let hash = SEED
  for (let n = 0; n < key.length; n++) hash = Math.imul(hash ^ key.charCodeAt(n), 0x01000193)
  return hash | 0
}

/** Bounded cache by texts. Of two with the same hash, only one is kept. */
export class TextCache<Value> {
  readonly #entries: BoundedCache<number, { readonly key: string; readonly value: Value }>
  readonly #sizeOf: (key: string, value: Value) => number

  constructor(maxSize: number, sizeOf: (key: string, value: Value) => number) {
    this.#entries = new BoundedCache(maxSize)
    this.#sizeOf = sizeOf
  }

  get(key: string): Value | undefined {
    const found = this.#entries.get(hashOf(key), (entry) => this.#sizeOf(entry.key, entry.value))
    return found?.key === key ? found.value : undefined
  }

  set(key: string, value: Value): void {
    this.#entries.set(hashOf(key), { key, value }, this.#sizeOf(key, value))
  }

  clear(): void {
    this.#entries.clear()
  }
}
