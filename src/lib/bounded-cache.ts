/**
 * Cache with a bounded total size that evicts the least recently used entries. It has two generations: when the young
 * one is full, the old one is evicted as a whole. Entries read from the old generation move to the young one. So no
 * list of entries in order of use is needed.
 */
export class BoundedCache<Key, Value> {
  readonly #maxSize: number
  readonly #onDrop: (dropped: Map<Key, Value>) => void
  #young = new Map<Key, Value>()
  #old = new Map<Key, Value>()
  #size = 0

  /**
   * `maxSize` is the total size of both generations, in the unit of the sizes given to `set`. `onDrop` receives evicted
   * entries.
   */
  constructor(maxSize: number, onDrop: (dropped: Map<Key, Value>) => void = () => {}) {
    this.#maxSize = maxSize
    this.#onDrop = onDrop
  }

  has(key: Key): boolean {
    return this.#young.has(key) || this.#old.has(key)
  }

  /** `size` is called when a value moves to the young generation. */
  get(key: Key, size: (value: Value) => number): Value | undefined {
    const young = this.#young.get(key)
    if (young !== undefined) return young
    const old = this.#old.get(key)
    if (old !== undefined) this.set(key, old, size(old))
    return old
  }

  set(key: Key, value: Value, size: number): void {
    if (this.#size + size > this.#maxSize / 2) {
      const dropped = this.#old
      this.#old = this.#young
      this.#young = new Map()
      this.#size = 0
      for (const moved of this.#old.keys()) dropped.delete(moved)
      if (dropped.size > 0) this.#onDrop(dropped)
    }
    if (size > this.#maxSize / 2) return
    this.#young.set(key, value)
    this.#size += size
  }

  /** All entries, each key once. */
  *entries(): Generator<[Key, Value]> {
    yield* this.#young
    for (const entry of this.#old) if (!this.#young.has(entry[0])) yield entry
  }

  delete(key: Key): void {
    this.#young.delete(key)
    this.#old.delete(key)
  }

  clear(): void {
    this.#young = new Map()
    this.#old = new Map()
    this.#size = 0
  }
}
