import type { Tx } from '../storage/dialect.ts'
import { containingHidden, type EventFilter } from '../storage/event-filter.ts'
import * as storage from '../storage/events.ts'
import { type PackedIds, packIds, positionsOf } from './id-list.ts'
import { type KnownLists, type Listing, NO_STUBS } from './listings.ts'

/** How many found events are looked at one by one, rather than all of a list that has not been searched before. */
const FEW_FOUND = 500

/** A list of which all that a search needs is known. */
type Searchable = Listing & Required<Pick<Listing, 'secrets' | 'places'>> & { readonly ids: PackedIds }

/**
 * The events of a search: those that an index found among all of the list without it, which is remembered by `key`. So a
 * word that many events have is not looked for in each of them.
 */
export async function searched(
  tx: Tx,
  lists: KnownLists,
  key: string,
  filter: EventFilter,
  found: readonly number[],
): Promise<readonly number[] | PackedIds> {
  const known = lists.get(key)
  if (!isSearchable(known) && found.length <= FEW_FOUND) return storage.ids(tx, filter)
  const list = isSearchable(known) ? known : await searchable(tx, { ...filter, search: null, found: null })
  if (list !== known) lists.put(key, list)
  const hits = only(list, found)
  if (list.secrets.size === 0 || !hits.some((id) => list.secrets.has(id))) return hits
  const hidden = new Set(await containingHidden(tx, filter.search ?? '', filter.visibility))
  return hits.filter((id) => !hidden.has(id))
}

function isSearchable(listing: Listing | undefined): listing is Searchable {
  return listing?.places !== undefined
}

async function searchable(tx: Tx, filter: EventFilter): Promise<Searchable> {
  const ids = await storage.ids(tx, filter)
  const secrets = new Set(await storage.secretIds(tx))
  const all = { ids: packIds(ids), places: positionsOf(ids) }
  return { filter, total: ids.length, head: NO_STUBS, ...all, secrets, ends: new Map() }
}

/** Room for places, used again: what is garbage outside of the heap is collected late. */
let room = new Uint32Array(0)

/** Those of a list's events that were found, in its order. */
function only({ ids, places }: Searchable, found: readonly number[]): PackedIds {
  if (room.length < found.length) room = new Uint32Array(2 * found.length)
  let count = 0
  for (const id of found) {
    const place = places.of(id)
    if (place > 0) room[count++] = place
  }
  const inOrder = room.subarray(0, count).sort()
  const hits = ids instanceof Uint32Array ? new Uint32Array(count) : new Float64Array(count)
  for (let at = 0; at < count; at++) hits[at] = ids[(inOrder[at] ?? 0) - 1] ?? 0
  return hits
}
