import type { EventFilter, Stub } from '../storage/events.ts'

/** What a list comes to, at one version of the data. */
export interface Listing {
  readonly filter: EventFilter
  readonly total: number
  /** All of its events, once it was asked for twice and if they are few. */
  all: readonly Stub[] | null
  /** The last events of some pages, by how many there are up to them: from there on, less has to be counted. */
  readonly ends: Map<number, Stub>
}

const MOST_LISTINGS = 2000
const MOST_ENDS = 1000

/** Lists that were asked for before; another version of the data makes all of them worthless. */
export class Listings {
  #version = ''
  #known = new Map<string, Listing>()

  get(version: string, key: string): Listing | undefined {
    if (version !== this.#version) {
      this.#version = version
      this.#known = new Map()
    }
    return this.#known.get(key)
  }

  put(version: string, key: string, listing: Listing): void {
    if (version !== this.#version) return
    this.#known.set(key, listing)
    const oldest = this.#known.keys().next().value
    if (this.#known.size > MOST_LISTINGS && oldest !== undefined) this.#known.delete(oldest)
  }
}

/** The nearest known place before an offset, and how far it is from there. */
export function placeBefore({ ends }: Listing, offset: number): { behind: Stub | null; left: number } {
  let nearest = 0
  for (const end of ends.keys()) if (end <= offset && end > nearest) nearest = end
  return { behind: ends.get(nearest) ?? null, left: offset - nearest }
}

/** Remembers where a page ended. */
export function noteEnd({ ends }: Listing, end: number, last: Stub | undefined): void {
  if (last === undefined) return
  const oldest = ends.keys().next().value
  if (ends.size >= MOST_ENDS && oldest !== undefined) ends.delete(oldest)
  ends.set(end, last)
}
