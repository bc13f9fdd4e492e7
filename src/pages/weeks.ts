import { addDays } from '../calendar/days.ts'
import type { EventEntry } from '../domain/event-entries.ts'
import { lastDay, startDay } from './dates.ts'

/** Events that last longer than this many days are listed apart, and mark only their first day. */
export const MAX_BAR = 7

export function isLongerThanBar(row: EventEntry['row']): boolean {
  const [first, last] = [startDay(row), lastDay(row)]
  return first !== last && addDays(first, MAX_BAR) <= last
}

/** Event on one day of a grid of weeks. */
export interface Slot {
  readonly event: EventEntry
  /** Row inside the week, from 0. */
  readonly lane: number
  /** Days that its bar spans from here; 0 where a bar continues from an earlier day. */
  readonly span: number
  /** Whether it continues from the week before, and into the next. */
  readonly before: boolean
  readonly after: boolean
}

export interface Day {
  readonly day: string
  /** Ordered by row. */
  readonly slots: readonly Slot[]
}

/** Lays out events in weeks. An event keeps its row within a week. Sticky events may have the first rows. */
export function layOut(events: readonly EventEntry[], first: string, weeks: number, stickyFirst = false): Day[][] {
  const ranges = events.map((event) => ({ event, from: startDay(event.row), to: lastDay(event.row) }))
  return Array.from({ length: weeks }, (_, week) => {
    const days = Array.from({ length: 7 }, (_, n) => addDays(first, week * 7 + n))
    const [monday = first] = days
    const sunday = addDays(monday, 6)
    const inWeek = ranges
      .filter(({ from, to }) => from <= sunday && to >= monday)
      .map(({ event, from, to }) => ({
        event,
        start: from < monday ? 0 : days.indexOf(from),
        end: to > sunday ? 6 : days.indexOf(to),
        before: from < monday,
        after: to > sunday,
      }))
      // Order of events of a day: the longest first, then all-day events, then by start time.
      .sort(
        (one, other) =>
          (stickyFirst ? Number(isSticky(other.event)) - Number(isSticky(one.event)) : 0) ||
          one.start - other.start ||
          other.end - other.start - (one.end - one.start) ||
          other.event.row.all_day - one.event.row.all_day ||
          (one.event.row.start_local < other.event.row.start_local ? -1 : 1),
      )
    return fill(days, inWeek)
  })
}

/** Hides that a protected event is sticky from readers who see only its public part. */
function isSticky({ row, whole }: EventEntry): boolean {
  return whole && row.sticky === 1
}

type Range = Pick<Slot, 'event' | 'before' | 'after'> & { readonly start: number; readonly end: number }

function fill(days: readonly string[], ranges: readonly Range[]): Day[] {
  const slots: Slot[][] = days.map(() => [])
  const taken = days.map(() => new Set<number>())
  for (const { event, before, after, start, end } of ranges) {
    let lane = 0
    const covered = taken.slice(start, end + 1)
    while (covered.some((lanes) => lanes.has(lane))) lane++
    for (let day = start; day <= end; day++) {
      taken[day]?.add(lane)
      slots[day]?.push({ event, before, after, lane, span: day === start ? end - start + 1 : 0 })
    }
  }
  return days.map((day, n) => ({ day, slots: (slots[n] ?? []).sort((one, other) => one.lane - other.lane) }))
}
