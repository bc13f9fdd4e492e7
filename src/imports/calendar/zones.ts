import { findingZone, zoneNamed } from '../../calendar/calendar-zones.ts'
import { type Component, first } from '../../calendar/components.ts'
import type { Zone } from '../../calendar/zone.ts'
import type { Scope } from '../../domain/scope.ts'
import { runInSlices, type TimeSlice } from '../../lib/time-slices.ts'

/** How many zones a calendar may describe. */
const MOST_DESCRIBED = 1000

/** How many names are remembered. */
const MOST_NAMES = 5000

/** The lines of an entry whose times may name a zone. */
const TIMED = ['DTSTART', 'DTEND', 'RECURRENCE-ID', 'RDATE', 'EXDATE']

/** The zones that a calendar names and describes. Each is looked for once, with turns for others in between. */
export class ImportedZones {
  readonly #scope: Scope
  readonly #described = new Map<string, Component>()
  readonly #found = new Map<string, Zone | null>()

  constructor(scope: Scope) {
    this.#scope = scope
  }

  /** Takes the description of a zone, for entries that come after it, or were waiting for it. */
  describe(component: Component): void {
    const tzid = first(component, 'TZID')?.value
    if (tzid === undefined || this.#described.size >= MOST_DESCRIBED) return
    this.#described.set(tzid, component)
    this.#found.delete(tzid)
  }

  /** Looks for the zones that an entry names. */
  async learn(component: Component, turn: TimeSlice): Promise<void> {
    const lines = TIMED.flatMap((name) => component.properties.get(name) ?? [])
    for (const { parameters } of lines.slice(0, MOST_NAMES)) {
      const tzid = parameters.get('TZID')?.[0]
      if (tzid === undefined || this.#found.has(tzid)) continue
      if (turn.isOver) await turn.yield()
      const zone = zoneNamed(tzid) ?? (await this.#fromDescription(tzid))
      if (this.#found.size >= MOST_NAMES) this.#found.clear()
      this.#found.set(tzid, zone)
    }
  }

  /** The zone of a name that was learnt. */
  named(tzid: string): Zone | null {
    return this.#found.get(tzid) ?? null
  }

  async #fromDescription(tzid: string): Promise<Zone | null> {
    const description = this.#described.get(tzid)
    if (description === undefined) return null
    return runInSlices(findingZone(description, this.#scope.site.timezone, this.#scope.clock()))
  }
}
