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
  /** Ids of all its events in order, if it was searched. */
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
    this.#packed = new Float64Array(COLUMNS * stubs.length)
    stubs.forEach(({ id, revision, secret, start_local }, n) => {
      this.#packed.set([id, revision, secret, digitsOf(start_local)], COLUMNS * n)
    })
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
    for (let n = from; n < Math.min(to, this.length); n++) {
      const at = (column: number) => this.#packed[COLUMNS * n + column] ?? 0
      stubs.push({ id: at(0), revision: at(1), secret: at(2) })
    }
    return stubs
  }
}

const WALL_CLOCK = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/

/** A wall-clock time as a number; NaN if it is damaged. */
function digitsOf(wall: WallClock): number {
  if (!WALL_CLOCK.test(wall)) return Number.NaN
  const day = wall.slice(0, 4) + wall.slice(5, 7) + wall.slice(8, 10)
  return Number(day + wall.slice(11, 13) + wall.slice(14, 16) + wall.slice(17))
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

/** Ids of a page, if the list was searched. */
export function idsAt({ ids }: CachedList, offset: number, limit: number): number[] | null {
  return ids && Array.from(ids.slice(offset, offset + limit))
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
