import type { Tx } from '../storage/dialect.ts'
import type { EventFilter } from '../storage/event-filter.ts'
import type { EventRow } from '../storage/events.ts'
import * as storage from '../storage/sticky.ts'
import { mayEdit, type User } from './access.ts'

/** Reads a range of a list in order of start. */
type ReadRows = (offset: number, limit: number) => Promise<EventRow[]>

/**
 * A range of a list with sticky events first on their day. Both orders have the same days at the same positions, so
 * only the first and last day of the range can differ at its edges.
 */
export async function stickyFirst(
  tx: Tx,
  user: User | null,
  filter: EventFilter,
  offset: number,
  limit: number,
  read: ReadRows,
): Promise<EventRow[]> {
  const rows = await read(offset, limit)
  const [first] = rows
  const last = rows.at(-1)
  if (first === undefined || last === undefined) return rows
  // Only readers who see all of a protected event see that it is sticky.
  const isSticky = (row: EventRow) => row.sticky === 1 && (row.password_hash === null || mayEdit(user, row))
  const sticky = (await storage.listSticky(tx, filter, dayOf(first), dayOf(last)))?.filter(isSticky) ?? []
  if (sticky.length === 0) return rows
  const stickyOn = Map.groupBy(sticky, dayOf)
  const ofFirstDay = stickyOn.get(dayOf(first))?.length ?? 0
  const before = offset > 0 && ofFirstDay > 0 ? await storage.countBefore(tx, filter, first) : 0
  // Events of the first day that its sticky events may have moved from earlier pages to this one.
  const earlier = Math.min(before, ofFirstDay)
  const pushed = earlier === 0 ? [] : await read(offset - earlier, earlier)
  return [...Map.groupBy(rows, dayOf)].flatMap(([day, shown]) => {
    const isFirst = day === dayOf(first)
    const known = isFirst ? [...pushed, ...shown] : shown
    const from = isFirst ? before : 0
    return arrange(stickyOn.get(day) ?? [], known, isSticky, from - (known.length - shown.length), from, shown.length)
  })
}

/**
 * `count` positions of a day from position `from`: first all `sticky` events, then the others. `known` are events of
 * the day from position `start` in order of start, which include the others of these positions.
 */
function arrange(
  sticky: readonly EventRow[],
  known: readonly EventRow[],
  isSticky: (row: EventRow) => boolean,
  start: number,
  from: number,
  count: number,
): EventRow[] {
  const at = known.findIndex((row) => !isSticky(row))
  const other = known[at]
  const others = known.filter((row) => !isSticky(row))
  // Number of other events of the day before the first known one.
  const skipped = other === undefined ? 0 : start + at - sticky.filter((row) => isBefore(row, other)).length
  const places = Array.from({ length: count }, (_, n) => from + n)
  return places.flatMap((place) => sticky[place] ?? others[place - sticky.length - skipped] ?? [])
}

function isBefore(one: EventRow, other: EventRow): boolean {
  return one.start_local < other.start_local || (one.start_local === other.start_local && one.id < other.id)
}

function dayOf({ start_local }: EventRow): string {
  return start_local.slice(0, 10)
}
