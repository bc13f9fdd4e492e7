import { findingZone, zoneNamed } from '../../calendar/calendar-zones.ts'
import { type Component, first } from '../../calendar/components.ts'
import type { Zone } from '../../calendar/zone.ts'
import type { Scope } from '../../domain/scope.ts'
import { runInSlices, type TimeSlice } from '../../lib/time-slices.ts'

/** Limit on zones described by a calendar. */
const MAX_DESCRIBED = 1000

/** Limit on cached zone names. */
const MAX_NAMES = 5000

/** Properties of an entry that may have a TZID. */
const TIMED = ['DTSTART', 'DTEND', 'RECURRENCE-ID', 'RDATE', 'EXDATE']

/** Zones of a calendar. Each is resolved once, in short steps. */
export class ImportedZones {
  readonly #scope: Scope
  readonly #described = new Map<string, Component>()
  readonly #found = new Map<string, Zone | null>()

  constructor(scope: Scope) {
    this.#scope = scope
  }

  /** Adds a VTIMEZONE, for later and for waiting entries. */
  describe(component: Component): void {
    const tzid = first(component, 'TZID')?.value
    if (tzid === undefined || this.#described.size >= MAX_DESCRIBED) return
    this.#described.set(tzid, component)
    this.#found.delete(tzid)
  }

  /** Resolves the zones of an entry. */
  async learn(component: Component, turn: TimeSlice): Promise<void> {
    const lines = TIMED.flatMap((name) => component.properties.get(name) ?? [])
    for (const { parameters } of lines.slice(0, MAX_NAMES)) {
      const tzid = parameters.get('TZID')?.[0]
      if (tzid === undefined || this.#found.has(tzid)) continue
      if (turn.isOver) await turn.yield()
      const zone = zoneNamed(tzid) ?? (await this.#fromDescription(tzid))
      if (this.#found.size >= MAX_NAMES) this.#found.clear()
      this.#found.set(tzid, zone)
    }
  }

  /** Resolved zone of a name. */
  named(tzid: string): Zone | null {
    return this.#found.get(tzid) ?? null
  }

  async #fromDescription(tzid: string): Promise<Zone | null> {
    const description = this.#described.get(tzid)
    if (description === undefined) return null
    return runInSlices(findingZone(description, this.#scope.site.timezone, this.#scope.clock()))
  }
}
