import type { CalendarEntry } from '../../calendar/calendar-entry.ts'
import { DAY, fromWall, toWall, type WallSeconds } from '../../calendar/civil.ts'
import { instantAt, isSameClock, wallAt } from '../../calendar/clock.ts'
import { horizonOf } from '../../calendar/pattern.ts'
import { expansion, isYearly, yearBefore } from '../../calendar/recurrence.ts'
import type { Budget } from '../../calendar/recurrence-budget.ts'
import { toWallClock, type WallClock } from '../../calendar/zone.ts'

/** Occurrence of an entry, or an entry that does not recur. */
export interface Occurrence {
  readonly entry: CalendarEntry
  /** In the zone of the entry. */
  readonly start: WallSeconds
  readonly end: WallSeconds
  /** Start by the rule, in the zone of the recurring entry. */
  readonly place: WallSeconds
  readonly part: string
  readonly parent: string | null
  /** Whether other occurrences begin on the same day. */
  readonly sharesDay: boolean
}

type Timed = Omit<Occurrence, 'parent' | 'sharesDay'>

export interface Series {
  readonly occurrences: readonly Occurrence[]
  /** Whether the limit on occurrences was reached. */
  readonly cut: boolean
  /**
   * From which occurrence to which these are all that there are, so that others are no more; null if nobody knows. What is
   * cut off goes on before and behind them.
   */
  readonly whole: { readonly first: string; readonly last: string } | null
}

/** From when occurrences are looked for, and how many years ahead of that or of their start. */
export interface Horizon {
  readonly now: WallClock
  readonly years: number
}

/**
 * The occurrences of a recurring entry, with the changes that other entries of its name make; one short step after the
 * other.
 */
export function* seriesOf(entries: readonly CalendarEntry[], ahead: Horizon, budget: Budget): Generator<void, Series> {
  const master = entries.find((entry) => entry.occurrence === null)
  const changes = entries.filter((entry) => entry.occurrence !== null)
  if (master === undefined) {
    // Changes alone, as in an excerpt of a calendar: each is an event of its own.
    const alone: Occurrence[] = []
    for (const entry of changes) {
      yield
      const { at, zone } = entry.occurrence ?? { at: entry.start, zone: entry.zone }
      alone.push({ ...asChanged(entry, at, partOf({ ...entry, zone }, at)), parent: null, sharesDay: true })
    }
    return { occurrences: alone, cut: false, whole: null }
  }
  const { starts, cut, since } = yield* startsOf(master, ahead, budget)
  const changed = new Map<WallSeconds, CalendarEntry>()
  const future: { entry: CalendarEntry; from: WallSeconds }[] = []
  for (const entry of changes) {
    yield
    const place = placeOf(entry, master)
    if (entry.occurrence?.andFuture) future.push({ entry, from: place })
    else changed.set(place, entry)
  }
  future.sort((one, other) => one.from - other.from)
  // A change to what the rule does not give is one more occurrence.
  const places = [...new Set([...starts, ...changed.keys()])].sort((one, other) => one - other)
  const partAt = (at = master.start) => (at === master.start ? '' : partOf(master, at))
  let latest: CalendarEntry | undefined
  let begun = 0
  const occurrences: Timed[] = []
  for (const place of places) {
    yield
    // Both are in order, so each change is looked at once.
    for (let next = future[begun]; next !== undefined && next.from <= place; next = future[++begun]) latest = next.entry
    const part = partAt(place)
    const exact = changed.get(place)
    if (exact !== undefined) occurrences.push(asChanged(exact, place, part))
    else if (latest === undefined)
      occurrences.push(withEnd(moved(master, place - master.start, place, part), master, place))
    else occurrences.push(withEnd(asFuture(latest, master, place, part), master, place))
  }
  // The parent of a series whose beginning is left out is the one that an import may have brought long ago.
  const kept = since === null ? (occurrences.find(({ entry }) => !entry.cancelled)?.part ?? null) : ''
  const sharesDay = new Set(occurrences.map(({ start }) => Math.floor(start / DAY))).size < occurrences.length
  return {
    occurrences: occurrences.map((one) => ({ ...one, sharesDay, parent: one.part === kept ? null : kept })),
    cut,
    whole: {
      first: cut ? partAt(starts[1]) : since === null ? '' : partOf(master, since),
      last: cut ? partAt(starts.at(-1)) : END_OF_TIME,
    },
  }
}

interface Starts {
  readonly starts: readonly WallSeconds[]
  readonly cut: boolean
  /** From when on; null for all. */
  readonly since: WallSeconds | null
}

/**
 * When a recurring entry begins. Of one that recurs by the year, such as a birthday, nobody wants all that were: what the
 * rule gives is taken from a year ago on, unless it has ended before.
 */
function* startsOf(master: CalendarEntry, { now, years }: Horizon, budget: Budget): Generator<void, Starts> {
  const { recurrence, start } = master
  if (recurrence === null) return { starts: [start], cut: false, since: null }
  const horizon = horizonOf(now, toWall(start), years)
  const since = yearBefore(now)
  if (start < since && isYearly(recurrence)) {
    const { starts, cut } = yield* expansion(recurrence, horizon, fromWall(now), budget, since)
    const listed = new Set(recurrence.also)
    const recent = starts.filter((at) => at >= since || listed.has(at))
    if (recent.some((at) => at >= since && !listed.has(at))) return { starts: recent, cut, since }
  }
  return { ...(yield* expansion(recurrence, horizon, fromWall(now), budget)), since: null }
}

/** Suffix of the identity of an occurrence. */
const END_OF_TIME = '~'

/** Occurrence that an entry changes, in the zone of the recurring entry. */
function placeOf({ occurrence }: CalendarEntry, master: CalendarEntry): WallSeconds {
  if (occurrence === null) return master.start
  const { at, zone } = occurrence
  if (master.allDay) return Math.floor(at / DAY) * DAY
  const isSame = isSameClock(zone, master.zone)
  const isDate = occurrence.isDate || (at % DAY === 0 && master.start % DAY !== 0 && isSame)
  if (isDate) return at + (((master.start % DAY) + DAY) % DAY)
  return isSame ? at : wallAt(instantAt(at, zone), master.zone)
}

function asChanged(entry: CalendarEntry, place: WallSeconds, part: string): Timed {
  return { entry, start: entry.start, end: entry.end, place, part }
}

/** Copy of the entry at another time. */
function moved(entry: CalendarEntry, by: number, place: WallSeconds, part: string): Timed {
  return { entry, start: entry.start + by, end: entry.end + by, place, part }
}

/** Occurrence with the end of its own that a period of RDATE has; the entry's own start has the entry's end. */
function withEnd(timed: Timed, { start, end, recurrence }: CalendarEntry, place: WallSeconds): Timed {
  const own = recurrence?.ends?.get(place)
  const isOwn = own !== undefined && (place !== start || end === start)
  return isOwn ? { ...timed, end: timed.start + own - place } : timed
}

/** Occurrence after a change for all following ones: shifted like that one. */
function asFuture(since: CalendarEntry, master: CalendarEntry, place: WallSeconds, part: string): Timed {
  return moved(since, place - placeOf(since, master), place, part)
}

/** Identity of an occurrence: its day or, with a time, its instant. */
export function partOf({ allDay, zone }: Pick<CalendarEntry, 'allDay' | 'zone'>, at: WallSeconds): string {
  if (allDay) return toWall(at).slice(0, 10)
  return toWallClock(instantAt(at, zone), 'UTC')
}
