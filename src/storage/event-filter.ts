import type { Expression, ExpressionBuilder, SelectQueryBuilder, SqlBool } from 'kysely'
import { type Instant, toInstant, toWallClock, type WallClock } from '../calendar/zone.ts'
import type { Point } from '../lib/geo.ts'
import type { Status } from '../schema/record.ts'
import { dialectOf, type Tx } from './dialect.ts'
import { LINK_TABLE, type LinkedKind } from './records.ts'
import type { Tables } from './tables.ts'
import { isVisible, type Visibility, whole } from './visibility.ts'

/** What a list of events asks for, and the conditions that it comes to. */

type Where = ExpressionBuilder<Tables, 'events'>

/** A bound on one end of events: wall clocks compare whole days, instants exact times. */
export interface TimeBound {
  readonly end: 'start' | 'end'
  readonly is: '>' | '>=' | '<='
  readonly than: WallClock | Instant
}

export interface EventFilter {
  readonly visibility: Visibility
  readonly status: readonly Status[] | null
  readonly bounds: readonly TimeBound[]
  readonly include: readonly number[] | null
  /** Case-folded. */
  readonly search: string | null
  /** The events that contain it, if an index tells. */
  readonly found: readonly number[] | null
  /** Each list is one filter: an event must have one of its terms. */
  readonly terms: readonly (readonly number[])[]
  readonly linked: Partial<Record<LinkedKind, readonly number[]>>
  readonly featured: boolean | null
  readonly parent: number | null
  readonly ticketed: boolean | null
  /** Whether one of its venues has coordinates. */
  readonly placed: boolean | null
  /** Only with a venue this near; the nearest come first. */
  readonly near: (Point & { readonly kilometres: number }) | null
  /** Whether events that lists leave out are there too. */
  readonly unlisted?: boolean
}

/** How many found events are looked at one by one; more are quicker found by looking at all. */
export const FEW = 2000

/** So many that there are never more. */
export const ALL = 2 ** 40

const DAY = 86_400
const FIRST = toInstant('0001-01-01 00:00:00', 'UTC')
const LAST = toInstant('9999-12-31 23:59:59', 'UTC')

/** The days in which what fits some bounds can start. */
interface TimeRange {
  readonly from: WallClock | null
  readonly to: WallClock | null
}

/**
 * What ends before a time starts before it, too; but where clocks are put back its wall clock may say otherwise, and
 * instants are of any zone: so with a day or two to spare.
 */
function startSpan(bounds: readonly TimeBound[]): TimeRange {
  let from: WallClock | null = null
  let to: WallClock | null = null
  for (const { end, is, than } of bounds) {
    const near = typeof than === 'number' ? than : toInstant(than, 'UTC')
    const exact = typeof than === 'string' && end === 'start' ? than : null
    if (is === '<=') {
      const last = exact ?? toWallClock(Math.min(near + 2 * DAY, LAST), 'UTC')
      if (to === null || last < to) to = last
    } else if (end === 'start') {
      const first = exact ?? toWallClock(Math.max(near - 2 * DAY, FIRST), 'UTC')
      if (from === null || first > from) from = first
    }
  }
  return { from, to }
}

/** Those links whose events can be in a span. */
function within(
  query: SelectQueryBuilder<Tables, 'event_terms', { event: number }>,
  { from, to }: TimeRange,
): SelectQueryBuilder<Tables, 'event_terms', { event: number }> {
  const begun = from === null ? query : query.where('start_local', '>=', from)
  return to === null ? begun : begun.where('start_local', '<=', to)
}

/** Whether events are found by what they are linked to. */
export function isByLink({ terms, linked }: EventFilter): boolean {
  return terms.length > 0 || Object.keys(linked).length > 0
}

/** What a filter asks of events; near a place, the join with the venues does the rest. */
export function conditions(tx: Tx, eb: Where, filter: EventFilter): Expression<SqlBool>[] {
  const { visibility, include, search, featured, parent } = filter
  const few = filter.found !== null && filter.found.length <= FEW ? filter.found : null
  const named = few !== null || isByLink(filter)
  const status = named ? dialectOf(tx).plain(eb.ref('events.status')) : eb.ref('events.status')
  const found: Expression<SqlBool>[] = [isVisible(eb, visibility, filter.status, status)]
  if (include !== null) found.push(eb('events.id', 'in', include))
  else if (!filter.unlisted) found.push(eb('events.hide_from_listings', '=', 0))
  for (const { end, is, than } of filter.bounds) {
    found.push(typeof than === 'string' ? eb(`${end}_local`, is, than) : eb(`${end}_utc`, is, than))
  }
  const span = startSpan(filter.bounds)
  if (span.to !== null && filter.bounds.every(({ than }) => typeof than === 'string'))
    found.push(eb('start_local', '<=', span.to))
  if (few !== null) found.push(dialectOf(tx).among(eb.ref('events.id'), eb.val(JSON.stringify(few))))
  const details: Expression<SqlBool>[] = filter.terms.map((terms) =>
    eb('events.id', 'in', within(eb.selectFrom('event_terms').select('event').where('term', 'in', terms), span)),
  )
  for (const kind of Object.keys(filter.linked) as LinkedKind[]) {
    details.push(
      eb(
        'id',
        'in',
        within(
          eb
            .selectFrom(LINK_TABLE[kind])
            .select('event')
            .where('linked', 'in', filter.linked[kind] ?? []) as unknown as SelectQueryBuilder<
            Tables,
            'event_terms',
            { event: number }
          >,
          span,
        ),
      ),
    )
  }
  if (featured !== null) details.push(eb('events.featured', '=', Number(featured)))
  if (parent !== null) details.push(eb('events.parent', '=', parent))
  if (filter.ticketed !== null) {
    const tickets = eb.selectFrom('tickets').select('event')
    details.push(eb('events.id', filter.ticketed ? 'in' : 'not in', tickets))
  }
  if (filter.placed !== null) {
    const placed = eb
      .selectFrom('event_venues')
      .innerJoin('venues', 'venues.id', 'event_venues.linked')
      .select('event_venues.event')
      .where('venues.geo_lat', 'is not', null)
      .where((e) => isVisible(e as unknown as ExpressionBuilder<Tables, 'venues'>, visibility, null))
    details.push(eb('events.id', filter.placed ? 'in' : 'not in', placed))
  }
  // Near a place, the join with the venues does the rest.
  if (filter.near !== null) details.push(eb.lit(true))
  if (search !== null) found.push(containsFor(tx, eb, visibility, search))
  if (details.length > 0) found.push(whole(eb, visibility), ...details)
  return found
}

/** The search of a reader: of a protected event only its title is looked into. */
function containsFor(tx: Tx, eb: Where, visibility: Visibility, part: string): Expression<SqlBool> {
  const { contains } = dialectOf(tx)
  return eb.or([
    contains(eb.ref('events.title_search'), part),
    eb.and([contains(eb.ref('events.search'), part), whole(eb, visibility)]),
  ])
}

/** The events that contain a text, if an index tells and they are not more than `most`. */
export function containing(tx: Tx, part: string, most: number): Promise<number[] | null> {
  return dialectOf(tx).containing(tx, part, most)
}

/** The protected events that contain a text where this reader does not see it. */
export async function containingHidden(tx: Tx, part: string, visibility: Visibility): Promise<number[]> {
  const rows = await tx
    .selectFrom('events')
    .select('id')
    .where('password_hash', 'is not', null)
    .where((eb) => eb.not(containsFor(tx, eb, visibility, part)))
    .execute()
  return rows.map(({ id }) => id)
}
