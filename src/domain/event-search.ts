import type { Tx } from '../storage/dialect.ts'
import { containingHidden, type EventFilter } from '../storage/event-filter.ts'
import * as storage from '../storage/events.ts'
import { type CachedList, type CachedLists, NO_STUBS } from './cached-lists.ts'
import { type FirstIds, type PackedIds, packIds, positionsOf } from './id-list.ts'

/** Limit on matches that are filtered by query, rather than reading a whole uncached list. */
const FEW_FOUND = 500

/** A cached list with all data that a search needs. */
type Searchable = CachedList &
  Required<Pick<CachedList, 'protectedIds' | 'positions' | 'inAll'>> & { readonly ids: PackedIds }

/**
 * Intersects the matches of the text index with the list without the search, which is cached under `key`. So a frequent
 * word does not have to be checked in each event.
 */
export async function searchList(
  tx: Tx,
  lists: CachedLists,
  key: string,
  filter: EventFilter,
  found: readonly number[],
): Promise<readonly number[] | PackedIds> {
  const known = lists.get(key)
  if (!isSearchable(known) && found.length <= FEW_FOUND) return ranked(filter, await storage.ids(tx, filter))
  const list = isSearchable(known) ? known : await searchable(tx, { ...filter, search: null, words: null, found: null })
  if (list !== known) lists.put(key, list)
  const hits = intersect(list, found)
  // The index of words knows what the reader may see.
  if (filter.words !== null) return ranked(filter, hits)
  if (!hasProtected(list, hits)) return hits
  const hidden = new Set(await containingHidden(tx, filter.search ?? '', filter.visibility))
  return hits.filter((id) => !hidden.has(id))
}

/** Events with all words in the title come first. Both groups stay in order. */
export function ranked({ words }: EventFilter, hits: readonly number[] | PackedIds): readonly number[] | PackedIds {
  if (words === null || hits.length === 0 || words.titled.length === 0) return hits
  const titled = new Set(words.titled)
  const inOrder = hits instanceof Uint32Array ? new Uint32Array(hits.length) : new Float64Array(hits.length)
  let count = 0
  for (const isFirst of [true, false]) for (const id of hits) if (titled.has(id) === isFirst) inOrder[count++] = id
  return inOrder
}

/** So few matches are all put in order: to look for the first in the list would take longer. */
const FEW_HITS = 100

/** The matches of a text in a searched list, at least the first `most`; null if more must be read, to see which the reader may find. */
export function hitsOf(list: Searchable, found: readonly number[], most: number): FirstIds | null {
  const mayHide = list.protectedIds.size > 0
  const first = found.length <= FEW_HITS || mayHide ? null : list.positions.firstOf(found, list.ids, most)
  if (first !== null) return first
  const ids = intersect(list, found)
  return mayHide && hasProtected(list, ids) ? null : { ids, total: ids.length }
}

function hasProtected({ protectedIds }: Searchable, hits: PackedIds): boolean {
  return protectedIds.size > 0 && hits.some((id) => protectedIds.has(id))
}

export function isSearchable(listing: CachedList | undefined): listing is Searchable {
  return listing?.positions !== undefined
}

async function searchable(tx: Tx, filter: EventFilter): Promise<Searchable> {
  const ids = await storage.ids(tx, filter)
  const protectedIds = new Set(await storage.secretIds(tx))
  const inAll = await storage.idSpan(tx)
  const all = { ids: packIds(ids), positions: positionsOf(ids) }
  return { filter, total: ids.length, head: NO_STUBS, ...all, protectedIds, inAll, pageEnds: new Map() }
}

/** A bit for each place of a list, set only during a search. Reused: typed arrays are off-heap, and collected late. */
let marked = new Int32Array(0)

/** Matches that are in the list, in its order. */
function intersect({ ids, positions }: Searchable, found: readonly number[]): PackedIds {
  const words = Math.ceil(ids.length / 32)
  if (marked.length < words) marked = new Int32Array(words)
  const count = positions.mark(found, marked)
  const hits = ids instanceof Uint32Array ? new Uint32Array(count) : new Float64Array(count)
  let at = 0
  for (let word = 0; word < words; word++) {
    let bits = marked[word] ?? 0
    if (bits === 0) continue
    marked[word] = 0
    while (bits !== 0) {
      const lowest = bits & -bits
      hits[at++] = ids[32 * word + 31 - Math.clz32(lowest)] ?? 0
      bits ^= lowest
    }
  }
  return hits
}
