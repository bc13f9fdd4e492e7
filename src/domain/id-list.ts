/** Ids in a typed array, exact up to 2^53. 32-bit ids take half the memory. */
export type PackedIds = Uint32Array | Float64Array

/** Largest 32-bit number. */
const MAX_UINT32 = 2 ** 32 - 1

/** An id range up to this many times the number of ids uses an array indexed by id. */
const MAX_DENSE_RATIO = 8

export function packIds(ids: readonly number[]): PackedIds {
  return boundsOf(ids).last <= MAX_UINT32 ? new Uint32Array(ids) : new Float64Array(ids)
}

/** Positions of ids in a list. */
export interface IdPositions {
  /** Sets the bit of each of some ids that is in the list, by its position. Returns how many were set. */
  mark(ids: readonly number[], bits: Int32Array): number
  /** The first `most` of some ids that are in the list, in its order, and how many are in it. Null if marking all is as fast. */
  firstOf(ids: readonly number[], order: PackedIds, most: number): FirstIds | null
  /** Memory use. */
  readonly bytes: number
}

/** Ids of a list from its beginning on, and how many it has. */
export interface FirstIds {
  readonly ids: PackedIds
  readonly total: number
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
  /** A bit for each id in the range that is in the list. */
  readonly #members: Int32Array

  constructor(ids: readonly number[], first: number, last: number) {
    this.#first = first
    this.#places = new Uint32Array(last - first + 1)
    this.#members = new Int32Array(Math.ceil(this.#places.length / 32))
    ids.forEach((id, at) => {
      this.#places[id - first] = at + 1
      setBit(this.#members, id - first + 1)
    })
  }

  get bytes(): number {
    return this.#places.byteLength + this.#members.byteLength
  }

  /** Bits by id need little memory, which stays near the processor. Those by position do not: looking up many takes ten times as long. */
  firstOf(ids: readonly number[], order: PackedIds, most: number): FirstIds {
    const first = this.#first
    const span = this.#places.length
    const members = this.#members
    if (found.length < members.length) found = new Int32Array(members.length)
    let total = 0
    for (let n = 0; n < ids.length; n++) {
      const at = (ids[n] as number) - first
      if (at >= 0 && at < span && hasBit(members, at)) total += setBit(found, at + 1)
    }
    const firsts = new Float64Array(Math.min(most, total))
    for (let n = 0, count = 0; count < firsts.length; n++) {
      const id = order[n] as number
      if (hasBit(found, id - first)) firsts[count++] = id
    }
    for (let n = 0; n < ids.length; n++) {
      const at = (ids[n] as number) - first
      if (at >= 0 && at < span) found[at >>> 5] = 0
    }
    return { ids: firsts, total }
  }

  mark(ids: readonly number[], bits: Int32Array): number {
    const places = this.#places
    const first = this.#first
    let count = 0
    for (let n = 0; n < ids.length; n++) count += setBit(bits, places[(ids[n] ?? 0) - first] ?? 0)
    return count
  }
}

/** A bit for each id of a range, set only while ids are put in order. Reused: typed arrays are off-heap, and collected late. */
let found = new Int32Array(0)

/** For sparse ids: sorted, and searched. */
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

  firstOf(): null {
    return null
  }

  mark(ids: readonly number[], bits: Int32Array): number {
    let count = 0
    let at = 0
    let last = 0
    for (const id of ids) {
      // Ids are mostly in order.
      at = this.#find(id, id < last ? 0 : at)
      last = id
      if (this.#ids[at] === id) count += setBit(bits, this.#places[at] ?? 0)
    }
    return count
  }

  /** Index of an id in the sorted array, or where it would be inserted; not before `from`. Steps double until they pass it. */
  #find(id: number, from = 0): number {
    const ids = this.#ids
    let low = from
    let step = 1
    while (low + step <= ids.length && (ids[low + step - 1] ?? 0) < id) {
      low += step
      step *= 2
    }
    let high = Math.min(low + step, ids.length)
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((ids[middle] ?? 0) < id) low = middle + 1
      else high = middle
    }
    return low
  }
}

/** Sets the bit of a place, from 1; 0 is none. Returns 1 if it was not set. */
function setBit(bits: Int32Array, place: number): 0 | 1 {
  if (place === 0) return 0
  const word = (place - 1) >>> 5
  const bit = 1 << ((place - 1) & 31)
  const before = bits[word] ?? 0
  if ((before & bit) !== 0) return 0
  bits[word] = before | bit
  return 1
}

function hasBit(bits: Int32Array, at: number): boolean {
  return (((bits[at >>> 5] ?? 0) >>> (at & 31)) & 1) === 1
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
