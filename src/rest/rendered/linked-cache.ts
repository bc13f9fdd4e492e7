import type { DataChange } from '../../domain/dependencies.ts'
import type { Links } from '../../domain/event-data.ts'
import { LINKED_KINDS } from '../../schema/linked.ts'

/** The JSON of a linked record, and its JSON-LD. */
export interface LinkedJson {
  readonly json: string
  /** Null if there is none. */
  readonly ld: string | null
  /** A hash; that of a term is without its count. */
  readonly mark: string
  /** The id, the sort key and the count of a term. */
  readonly id: number
  readonly order: string
  readonly count: number
  /** The event of a series that shows its dates when it is alone, and this form. */
  readonly first?: { readonly id: number | null; readonly json: string }
}

export type LinkKind = keyof Links
export const KINDS: readonly LinkKind[] = [...LINKED_KINDS, 'category', 'tag', 'event', 'series']

export function byKind<T>(make: (kind: LinkKind) => T): Record<LinkKind, T> {
  return Object.fromEntries(KINDS.map((kind) => [kind, make(kind)])) as Record<LinkKind, T>
}

/** A rendered record; undefined if the audience may not see it. */
interface Entry {
  readonly rendered: LinkedJson | undefined
  /** Position that it was read at. */
  readonly since: number
  /** Position of the change that made it outdated. */
  outdatedAt: number
}

/** Limit on cached records of a kind. */
const MAX_LINKED = 20_000

/**
 * Rendered records that events are linked to. An outdated one stays until it is replaced, for requests at an earlier
 * version that are about to use it.
 */
export class LinkedCache {
  readonly #entries = byKind(() => new Map<number, Entry>())
  #position: number
  #isFull = false

  /** `position` is that of the version of the data among its changes: see FollowedChanges. */
  constructor(position = 0) {
    this.#position = position
  }

  /** Whether it has reached its limit and should be replaced. */
  get isFull(): boolean {
    return this.#isFull
  }

  /** Follows the data to a position among its changes. Terms show the number of their events, events name their parents. */
  follow(changes: readonly DataChange[], position: number): void {
    this.#position = position
    for (const { id, before, after } of changes.flat()) {
      this.#outdate('event', id)
      for (const term of [...(before?.terms ?? []), ...after.terms]) {
        this.#outdate('category', term)
        this.#outdate('tag', term)
      }
    }
  }

  /** Whether a record is known, for a request at a position. */
  has(kind: LinkKind, id: number, position: number): boolean {
    const entry = this.#entries[kind].get(id)
    return entry !== undefined && position >= entry.since && position < entry.outdatedAt
  }

  get(kind: LinkKind, id: number): LinkedJson | undefined {
    return this.#entries[kind].get(id)?.rendered
  }

  /** What was read at an earlier position is not stored: it may be outdated. */
  put(kind: LinkKind, id: number, position: number, rendered: LinkedJson | undefined): void {
    if (position !== this.#position) return
    const entries = this.#entries[kind]
    entries.set(id, { rendered, since: position, outdatedAt: Number.POSITIVE_INFINITY })
    this.#isFull ||= entries.size > MAX_LINKED
  }

  #outdate(kind: LinkKind, id: number): void {
    const entry = this.#entries[kind].get(id)
    if (entry !== undefined) entry.outdatedAt = Math.min(entry.outdatedAt, this.#position)
  }
}
