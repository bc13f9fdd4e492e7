import { findZone, toWallClock } from '../calendar/zone.ts'
import { refuse } from '../lib/errors.ts'
import { nextSlice } from '../lib/time-slices.ts'
import { eventListParameters } from '../schema/event.ts'
import type { Described } from '../schema/field.ts'
import type { Tx } from '../storage/dialect.ts'
import type { TimeBound } from '../storage/event-filter.ts'
import type { StreamFilter, StreamState, ZoneUse } from '../storage/event-stream.ts'
import * as storage from '../storage/event-stream.ts'
import * as terms from '../storage/terms.ts'
import { type FilterScope, filterOf, readListParameters } from './event-filter.ts'
import { assembleSound, type Event } from './events.ts'
import type { Payload, Scope } from './scope.ts'

export type { ZoneUse as ZoneSpan } from '../storage/event-stream.ts'

/** What streaming needs of its surroundings. */
export type StreamScope = FilterScope & Pick<Scope, 'db' | 'onDamage'>

/** What is streamed: the events of a list, all of them or one of its pages. */
export interface StreamRequest {
  /** Parameters of the list of events. */
  readonly query: Payload
  /** Only events of this venue, organizer, category with all below it, or tag. */
  readonly of?: { readonly kind: 'venue' | 'organizer' | 'category' | 'tag'; readonly id: number }
  /** When no dates are asked for: all that there is, or what is not over before today. */
  readonly period: 'all' | 'upcoming'
  /** Only what is published for everybody; otherwise all that the user of the scope may see, listed or not. */
  readonly isPublic: boolean
}

/** Events that are read while they are written out: never more than a batch in memory. */
export interface EventStream {
  readonly total: number
  /** The page that was asked for; null for all. */
  readonly page: { readonly page: number; readonly perPage: number } | null
  readonly zones: readonly ZoneUse[]
  readonly modified: StreamState['modified']
  /** Values that differ when what is streamed does. */
  readonly marks: readonly unknown[]
  /** Without those that cannot be shown. */
  batches(): AsyncGenerator<readonly Event[]>
  /** Reports an event of which nothing could be written. */
  leaveOut(event: Event, error: Error): void
}

/** How many events are read at a time: of those with the longest texts, a few megabytes. */
export const BATCH = 50

/** The filters of lists, for whoever offers them by another name. */
export const filters: Record<string, Described> = Object.fromEntries(
  Object.entries(eventListParameters).filter(([name]) => name !== 'page' && name !== 'per_page'),
)

/** Looks for what is asked, and answers how it is read; what cannot be asked for is refused as in lists. */
export async function openStream(given: StreamScope, request: StreamRequest): Promise<EventStream> {
  // What is made for everybody shows nobody more.
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
      batches: () => batches(scope, filter, page),
      leaveOut: ({ row: { id, revision } }, reason) => scope.onDamage?.({ kind: 'event', id, revision, reason }),
    }
  })
}

/** Filters after which nothing is left to the period. */
const DATED = [
  'include',
  'start_date',
  'end_date',
  'starts_after',
  'starts_before',
  'ends_after',
  'ends_before',
] as const

/** What lasts is there until it ends. */
function fromToday({ clock, site }: FilterScope): TimeBound {
  return { end: 'end', is: '>=', than: `${toWallClock(clock('day'), site.timezone).slice(0, 10)} 00:00:00` }
}

async function narrowed(
  tx: Tx,
  filter: Awaited<ReturnType<typeof filterOf>>,
  of: StreamRequest['of'],
): Promise<typeof filter> {
  if (of === undefined) return filter
  if (of.kind === 'venue' || of.kind === 'organizer') {
    return { ...filter, linked: { ...filter.linked, [of.kind]: [of.id] } }
  }
  const ids = of.kind === 'category' ? await terms.withDescendants(tx, [of.id]) : [of.id]
  return { ...filter, terms: [...filter.terms, ids] }
}

/** Each batch is a read by itself, so that a slow reader holds nobody up. */
async function* batches(
  scope: StreamScope,
  filter: StreamFilter,
  page: EventStream['page'],
): AsyncGenerator<readonly Event[]> {
  let after: storage.Cursor | null = null
  let left = page?.perPage ?? Number.POSITIVE_INFINITY
  let offset = page === null ? 0 : (page.page - 1) * page.perPage
  while (left > 0) {
    const limit = Math.min(left, BATCH)
    const { rows, events } = await scope.db.readMany(async (tx) => {
      const found = await storage.batch(tx, filter, after, limit, offset)
      return { rows: found, events: await assembleSound(tx, scope, found) }
    })
    // Whoever writes them does so in turns of their own.
    await nextSlice()
    if (events.length > 0) yield events
    after = rows.at(-1) ?? after
    left = rows.length < limit ? 0 : left - rows.length
    offset = 0
  }
}
