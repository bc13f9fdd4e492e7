import type { CalendarEntry } from '../../calendar/calendar-entry.ts'
import { isNewer, type Version } from './versions.ts'

/** An entry with what its versions are told apart by. */
export interface ReadEntry {
  readonly entry: CalendarEntry
  readonly version: Version
}

/** The recurring entry of a name in its newest version, and all its changes. */
export class NewestEntries {
  #master: ReadEntry | null = null
  readonly #changes: ReadEntry[] = []

  /** The entry itself, which is no change of another. */
  get master(): ReadEntry | null {
    return this.#master
  }

  /** The entry, if it does not recur and nothing changes it. */
  get alone(): ReadEntry | null {
    const isAlone = this.#changes.length === 0 && this.#master?.entry.recurrence === null
    return isAlone ? this.#master : null
  }

  get changes(): readonly ReadEntry[] {
    return this.#changes
  }

  /** Line of the entry, or of its first change. */
  get line(): number {
    return (this.#master ?? this.#changes[0])?.entry.line ?? 0
  }

  /** Adds an entry. Returns the version of the entry itself that another replaces. */
  add(read: ReadEntry): { readonly line: number; readonly problem: string } | null {
    const { entry, version } = read
    if (entry.occurrence !== null) {
      this.#changes.push(read)
      return null
    }
    const before = this.#master
    if (before !== null && !isNewer(version, before.version)) return { line: entry.line, problem: 'entry_repeated' }
    this.#master = read
    return before === null ? null : { line: before.entry.line, problem: 'entry_superseded' }
  }
}
