import { visibilityOf } from '../domain/access.ts'
import { resolveTerms } from '../domain/event-links.ts'
import { createInline } from '../domain/linked-records.ts'
import type { Scope } from '../domain/scope.ts'
import { fold } from '../lib/fold.ts'
import { asHtml } from '../lib/html.ts'
import { Refused } from '../schema/field.ts'
import type { TermKind } from '../schema/term.ts'
import * as types from '../schema/value-types.ts'
import type { Tx } from '../storage/dialect.ts'
import * as linkedStorage from '../storage/linked-records.ts'
import type { LinkedKind, RecordRow } from '../storage/records.ts'
import type { FoundIds } from './import-run.ts'

/** Finds linked records and terms by name, and creates missing ones. */
export class Names {
  readonly #tx: Tx
  readonly #scope: Scope
  readonly #found: FoundIds

  constructor(tx: Tx, scope: Scope, found: FoundIds) {
    this.#tx = tx
    this.#scope = scope
    this.#found = found
  }

  /** Record with this name, or a new one. */
  async named(kind: LinkedKind, given: string): Promise<number[]> {
    const name = cleanName(given)
    return name === null ? [] : this.#linked(kind, [{ [kind]: name }], { [kind]: asHtml(name) })
  }

  /** Venue with this name and location, or with this name and no location, or a new one. */
  async venue(name: string, place: { readonly lat: string; readonly lng: string } | null): Promise<number[]> {
    const venue = cleanName(name)
    if (venue === null) return []
    const [lat, lng] = [degrees(place?.lat, 90), degrees(place?.lng, 180)]
    if (lat === null || lng === null) return this.named('venue', name)
    const equals = [
      { venue, geo_lat: lat, geo_lng: lng },
      { venue, geo_lat: null },
    ]
    return this.#linked('venue', equals, { venue: asHtml(venue), geo_lat: lat, geo_lng: lng })
  }

  /** Organizer with this e-mail address, or with this name and no other address, or a new one. */
  async organizer(given: { readonly name: string; readonly email: string }): Promise<number[]> {
    const organizer = cleanName(given.name)
    if (organizer === null) return []
    const email = read(types.email, given.email)
    if (email === null) return this.named('organizer', given.name)
    const equals = [{ email }, { organizer, email: null }]
    return this.#linked('organizer', equals, { organizer: asHtml(organizer), email })
  }

  /** Records that an export of Kalends describes: equal ones, or new ones. */
  async data(kind: LinkedKind, list: readonly unknown[]): Promise<number[]> {
    const ids: number[] = []
    for (const data of list.slice(0, MAX_LINKS)) {
      if (typeof data !== 'object' || data === null) continue
      const key = `${kind}\n${JSON.stringify(data)}`
      // Only fields: ids and authors belong to the other site.
      const { id: _, author: __, image: ___, slug, date_utc, ...fields } = data as Record<string, unknown>
      const fresh = { ...(slug !== undefined && { slug }), ...(date_utc !== undefined && { date_utc }) }
      const made =
        this.#found.get(key) ?? (await createInline(this.#tx, this.#scope, kind, fields, new Map(), fresh)).id
      this.#found.set(key, made)
      ids.push(made)
    }
    return ids
  }

  /** Categories or tags by name. Digits are names here, not ids. */
  async terms(kind: TermKind, names: readonly string[]): Promise<number[]> {
    const ids: number[] = []
    for (const name of names.slice(0, MAX_TERMS).map(cleanName)) {
      if (name === null) continue
      const key = `${kind}\n${fold(name)}`
      // Importers may create categories and tags, so nothing is refused.
      const id = this.#found.get(key) ?? (await resolveTerms(this.#tx, this.#scope, kind, [{ name }], {}))[0]
      if (id === undefined) continue
      this.#found.set(key, id)
      ids.push(id)
    }
    return [...new Set(ids)]
  }

  async #linked(
    kind: LinkedKind,
    equals: readonly Partial<RecordRow>[],
    data: Record<string, unknown>,
  ): Promise<number[]> {
    const key = `${kind}\n${JSON.stringify(data)}`
    const known = this.#found.get(key)
    if (known !== undefined) return [known]
    let id: number | undefined
    for (const columns of equals)
      id ??= (await linkedStorage.findEqual(this.#tx, kind, visibilityOf(this.#scope.user), columns))?.id
    id ??= (await createInline(this.#tx, this.#scope, kind, data, new Map())).id
    this.#found.set(key, id)
    return [id]
  }
}

/** Limit on links of an event. */
const MAX_TERMS = 100
const MAX_LINKS = 50

/** Name as stored. Calendar text is not HTML, so `<` is kept. */
function cleanName(name: string): string | null {
  return read(types.name, asHtml(name.replace(/\s+/g, ' ').trim()))
}

function degrees(text: string | undefined, most: 90 | 180): number | null {
  return text === undefined ? null : read(types.degrees(most), text)
}

/** Parses a value; null if it is invalid. */
function read<T>(kind: { read(raw: unknown, reading: { today: string }): T }, raw: unknown): T | null {
  if (raw === '') return null
  try {
    return kind.read(raw, { today: '' })
  } catch (error) {
    if (error instanceof Refused) return null
    throw error
  }
}
