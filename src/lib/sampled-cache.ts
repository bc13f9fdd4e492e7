interface Entry<Value> {
  value: Value
  size: number
  /** Where its key is in the list of keys. */
  at: number
}

/**
 * Cache with a bounded total size that evicts entries at random. Where more entries are read in turn than there is room
 * for, the least recently used is the next one to be read; at random, most are still there. It uses all of its size.
 */
export class SampledCache<Key, Value> {
  readonly #maxSize: number
  readonly #entries = new Map<Key, Entry<Value>>()
  readonly #keys: Key[] = []
  #size = 0

  /** In the unit of the sizes given to `set`. */
  constructor(maxSize: number) {
    this.#maxSize = maxSize
  }

  get(key: Key): Value | undefined {
    return this.#entries.get(key)?.value
  }

  set(key: Key, value: Value, size: number): void {
    this.delete(key)
    if (size > this.#maxSize) return
    while (this.#size + size > this.#maxSize)
      this.delete(this.#keys[Math.floor(Math.random() * this.#keys.length)] as Key)
    this.#entries.set(key, { value, size, at: this.#keys.push(key) - 1 })
    this.#size += size
  }

  delete(key: Key): void {
    const entry = this.#entries.get(key)
    if (entry === undefined) return
    this.#entries.delete(key)
    this.#size -= entry.size
    // The last key takes its place.
    const last = this.#keys.pop() as Key
    if (last === key) return
    this.#keys[entry.at] = last
    const moved = this.#entries.get(last)
    if (moved !== undefined) moved.at = entry.at
  }

  clear(): void {
    this.#entries.clear()
    this.#keys.length = 0
    this.#size = 0
  }
}
