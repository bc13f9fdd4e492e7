import { type RawBuilder, sql } from 'kysely'
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
import { type EventFilter, IS_LONG, isByLinksAndDays, startRange } from './event-filter.ts'
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

/** The same for a list by one link, whose events may end at any time before the last. */
function listByOne(filter: EventFilter): { kind: LinkedList['kind']; range: Range } | null {
  const list = linkedList(filter)
  const [linked] = list?.linked ?? []
  if (list === null || linked === undefined || list.linked.length > 1 || list.after !== null) return null
  return { kind: list.kind, range: [linked, list.from, list.to, list.end] }
}

/** Ids of some events of a list by one link, in order; null for other lists. */
export async function listedByLink(
  tx: Tx,
  filter: EventFilter,
  limit: number,
  offset: number,
): Promise<number[] | null> {
  const list = listByOne(filter)
  return list && idsOf(await someBy(list.kind)(tx, ...list.range, limit, offset))
}

/** Number of events of a list by one link; null for other lists. */
export async function countedByLink(tx: Tx, filter: EventFilter): Promise<number | null> {
  const list = listByOne(filter)
  if (list === null) return null
  const [found] = await countBy(list.kind)(tx, ...list.range)
  return Number(found?.total ?? 0)
}

/**
 * Ids of all events of a list by one link, in order, if no more than `most` links have to be read: `ids` is null if there are
 * more. Null for other lists.
 */
export async function fewByLink(
  tx: Tx,
  filter: EventFilter,
  most: number,
): Promise<{ readonly ids: number[] | null } | null> {
  const list = listByOne(filter)
  if (list === null) return null
  const found = await fewBy(`${list.kind} ${most}`)(tx, ...list.range)
  return { ids: Number(found[0]?.links) > most ? null : idsOf(found) }
}

type Range = [linked: number, from: string, to: string, end: string]

const idsOf = ([found]: { readonly ids: string }[]): number[] => JSON.parse(found?.ids ?? '[]')

/** The limit is no plain parameter: see QueryCompiler in sqlite/dialect.ts. */
const someBy = preparedBy((kind: LinkedList['kind']) =>
  prepared<{ ids: string }, [...Range, limit: number, offset: number]>((db, linked, from, to, end, limit, offset) => ({
    compile: () =>
      sql<{ ids: string }>`select ${dialectOf(db).jsonList(sql.ref('event'))} as ids from
          (select link.event ${inRange(kind, linked, from, to)} and link.shown_end <= ${end}
            order by link.start_local, link.event limit ${limit} + 0 offset ${offset}) as found`.compile(db),
  })),
)

const countBy = preparedBy((kind: LinkedList['kind']) =>
  prepared<{ total: number }, Range>((db, linked, from, to, end) => ({
    compile: () =>
      sql<{
        total: number
      }>`select count(*) as total ${inRange(kind, linked, from, to)} and link.shown_end <= ${end}`.compile(db),
  })),
)

const fewBy = preparedBy((form: string) => {
  const [kind, most] = form.split(' ') as [LinkedList['kind'], string]
  return prepared<{ ids: string; links: number }, Range>((db, linked, from, to, end) => ({
    compile: () =>
      sql<{ ids: string; links: number }>`select count(*) as links,
        ${dialectOf(db).jsonList(sql.ref('event'), sql`shown_end <= ${end}`)} as ids from
        (select link.event, link.shown_end ${inRange(kind, linked, from, to)}
          order by link.start_local, link.event limit ${sql.lit(Number(most) + 1)}) as found`.compile(db),
  }))
})

/** An index has all that is read of links: see migration 0031. */
function inRange(
  kind: LinkedList['kind'],
  linked: Placeholder,
  from: Placeholder,
  to: Placeholder,
): RawBuilder<unknown> {
  const { table, column } = linkTable(kind)
  return sql`from ${table} as link
    where link.${column} = ${linked} and link.start_local >= ${from} and link.start_local <= ${to}`
}

function linkTable(kind: LinkedList['kind']): Record<'table' | 'column', RawBuilder<unknown>> {
  return kind === 'term'
    ? { table: sql.table('event_terms'), column: sql.ref('term') }
    : { table: sql.table(LINK_TABLE[kind]), column: sql.ref('linked') }
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
  prepared<
    LinkedEntry,
    [linked: string, from: string, to: string, after: string, end: string, longAfter: number, form: number]
  >((db, linked, from, to, after, end, longAfter, form) => {
    const { table, column } = linkTable(kind)
    const ids = sql`(select value from json_each(${linked}))`
    const isShown = sql`shown_end > ${after} and shown_end <= ${end}`
    return {
      compile: () =>
        sql<LinkedEntry>`select link.event as id, link.start_local, stored.entry from
            (select event, start_local from ${table}
                where ${column} in ${ids} and start_local >= ${from} and start_local <= ${to} and ${isShown}
              union all select event, start_local from ${table}
                where +${column} in ${ids} and start_local < ${from} and start_local <= ${to} and ${isShown}
                and event in (select events.id from events where ${IS_LONG} and events.end_utc >= ${longAfter}))
            as link left join event_entries as stored on stored.event = link.event and stored.form = ${form}`.compile(
          db,
        ),
    }
  }),
)

const entriesOf = prepared<CheckedEntryRow, [ids: string]>((db, ids) => ({
  compile: () =>
    sql<CheckedEntryRow>`select ${entryColumns(db)} from events where id in (select value from json_each(${ids}))`.compile(
      db,
    ),
}))
