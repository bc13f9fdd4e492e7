import { Generations } from '../lib/generations.ts'
import type { EventFilter } from '../storage/event-filter.ts'
import type { Stub } from '../storage/events.ts'

/** What a list comes to, at one version of the data. */
export interface Listing {
  readonly filter: EventFilter
  readonly total: number
  /** Its first events, in brief; of most lists that is all. */
  readonly head: readonly Stub[]
  /** All of its events in order, once it was asked for twice and if they are few, or it was searched. */
  ids: readonly number[] | Uint32Array | null
  /** Where each of them is in it, by its id, counted from 1; only of a list that was searched. */
  readonly places?: Uint32Array
  /** Those events, of this list and others, that are protected by a password; only of a list that was searched. */
  readonly secrets?: ReadonlySet<number>
  /** The last events of some pages, by how many there are up to them: from there on, less has to be counted. */
  readonly ends: Map<number, Stub>
}

/** How much memory lists may take, in bytes: anybody can ask for lists without end. */
const MOST_BYTES = 24 * 2 ** 20
/** What a list takes beside its key and its events: its filter, and where its pages end. */
const OVERHEAD = 15_000
const OF_ID = 8
const OF_STUB = 150
const MOST_ENDS = 100
/** Of how many events it is known what they are at. */
const MOST_STUBS = 20_000

/** Lists that were asked for before, and what their events are at; another version of the data makes all of it worthless. */
export class Listings {
  #version = ''
  readonly #known = new Generations<string, Listing>(MOST_BYTES)
  readonly #stubs = new Generations<number, Stub>(MOST_STUBS)

  get(version: string, key: string): Listing | undefined {
    if (version !== this.#version) {
      this.#version = version
      this.#known.clear()
      this.#stubs.clear()
    }
    return this.#known.get(key, (listing) => sizeOf(key, listing))
  }

  /** Events in brief, if all of them are known. */
  stubs(version: string, ids: readonly number[]): Stub[] | null {
    if (version !== this.#version) return null
    const found: Stub[] = []
    for (const id of ids) {
      const stub = this.#stubs.get(id, () => 1)
      if (stub === undefined) return null
      found.push(stub)
    }
    return found
  }

  putStubs(version: string, stubs: readonly Stub[]): void {
    if (version !== this.#version) return
    for (const stub of stubs) this.#stubs.set(stub.id, small(stub), 1)
  }

  /** Also called when a list has got more to remember. */
  put(version: string, key: string, listing: Listing): void {
    if (version !== this.#version) return
    this.#known.set(key, listing, sizeOf(key, listing))
  }
}

/** Its filter holds what is in its key once more. */
function sizeOf(key: string, { head, ids, places }: Listing): number {
  const held = ids instanceof Uint32Array ? ids.byteLength : OF_ID * (ids?.length ?? 0)
  return OVERHEAD + 4 * key.length + OF_STUB * head.length + held + (places?.byteLength ?? 0)
}

/** A part of a list in brief, if it is among its first. */
export function headAt({ head, total }: Listing, offset: number, limit: number): readonly Stub[] | null {
  return Math.min(offset + limit, total) <= head.length ? head.slice(offset, offset + limit) : null
}

/** The events of a part of a list, if all of it are remembered. */
export function idsAt({ ids }: Listing, offset: number, limit: number): number[] | null {
  return ids && Array.from(ids.slice(offset, offset + limit))
}

/** A stub that takes little: what comes from the database has room for any name. */
export function small({ id, revision, secret, start_local }: Stub): Stub {
  return { id, revision, secret, start_local }
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
  ends.set(end, small(last))
}
