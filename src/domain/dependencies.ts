import { type DataChange, type EventScope, type EventState, matches, mayMatch } from '../storage/data-change.ts'
import type { Database } from '../storage/database.ts'
import { type EventFilter, isByLinksAndDays } from '../storage/event-filter.ts'

export type { DataChange, EventScope } from '../storage/data-change.ts'

/** The parts of a database that tell caches what has changed. */
export type Versioned = Pick<Database, 'changesBetween' | 'isSettledAt'>
export type ChangesBetween = Versioned['changesBetween']

/** What an answer about events shows. A change of anything else leaves it as it is. */
export interface Dependencies {
  /** Events that would be in its list, if it has one. */
  readonly list: EventScope | null
  /** Ids of events that it shows or names. */
  readonly events: readonly number[]
  /** Ids of the terms that it shows with their counts, in this order. */
  readonly terms: readonly number[]
}

/**
 * What a list depends on, besides the events that it shows; null if any write may change it. The order of a search depends
 * on all events.
 */
export function dependenciesOf(filter: EventFilter): Pick<Dependencies, 'list' | 'events'> | null {
  const { parent } = filter
  if (filter.search !== null || filter.words !== null || filter.isByProtected) return null
  // A parent that the reader may not see is refused.
  return { list: scopeOf(filter), events: parent === null ? [] : [parent] }
}

const scopes = new WeakMap<EventFilter, EventScope>()

/** The same object for each response of a list, so that it is written as text once. */
function scopeOf(filter: EventFilter): EventScope {
  const { visibility, bounds, terms, linked } = filter
  const scope = scopes.get(filter) ?? { visibility, bounds, terms, linked }
  scopes.set(filter, scope)
  return scope
}

/** What was added to the counts of terms, by id. */
export type CountChanges = ReadonlyMap<number, number>

/** Whether a change concerns more of an answer than the counts of terms. */
function isAffected({ list, events }: Dependencies, changed: DataChange): boolean {
  const mayBeListed = (state: EventState | null) => state !== null && list !== null && mayMatch(list, state)
  return changed.some(({ id, before, after }) => events.includes(id) || mayBeListed(before) || mayBeListed(after))
}

function addCounts(terms: ReadonlySet<number>, changed: DataChange, added: Map<number, number>): void {
  const add = (state: EventState | null, by: number) => {
    if (!state?.isCounted) return
    for (const term of state.terms) if (terms.has(term)) added.set(term, (added.get(term) ?? 0) + by)
  }
  for (const { before, after } of changed) {
    add(before, -1)
    add(after, 1)
  }
}

/** Limit on the events of the changes that are remembered. Entries from before these are not valid any more. */
const MAX_EVENTS = 256

/** Follows the versions of the data for a cache, and tells which entries are still valid. */
export class FollowedChanges {
  readonly #between: ChangesBetween
  #version: string | null = null
  /** The last changes, oldest first. */
  #changes: DataChange[] = []
  /** Number of events in them. */
  #events = 0
  /** Number of all changes so far. */
  #position = 0

  constructor(between: ChangesBetween) {
    this.#between = between
  }

  /** Place of the current version among the changes. It never repeats. */
  get position(): number {
    return this.#position
  }

  /** The version that was followed to. */
  get version(): string | null {
    return this.#version
  }

  /**
   * Follows to a version, and returns what has changed since the last one; null if everything may have. A request that
   * began at an earlier version does not lead back to it.
   */
  follow(version: string): readonly DataChange[] | null {
    const last = this.#version
    if (version === last) return NONE
    const found = last === null ? null : this.#between(last, version)
    if (found === null && last !== null && this.#between(version, last) !== null) return NONE
    this.#version = version
    if (found === null) {
      this.#changes = []
      this.#events = 0
      this.#position++
      return null
    }
    this.#changes.push(...found)
    this.#events += eventsIn(found)
    while (this.#events > MAX_EVENTS) this.#events -= this.#changes.shift()?.length ?? 0
    this.#position += found.length
    return found
  }

  /**
   * What has changed in the counts of terms since a position; null if an entry from there is not valid any more. Without
   * dependencies it is so only at the same version.
   */
  countsSince(since: number, dependencies: Dependencies | null): CountChanges | null {
    const count = this.#position - since
    if (count === 0) return NO_COUNTS
    if (dependencies === null || count > this.#changes.length) return null
    const added = new Map<number, number>()
    const terms = new Set(dependencies.terms)
    for (const changed of this.#changes.slice(-count)) {
      if (isAffected(dependencies, changed)) return null
      addCounts(terms, changed, added)
    }
    for (const [term, by] of added) if (by === 0) added.delete(term)
    return added
  }

  /** Number of events now of a list from a position; null if it cannot be told. */
  totalSince(
    since: number,
    { filter, total }: { readonly filter: EventFilter; readonly total: number },
  ): number | null {
    const count = this.#position - since
    if (count > this.#changes.length || !isByLinksAndDays(filter)) return null
    let current = total
    for (const { before, after } of this.#changes.slice(this.#changes.length - count).flat()) {
      const was = before === null ? false : matches(filter, before)
      const is = matches(filter, after)
      if (was === null || is === null) return null
      current += Number(is) - Number(was)
    }
    return current
  }
}

function eventsIn(changes: readonly DataChange[]): number {
  return changes.reduce((sum, changed) => sum + changed.length, 0)
}

const NO_COUNTS: CountChanges = new Map()
const NONE: readonly DataChange[] = []
