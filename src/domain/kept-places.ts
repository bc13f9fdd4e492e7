import type { PlaceRow } from '../storage/records.ts'
import type { TermRow } from '../storage/terms.ts'

/** Venues and categories of entries, by id; null for those that a reader may not see. */
export interface Places {
  readonly venues: Map<number, { readonly row: PlaceRow } | null>
  readonly categories: Map<number, TermRow | null>
}

export function noPlaces(): Places {
  return { venues: new Map(), categories: new Map() }
}

/** Limit on venues and on categories that are kept. */
const MAX_KEPT = 10_000

/** Those that everybody sees, of one version of the data: months have the same again and again. */
export class KeptPlaces {
  readonly isOn: boolean
  #version = ''
  #kept = noPlaces()

  /** Without the cache, nothing is kept. */
  constructor(isOn: boolean) {
    this.isOn = isOn
  }

  at(version: string): Places {
    const { venues, categories } = this.#kept
    if (this.#version !== version || Math.max(venues.size, categories.size) > MAX_KEPT) this.#kept = noPlaces()
    this.#version = version
    return this.#kept
  }
}
