import type { PlaceRow } from '../storage/records.ts'
import type { TermRow } from '../storage/terms.ts'

/** Records by id that are known, and those that a reader has read besides; null for those that a reader may not see. */
class Known<T> {
  readonly #kept: ReadonlyMap<number, T | null>
  readonly added = new Map<number, T | null>()

  constructor(kept: ReadonlyMap<number, T | null>) {
    this.#kept = kept
  }

  has(id: number): boolean {
    return this.#kept.has(id) || this.added.has(id)
  }

  get(id: number): T | null | undefined {
    return this.#kept.get(id) ?? this.added.get(id)
  }

  add(id: number, one: T | null): void {
    this.added.set(id, one)
  }
}

export type { Known }

type KnownVenue = { readonly row: PlaceRow }

/** Venues and categories of entries. */
export interface Places {
  readonly venues: Known<KnownVenue>
  readonly categories: Known<TermRow>
}

export function noPlaces(): Places {
  return { venues: new Known(new Map()), categories: new Known(new Map()) }
}

/** Limit on venues and on categories that are kept. */
const MAX_KEPT = 10_000

/** Those that everybody sees, of one version of the data: months have the same again and again. */
export class KeptPlaces {
  readonly isOn: boolean
  #version = ''
  #venues = new Map<number, KnownVenue | null>()
  #categories = new Map<number, TermRow | null>()

  /** Without the cache, nothing is kept. */
  constructor(isOn: boolean) {
    this.isOn = isOn
  }

  at(version: string): Places {
    if (this.#version !== version || Math.max(this.#venues.size, this.#categories.size) > MAX_KEPT) {
      this.#venues = new Map()
      this.#categories = new Map()
    }
    this.#version = version
    return { venues: new Known(this.#venues), categories: new Known(this.#categories) }
  }

  /** Keeps what was read besides, once it is known to be of this version. */
  keep(version: string, { venues, categories }: Places): void {
    if (this.#version !== version) return
    for (const [id, venue] of venues.added) this.#venues.set(id, venue)
    for (const [id, category] of categories.added) this.#categories.set(id, category)
  }
}
