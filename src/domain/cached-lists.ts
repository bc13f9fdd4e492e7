import type { WallClock } from '../calendar/zone.ts'
import type { EventFilter } from '../storage/event-filter.ts'
import type { EventStub, SortedStub } from '../storage/events.ts'
import type { IdPositions, PackedIds } from './id-list.ts'

/** A list of events at one version of the data. */
export interface CachedList {
  readonly filter: EventFilter
  readonly total: number
  /** Its first stubs: all for most lists, for longer ones on the second request. */
  head: PackedStubs
  /** Ids of its events in order, of a list by links or a searched one. Of a search for frequent words they are the first. */
  readonly ids: readonly number[] | PackedIds | null
  /** Position of each id; only if it was searched. */
  readonly positions?: IdPositions
  /** Ids of all protected events; only if it was searched. */
  readonly protectedIds?: ReadonlySet<number>
  /** Limit on the events that exist; only if it was searched. */
  readonly inAll?: number
  /** Last events of some pages, by offset: later pages start from there. */
  readonly pageEnds: Map<number, SortedStub>
}

/** Numbers per stub. */
const COLUMNS = 4

/** Stubs in 32 bytes each; ids and revisions are exact up to 2^53. */
export class PackedStubs {
  readonly #packed: Float64Array

  constructor(stubs: readonly SortedStub[]) {
    const packed = new Float64Array(COLUMNS * stubs.length)
    let at = 0
    for (const { id, revision, secret, start_local } of stubs) {
      packed[at++] = id
      packed[at++] = revision
      packed[at++] = secret
      packed[at++] = digitsOf(start_local)
    }
    this.#packed = packed
  }

  get length(): number {
    return this.#packed.length / COLUMNS
  }

  /** Start of an event; null if it is damaged. */
  startAt(n: number): WallClock | null {
    const digits = String(this.#packed[COLUMNS * n + 3]).padStart(14, '0')
    const parts = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)$/.exec(digits)
    return parts && `${parts[1]}-${parts[2]}-${parts[3]} ${parts[4]}:${parts[5]}:${parts[6]}`
  }

  /** Memory use. */
  get bytes(): number {
    return this.#packed.byteLength
  }

  slice(from: number, to: number): EventStub[] {
    const stubs: EventStub[] = []
    const packed = this.#packed.subarray(COLUMNS * from, COLUMNS * to)
    for (let at = 0; at < packed.length; at += COLUMNS)
      stubs.push({ id: packed[at] ?? 0, revision: packed[at + 1] ?? 0, secret: packed[at + 2] ?? 0 })
    return stubs
  }
}

const FORM = '0000-00-00 00:00:00'
const ZERO = FORM.charCodeAt(0)

/** A wall-clock time as a number of its digits; NaN if it is damaged. */
function digitsOf(wall: WallClock): number {
  let digits = wall.length === FORM.length ? 0 : Number.NaN
  for (let n = 0; n < FORM.length; n++) {
    const code = wall.charCodeAt(n)
    const digit = code - ZERO
    if (FORM.charCodeAt(n) === ZERO) digits = digit >= 0 && digit <= 9 ? 10 * digits + digit : Number.NaN
    else if (code !== FORM.charCodeAt(n)) return Number.NaN
  }
  return digits
}

export const NO_STUBS = new PackedStubs([])

const MAX_PAGE_ENDS = 100

/** Cache of lists for one version of the data. */
export interface CachedLists {
  get(key: string): CachedList | undefined
  /** Also called when more stubs of a list were read. */
  put(key: string, listing: CachedList): void
  /** Number of events of a list that is not valid any more; null if it has to be counted. */
  total(key: string): number | null
}

/** For callers without a cache. */
export const NO_LISTS: CachedLists = { get: () => undefined, put: () => {}, total: () => null }

/** Cached stubs of a page, if it is within the first ones. */
export function stubsAt({ head, total }: CachedList, offset: number, limit: number): EventStub[] | null {
  return Math.min(offset + limit, total) <= head.length ? head.slice(offset, offset + limit) : null
}

/** Ids of a page, if the list has them. */
export function idsAt({ ids }: CachedList, offset: number, limit: number): number[] | null {
  if (ids === null) return null
  const some: number[] = []
  const end = Math.min(offset + limit, ids.length)
  for (let n = offset; n < end; n++) some.push(ids[n] as number)
  return some
}

/** Whether a page of a list can be read by the ids of its events. */
export function hasPage(list: CachedList, offset: number, limit: number): boolean {
  return list.ids !== null || stubsAt(list, offset, limit) !== null
}

/** The nearest known page end before an offset, and the distance from it. */
export function nearestPageEnd({ pageEnds }: CachedList, offset: number): { after: SortedStub | null; left: number } {
  let nearest = 0
  for (const end of pageEnds.keys()) if (end <= offset && end > nearest) nearest = end
  return { after: pageEnds.get(nearest) ?? null, left: offset - nearest }
}

/** Caches the last event of a page. */
export function rememberPageEnd({ pageEnds }: CachedList, end: number, last: SortedStub | undefined): void {
  if (last === undefined) return
  const oldest = pageEnds.keys().next().value
  if (pageEnds.size >= MAX_PAGE_ENDS && oldest !== undefined) pageEnds.delete(oldest)
  pageEnds.set(end, last)
}
