import type { CachedList, CachedLists } from '../../domain/cached-lists.ts'
import { BoundedCache } from '../../lib/bounded-cache.ts'
import { cacheCounters } from '../../lib/metrics.ts'

const lookups = cacheCounters('list')

/** Memory limit of lists, in bytes. */
const MAX_BYTES = 24 * 2 ** 20
/** Size of a list besides key and events, in bytes: filter and page positions. */
const OVERHEAD = 15_000
const BYTES_PER_ID = 8

/** Lists that were read at one version of the data. */
export class ListCache implements CachedLists {
  readonly #lists = new BoundedCache<string, CachedList>(MAX_BYTES)

  get(key: string): CachedList | undefined {
    const found = this.#lists.get(key, (listing) => sizeOf(key, listing))
    if (found === undefined) lookups.miss.value++
    else lookups.hit.value++
    return found
  }

  put(key: string, listing: CachedList): void {
    this.#lists.set(key, listing, sizeOf(key, listing))
  }
}

/** The key counts twice: the filter of the list holds the same values. */
function sizeOf(key: string, { head, ids, positions: places }: CachedList): number {
  const held = ids !== null && 'byteLength' in ids ? ids.byteLength : BYTES_PER_ID * (ids?.length ?? 0)
  return OVERHEAD + 4 * key.length + head.bytes + held + (places?.bytes ?? 0)
}
