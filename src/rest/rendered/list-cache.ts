import type { CachedList, CachedLists } from '../../domain/cached-lists.ts'
import { dependenciesOf, type FollowedChanges } from '../../domain/dependencies.ts'
import { cacheCounters } from '../../lib/metrics.ts'
import { TextCache } from '../../lib/text-cache.ts'

const lookups = cacheCounters('list')

/** Memory limit of lists, in bytes. */
const MAX_BYTES = 24 * 2 ** 20
/** Size of a list besides key and events, in bytes: mostly its filter. */
const OVERHEAD = 2000
/** Size of the ends of pages, which are remembered later: only of lists whose events are not all known. */
const PAGE_ENDS = 13_000
const BYTES_PER_ID = 8

interface Entry {
  readonly list: CachedList
  /** Up to which change of the data it is known to be valid. */
  position: number
}

/** Lists of events. Those that a write may have changed are not valid any more. */
export class ListCache {
  readonly #changes: FollowedChanges
  readonly #lists = new TextCache<Entry>(MAX_BYTES, sizeOf)

  constructor(changes: FollowedChanges) {
    this.#changes = changes
  }

  /** The lists for requests at the current version of the data. They are empty for those that are still open later. */
  atCurrent(): CachedLists {
    const { position } = this.#changes
    const isCurrent = () => this.#changes.position === position
    return {
      get: (key) => (isCurrent() ? this.#get(key) : undefined),
      put: (key, list) => {
        if (isCurrent()) this.#lists.set(key, { list, position })
      },
      total: (key) => (isCurrent() ? this.#totalOf(key) : null),
    }
  }

  clear(): void {
    this.#lists.clear()
  }

  #get(key: string): CachedList | undefined {
    const found = this.#lists.get(key)
    const isValid = found !== undefined && this.#isValid(found)
    if (isValid) lookups.hit.value++
    else lookups.miss.value++
    if (!isValid) return undefined
    found.position = this.#changes.position
    return found.list
  }

  /** The known changes tell how many events a list has lost and gained. */
  #totalOf(key: string): number | null {
    const found = this.#lists.get(key)
    return found === undefined ? null : this.#changes.totalSince(found.position, found.list)
  }

  #isValid({ list: { filter, positions }, position }: Entry): boolean {
    if (position === this.#changes.position) return true
    // What is searched knows of all events, and which event of a series is the first depends on others.
    const known = positions === undefined && !filter.collapse ? dependenciesOf(filter) : null
    return this.#changes.countsSince(position, known && { ...known, terms: [] }) !== null
  }
}

/** The key counts twice: the filter of the list holds the same values. */
function sizeOf(key: string, { list: { head, ids, total, positions: places } }: Pick<Entry, 'list'>): number {
  const held = ids !== null && 'byteLength' in ids ? ids.byteLength : BYTES_PER_ID * (ids?.length ?? 0)
  const ends = ids === null && head.length < total ? PAGE_ENDS : 0
  return OVERHEAD + ends + 4 * key.length + head.bytes + held + (places?.bytes ?? 0)
}
