import { type DateText, instantIn, wallClockIn } from '../calendar/date-text.ts'
import { isWallClock } from '../calendar/years.ts'
import { toInstant, toWallClock } from '../calendar/zone.ts'
import type { Problems } from '../lib/errors.ts'
import { fold } from '../lib/fold.ts'
import { isSlug, slugify } from '../lib/slug.ts'
import { searchedWords } from '../lib/words.ts'
import { eventListParameters, lastDayFrom } from '../schema/event.ts'
import { readFields, type Values } from '../schema/field.ts'
import { LINKED_KINDS } from '../schema/linked.ts'
import { type TermValue, termParts } from '../schema/references.ts'
import type { TermKind } from '../schema/term.ts'
import type { Tx } from '../storage/dialect.ts'
import { containing, type EventFilter, MAX_BY_ID, type TimeBound } from '../storage/event-filter.ts'
import type { LinkedKind } from '../storage/records.ts'
import * as records from '../storage/records.ts'
import * as series from '../storage/series.ts'
import * as terms from '../storage/terms.ts'
import { findHaving } from '../storage/word-hits.ts'
import { mayRead, visibilityOf } from './access.ts'
import { findProtectedTerm, findTerm } from './event-links.ts'
import { checkCursor } from './event-order.ts'
import { checkStatusFilter, findIfReadable, modifiedRange, readingOf } from './records.ts'
import type { Payload, Scope } from './scope.ts'

type Asked = Values<typeof eventListParameters>

/** Date range of a list in whole days, as in its pagination links. */
export interface Window {
  readonly start_date?: string
  readonly end_date?: string
}

export type FilterScope = Pick<Scope, 'clock' | 'site' | 'user'>

const DATES = [
  'modified_after',
  'modified_before',
  'start_date',
  'end_date',
  'starts_after',
  'starts_before',
  'ends_after',
  'ends_before',
] as const

/**
 * Reads the parameters of an event list. Dates outside the supported years in the site's time zone are refused: lists
 * compare wall-clock times.
 */
export function readListParameters(scope: FilterScope, query: Payload): { values: Asked; problems: Problems } {
  const { values: read, problems } = readFields(eventListParameters, query(), {
    mode: 'query',
    reading: readingOf(scope),
  })
  const values = { ...read }
  for (const name of DATES) {
    const date = values[name]
    if (!date || isWallClock(wallClockIn(date, scope.site.timezone))) continue
    problems[name] = { problem: 'out_of_years' }
    delete values[name]
  }
  checkStatusFilter(scope, values.status ?? null, problems)
  checkCursor(values, problems)
  return { values, problems }
}

/**
 * Builds the storage filter. References to missing records are refused. Ids of matches of a text are included if there
 * are at most `most`.
 */
export async function filterOf(
  tx: Tx,
  scope: FilterScope,
  asked: Asked,
  problems: Problems,
  { unbounded = isUnbounded(asked), most = MAX_BY_ID }: { unbounded?: boolean; most?: number } = {},
): Promise<EventFilter> {
  const byProtected: number[] = []
  const categories = await termFilter(tx, scope, 'category', 'categories', asked.categories, problems, byProtected)
  const tags = await termFilter(tx, scope, 'tag', 'tags', asked.tags, problems, byProtected)
  const linked: Partial<Record<LinkedKind, readonly number[]>> = {}
  for (const kind of LINKED_KINDS) {
    const ids = await linkedFilter(tx, scope, kind, asked[kind], problems)
    if (ids !== null) linked[kind] = ids
  }
  if (asked.post_parent && !(await findIfReadable(tx, scope, 'event', { id: asked.post_parent })))
    problems.post_parent = { problem: 'no_such_event', id: asked.post_parent }
  if (asked.series && !(await series.isKnown(tx, asked.series, visibilityOf(scope.user))))
    problems.series = { problem: 'no_such_series', id: asked.series }
  const search = searchedText(asked)
  const family = asked.family ? await familyTerms(tx, scope) : null
  const visibility = visibilityOf(scope.user)
  const words = asked.search && search === null ? await findHaving(tx, searchedWords(asked.search), visibility) : null
  return {
    visibility,
    status: asked.status ?? null,
    bounds: asked.include
      ? []
      : [...windowBounds(scope, asked, unbounded), ...siblingBounds(scope, asked), ...momentBounds(scope, asked.when)],
    include: asked.include ?? null,
    exclude: asked.exclude ?? null,
    authors: asked.author ?? null,
    modified: modifiedRange(scope, asked),
    search,
    words,
    slugs: asked.slug?.length ? asked.slug : null,
    title: asked.title ?? null,
    found: search === null ? null : await containing(tx, search, most),
    terms: [categories && (await terms.withDescendants(tx, categories)), tags, family].filter((list) => list !== null),
    linked,
    featured: asked.featured ?? null,
    isVirtual: asked.is_virtual ?? null,
    parent: asked.post_parent ?? null,
    series: asked.series ?? null,
    collapse: asked.collapse === 'series',
    ticketed: asked.ticketed ?? null,
    free: asked.free ?? null,
    hasCoordinates: asked.geoloc ?? null,
    near: near(asked, problems),
    isByProtected: byProtected.length > 0,
  }
}

/** The text that events must contain, case-folded; null if there is none. */
export function searchedText({ search, search_mode }: Asked): string | null {
  return search && search_mode !== 'words' ? fold(search) : null
}

/** Today in the site's time zone. */
export function todayOf({ clock, site }: Pick<FilterScope, 'clock' | 'site'>): string {
  return toWallClock(clock('day'), site.timezone).slice(0, 10)
}

/** Default radius in kilometres. */
const RADIUS = 40

/** A position needs both coordinates; one alone, or a radius without them, is refused. */
function near(
  { geoloc_lat: lat, geoloc_lng: lng, geoloc_radius: radius }: Asked,
  problems: Problems,
): EventFilter['near'] {
  if (typeof lat === 'number' && typeof lng === 'number') return { lat, lng, kilometres: radius ?? RADIUS }
  // Malformed coordinates are already reported.
  if (problems.geoloc_lat || problems.geoloc_lng) return null
  if (typeof lat === 'number') problems.geoloc_lat ??= { problem: 'half_a_place', other: 'geoloc_lng' }
  if (typeof lng === 'number') problems.geoloc_lng ??= { problem: 'half_a_place', other: 'geoloc_lat' }
  if (typeof radius === 'number')
    problems.geoloc_radius ??= { problem: 'half_a_place', other: 'geoloc_lat, geoloc_lng' }
  return null
}

/** Date range in whole days: as given, or from today for two years; none if other bounds replace it. */
export function windowOf({ clock, site }: FilterScope, asked: Asked, unbounded = isUnbounded(asked)): Window {
  const day = (date: DateText) => wallClockIn(date, site.timezone).slice(0, 10)
  if (asked.include) return {}
  const today = () => todayOf({ clock, site })
  const start = asked.start_date ? day(asked.start_date) : unbounded ? undefined : today()
  const end = asked.end_date
    ? day(asked.end_date)
    : unbounded || start === undefined
      ? undefined
      : lastDayFrom(today(), start)
  return { ...(start && { start_date: `${start} 00:00:00` }), ...(end && { end_date: `${end} 23:59:59` }) }
}

/** Events must start and end inside the range. With `include_running`, they may have started before it. */
function windowBounds(scope: FilterScope, asked: Asked, unbounded: boolean): TimeBound[] {
  const window = windowOf(scope, asked, unbounded)
  const exact = (date: DateText | null | undefined, edge: string) =>
    date ? instantIn(date, scope.site.timezone) : toInstant(edge, scope.site.timezone)
  const bounds: TimeBound[] = []
  if (window.start_date) {
    bounds.push({
      end: asked.include_running ? 'end' : 'start',
      is: '>=',
      than: asked.strict_dates ? exact(asked.start_date, window.start_date) : window.start_date,
    })
  }
  if (window.end_date) {
    bounds.push({
      end: 'end',
      is: '<=',
      than: asked.strict_dates ? exact(asked.end_date, window.end_date) : window.end_date,
    })
  }
  return bounds
}

const SIBLINGS = [
  { name: 'starts_after', end: 'start', is: '>' },
  { name: 'starts_before', end: 'start', is: '<=' },
  { name: 'ends_after', end: 'end', is: '>' },
  { name: 'ends_before', end: 'end', is: '<=' },
] as const

/** Whether the default range of days is left out: other bounds replace it, or the event is named. */
function isUnbounded(asked: Asked): boolean {
  return (
    Boolean(asked.slug?.length || asked.title || asked.when || asked.series) || SIBLINGS.some(({ name }) => asked[name])
  )
}

/** "After a day" means after its last second; "before" includes that second. */
function siblingBounds({ site }: FilterScope, asked: Asked): TimeBound[] {
  return SIBLINGS.flatMap(({ name, end, is }) => {
    const date = asked[name]
    if (!date) return []
    const day = `${wallClockIn(date, site.timezone).slice(0, 10)} 23:59:59`
    return [{ end, is, than: asked.strict_dates ? instantIn(date, site.timezone) : day }]
  })
}

/** Hour at which an evening begins. */
const EVENING = 17

/** This evening, by the site's clock; or Saturday and Sunday, those of this week until they are over. */
function momentBounds({ clock, site }: FilterScope, when: Asked['when']): TimeBound[] {
  if (!when) return []
  const today = todayOf({ clock, site })
  const [first, last] = when === 'tonight' ? [today, today] : weekendOf(today)
  const from = `${first} ${when === 'tonight' ? EVENING : '00'}:00:00`
  const to = `${last} 23:59:59`
  const at = (edge: string) => (when === 'tonight' ? toInstant(edge, site.timezone) : edge)
  return [
    { end: 'start', is: '>=', than: at(from) },
    { end: 'start', is: '<=', than: at(to) },
  ]
}

/** Saturday and Sunday of the present or coming weekend. */
export function weekendOf(today: string): [saturday: string, sunday: string] {
  const day = Temporal.PlainDate.from(today)
  const saturday = day.add({ days: day.dayOfWeek === 7 ? -1 : 6 - day.dayOfWeek })
  return [saturday.toString(), saturday.add({ days: 1 }).toString()]
}

/** Ids of the categories and tags for families, with all below them; of none that exists if there are none. */
async function familyTerms(tx: Tx, { site }: FilterScope): Promise<number[]> {
  const slugs = site.familyTerms.filter(isSlug).map(slugify)
  const found = await terms.named(tx, slugs, site.familyTerms.map(fold))
  return found.length === 0 ? [0] : terms.withDescendants(tx, found)
}

/** `byProtected` gets the ids of terms that this reader may name only since a protected event has them. */
async function termFilter(
  tx: Tx,
  scope: FilterScope,
  kind: TermKind,
  name: string,
  values: readonly TermValue[] | null | undefined,
  problems: Problems,
  byProtected: number[],
): Promise<number[] | null> {
  if (!values) return null
  const ids: number[] = []
  const asked = [...values]
  for (const value of asked) {
    const known = await findTerm(tx, scope.user, kind, value)
    const term = known ?? (await findProtectedTerm(tx, kind, value))
    if (known === undefined && term !== undefined) byProtected.push(term.id)
    // In repeated lists, such as `tags[]=a,b&tags[]=c`, an unknown name is split at commas.
    const parts = term === undefined && value.name !== undefined ? termParts(value.name, asked.length) : []
    if (term !== undefined) ids.push(term.id)
    else if (parts.length > 0) asked.push(...parts)
    else {
      problems[name] ??=
        value.name === undefined
          ? { problem: 'no_such_term', id: value.id ?? 0 }
          : { problem: 'no_term_named', name: value.name }
      break
    }
  }
  return ids
}

async function linkedFilter(
  tx: Tx,
  scope: FilterScope,
  kind: LinkedKind,
  ids: readonly number[] | null | undefined,
  problems: Problems,
): Promise<readonly number[] | null> {
  const rows = await records.getAny(tx, kind, ids ?? [], 'no reader: rights')
  const unknown = ids?.find((id) => !rows.some((row) => row.id === id && mayRead(scope.user, row)))
  if (unknown !== undefined) problems[kind] = { problem: `no_such_${kind}`, id: unknown }
  return ids ?? null
}
