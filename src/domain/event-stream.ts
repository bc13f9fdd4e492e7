import { findZone, toWallClock } from '../calendar/zone.ts'
import { refuse } from '../lib/errors.ts'
import { nextSlice } from '../lib/time-slices.ts'
import { eventListParameters } from '../schema/event.ts'
import type { Described } from '../schema/field.ts'
import { isLinkedKind, type LinkedKind } from '../schema/linked.ts'
import { PAGE_PARAMETERS } from '../schema/record.ts'
import type { TermKind } from '../schema/term.ts'
import type { Tx } from '../storage/dialect.ts'
import type { TimeBound } from '../storage/event-filter.ts'
import type { StreamFilter, StreamState, ZoneUse } from '../storage/event-stream.ts'
import * as storage from '../storage/event-stream.ts'
import * as terms from '../storage/terms.ts'
import { type FilterScope, filterOf, readListParameters } from './event-filter.ts'
import { assembleUndamaged, type Event } from './events.ts'
import type { Payload, Scope } from './scope.ts'
import { type StreamedSeries, streamedSeries } from './streamed-series.ts'

export type { ZoneUse } from '../storage/event-stream.ts'
export type { StreamedSeries } from './streamed-series.ts'

export type StreamScope = FilterScope & Pick<Scope, 'db' | 'onDamage'>

/** A request for a stream: all events of a list, or one page. */
export interface StreamRequest {
  /** Parameters of the list of events. */
  readonly query: Payload
  /** Only events of this linked record, category with all below it, or tag. */
  readonly of?: { readonly kind: LinkedKind | TermKind; readonly id: number }
  /** When no dates are asked for: all that there is, or what is not over before today. */
  readonly period: 'all' | 'upcoming'
  /** Whether the events of a series are written together. */
  readonly joinsSeries?: boolean
  /** Only public events; otherwise everything that the user may see, also unlisted. */
  readonly isPublic: boolean
}

/** An event with the count of changes to the places of its venues, which belongs to its `SEQUENCE` in iCalendar. */
export interface StreamedEvent extends Event {
  readonly moves: number
  /** At the first event of a series, the series as the stream has it, if it was asked for. */
  readonly begins: StreamedSeries | null
}

/** Events that are read while they are sent: at most one batch is in memory. */
export interface EventStream {
  readonly total: number
  /** Requested page; null for all. */
  readonly page: { readonly page: number; readonly perPage: number } | null
  readonly zones: readonly ZoneUse[]
  readonly modified: StreamState['modified']
  /** Fingerprint: values that differ if the stream does. */
  readonly marks: readonly unknown[]
  /** Batches of events, without damaged ones. */
  batches(): AsyncGenerator<readonly StreamedEvent[]>
  /** Reports an event that could not be formatted. */
  leaveOut(event: Event, error: Error): void
}

/** Events per batch: a few megabytes if their texts are as long as allowed. */
export const BATCH = 50

const UNFILTERED = [...PAGE_PARAMETERS, 'page', 'per_page']

/** List parameters without pagination, for formats that offer them under other names. */
export const filters: Record<string, Described> = Object.fromEntries(
  Object.entries(eventListParameters).filter(([name]) => !UNFILTERED.includes(name)),
)

/** Opens a stream. Invalid parameters are refused as in lists. */
export async function openStream(given: StreamScope, request: StreamRequest): Promise<EventStream> {
  // A public stream has no user.
  const scope = request.isPublic ? { ...given, user: null } : given
  const query = request.query()
  const { values, problems } = readListParameters(scope, () => query)
  const isPaged = Boolean(query.page || query.per_page)
  const page = isPaged ? { page: values.page ?? 1, perPage: values.per_page ?? 10 } : null
  return scope.db.readMany(async (tx) => {
    const asked = await narrowed(tx, await filterOf(tx, scope, values, problems, { unbounded: true }), request.of)
    refuse(problems)
    const filter: StreamFilter = {
      ...asked,
      bounds: request.period === 'upcoming' && !DATED.some((name) => values[name]) ? [fromToday(scope)] : asked.bounds,
      unprotected: request.isPublic,
      unlisted: !request.isPublic,
    }
    const { total, modified, marks } = await storage.state(tx, filter)
    return {
      total,
      page,
      zones: (await storage.zones(tx, filter)).filter(({ timezone }) => findZone(timezone) !== null),
      modified,
      marks: [filter, page, marks],
      batches: () => batches(scope, filter, page, request.joinsSeries === true && page === null),
      leaveOut: ({ row: { id, revision } }, reason) => scope.onDamage?.({ kind: 'event', id, revision, reason }),
    }
  })
}

/** Filters that replace the default period. */
const DATED = [
  'include',
  'start_date',
  'end_date',
  'starts_after',
  'starts_before',
  'ends_after',
  'ends_before',
  'when',
  'series',
] as const

/** Events that end today or later. */
function fromToday({ clock, site }: FilterScope): TimeBound {
  return { end: 'end', is: '>=', than: `${toWallClock(clock('day'), site.timezone).slice(0, 10)} 00:00:00` }
}

async function narrowed(
  tx: Tx,
  filter: Awaited<ReturnType<typeof filterOf>>,
  of: StreamRequest['of'],
): Promise<typeof filter> {
  if (of === undefined) return filter
  if (isLinkedKind(of.kind)) {
    return { ...filter, linked: { ...filter.linked, [of.kind]: [of.id] } }
  }
  const ids = of.kind === 'category' ? await terms.withDescendants(tx, [of.id]) : [of.id]
  return { ...filter, terms: [...filter.terms, ids] }
}

/** Each batch is its own transaction, so that a slow client blocks no one. */
async function* batches(
  scope: StreamScope,
  filter: StreamFilter,
  page: EventStream['page'],
  joinsSeries: boolean,
): AsyncGenerator<readonly StreamedEvent[]> {
  const begun = new Set<number>()
  let after: storage.Cursor | null = null
  let left = page?.perPage ?? Number.POSITIVE_INFINITY
  let offset = page === null ? 0 : (page.page - 1) * page.perPage
  while (left > 0) {
    const limit = Math.min(left, BATCH)
    const { rows, events } = await scope.db.readMany(async (tx) => {
      const found = await storage.batch(tx, filter, after, limit, offset)
      const moves = await storage.moves(
        tx,
        found.map(({ id }) => id),
      )
      const undamaged = await assembleUndamaged(tx, scope, found)
      const series = found.flatMap((row) => (row.series === null || begun.has(row.series) ? [] : row.series))
      const joined = await streamedSeries(tx, scope, filter, joinsSeries ? [...new Set(series)] : [])
      const streamed = undamaged.map((event): StreamedEvent => {
        const { id, series: own } = event.row
        const begins = own === null || begun.has(own) ? null : (joined.get(own) ?? null)
        if (own !== null) begun.add(own)
        return { ...event, moves: moves.get(id) ?? 0, begins }
      })
      return { rows: found, events: streamed }
    })
    // Formatting a batch takes its own time slice.
    await nextSlice()
    if (events.length > 0) yield events
    after = rows.at(-1) ?? after
    left = rows.length < limit ? 0 : left - rows.length
    offset = 0
  }
}
