import { fold } from '../lib/fold.ts'
import { encode } from '../lib/html.ts'
import { Refused } from '../schema/field.ts'
import * as kinds from '../schema/kinds.ts'
import type { Tx } from '../storage/dialect.ts'
import * as linkedStorage from '../storage/linked-records.ts'
import type { LinkedKind, RecordRow } from '../storage/records.ts'
import { rightsOf, sightOf } from './access.ts'
import { resolveTerms } from './event-links.ts'
import { createInline } from './linked-records.ts'
import type { Scope } from './scope.ts'

/** The venue that a calendar names: one of that name and place, or of that name without a place, or a new one. */
export async function venueNamed(
  tx: Tx,
  scope: Scope,
  name: string,
  place: { readonly lat: string; readonly lng: string } | null,
): Promise<number | null> {
  const venue = cleanName(name)
  if (venue === null) return null
  const [lat, lng] = [degrees(place?.lat, 90), degrees(place?.lng, 180)]
  if (lat === null || lng === null) return findOrCreate(tx, scope, 'venue', [{ venue }], { venue: encode(venue) })
  return findOrCreate(
    tx,
    scope,
    'venue',
    [
      { venue, geo_lat: lat, geo_lng: lng },
      { venue, geo_lat: null },
    ],
    { venue: encode(venue), geo_lat: lat, geo_lng: lng },
  )
}

/** The organizer that a calendar names: one with that address, or of that name without another address, or a new one. */
export async function organizerNamed(
  tx: Tx,
  scope: Scope,
  given: { readonly name: string; readonly email: string },
): Promise<number | null> {
  const organizer = cleanName(given.name)
  if (organizer === null) return null
  const email = read(kinds.email, given.email)
  if (email === null) return findOrCreate(tx, scope, 'organizer', [{ organizer }], { organizer: encode(organizer) })
  return findOrCreate(tx, scope, 'organizer', [{ email }, { organizer, email: null }], {
    organizer: encode(organizer),
    email,
  })
}

/** The ids of categories or tags by their names, which are never ids here; new ones are made. */
export async function termsNamed(
  tx: Tx,
  scope: Scope,
  kind: 'category' | 'tag',
  names: readonly string[],
): Promise<number[]> {
  const clean = names.map(cleanName).filter((name) => name !== null)
  const unique = [...new Map(clean.map((name) => [fold(name), { name }])).values()]
  // Whoever imports may make categories and tags, so there is nothing to refuse.
  return rightsOf(scope.user)[kind] ? resolveTerms(tx, scope, kind, unique.slice(0, 100), {}) : []
}

async function findOrCreate(
  tx: Tx,
  scope: Scope,
  kind: LinkedKind,
  equals: readonly Partial<RecordRow>[],
  data: Record<string, unknown>,
): Promise<number> {
  for (const columns of equals) {
    const found = await linkedStorage.findEqual(tx, kind, sightOf(scope.user), columns)
    if (found !== undefined) return found.id
  }
  return createInline(tx, scope, kind, data, new Map())
}

/** A name as it is kept: text of a calendar is no HTML, so what looks like a tag stays. */
function cleanName(name: string): string | null {
  return read(kinds.name, encode(name.replace(/\s+/g, ' ').trim()))
}

function degrees(text: string | undefined, most: 90 | 180): number | null {
  return text === undefined ? null : read(kinds.degrees(most), text)
}

/** What a kind makes of a value, or null if it refuses it. */
function read<T>(kind: { read(raw: unknown, reading: { today: string }): T }, raw: unknown): T | null {
  if (raw === '') return null
  try {
    return kind.read(raw, { today: '' })
  } catch (error) {
    if (error instanceof Refused) return null
    throw error
  }
}
