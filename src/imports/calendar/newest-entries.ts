import type { CalendarEntry } from '../../calendar/calendar-entry.ts'
import { instantAt } from '../../calendar/clock.ts'
import { isNewer, type Version } from './versions.ts'

/** An entry with what its versions are told apart by. */
export interface ReadEntry {
  readonly entry: CalendarEntry
  readonly version: Version
}

/** The recurring entry of a name and its changes, each in its newest version. */
export class NewestEntries {
  #master: ReadEntry | null = null
  readonly #changes = new Map<string, ReadEntry>()
  readonly #versions = new Map<CalendarEntry, Version>()
  #line: number | null = null

  /** The entry itself, which is no change of another. */
  get master(): ReadEntry | null {
    return this.#master
  }

  /** The entry, if it does not recur and nothing changes it. */
  get alone(): ReadEntry | null {
    const isAlone = this.#changes.size === 0 && this.#master?.entry.recurrence === null
    return isAlone ? this.#master : null
  }

  get all(): CalendarEntry[] {
    return [...(this.#master === null ? [] : [this.#master]), ...this.#changes.values()].map(({ entry }) => entry)
  }

  /** Line of the entry, or of its first change. */
  get line(): number {
    return this.#master?.entry.line ?? this.#line ?? 0
  }

  versionOf(entry: CalendarEntry): Version {
    return this.#versions.get(entry) ?? { sequence: 0, modified: '', stamped: '', line: entry.line }
  }

  /** Adds an entry. Returns the version of the entry itself that another replaces. */
  add(read: ReadEntry): { readonly line: number; readonly problem: string } | null {
    const { entry, version } = read
    this.#line ??= entry.line
    if (entry.occurrence !== null) {
      const { at, zone, andFuture } = entry.occurrence
      const key = `${instantAt(at, zone)} ${andFuture}`
      const before = this.#changes.get(key)
      // Of equal versions of a change, the last one counts.
      if (before === undefined || !isNewer(before.version, version)) this.#keep(key, read)
      return null
    }
    const before = this.#master
    if (before !== null && !isNewer(version, before.version)) return { line: entry.line, problem: 'entry_repeated' }
    this.#master = read
    this.#versions.set(entry, version)
    return before === null ? null : { line: before.entry.line, problem: 'entry_superseded' }
  }

  #keep(key: string, read: ReadEntry): void {
    this.#changes.set(key, read)
    this.#versions.set(read.entry, read.version)
  }
}
