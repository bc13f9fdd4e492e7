import { sql } from 'kysely'
import { SMALL_HOURS } from '../calendar/small-hours.ts'
import type { Tx } from './dialect.ts'
import { type CheckedEntryRow, type EntryRow, entryColumns, type FoundEntry } from './event-entries.ts'
import type { EventFilter } from './event-filter.ts'
import { type EventRow, matching } from './events.ts'
import { entriesByLink } from './linked-list.ts'
import { isFullyVisible } from './visibility.ts'

/** Queries about the days of events. */

const DAY = sql<string>`substr(start_local, 1, 10)`

/** Events of days, and the number of others that start on each day. */
interface EventsOfDays {
  readonly rows: readonly FoundEntry[]
  readonly hidden: ReadonlyMap<string, number>
}

/**
 * The first events of each day, ordered by wall-clock start, but sticky events that the reader fully sees come first;
 * at most `most` in total. `isShort` says that few events match, and `useStored` that stored entries are used.
 */
export async function firstOfDays(
  tx: Tx,
  filter: EventFilter,
  perDay: number,
  most: number,
  isShort: boolean,
  useStored: boolean,
): Promise<EventsOfDays> {
  const all = isShort ? await entriesByLink(tx, filter, useStored) : null
  if (all !== null) return firstOf(all, perDay, most)
  const ranked = matching(tx, filter)
    .select('id')
    .select((eb) => {
      const first = sql`case when sticky = 1 and ${isFullyVisible(eb, filter.visibility)} then 0 else 1 end`
      return [
        sql<number>`row_number() over (partition by ${DAY} order by ${first}, start_local, id)`.as('rank'),
        sql<number>`count(*) over (partition by ${DAY})`.as('on_day'),
      ]
    })
  const { rows } = await sql<CheckedEntryRow & { readonly on_day: number }>`
    select ${entryColumns(tx)}, ranked.on_day from (${ranked}) as ranked inner join events on events.id = ranked.id
    where ranked.rank <= ${perDay} order by events.start_local, events.id limit ${most}`.execute(tx)
  const byDay = Map.groupBy(rows, dayOf)
  const isWhole = rows.length < most
  const counts = isWhole ? new Map(rows.map((row) => [dayOf(row), Number(row.on_day)])) : await countByDay(tx, filter)
  return { rows, hidden: new Map([...counts].map(([day, count]) => [day, count - (byDay.get(day)?.length ?? 0)])) }
}

/** The same of all events that match, which the reader fully sees. */
function firstOf(all: EventsOfDays['rows'], perDay: number, most: number): EventsOfDays {
  const rows: FoundEntry[] = []
  const hidden = new Map<string, number>()
  for (const [day, found] of Map.groupBy(all, dayOf)) {
    const first = found.length > perDay ? firstInOrder(found, perDay) : found
    const shown = first.slice(0, most - rows.length)
    rows.push(...shown)
    if (shown.length < found.length) hidden.set(day, found.length - shown.length)
  }
  return { rows, hidden }
}

/** The first events of a day, sticky ones before others, by their start. */
function firstInOrder<Row extends Pick<EntryRow, 'sticky'>>(found: readonly Row[], perDay: number): Row[] {
  const inOrder = [...found.filter(({ sticky }) => sticky === 1), ...found.filter(({ sticky }) => sticky !== 1)]
  const first = new Set(inOrder.slice(0, perDay))
  return found.filter((row) => first.has(row))
}

function dayOf({ start_local }: Pick<EventRow, 'start_local'>): string {
  return start_local.slice(0, 10)
}

/** Number of events that start on each day. */
export async function countByDay(tx: Tx, filter: EventFilter): Promise<Map<string, number>> {
  const rows = await matching(tx, filter)
    .select(DAY.as('day'))
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .groupBy(DAY)
    .execute()
  return new Map(rows.map(({ day, total }) => [day, Number(total)]))
}

/** First and last day of some events, as stored. */
export interface DaySpan {
  readonly first: string
  readonly last: string
  /** When the latest of them ends on its last day: at its very start, in the small hours, or later. */
  readonly ending: 'midnight' | 'small-hours' | 'day'
}

const LAST_DAY = sql<string>`substr(end_local, 1, 10)`
const END_TIME = sql<string>`substr(end_local, 12)`
const ENDINGS = ['midnight', 'small-hours', 'day'] as const

/** Distinct pairs of first and last days. The filter must bound both, as it then bounds the number of pairs. */
export async function daySpans(tx: Tx, filter: EventFilter): Promise<DaySpan[]> {
  const isOvernight = sql`all_day = 0 and ${END_TIME} <= ${SMALL_HOURS} and ${END_TIME} < substr(start_local, 12)`
  const ending = sql`case when ${END_TIME} = '00:00:00' then 0 when ${isOvernight} then 1 else 2 end`
  const rows = await matching(tx, filter)
    .select([DAY.as('first'), LAST_DAY.as('last'), sql<number>`max(${ending})`.as('ending')])
    .groupBy([DAY, LAST_DAY])
    .execute()
  return rows.map((row) => ({ ...row, ending: ENDINGS[Number(row.ending)] ?? 'day' }))
}

/** Times of an event. */
export type EventTimes = Pick<EventRow, 'start_local' | 'end_local' | 'all_day'>

/** Times of the matching events that start last, or first. */
export async function timesAt(tx: Tx, filter: EventFilter, end: 'first' | 'last', most: number): Promise<EventTimes[]> {
  const order = end === 'first' ? 'asc' : 'desc'
  return matching(tx, filter)
    .select(['start_local', 'end_local', 'all_day'])
    .orderBy('start_local', order)
    .orderBy('id', order)
    .limit(most)
    .execute()
}
