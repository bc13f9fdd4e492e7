import type { EventFilter } from '../storage/event-filter.ts'
import type { EventStub, SortedStub } from '../storage/events.ts'
import type { IdPositions, PackedIds } from './id-list.ts'

/** What a list comes to, at one version of the data. */
export interface Listing {
  readonly filter: EventFilter
  readonly total: number
  /** Its first events: of most lists all, of longer ones once they were asked for twice. */
  head: PackedStubs
  /** All of its events in order, if it was searched. */
  readonly ids: readonly number[] | PackedIds | null
  /** Where each of them is in it; only of a list that was searched. */
  readonly places?: IdPositions
  /** Those events, of this list and others, that are protected by a password; only of a list that was searched. */
  readonly secrets?: ReadonlySet<number>
  /** The last events of some pages, by how many there are up to them: from there on, less has to be counted. */
  readonly ends: Map<number, SortedStub>
}

/** Events in brief, in 24 bytes each: ids and revisions are exact up to 2^53. */
export class PackedStubs {
  readonly #packed: Float64Array

  constructor(stubs: readonly EventStub[]) {
    this.#packed = new Float64Array(3 * stubs.length)
    stubs.forEach(({ id, revision, secret }, n) => {
      this.#packed.set([id, revision, secret], 3 * n)
    })
  }

  get length(): number {
    return this.#packed.length / 3
  }

  /** How much memory they take. */
  get bytes(): number {
    return this.#packed.byteLength
  }

  slice(from: number, to: number): EventStub[] {
    const stubs: EventStub[] = []
    for (let n = from; n < Math.min(to, this.length); n++) {
      const at = (column: number) => this.#packed[3 * n + column] ?? 0
      stubs.push({ id: at(0), revision: at(1), secret: at(2) })
    }
    return stubs
  }
}

/** Of a list of which no event is remembered. */
export const NO_STUBS = new PackedStubs([])

const MAX_ENDS = 100

/** Lists that were read before at the same version of the data. */
export interface KnownLists {
  get(key: string): Listing | undefined
  /** Also called when more of a list was read. */
  put(key: string, listing: Listing): void
}

/** Of callers who cache nothing. */
export const NO_LISTS: KnownLists = { get: () => undefined, put: () => {} }

/** A part of a list in brief, if it is among its first. */
export function headAt({ head, total }: Listing, offset: number, limit: number): EventStub[] | null {
  return Math.min(offset + limit, total) <= head.length ? head.slice(offset, offset + limit) : null
}

/** The events of a part of a list that was searched. */
export function idsAt({ ids }: Listing, offset: number, limit: number): number[] | null {
  return ids && Array.from(ids.slice(offset, offset + limit))
}

/** The nearest known place before an offset, and how far it is from there. */
export function placeBefore({ ends }: Listing, offset: number): { behind: SortedStub | null; left: number } {
  let nearest = 0
  for (const end of ends.keys()) if (end <= offset && end > nearest) nearest = end
  return { behind: ends.get(nearest) ?? null, left: offset - nearest }
}

/** Remembers where a page ended. */
export function noteEnd({ ends }: Listing, end: number, last: SortedStub | undefined): void {
  if (last === undefined) return
  const oldest = ends.keys().next().value
  if (ends.size >= MAX_ENDS && oldest !== undefined) ends.delete(oldest)
  ends.set(end, last)
}
