/**
 * A map that holds no more than so much, and forgets what was asked for longest ago. It has two generations: when the
 * younger is full, the older is dropped as a whole, and what is asked for of it meanwhile moves to the younger. So
 * nothing has to be kept in order.
 */
export class BoundedCache<Key, Value> {
  readonly #most: number
  readonly #onDrop: (dropped: Map<Key, Value>) => void
  #young = new Map<Key, Value>()
  #old = new Map<Key, Value>()
  #held = 0

  /** `most` is what both generations hold together, in the unit of the sizes that are given to `set`; `onDrop` is given what is dropped. */
  constructor(most: number, onDrop: (dropped: Map<Key, Value>) => void = () => {}) {
    this.#most = most
    this.#onDrop = onDrop
  }

  has(key: Key): boolean {
    return this.#young.has(key) || this.#old.has(key)
  }

  /** `size` is asked for when a value moves. */
  get(key: Key, size: (value: Value) => number): Value | undefined {
    const young = this.#young.get(key)
    if (young !== undefined) return young
    const old = this.#old.get(key)
    if (old !== undefined) this.set(key, old, size(old))
    return old
  }

  set(key: Key, value: Value, size: number): void {
    if (this.#held + size > this.#most / 2) {
      const dropped = this.#old
      this.#old = this.#young
      this.#young = new Map()
      this.#held = 0
      for (const moved of this.#old.keys()) dropped.delete(moved)
      if (dropped.size > 0) this.#onDrop(dropped)
    }
    if (size > this.#most / 2) return
    this.#young.set(key, value)
    this.#held += size
  }

  /** Everything that is held, each key once. */
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
    this.#held = 0
  }
}
