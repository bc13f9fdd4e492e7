/** Random choices that are the same for the same seed: a calendar made twice on one day is the same calendar. */
export interface Random {
  /** From 0 up to, but not including, 1. */
  next(): number
  /** A whole number from `least` to `most`, both included. */
  int(least: number, most: number): number
  /** True with this probability. */
  is(probability: number): boolean
  pick<T>(list: readonly T[]): T
  /** One of a list, in proportion to its weight. */
  weighted<T>(list: readonly T[], weight: (item: T) => number): T
  /** `count` different items in random order. */
  sample<T>(list: readonly T[], count: number): T[]
  /** An independent generator for a named part, so that a change of one part does not change the others. */
  fork(name: string): Random
}

export function randomOf(seed: string): Random {
  const next = mulberry32(hash(seed))
  const int = (least: number, most: number) => least + Math.floor(next() * (most - least + 1))
  return {
    next,
    int,
    pick: (list) => at(list, int(0, list.length - 1)),
    is: (probability) => next() < probability,
    weighted(list, weight) {
      let rest = next() * list.reduce((sum, item) => sum + weight(item), 0)
      for (const item of list) {
        rest -= weight(item)
        if (rest < 0) return item
      }
      return at(list, list.length - 1)
    },
    sample(list, count) {
      const left = [...list]
      return Array.from({ length: Math.min(count, left.length) }, () => at(left.splice(int(0, left.length - 1), 1), 0))
    },
    fork: (name) => randomOf(`${seed}/${name}`),
  }
}

function at<T>(list: readonly T[], index: number): T {
  if (index < 0 || index >= list.length) throw new Error('there is nothing to choose from')
  return list[index] as T
}

/** FNV-1a, 32 bits. */
function hash(text: string): number {
  let value = 0x811c9dc5
  for (const char of text) value = Math.imul(value ^ (char.codePointAt(0) ?? 0), 0x01000193)
  return value >>> 0
}

/** A small generator with 32 bits of state. Not for secrets. */
function mulberry32(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}
