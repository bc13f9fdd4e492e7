import type { Tx } from '../storage/dialect.ts'
import { containingHidden, type EventFilter } from '../storage/event-filter.ts'
import * as storage from '../storage/events.ts'
import { type Listing, only } from './listings.ts'
import type { Scope } from './scope.ts'

/** How many found events are looked at one by one, rather than all of a list that has not been searched before. */
const FEW_FOUND = 500

/** A list of which all that a search needs is known. */
type Searchable = Listing & Required<Pick<Listing, 'secrets'>> & { readonly ids: readonly number[] }

/**
 * The events of a search: those that an index found among all of the list without it, which is remembered by `key`. So a
 * word that many events have is not looked for in each of them.
 */
export async function searched(
  tx: Tx,
  memory: Scope['memory'],
  key: string,
  filter: EventFilter,
  found: readonly number[],
): Promise<number[]> {
  const known = memory?.listings.get(memory.version, key)
  if (memory === undefined || (!isSearchable(known) && found.length <= FEW_FOUND)) return storage.ids(tx, filter)
  const list = isSearchable(known) ? known : await searchable(tx, { ...filter, search: null, found: null })
  if (list !== known) memory.listings.put(memory.version, key, list)
  const hits = only(list.ids, found)
  if (list.secrets.size === 0 || !hits.some((id) => list.secrets.has(id))) return hits
  const hidden = new Set(await containingHidden(tx, filter.search ?? '', filter.sight))
  return hits.filter((id) => !hidden.has(id))
}

function isSearchable(listing: Listing | undefined): listing is Searchable {
  return listing?.secrets !== undefined && listing.ids !== null
}

async function searchable(tx: Tx, filter: EventFilter): Promise<Searchable> {
  const ids = await storage.ids(tx, filter)
  return { filter, total: ids.length, ids, secrets: new Set(await storage.secretIds(tx)), ends: new Map() }
}
