import { type RawBuilder, sql } from 'kysely'
import type { LinkedKind } from '../schema/linked.ts'
import { dialectOf, type Tx } from './dialect.ts'
import { type EventFilter, NO_LIMIT, startRange } from './event-filter.ts'
import type { SortedStub } from './events.ts'
import { type Placeholder, prepared, preparedBy } from './prepared.ts'
import { LINK_TABLE } from './records.ts'

/** What a list by one link is filtered by: a term, venue or organizer, and a range of days. */
interface LinkedList {
  readonly kind: LinkedKind | 'term'
  readonly linked: number
  /** The first and last possible start, and the last end. */
  readonly from: string
  readonly to: string
  readonly end: string
}

/** Sorts after every wall-clock time. */
const LAST = '~'
/** Behind a wall-clock time, this sorts between it and the next second. */
const NEXT = ' '

/**
 * The only link of a filter that has no other condition than days, for readers who see what is public; else null, and where the
 * database is another process.
 */
function linkedList(tx: Tx, filter: EventFilter): LinkedList | null {
  if (!dialectOf(tx).blocks) return null
  const { visibility, bounds, terms, linked, unlisted, modified, ...others } = filter
  const links = [
    ...terms.map((ids) => ({ kind: 'term' as const, ids })),
    ...Object.entries(linked).map(([kind, ids]) => ({ kind: kind as LinkedKind, ids })),
  ]
  const [only] = links
  const [first] = only?.ids ?? []
  if (only === undefined || first === undefined || links.length > 1 || only.ids.length > 1) return null
  if (visibility.all || visibility.own !== null || unlisted || modified?.after || modified?.before) return null
  if (Object.values(others).some((value) => value !== null && value !== undefined && value !== false)) return null
  let end = LAST
  for (const bound of bounds) {
    if (typeof bound.than !== 'string') return null
    if (bound.end === 'end' && bound.is === '<=') end = bound.than < end ? bound.than : end
    else if (bound.end === 'end') return null
  }
  const { from, to } = startRange(bounds)
  const isAfter = bounds.some(({ end, is, than }) => end === 'start' && is === '>' && than === from)
  return { kind: only.kind, linked: first, from: `${from ?? ''}${isAfter ? NEXT : ''}`, to: to ?? LAST, end }
}

/**
 * Stubs of a list by one link: some from an offset on, or all, for a list that has few. Null for other lists. Two indexes have all that it
 * needs, so no row of an event is read.
 */
export async function listedByLink(
  tx: Tx,
  filter: EventFilter,
  limit = NO_LIMIT,
  offset = 0,
): Promise<SortedStub[] | null> {
  const list = linkedList(tx, filter)
  if (list === null) return null
  return stubsBy(list.kind)(tx, list.linked, list.from, list.to, list.end, limit, offset)
}

/** Number of events of a list by one link; null for other lists. */
export async function countedByLink(tx: Tx, filter: EventFilter): Promise<number | null> {
  const list = linkedList(tx, filter)
  if (list === null) return null
  const [found] = await countBy(list.kind)(tx, list.linked, list.from, list.to, list.end)
  return found?.total ?? 0
}

type Range = [linked: number, from: string, to: string, end: string]

/** The limit is no plain parameter: see QueryCompiler in sqlite/dialect.ts. */
const stubsBy = preparedBy((kind: LinkedList['kind']) =>
  prepared<SortedStub, [...Range, limit: number, offset: number]>((db, linked, from, to, end, limit, offset) => ({
    compile: () =>
      sql<SortedStub>`select events.id, events.revision, events.start_local, 0 as secret
        ${matching(kind, linked, from, to, end)}
        order by link.start_local, link.event limit ${limit} + 0 offset ${offset}`.compile(db),
  })),
)

const countBy = preparedBy((kind: LinkedList['kind']) =>
  prepared<{ total: number }, Range>((db, linked, from, to, end) => ({
    compile: () =>
      sql<{ total: number }>`select count(*) as total ${matching(kind, linked, from, to, end)}`.compile(db),
  })),
)

/** The planner would read the rows of events by their keys; migration 0027 has made the index. */
function matching(
  kind: LinkedList['kind'],
  linked: Placeholder,
  from: Placeholder,
  to: Placeholder,
  end: Placeholder,
): RawBuilder<unknown> {
  const [table, column] = kind === 'term' ? (['event_terms', 'term'] as const) : ([LINK_TABLE[kind], 'linked'] as const)
  return sql`from ${sql.table(table)} as link cross join events indexed by events_shown
    where link.${sql.ref(column)} = ${linked} and link.start_local >= ${from} and link.start_local <= ${to}
      and events.status = 'publish' and events.hide_from_listings = 0
      and events.start_local = link.start_local and events.id = link.event and events.end_local <= ${end}
      and events.id not in (select id from events where password_hash is not null)`
}
