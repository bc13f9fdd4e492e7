import { organizerFields } from './organizer.ts'
import { venueFields } from './venue.ts'

/**
 * The kinds of record that events are linked to, each with its fields. The field that names such a record has the name of
 * its kind, and so has the field of events that links to it. Tables, routes and lists have that name with an `s`.
 */
export const LINKED_FIELDS = {
  venue: venueFields,
  organizer: organizerFields,
} as const
export type LinkedKind = keyof typeof LINKED_FIELDS
export const LINKED_KINDS = Object.keys(LINKED_FIELDS) as readonly LinkedKind[]

/** Kinds of which an event shows a single record by itself; several, and those of other kinds, are a list. */
export const SHOWN_ALONE: readonly LinkedKind[] = ['venue']

/** The kinds of record that have an author, a status, a slug and a place on the web. */
export type RecordKind = 'event' | LinkedKind
export const RECORD_KINDS: readonly RecordKind[] = ['event', ...LINKED_KINDS]

/** One value for each kind, such as the records of an event, under the plural of the kind. */
export type ByLinkedPlural<T> = { readonly [K in LinkedKind as `${K}s`]: T }

export function isLinkedKind(kind: string): kind is LinkedKind {
  return Object.hasOwn(LINKED_FIELDS, kind)
}

export function byLinkedKind<T>(make: (kind: LinkedKind) => T): Record<LinkedKind, T> {
  const made: Partial<Record<LinkedKind, T>> = {}
  for (const kind of LINKED_KINDS) made[kind] = make(kind)
  return made as Record<LinkedKind, T>
}

const PLURALS = LINKED_KINDS.map((kind) => [kind, `${kind}s`] as const)

export function byLinkedPlural<T>(make: (kind: LinkedKind) => T): ByLinkedPlural<T> {
  const made: Record<string, T> = {}
  for (const [kind, plural] of PLURALS) made[plural] = make(kind)
  return made as ByLinkedPlural<T>
}
