import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Instant } from '../calendar/zone.ts'
import type { LinkedKind } from '../schema/linked.ts'
import { dialectOf, type Tx } from './dialect.ts'
import {
  type CheckedEntryRow,
  ENTRY_FORM,
  type EntryRow,
  entryColumns,
  type FoundEntry,
  readEntry,
} from './event-entries.ts'
import { type EventFilter, IS_LONG, isByLinksAndDays, mayHaveLong, startRange } from './event-filter.ts'
import { type Placeholder, prepared, preparedBy } from './prepared.ts'
import { LINK_TABLE } from './records.ts'

/** What a list by links is filtered by: one of some terms, venues or organizers, and a range of days. */
interface LinkedList {
  readonly kind: LinkedKind | 'term'
  readonly linked: readonly number[]
  /** The first and last possible start, and the last end. */
  readonly from: string
  readonly to: string
  readonly end: string
  /** Events end after this time; null if it does not matter. */
  readonly after: string | null
  /** Long events that end after this time may have started before; null if none may. */
  readonly longAfter: Instant | null
}

/** Sorts after every wall-clock time. */
const LAST = '~'
/** Behind a wall-clock time, this sorts between it and the next second. */
const NEXT = ' '

/** The only links of a filter that has no other condition than days, for readers who see what is public; else null. */
function linkedList(filter: EventFilter): LinkedList | null {
  if (!isByLinksAndDays(filter)) return null
  const { bounds, terms, linked } = filter
  const links = [
    ...terms.map((ids) => ({ kind: 'term' as const, ids })),
    ...Object.entries(linked).map(([kind, ids]) => ({ kind: kind as LinkedKind, ids })),
  ]
  const [only] = links
  if (only === undefined || links.length > 1) return null
  let end = LAST
  let after = null as string | null
  for (const { end: which, is, than } of bounds) {
    if (which !== 'end') continue
    const day = String(than)
    if (is === '<=') end = day < end ? day : end
    else if (is === '>') after = after !== null && after > day ? after : day
    else return null
  }
  const { from, to, longAfter } = startRange(bounds)
  const isAfter = bounds.some(({ end, is, than }) => end === 'start' && is === '>' && than === from)
  const first = `${from ?? ''}${isAfter ? NEXT : ''}`
  return { kind: only.kind, linked: only.ids, from: first, to: to ?? LAST, end, after, longAfter }
}

/**
 * Ids of all events of a list by links, in order, if no more than `most` links, and as many long events, have to be read: `ids` is
 * null if there are more. Null for other lists.
 */
export async function listedByLinks(
  tx: Tx,
  filter: EventFilter,
  most: number,
): Promise<{ readonly ids: number[] | null } | null> {
  const list = linkedList(filter)
  if (list === null) return null
  const { kind, from, to, end, longAfter } = list
  const isLong = longAfter !== null && (await mayHaveLong(tx, longAfter, most))
  if (isLong === null) return { ids: null }
  const form = `${kind} ${most}`
  const all = JSON.stringify(list.linked)
  const range: Range = [from, to, list.after ?? '', end]
  const [one, ...others] = list.linked
  const isOne = one !== undefined && others.length === 0
  const [found] = await (isOne ? shownByOne(form)(tx, one, ...range) : shownByAny(form)(tx, all, ...range))
  if (Number(found?.links) > most) return { ids: null }
  const ids: number[] = JSON.parse(found?.ids ?? '[]')
  if (!isLong) return { ids }
  // They began before all others.
  const [long] = await longBy(kind)(tx, all, ...range, longAfter)
  return { ids: [...JSON.parse(long?.ids ?? '[]'), ...ids] }
}

/** First and last start, and the times that events end after and by. */
type Range = [from: string, to: string, after: string, end: string]

interface ShownIds {
  readonly ids: string
  /** Number of links that were read. */
  readonly links: number
}

/** An index has all that is read of links, in order: see migrations 0031 and 0032. */
const shownByOne = preparedBy((form: string) => {
  const { table, column, limit } = linksOf(form)
  return prepared<ShownIds, [linked: number, ...Range]>((db, linked, from, to, after, end) => ({
    compile: () =>
      sql<ShownIds>`select count(*) as links, ${dialectOf(db).jsonList(sql.ref('event'), isShown(after, end))} as ids
        from (select event, shown_end from ${table}
          where ${column} = ${linked} and start_local >= ${from} and start_local <= ${to}
          order by start_local, event limit ${limit}) as found`.compile(db),
  }))
})

/** The same for several links, of which an event may have more than one. */
const shownByAny = preparedBy((form: string) => {
  const { table, column, limit } = linksOf(form)
  return prepared<ShownIds, [linked: string, ...Range]>((db, linked, from, to, after, end) => ({
    compile: () =>
      sql<ShownIds>`with found as materialized (select event, start_local, shown_end from ${table}
          where ${dialectOf(db).isInJson(column, linked)} and start_local >= ${from} and start_local <= ${to} limit ${limit})
        select (select count(*) from found) as links,
          (select ${dialectOf(db).jsonList(sql.ref('event'))} from (select event from found
            where ${isShown(after, end)} group by start_local, event order by start_local, event) as shown) as ids`.compile(
        db,
      ),
  }))
})

/** Long events that began before a range and run into it. */
const longBy = preparedBy((kind: LinkedList['kind']) => {
  const { table, column } = linkTable(kind)
  return prepared<Pick<ShownIds, 'ids'>, [linked: string, ...Range, longAfter: number]>(
    (db, linked, from, to, after, end, longAfter) => ({
      compile: () =>
        sql<Pick<ShownIds, 'ids'>>`select ${dialectOf(db).jsonList(sql.ref('event'))} as ids
          from (select event from ${table} where ${dialectOf(db).isInJson(dialectOf(db).unindexed(column), linked)}
            and start_local < ${from} and start_local <= ${to} and ${isShown(after, end)}
            and event in (select events.id from events where ${IS_LONG} and events.end_utc >= ${longAfter})
            group by start_local, event order by start_local, event) as found`.compile(db),
    }),
  )
})

const isShown = (after: Placeholder, end: Placeholder) => sql<SqlBool>`shown_end > ${after} and shown_end <= ${end}`

/** The links of a kind, and one more than how many are read of them. */
function linksOf(form: string) {
  const [kind, most] = form.split(' ') as [LinkedList['kind'], string]
  return { ...linkTable(kind), limit: sql.lit(Number(most) + 1) }
}

function linkTable(kind: LinkedList['kind']): { table: RawBuilder<unknown>; column: RawBuilder<number> } {
  return kind === 'term'
    ? { table: sql.table('event_terms'), column: sql.ref<number>('term') }
    : { table: sql.table(LINK_TABLE[kind]), column: sql.ref<number>('linked') }
}

/** Later than every event. */
const NEVER = Number.MAX_SAFE_INTEGER
/** A form that no stored entry has. */
const NO_FORM = 0

/**
 * All events of a list by links in order, as calendars show them; null for other lists. Stored entries are used if `useStored`
 * says so. Of a list by a term and those below it an event may have several.
 */
export async function entriesByLink(tx: Tx, filter: EventFilter, useStored: boolean): Promise<FoundEntry[] | null> {
  const list = dialectOf(tx).blocks ? linkedList(filter) : null
  if (list === null) return null
  const { kind, linked, from, to, end, longAfter } = list
  const after = list.after ?? ''
  const form = useStored ? ENTRY_FORM : NO_FORM
  const rows = await linksBy(kind)(tx, JSON.stringify(linked), from, to, after, end, longAfter ?? NEVER, form)
  const found = new Map<number, FoundEntry>()
  const missing: number[] = []
  for (const { id, start_local, entry } of rows) {
    if (entry === null) missing.push(id)
    else if (!found.has(id)) found.set(id, readEntry(id, start_local, entry))
  }
  if (missing.length > 0) for (const row of await entriesOf(tx, JSON.stringify(missing))) found.set(row.id, row)
  return [...found.values()].sort(byStart)
}

function byStart(one: EntryRow, other: EntryRow): number {
  if (one.start_local === other.start_local) return one.id - other.id
  return one.start_local < other.start_local ? -1 : 1
}

interface LinkedEntry {
  readonly id: number
  readonly start_local: string
  /** Null if none is stored: the event was changed of late, or its texts are long. */
  readonly entry: string | null
}

/** Links to public events that start in a range, and to long ones that may run into it, with the stored entries of the events. */
const linksBy = preparedBy((kind: LinkedList['kind']) =>
  prepared<LinkedEntry, [linked: string, ...Range, longAfter: number, form: number]>(
    (db, linked, from, to, after, end, longAfter, form) => {
      const { table, column } = linkTable(kind)
      const ids = sql`(select value from json_each(${linked}))`
      return {
        compile: () =>
          sql<LinkedEntry>`select link.event as id, link.start_local, stored.entry from
            (select event, start_local from ${table}
                where ${column} in ${ids} and start_local >= ${from} and start_local <= ${to} and ${isShown(after, end)}
              union all select event, start_local from ${table}
                where +${column} in ${ids} and start_local < ${from} and start_local <= ${to} and ${isShown(after, end)}
                and event in (select events.id from events where ${IS_LONG} and events.end_utc >= ${longAfter}))
            as link left join event_entries as stored on stored.event = link.event and stored.form = ${form}`.compile(
            db,
          ),
      }
    },
  ),
)

const entriesOf = prepared<CheckedEntryRow, [ids: string]>((db, ids) => ({
  compile: () =>
    sql<CheckedEntryRow>`select ${entryColumns(db)} from events where id in (select value from json_each(${ids}))`.compile(
      db,
    ),
}))
