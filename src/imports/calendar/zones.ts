import { zoneLike, zoneNamed, zonesMeant } from '../../calendar/calendar-zones.ts'
import type { Clock } from '../../calendar/clock.ts'
import { type Component, first } from '../../calendar/components.ts'
import { tzidOf } from '../../calendar/entry-times.ts'
import { changesDescribed, type Observance, readObservances, type Years } from '../../calendar/observances.ts'
import { MAX_STEPS } from '../../calendar/recurrence.ts'
import type { Budget } from '../../calendar/recurrence-budget.ts'
import { toWallClock, type Zone } from '../../calendar/zone.ts'
import { isFullName, nameKey } from '../../calendar/zone-names.ts'
import type { Scope } from '../../domain/scope.ts'
import { runInSlices, type TimeSlice } from '../../lib/time-slices.ts'
import { hashOf } from '../import-run.ts'

/** Limits on zones described by a calendar, and on their text in characters. */
const MAX_DESCRIBED = 1000
const MAX_CHARACTERS = 20_000_000

/** Limit on cached names and clocks. */
const MAX_CACHED = 5000

/** Properties of an entry that may have a TZID. */
const TIMED = ['DTSTART', 'DTEND', 'RECURRENCE-ID', 'RDATE', 'EXDATE']

/** Limit on lines of an entry whose zones are resolved. */
const MAX_LINES = 5000

/** Years that a clock is described for at most: those before are of no use. */
const MAX_YEARS = 100

/** Years around now in which a zone is looked for that is like a description which no zone follows for longer. */
const RECENT = 1

/** Years ahead that recurring entries become events for. */
const AHEAD = 2

/** Steps that comparing a description with all zones counts for. */
const COMPARISON = 1000

/** A VTIMEZONE. */
interface Description {
  readonly component: Component
  /** Read when an entry needs it. */
  observances: readonly Observance[] | null
  /** Zones that it says it is. */
  readonly meant: readonly Zone[]
}

/** The clocks of an entry by the names of their zones. Null: nobody knows. */
export type EntryClocks = ReadonlyMap<string, Clock | null>

/** Zones of a calendar. Each is resolved once for the years of the entries that use it, in short steps. */
export class ImportedZones {
  readonly #site: Zone
  readonly #year: number
  readonly #steps: Budget
  readonly #described = new Map<string, Description>()
  readonly #names = new Map<string, { readonly zone: Zone | null; readonly isFull: boolean }>()
  readonly #clocks = new Map<string, Clock | null>()
  /** Zones by what descriptions of them say. */
  readonly #like = new Map<string, Zone | null>()
  #size = 0

  constructor({ site, clock }: Scope, steps: Budget) {
    this.#site = site.timezone
    this.#year = Number(toWallClock(clock(), 'UTC').slice(0, 4))
    this.#steps = steps
  }

  /** Adds a VTIMEZONE, for later and for waiting entries. */
  describe(component: Component): void {
    const tzid = first(component, 'TZID')?.value
    this.#size += component.size
    if (tzid === undefined || this.#described.size >= MAX_DESCRIBED || this.#size > MAX_CHARACTERS) return
    const key = nameKey(tzid)
    if (this.#described.has(key)) this.#clocks.clear()
    this.#described.set(key, { component, observances: null, meant: zonesMeant(component) })
  }

  /** Whether an entry should wait, as the description of its zone may follow. */
  waits(component: Component): boolean {
    return tzidsOf(component).some((tzid) => !this.#name(tzid).isFull && !this.#described.has(nameKey(tzid)))
  }

  /** The clocks of an entry, and of another name. */
  async clocksOf(component: Component, also: string | null, turn: TimeSlice): Promise<EntryClocks> {
    const clocks = new Map<string, Clock | null>()
    let years: Years | null = null
    for (const tzid of [...tzidsOf(component), ...(also === null ? [] : [also])]) {
      if (turn.isOver) await turn.yield()
      const { zone, isFull } = this.#name(tzid)
      const description = isFull ? undefined : this.#described.get(nameKey(tzid))
      if (description !== undefined) years ??= yearsOf(component, this.#year)
      clocks.set(tzid, description === undefined || years === null ? zone : await this.#clock(tzid, description, years))
    }
    return clocks
  }

  #name(tzid: string): { readonly zone: Zone | null; readonly isFull: boolean } {
    const known = this.#names.get(tzid)
    if (known !== undefined) return known
    const name = { zone: zoneNamed(tzid), isFull: isFullName(tzid) }
    if (this.#names.size >= MAX_CACHED) this.#names.clear()
    this.#names.set(tzid, name)
    return name
  }

  async #clock(tzid: string, description: Description, years: Years): Promise<Clock | null> {
    const key = `${years.first} ${years.last} ${nameKey(tzid)}`
    const known = this.#clocks.get(key)
    if (known !== undefined) return known
    const clock = await this.#resolve(tzid, description, years)
    if (this.#clocks.size >= MAX_CACHED) this.#clocks.clear()
    this.#clocks.set(key, clock)
    return clock
  }

  /** The zone that a description is for some years; failing that, the description itself. */
  async #resolve(tzid: string, description: Description, years: Years): Promise<Clock | null> {
    const meant = [...new Set([this.#name(tzid).zone ?? [], description.meant].flat())]
    const budget = { left: Math.min(MAX_STEPS, this.#steps.left) }
    const most = budget.left
    description.observances ??= (await runInSlices(readObservances(description.component))) ?? []
    const changes = most <= 0 ? null : await runInSlices(changesDescribed(description.observances, years, budget))
    this.#steps.left -= most - budget.left
    if (changes === null) return meant[0] ?? null
    const preferred = [...meant, this.#site]
    const like = async (some: Years) => {
      const key = hashOf([some, preferred, changes])
      const known = this.#like.get(key)
      if (known !== undefined) return known
      this.#steps.left -= COMPARISON
      const zone = await runInSlices(zoneLike(changes, some, preferred))
      if (this.#like.size < MAX_CACHED) this.#like.set(key, zone)
      return zone
    }
    const zone = await like(years)
    if (zone !== null) return zone
    const recent = { first: Math.max(years.first, years.last - RECENT), last: years.last }
    const lately = recent.first === years.first ? null : await like(recent)
    return { name: tzid, changes, like: [...meant, ...(lately === null ? [] : [lately]), this.#site] }
  }
}

/** The names of the zones of an entry, each once. */
function tzidsOf(component: Component): string[] {
  const lines = TIMED.flatMap((name) => component.properties.get(name) ?? []).slice(0, MAX_LINES)
  return [...new Set(lines.flatMap((line) => tzidOf(line) ?? []))]
}

/** The years of the times of an entry, and of those that it recurs at. */
function yearsOf(component: Component, now: number): Years {
  const years: number[] = []
  for (const name of ['DTSTART', 'DTEND', 'RECURRENCE-ID', 'RDATE']) {
    for (const { value } of (component.properties.get(name) ?? []).slice(0, MAX_LINES)) {
      for (const text of [value, value.slice(value.lastIndexOf(',') + 1)]) {
        const year = Number(/^\s*(\d{4})/.exec(text)?.[1])
        if (year > 0) years.push(year)
      }
    }
  }
  const lines = component.properties.get('RRULE') ?? []
  const [first = now] = years
  const ends = lines.map(({ value }) => Number(/UNTIL=(\d{4})/i.exec(value.slice(0, 1000))?.[1] ?? now + AHEAD))
  const last = Math.max(...years, ...ends.map((end) => Math.max(first, Math.min(end, now + AHEAD))), first)
  return { first: Math.max(Math.min(...years, first), last - MAX_YEARS), last }
}
