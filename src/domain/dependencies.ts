import { type DataChange, type EventScope, mayMatch } from '../storage/data-change.ts'
import type { Database } from '../storage/database.ts'

export type { DataChange } from '../storage/data-change.ts'

/** Tells what has changed from one version of the data to a later one. */
export type ChangesBetween = Database['changesBetween']

/** What an answer about events shows. A change of anything else leaves it as it is. */
export interface Dependencies {
  /** Events that would be in its list, if it has one. */
  readonly list: EventScope | null
  /** Ids of events that it shows or names. */
  readonly events: readonly number[]
  /** Ids of the terms that it shows, with their counts. */
  readonly terms: readonly number[]
}

export function isAffected({ list, events, terms }: Dependencies, changed: DataChange): boolean {
  return changed.some(
    ({ id, states }) =>
      events.includes(id) ||
      states.some((state) => state.terms.some((term) => terms.includes(term)) || (list && mayMatch(list, state))),
  )
}

/** Limit on the changes that are remembered. Entries from before them are not valid any more. */
const MAX_CHANGES = 256

/** Follows the versions of the data for a cache, and tells which entries are still valid. */
export class FollowedChanges {
  readonly #between: ChangesBetween
  #version: string | null = null
  /** The last changes, oldest first. */
  #changes: DataChange[] = []
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
      this.#position++
      return null
    }
    this.#changes.push(...found)
    this.#changes.splice(0, Math.max(0, this.#changes.length - MAX_CHANGES))
    this.#position += found.length
    return found
  }

  /** Whether an entry from a position is still valid. Without dependencies it is so only at the same version. */
  isValid(since: number, dependencies: Dependencies | null): boolean {
    const count = this.#position - since
    if (count === 0) return true
    if (dependencies === null || count > this.#changes.length) return false
    return !this.#changes.slice(-count).some((changed) => isAffected(dependencies, changed))
  }
}

const NONE: readonly DataChange[] = []
