import type { Tx } from '../storage/dialect.ts'
import type { CheckedEntryRow, EntryLink, EntryRow } from '../storage/event-entries.ts'
import * as storage from '../storage/event-entries.ts'
import * as recordStorage from '../storage/records.ts'
import type { TermRow } from '../storage/terms.ts'
import * as termStorage from '../storage/terms.ts'
import { mayEdit, visibilityOf } from './access.ts'
import { undamagedEvents, undamagedLinked } from './damage.ts'
import { idsOf } from './event-assembly.ts'
import type { Image } from './images.ts'
import * as images from './images.ts'
import type { Scope } from './scope.ts'

export type { EntryRow } from '../storage/event-entries.ts'

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

/** Assembles entries with a fixed number of queries. Damaged ones are left out and reported. Images are read if they are `pictured`. */
export async function assembleEntries(
  tx: Tx,
  scope: Pick<Scope, 'user' | 'onDamage'>,
  rows: readonly CheckedEntryRow[],
  pictured: boolean,
): Promise<EventEntry[]> {
  const sound = undamagedEvents(scope, rows)
  if (sound.length === 0) return []
  const ids = JSON.stringify(idsOf(sound))
  const venues = await venuesOf(tx, scope, ids)
  const categories = await categoriesOf(tx, ids)
  const pictures = pictured ? await images.ofRows(tx, sound, scope.onDamage) : null
  return sound.map((row) => ({
    row,
    image: row.image === null ? null : (pictures?.get(row.image) ?? null),
    venues: venues.get(row.id) ?? [],
    categories: categories.get(row.id) ?? [],
    whole: row.password_hash === null || mayEdit(scope.user, row),
  }))
}

async function venuesOf(
  tx: Tx,
  scope: Pick<Scope, 'user' | 'onDamage'>,
  events: string,
): Promise<Map<number, { row: recordStorage.PlaceRow }[]>> {
  const links = await storage.venueLinks(tx, events)
  const found = await recordStorage.getPlaces(tx, linkedIds(links), visibilityOf(scope.user))
  const sound = undamagedLinked('venue', scope, found)
  return byEvent(links, new Map(sound.map((row) => [row.id, { row }])))
}

async function categoriesOf(tx: Tx, events: string): Promise<Map<number, TermRow[]>> {
  const links = await storage.categoryLinks(tx, events)
  const found = await termStorage.getAll(tx, 'category', linkedIds(links))
  const categories = byEvent(links, new Map(found.map((row) => [row.id, row])))
  for (const some of categories.values()) if (some.length > 1) some.sort(termStorage.byName)
  return categories
}

function linkedIds(links: readonly EntryLink[]): number[] {
  return [...new Set(links.map(({ linked }) => linked))]
}

/** Records by the events that are linked to them, in the order of the links. */
function byEvent<T>(links: readonly EntryLink[], byId: ReadonlyMap<number, T>): Map<number, T[]> {
  const found = new Map<number, T[]>()
  for (const { event, linked } of links) {
    const one = byId.get(linked)
    if (one === undefined) continue
    const some = found.get(event)
    if (some === undefined) found.set(event, [one])
    else some.push(one)
  }
  return found
}
