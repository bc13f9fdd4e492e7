import { type Expression, type ExpressionBuilder, type SelectQueryBuilder, type SqlBool, sql } from 'kysely'
import { fromWall } from '../calendar/civil.ts'
import { type Instant, toInstant, toWallClock, type WallClock } from '../calendar/zone.ts'
import type { Point } from '../lib/geo.ts'
import type { Status } from '../schema/record.ts'
import { dialectOf, type Tx } from './dialect.ts'
import { prepared, preparedBy } from './prepared.ts'
import { LINK_TABLE, type LinkedKind } from './records.ts'
import type { Tables } from './tables.ts'
import { isFullyVisible, isVisible, type Visibility } from './visibility.ts'
import type { WordHits } from './word-hits.ts'

/** Filter of an event list, and its SQL conditions. */

type Where = ExpressionBuilder<Tables, 'events'>

/** Bound on the start or end of events. Wall-clock times compare local days, instants exact times. */
export interface TimeBound {
  readonly end: 'start' | 'end'
  readonly is: '>' | '>=' | '<='
  readonly than: WallClock | Instant
}

/** Range of the time of the last change, without its ends. */
export interface ModifiedRange {
  readonly after: Instant | null
  readonly before: Instant | null
}

/** Conditions of a range. */
export function isModifiedIn({ after, before }: ModifiedRange, column: string): Expression<SqlBool>[] {
  return [
    ...(after === null ? [] : [sql<SqlBool>`${sql.ref(column)} > ${after}`]),
    ...(before === null ? [] : [sql<SqlBool>`${sql.ref(column)} < ${before}`]),
  ]
}

export interface EventFilter {
  readonly visibility: Visibility
  readonly status: readonly Status[] | null
  readonly bounds: readonly TimeBound[]
  readonly include: readonly number[] | null
  readonly exclude?: readonly number[] | null
  readonly authors?: readonly number[] | null
  readonly modified?: ModifiedRange
  /** Case-folded. */
  readonly search: string | null
  /** Events that a search by words finds. */
  readonly words: WordHits | null
  /** Exact. */
  readonly slugs: readonly string[] | null
  readonly title: string | null
  /** Events that contain the search text, if an index was used. */
  readonly found: readonly number[] | null
  /** Each list is one condition: an event must have one of its terms. */
  readonly terms: readonly (readonly number[])[]
  readonly linked: Partial<Record<LinkedKind, readonly number[]>>
  readonly featured: boolean | null
  readonly isVirtual: boolean | null
  readonly parent: number | null
  readonly series: number | null
  /** Of each series, only the first event that matches. */
  readonly collapse: boolean
  readonly ticketed: boolean | null
  /** Whether amounts are known, and all are 0. */
  readonly free: boolean | null
  /** Whether one of its venues has coordinates. */
  readonly hasCoordinates: boolean | null
  /** Only events with a venue within this distance, nearest first. */
  readonly near: (Point & { readonly kilometres: number }) | null
  /** Whether unlisted events are included. */
  readonly unlisted?: boolean
  /** Set if a term was found only since a protected event has it: any write may change that. */
  readonly isByProtected?: boolean
}

/** Limit on found events that are looked up by id. For more, a full scan is faster. */
export const MAX_BY_ID = 2000

/** A limit that is never reached. */
export const NO_LIMIT = 2 ** 40

const DAY = 86_400
const FIRST = toInstant('0001-01-01 00:00:00', 'UTC')
const LAST = toInstant('9999-12-31 23:59:59', 'UTC')

/** Range of possible start times. */
interface TimeRange {
  readonly from: WallClock | null
  readonly to: WallClock | null
  /** Long events that end after this time may have started before; null if none may. */
  readonly longAfter: Instant | null
}

/** Events that last longer are long, in seconds. An index has the few that are: see migration 0027. */
const LONG = 7 * DAY
export const IS_LONG = sql<SqlBool>`events.end_utc - events.start_utc > ${sql.lit(LONG)}`

/**
 * An event that ends before a time also starts before it. One that ends after a time starts at most its length before it. But its wall-clock time may differ when clocks are set back, and instants may be of any time zone, so the range
 * has a margin of two days.
 */
export function startRange(bounds: readonly TimeBound[]): TimeRange {
  let from: WallClock | null = null
  let lastEnd: Instant | null = null
  let to: WallClock | null = null
  for (const { end, is, than } of bounds) {
    const near = typeof than === 'number' ? than : fromWall(than)
    const exact = typeof than === 'string' && end === 'start' ? than : null
    if (is === '<=') {
      const last = exact ?? toWallClock(Math.min(near + 2 * DAY, LAST), 'UTC')
      if (to === null || last < to) to = last
    } else if (end === 'start') {
      const first = exact ?? toWallClock(Math.max(near - 2 * DAY, FIRST), 'UTC')
      if (from === null || first > from) from = first
    } else {
      lastEnd = Math.max(lastEnd ?? FIRST, near - 2 * DAY)
    }
  }
  if (from !== null || lastEnd === null) return { from, to, longAfter: null }
  return { from: toWallClock(Math.max(lastEnd - LONG, FIRST), 'UTC'), to, longAfter: lastEnd }
}

/** Links to some terms or records, of events that start in a range. */
function startingIn(
  tx: Tx,
  kind: LinkedKind | 'term',
  ids: readonly number[],
  { from, to, longAfter }: TimeRange,
): Links {
  const before = (links: Links) => (to === null ? links : links.where('start_local', '<=', to))
  const links = before(linksTo(tx, kind, ids))
  const inRange = from === null ? links : links.where('start_local', '>=', from)
  if (longAfter === null) return inRange
  const long = tx.selectFrom('events').select('events.id').where(IS_LONG).where('events.end_utc', '>=', longAfter)
  return inRange.unionAll(before(linksTo(tx, kind, ids, 'by event').where('event', 'in', long)))
}

/** Whether the filter uses links to terms, venues or organizers. */
export function isByLink({ terms, linked }: EventFilter): boolean {
  return terms.length > 0 || Object.keys(linked).length > 0
}

/** Whether a filter has no other conditions than links and days, for readers who see what is public. */
export function isByLinksAndDays(filter: EventFilter): boolean {
  const { visibility, bounds, terms, linked, unlisted, collapse, isByProtected, modified, ...others } = filter
  if (visibility.all || visibility.own !== null || unlisted || collapse || isByProtected) return false
  if (modified?.after || modified?.before || Object.values(others).some((value) => (value ?? null) !== null))
    return false
  return bounds.every(({ than }) => typeof than === 'string')
}

/** Whether no more than some links and long events have to be read for a filter by links. Always if the database is another process. */
export async function hasFewLinks(tx: Tx, { terms, linked, bounds }: EventFilter, most: number): Promise<boolean> {
  if (!dialectOf(tx).blocks) return true
  const range = startRange(bounds)
  if (range.longAfter !== null && (await mayHaveLong(tx, range.longAfter, most)) === null) return false
  const from = range.from ?? ''
  const to = range.to ?? '~'
  const isFew = async (kind: LinkedKind | 'term', ids: readonly number[]) =>
    (await countLinks(`${kind} ${most + 1} ${ids.length}`)(tx, from, to, ...ids))[0]?.total !== most + 1
  for (const ids of terms) if (!(await isFew('term', ids))) return false
  for (const [kind, ids] of Object.entries(linked)) if (!(await isFew(kind as LinkedKind, ids))) return false
  return true
}

/**
 * Whether there are long events that end after a time; null if there are more than `most`: all that may have started before are looked
 * through. If the database is another process, it does not matter.
 */
export async function mayHaveLong(tx: Tx, after: Instant, most: number): Promise<boolean | null> {
  if (!dialectOf(tx).blocks) return true
  const total = (await countLong(most + 1)(tx, after))[0]?.total ?? 0
  return total > most ? null : total > 0
}

/** Number of long events that end after a time, up to a limit. */
const countLong = preparedBy((most: number) =>
  prepared<{ total: number }, [after: Instant]>((db, after) => {
    const long = db.selectFrom('events').select('events.id').where(IS_LONG).where('events.end_utc', '>=', after)
    return db.selectFrom(long.limit(most).as('long')).select((eb) => eb.fn.countAll<number>().as('total'))
  }),
)

/** Number of links to some terms or records, of events that start in a range, up to a limit. */
const countLinks = preparedBy((form: string) => {
  const [kind, most] = form.split(' ') as [LinkedKind | 'term', string]
  return prepared<{ total: number }, [from: string, to: string, ...ids: number[]]>((db, from, to, ...ids) => {
    const links = linksTo(db as unknown as Tx, kind, ids as unknown as readonly number[])
    const some = links.where('start_local', '>=', from).where('start_local', '<=', to).limit(Number(most))
    return db.selectFrom(some.as('links')).select((eb) => eb.fn.countAll<number>().as('total'))
  })
})

type Links = SelectQueryBuilder<Tables, 'event_terms', { event: number }>

/** Links to some terms or records of a kind, which are found by these, or by their events. */
function linksTo(
  tx: Pick<Tx, 'selectFrom' | 'getExecutor'>,
  kind: LinkedKind | 'term',
  ids: readonly number[],
  how: 'by link' | 'by event' = 'by link',
): Links {
  const links = tx.selectFrom(kind === 'term' ? 'event_terms' : LINK_TABLE[kind]) as SelectQueryBuilder<
    Tables,
    'event_terms',
    object
  >
  const column = sql.ref<number>(kind === 'term' ? 'term' : 'linked')
  return links.select('event').where(how === 'by link' ? column : dialectOf(tx as Tx).unindexed(column), 'in', ids)
}

/** Conditions of a filter. Distance is handled by a join with venues. */
export function conditions(tx: Tx, eb: Where, filter: EventFilter): Expression<SqlBool>[] {
  const { visibility, include, search, featured, parent } = filter
  const hits = filter.found ?? filter.words?.ids ?? null
  const few = hits !== null && hits.length <= MAX_BY_ID ? hits : null
  const isSelective = few !== null || isByLink(filter) || filter.slugs !== null || filter.title !== null
  const status = isSelective ? dialectOf(tx).unindexed(eb.ref('events.status')) : eb.ref('events.status')
  const found: Expression<SqlBool>[] = [isVisible(eb, visibility, filter.status, status)]
  if (include !== null) found.push(eb('events.id', 'in', include))
  else if (!filter.unlisted && filter.slugs === null) found.push(eb('events.hide_from_listings', '=', 0))
  if (filter.exclude?.length) found.push(eb('events.id', 'not in', filter.exclude))
  if (filter.authors?.length) found.push(eb('events.author', 'in', filter.authors))
  if (filter.modified !== undefined) found.push(...isModifiedIn(filter.modified, 'events.modified_utc'))
  if (filter.slugs !== null) found.push(eb('events.slug', 'in', filter.slugs))
  if (filter.title !== null) found.push(eb('events.title', '=', filter.title))
  for (const { end, is, than } of filter.bounds) {
    found.push(typeof than === 'string' ? eb(`${end}_local`, is, than) : eb(`${end}_utc`, is, than))
  }
  const range = startRange(filter.bounds)
  if (range.to !== null && filter.bounds.every(({ than }) => typeof than === 'string'))
    found.push(eb('start_local', '<=', range.to))
  if (few !== null) found.push(dialectOf(tx).isInJson(eb.ref('events.id'), eb.val(JSON.stringify(few))))
  const details: Expression<SqlBool>[] = filter.terms.map((terms) =>
    eb('events.id', 'in', startingIn(tx, 'term', terms, range)),
  )
  for (const kind of Object.keys(filter.linked) as LinkedKind[]) {
    details.push(eb('id', 'in', startingIn(tx, kind, filter.linked[kind] ?? [], range)))
  }
  if (featured !== null) details.push(eb('events.featured', '=', Number(featured)))
  if (filter.isVirtual !== null) details.push(eb('events.is_virtual', '=', Number(filter.isVirtual)))
  if (parent !== null) details.push(eb('events.parent', '=', parent))
  if (filter.series !== null) details.push(eb('events.series', '=', filter.series))
  if (filter.ticketed !== null) {
    const tickets = eb.selectFrom('tickets').select('event')
    details.push(eb('events.id', filter.ticketed ? 'in' : 'not in', tickets))
  }
  if (filter.free !== null)
    details.push(eb('events.id', filter.free ? 'in' : 'not in', eb.selectFrom('free_events').select('event')))
  if (filter.hasCoordinates !== null) {
    const withCoordinates = eb
      .selectFrom('event_venues')
      .innerJoin('venues', 'venues.id', 'event_venues.linked')
      .select('event_venues.event')
      .where('venues.geo_lat', 'is not', null)
      .where((e) => isVisible(e as unknown as ExpressionBuilder<Tables, 'venues'>, visibility, null))
    details.push(eb('events.id', filter.hasCoordinates ? 'in' : 'not in', withCoordinates))
  }
  // The join with venues applies the distance. This entry only adds the check for protected events.
  if (filter.near !== null) details.push(eb.lit(true))
  if (search !== null) found.push(matchesSearch(tx, eb, visibility, search))
  if (filter.words !== null && few !== filter.words.ids)
    found.push(dialectOf(tx).isInLongJson(eb.ref('events.id'), eb.val(JSON.stringify(filter.words.ids))))
  if (details.length > 0) found.push(isFullyVisible(eb, visibility), ...details)
  return found
}

/** Text search for a reader: of a protected event, only the title is searched. */
function matchesSearch(tx: Tx, eb: Where, visibility: Visibility, part: string): Expression<SqlBool> {
  const { contains } = dialectOf(tx)
  return eb.or([
    contains(eb.ref('events.title_search'), part),
    eb.and([contains(eb.ref('events.search'), part), isFullyVisible(eb, visibility)]),
  ])
}

/** Ids of the events that contain a text; null if there are more than `most`, or no index can answer. */
export function containing(tx: Tx, part: string, most: number): Promise<number[] | null> {
  return dialectOf(tx).eventsContaining(tx, part, most)
}

/** Protected events that contain a text only where this reader may not see it. */
export async function containingHidden(tx: Tx, part: string, visibility: Visibility): Promise<number[]> {
  const rows = await tx
    .selectFrom('events')
    .select('id')
    .where('password_hash', 'is not', null)
    .where((eb) => eb.not(matchesSearch(tx, eb, visibility, part)))
    .execute()
  return rows.map(({ id }) => id)
}
