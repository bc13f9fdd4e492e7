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
  return Object.fromEntries(LINKED_KINDS.map((kind) => [kind, make(kind)])) as Record<LinkedKind, T>
}

export function byLinkedPlural<T>(make: (kind: LinkedKind) => T): ByLinkedPlural<T> {
  return Object.fromEntries(LINKED_KINDS.map((kind) => [`${kind}s`, make(kind)])) as ByLinkedPlural<T>
}
