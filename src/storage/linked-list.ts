import { sql } from 'kysely'
import type { LinkedKind } from '../schema/linked.ts'
import { dialectOf, type Tx } from './dialect.ts'
import { type EventFilter, startRange } from './event-filter.ts'
import type { SortedStub } from './events.ts'
import { prepared, preparedBy } from './prepared.ts'
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

/** The only link of a filter that has no other condition than days, for readers who see what is public; else null. */
function linkedList(filter: EventFilter): LinkedList | null {
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
    else if (bound.end === 'end' || bound.is !== '>=') return null
  }
  const { from, to } = startRange(bounds)
  return { kind: only.kind, linked: first, from: from ?? '', to: to ?? LAST, end }
}

/**
 * All stubs of a list by one link, which must have few; null for other lists, and where the database is another process. Two indexes
 * have all that it needs, so no row of an event is read.
 */
export async function listedByLink(tx: Tx, filter: EventFilter): Promise<SortedStub[] | null> {
  const list = dialectOf(tx).blocks ? linkedList(filter) : null
  if (list === null) return null
  return statementFor(list.kind)(tx, list.linked, list.from, list.to, list.end)
}

const statementFor = preparedBy((kind: LinkedKind | 'term') => {
  const [table, column] = kind === 'term' ? (['event_terms', 'term'] as const) : ([LINK_TABLE[kind], 'linked'] as const)
  return prepared<SortedStub, [linked: number, from: string, to: string, end: string]>((db, linked, from, to, end) => ({
    compile: () =>
      // The planner would read the rows of events by their keys; migration 0027 has made the index.
      sql<SortedStub>`
          select events.id, events.revision, events.start_local, 0 as secret
          from ${sql.table(table)} as link cross join events indexed by events_shown
          where link.${sql.ref(column)} = ${linked} and link.start_local >= ${from} and link.start_local <= ${to}
            and events.status = 'publish' and events.hide_from_listings = 0
            and events.start_local = link.start_local and events.id = link.event and events.end_local <= ${end}
            and events.id not in (select id from events where password_hash is not null)
          order by link.start_local, link.event`.compile(db),
  }))
})
