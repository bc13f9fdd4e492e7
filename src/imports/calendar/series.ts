import type { CalendarEntry } from '../../calendar/calendar-entry.ts'
import { DAY, fromWall, toWall, type WallSeconds } from '../../calendar/civil.ts'
import { instantAt, isSameClock, wallAt } from '../../calendar/clock.ts'
import type { ChangedOccurrence } from '../../calendar/entry-times.ts'
import { horizonOf } from '../../calendar/pattern.ts'
import { expansion, isYearly, yearBefore } from '../../calendar/recurrence.ts'
import type { Budget } from '../../calendar/recurrence-budget.ts'
import { toWallClock, type WallClock } from '../../calendar/zone.ts'
import type { NewestEntries, ReadEntry } from './newest-entries.ts'
import { isNewer, type Version } from './versions.ts'

/** Occurrence of an entry, or an entry that does not recur. */
export interface Occurrence extends ReadEntry {
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
  /** Changes that are replaced, or dead. */
  readonly lost: readonly ReadEntry[]
  /** How many dates are left out as too long ago, and the day that they come before. */
  readonly past: { readonly count: number; readonly day: string } | null
}

/** From when occurrences are looked for, and how many years ahead of that or of their start. */
export interface Horizon {
  readonly now: WallClock
  readonly years: number
}

/** A change in its newest version, and the occurrence that it changes. */
interface Change {
  readonly read: ReadEntry
  readonly place: WallSeconds
}

/**
 * The occurrences of a recurring entry, with the changes that other entries of its name make; one short step after the
 * other. `single` is the version of an entry of this name that does not recur.
 */
export function* seriesOf(
  { master, changes }: NewestEntries,
  single: Version | undefined,
  ahead: Horizon,
  budget: Budget,
): Generator<void, Series> {
  if (master === null) {
    // Changes alone, as in an excerpt of a calendar: each is an event of its own.
    const alive = changes.filter(({ version }) => version.sequence >= (single?.sequence ?? 0))
    const alone = (yield* newest(alive, ({ at, zone }) => instantAt(at, zone))).map(({ read }): Occurrence => {
      const { start, zone: own, allDay, occurrence } = read.entry
      const { at, zone } = occurrence ?? { at: start, zone: own }
      return { ...moved(read, 0, at, partOf({ allDay, zone }, at)), parent: null, sharesDay: true }
    })
    return { occurrences: alone, cut: false, whole: null, lost: lostOf(changes, alone), past: null }
  }
  const { entry } = master
  const given = yield* startsOf(entry, ahead, budget)
  const { starts, cut, since, before } = given
  const changed = new Map<WallSeconds, ReadEntry>()
  const future: Change[] = []
  for (const change of yield* newest(changes, (occurrence) => placeOf(occurrence, entry))) {
    yield
    const { read, place } = change
    if (isDead(change, master, given)) continue
    const andFuture = read.entry.occurrence?.andFuture === true
    if (andFuture) future.push(change)
    const isLeftOut = andFuture && (entry.recurrence?.except.has(place) || changed.has(place))
    if (!isLeftOut) changed.set(place, read)
  }
  future.sort((one, other) => one.place - other.place)
  // A change to what the rule does not give is one more occurrence.
  const places = [...new Set([...starts, ...changed.keys()])].sort((one, other) => one - other)
  const partAt = (at = entry.start) => (at === entry.start ? '' : partOf(entry, at))
  let latest: Change | undefined
  let begun = 0
  const occurrences: Timed[] = []
  for (const place of places) {
    yield
    // Both are in order, so each change is looked at once.
    for (let next = future[begun]; next !== undefined && next.place <= place; next = future[++begun]) latest = next
    const part = partAt(place)
    const exact = changed.get(place)
    if (exact !== undefined) occurrences.push(moved(exact, 0, place, part))
    else {
      const { read, place: from } = latest ?? { read: master, place: entry.start }
      occurrences.push(withEnd(moved(read, place - from, place, part), entry, place))
    }
  }
  // The parent of a series whose beginning is left out is the one that an import may have brought long ago.
  const kept = since === null ? (occurrences.find((one) => !one.entry.cancelled)?.part ?? null) : ''
  const sharesDay = new Set(occurrences.map(({ start }) => Math.floor(start / DAY))).size < occurrences.length
  return {
    occurrences: occurrences.map((one) => ({ ...one, sharesDay, parent: one.part === kept ? null : kept })),
    cut,
    whole: {
      first: cut ? partAt(starts[1]) : since === null ? '' : partOf(entry, since),
      last: cut ? partAt(starts.at(-1)) : END_OF_TIME,
    },
    lost: lostOf(changes, occurrences),
    past:
      since === null
        ? null
        : { count: before.filter((at) => !changed.has(at)).length, day: toWall(since).slice(0, 10) },
  }
}

/** The newest version of each change. Of equal ones, the last one counts. */
function* newest(
  changes: readonly ReadEntry[],
  place: (occurrence: ChangedOccurrence) => WallSeconds,
): Generator<void, Change[]> {
  const found = new Map<string, Change>()
  for (const read of changes) {
    yield
    const { occurrence } = read.entry
    if (occurrence === null) continue
    const change = { read, place: place(occurrence) }
    const key = `${change.place} ${occurrence.andFuture}`
    const before = found.get(key)
    if (before === undefined || !isNewer(before.read.version, read.version)) found.set(key, change)
  }
  return [...found.values()]
}

/** Whether a change is older than its entry, which excludes what it changes, or has ended before. */
function isDead({ read, place }: Change, { entry, version }: ReadEntry, { starts, cut, horizon }: Starts): boolean {
  if (read.version.sequence >= version.sequence) return false
  const { rules = [], ruleTexts = [], also = [], except } = entry.recurrence ?? {}
  if (except?.has(place)) return true
  // A rule that cannot be followed may give anything.
  if (rules.length < ruleTexts.length || place <= Math.max(entry.start, ...also)) return false
  const last = starts.at(-1) ?? entry.start
  return rules.every(({ until, count }) =>
    until === null ? count !== null && !cut && place > last && place <= horizon : place > until,
  )
}

/** Changes that are in no occurrence. */
function lostOf(changes: readonly ReadEntry[], occurrences: readonly Timed[]): ReadEntry[] {
  const used = new Set(occurrences.map(({ entry }) => entry))
  return changes.filter(({ entry }) => !used.has(entry))
}

interface Starts {
  readonly starts: readonly WallSeconds[]
  readonly cut: boolean
  /** From when on; null for all. */
  readonly since: WallSeconds | null
  /** What is left out of them. */
  readonly before: readonly WallSeconds[]
  readonly horizon: WallSeconds
}

/**
 * When a recurring entry begins. Of one that recurs by the year, such as a birthday, nobody wants all that were: what the
 * rule gives is taken from a year ago on, unless it has ended before.
 */
function* startsOf(master: CalendarEntry, { now, years }: Horizon, budget: Budget): Generator<void, Starts> {
  const { recurrence, start } = master
  const horizon = horizonOf(now, toWall(start), years)
  const whole = { cut: false, since: null, before: [], horizon }
  if (recurrence === null) return { ...whole, starts: [start] }
  const { starts, cut } = yield* expansion(recurrence, horizon, fromWall(now), budget)
  const since = yearBefore(now)
  const listed = new Set(recurrence.also)
  const given = starts.filter((at) => at !== start && !listed.has(at))
  if (start >= since || !given.some((at) => at >= since) || !isYearly(recurrence, given))
    return { ...whole, starts, cut }
  const isPast = (at: WallSeconds) => at < since && !listed.has(at)
  return { starts: starts.filter((at) => !isPast(at)), cut, since, before: starts.filter(isPast), horizon }
}

/** Suffix of the identity of an occurrence. */
const END_OF_TIME = '~'

/** Occurrence that an entry changes, in the zone of the recurring entry. */
function placeOf({ at, zone, isDate }: ChangedOccurrence, master: CalendarEntry): WallSeconds {
  if (master.allDay) return Math.floor(at / DAY) * DAY
  const isSame = isSameClock(zone, master.zone)
  const isDay = isDate || (at % DAY === 0 && master.start % DAY !== 0 && isSame)
  if (isDay) return at + (((master.start % DAY) + DAY) % DAY)
  return isSame ? at : wallAt(instantAt(at, zone), master.zone)
}

/** Copy of the entry at another time. */
function moved({ entry, version }: ReadEntry, by: number, place: WallSeconds, part: string): Timed {
  return { entry, version, start: entry.start + by, end: entry.end + by, place, part }
}

/** Occurrence with the end of its own that a period of RDATE has; the entry's own start has the entry's end. */
function withEnd(timed: Timed, { start, end, recurrence }: CalendarEntry, place: WallSeconds): Timed {
  const own = recurrence?.ends?.get(place)
  const isOwn = own !== undefined && (place !== start || end === start)
  return isOwn ? { ...timed, end: timed.start + own - place } : timed
}

/** Identity of an occurrence: its day or, with a time, its instant. */
export function partOf({ allDay, zone }: Pick<CalendarEntry, 'allDay' | 'zone'>, at: WallSeconds): string {
  if (allDay) return toWall(at).slice(0, 10)
  return toWallClock(instantAt(at, zone), 'UTC')
}
