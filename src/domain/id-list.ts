/** Ids in a typed array, exact up to 2^53. 32-bit ids take half the memory. */
export type PackedIds = Uint32Array | Float64Array

/** Largest 32-bit number. */
const MAX_UINT32 = 2 ** 32 - 1

/** An id range up to this many times the number of ids uses an array indexed by id. */
const MAX_DENSE_RATIO = 8

export function packIds(ids: readonly number[]): PackedIds {
  return boundsOf(ids).last <= MAX_UINT32 ? new Uint32Array(ids) : new Float64Array(ids)
}

/** Position of an id in a list, from 1. */
export interface IdPositions {
  /** 0 if the id is not in the list. */
  of(id: number): number
  /** Memory use. */
  readonly bytes: number
}

export function positionsOf(ids: readonly number[]): IdPositions {
  const { first, last } = boundsOf(ids)
  return ids.length > 0 && last - first < MAX_DENSE_RATIO * ids.length
    ? new DensePositions(ids, first, last)
    : new SparsePositions(ids)
}

/** For dense ids: an array with an entry for each id in the range. */
class DensePositions implements IdPositions {
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

/** For sparse ids: sorted, with binary search. */
class SparsePositions implements IdPositions {
  readonly #ids: Float64Array
  readonly #places: Uint32Array

  constructor(ids: readonly number[]) {
    // Sorting without a comparator is ten times as fast.
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

  /** Index of an id in the sorted array, or where it would be inserted. */
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
