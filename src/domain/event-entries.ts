import type { Tx } from '../storage/dialect.ts'
import type { CheckedEntryRow, EntryLink, EntryRow, FoundEntry } from '../storage/event-entries.ts'
import * as storage from '../storage/event-entries.ts'
import * as recordStorage from '../storage/records.ts'
import type { TermRow } from '../storage/terms.ts'
import * as termStorage from '../storage/terms.ts'
import { mayEdit, visibilityOf } from './access.ts'
import { undamagedEvents, undamagedLinked } from './damage.ts'
import type { Image } from './images.ts'
import * as images from './images.ts'
import type { Known, Places } from './kept-places.ts'
import type { Scope } from './scope.ts'

export { ENTRY_FORM, type EntryRow } from '../storage/event-entries.ts'

/** A venue as calendars show it. */
type Place = Pick<recordStorage.PlaceRow, 'id'> & { readonly [Name in 'venue' | 'city']?: string | number | null }

/** An event as calendars show it. Each whole event is such an entry, too. */
export interface EventEntry {
  readonly row: EntryRow
  readonly image: Image | null
  readonly venues: readonly { readonly row: Place }[]
  /** By name. */
  readonly categories: readonly Pick<TermRow, 'id' | 'name'>[]
  /** False without the password: then only title and dates are shown. */
  readonly whole: boolean
}

/**
 * Assembles entries with a fixed number of queries. Damaged ones are left out and reported. `places` has venues and categories that
 * are known, and gets those that are read. Images are read if they are `pictured`.
 */
export async function assembleEntries(
  tx: Tx,
  scope: Pick<Scope, 'user' | 'onDamage'>,
  rows: readonly FoundEntry[],
  places: Places,
  pictured: boolean,
): Promise<EventEntry[]> {
  const sound = undamagedEntries(scope, rows)
  if (sound.length === 0) return []
  const venues = await venuesOf(tx, scope, places.venues, sound)
  const categories = await categoriesOf(tx, places.categories, sound)
  const pictures = pictured ? await images.ofRows(tx, sound, scope.onDamage) : null
  return sound.map((row) => ({
    row,
    image: row.image === null ? null : (pictures?.get(row.image) ?? null),
    venues: venues.get(row.id) ?? [],
    categories: categories.get(row.id) ?? [],
    whole: row.password_hash === null || mayEdit(scope.user, row),
  }))
}

/** Entries were only stored of events that are not damaged. */
function undamagedEntries(scope: Pick<Scope, 'onDamage'>, rows: readonly FoundEntry[]): readonly FoundEntry[] {
  const read = rows.filter((row): row is CheckedEntryRow => !storage.isStored(row))
  if (read.length === 0) return rows
  const sound = new Set<FoundEntry>(undamagedEvents(scope, read))
  return rows.filter((row) => storage.isStored(row) || sound.has(row))
}

async function venuesOf(
  tx: Tx,
  scope: Pick<Scope, 'user' | 'onDamage'>,
  known: Places['venues'],
  entries: readonly FoundEntry[],
): Promise<Map<number, { row: recordStorage.PlaceRow }[]>> {
  const links = await storage.venueLinks(tx, entries)
  await addUnknown(known, links, async (ids) => {
    const found = await recordStorage.getPlaces(tx, ids, visibilityOf(scope.user))
    return undamagedLinked('venue', scope, found).map((row) => [row.id, { row }])
  })
  return byEvent(links, known)
}

async function categoriesOf(
  tx: Tx,
  known: Places['categories'],
  entries: readonly FoundEntry[],
): Promise<Map<number, TermRow[]>> {
  const links = await storage.categoryLinks(tx, entries)
  await addUnknown(known, links, async (ids) => {
    return (await termStorage.getAll(tx, 'category', ids, 'no reader: seen')).map((row) => [row.id, row])
  })
  const categories = byEvent(links, known)
  for (const some of categories.values()) if (some.length > 1) some.sort(termStorage.byName)
  return categories
}

/** Reads what is linked and unknown. */
async function addUnknown<T>(
  known: Known<T>,
  links: readonly EntryLink[],
  read: (ids: number[]) => Promise<[id: number, one: T][]>,
): Promise<void> {
  const unknown = new Set<number>()
  for (const { linked } of links) if (!known.has(linked)) unknown.add(linked)
  if (unknown.size === 0) return
  const found = new Map(await read([...unknown]))
  for (const id of unknown) known.add(id, found.get(id) ?? null)
}

/** Records by the events that are linked to them, in the order of the links. */
function byEvent<T>(links: readonly EntryLink[], byId: Known<T>): Map<number, T[]> {
  const found = new Map<number, T[]>()
  for (const { event, linked } of links) {
    const one = byId.get(linked)
    if (!one) continue
    const some = found.get(event)
    if (some === undefined) found.set(event, [one])
    else some.push(one)
  }
  return found
}
