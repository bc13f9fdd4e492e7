/** Ids of a list, packed; exact up to 2^53. Smaller ones take half of the room. */
export type PackedIds = Uint32Array | Float64Array

/** The largest number that 32 bits hold. */
const SMALL = 2 ** 32 - 1

/** Ranges of ids up to this many times the number of ids have an entry for each id in the range. */
const DENSE = 8

/** Packs ids in their order. */
export function packIds(ids: readonly number[]): PackedIds {
  return boundsOf(ids).last <= SMALL ? new Uint32Array(ids) : new Float64Array(ids)
}

/** Tells where an id is in a list, counted from 1. */
export interface IdPositions {
  /** 0 for an id that is not in the list. */
  of(id: number): number
  /** How much memory it takes. */
  readonly bytes: number
}

export function positionsOf(ids: readonly number[]): IdPositions {
  const { first, last } = boundsOf(ids)
  return ids.length > 0 && last - first < DENSE * ids.length ? new DensePlaces(ids, first, last) : new SparsePlaces(ids)
}

/** Ids that come one after the other, nearly: an array has an entry for each id from the first to the last. */
class DensePlaces implements IdPositions {
  readonly #first: number
  readonly #places: Uint32Array

  constructor(ids: readonly number[], first: number, last: number) {
    this.#first = first
    this.#places = new Uint32Array(last - first + 1)
    ids.forEach((id, at) => {
      this.#places[id - first] = at + 1
    })
  }

  get bytes(): number {
    return this.#places.byteLength
  }

  of(id: number): number {
    return this.#places[id - this.#first] ?? 0
  }
}

/** Ids that lie far apart: they are sorted, and one is found by halving. */
class SparsePlaces implements IdPositions {
  readonly #ids: Float64Array
  readonly #places: Uint32Array

  constructor(ids: readonly number[]) {
    // Sorted without a function that compares, which would take ten times as long.
    this.#ids = new Float64Array(ids).sort()
    this.#places = new Uint32Array(ids.length)
    ids.forEach((id, at) => {
      this.#places[this.#find(id)] = at + 1
    })
  }

  get bytes(): number {
    return this.#ids.byteLength + this.#places.byteLength
  }

  of(id: number): number {
    const at = this.#find(id)
    return this.#ids[at] === id ? (this.#places[at] ?? 0) : 0
  }

  /** Where an id is among the sorted ones, or would be. */
  #find(id: number): number {
    let [low, high] = [0, this.#ids.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#ids[middle] ?? 0) < id) low = middle + 1
      else high = middle
    }
    return low
  }
}

function boundsOf(ids: readonly number[]): { first: number; last: number } {
  let first = Number.MAX_SAFE_INTEGER
  let last = 0
  for (const id of ids) {
    if (id < first) first = id
    if (id > last) last = id
  }
  return { first, last }
}
