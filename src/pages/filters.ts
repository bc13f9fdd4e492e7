import { addDays } from '../calendar/days.ts'
import * as eventDays from '../domain/event-days.ts'
import type { Linked, LinkedKind } from '../domain/linked-records.ts'
import * as linked from '../domain/linked-records.ts'
import { findShown } from '../domain/records.ts'
import type { Term } from '../domain/terms.ts'
import * as terms from '../domain/terms.ts'
import { AppError } from '../lib/errors.ts'
import type { Point } from '../lib/geo.ts'
import { slugify } from '../lib/slug.ts'
import { byLinkedKind, LINKED_KINDS } from '../schema/linked.ts'
import type { TermKind } from '../schema/term.ts'
import type { Context } from './context.ts'
import type { FeedLink } from './layout.ts'

/** Filters of a page, from its address. */
export interface Filters extends Readonly<Record<LinkedKind, Linked | null>> {
  readonly search: string
  readonly category: Term | null
  readonly tag: Term | null
  readonly featured: boolean
  readonly when: 'tonight' | 'weekend' | null
  readonly free: boolean
  readonly family: boolean
  /** Where distances are measured from. */
  readonly near: Point | null
  /** Id of a series whose dates are shown. */
  readonly series: number | null
  /** Whether only the next event of each series is listed. */
  readonly collapse: boolean
  readonly start: string | null
  readonly end: string | null
  readonly page: number
  /** Filter that is part of the path. Links do not repeat it as a parameter. */
  readonly fixed: TermKind | LinkedKind | null
}

/** Query parameters of pages that show events. */
export const LIST_FILTERS = [
  'search',
  'category',
  'tag',
  ...LINKED_KINDS,
  'featured',
  'when',
  'free',
  'family',
  'geoloc_lat',
  'geoloc_lng',
  'series',
  'collapse',
  'start_date',
  'end_date',
  'page',
] as const

/** Events per page of a list. */
export const PER_PAGE = 20

/** Reads filters from the query string. Records that they name must exist. */
export async function readFilters(context: Context, fixed: Partial<Filters> = {}): Promise<Filters> {
  const { search: given } = context.call
  const value = (name: string) => given.get(name)?.trim() ?? ''
  const term = async (kind: 'category' | 'tag') => (value(kind) === '' ? null : findTerm(context, kind, value(kind)))
  const record = async (kind: LinkedKind) =>
    value(kind) === '' ? null : linked.get(context.call.scope, kind, { slug: slugify(value(kind)) }, findShown)
  const start = readDay(value('start_date'), 'start_date')
  const end = readDay(value('end_date'), 'end_date')
  if (start !== null && end !== null && end < start) refuse('end_date', 'end_before_start')
  const records = byLinkedKind((): Linked | null => null)
  for (const kind of LINKED_KINDS) records[kind] = await record(kind)
  return {
    search: value('search'),
    category: await term('category'),
    tag: await term('tag'),
    ...records,
    featured: isSet(value('featured')),
    when: readWhen(value('when')),
    free: isSet(value('free')),
    family: isSet(value('family')),
    near: readPoint(value('geoloc_lat'), value('geoloc_lng')),
    series: readSeries(value('series')),
    collapse: readCollapse(value('collapse')),
    start,
    end,
    page: readPage(value('page')),
    fixed: null,
    ...fixed,
  }
}

/** Finds a term by its slug. */
export async function findTerm({ call }: Context, kind: 'category' | 'tag', slug: string): Promise<Term> {
  const wanted = slugify(slug)
  if (wanted === '') throw new AppError('rest_term_invalid')
  return terms.getBySlug(call.scope, kind, wanted)
}

/** Reads `YYYY-MM-DD`. An empty text means no day. */
export function readDay(text: string, name: string): string | null {
  if (text === '') return null
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(text) && text >= '0001'
  try {
    if (isDay) return Temporal.PlainDate.from(text).toString()
  } catch {
    // An invalid day is reported below.
  }
  return refuse(name, 'not_a_date')
}

function isSet(text: string): boolean {
  return /^(1|true|yes|on)$/.test(text)
}

function readWhen(text: string): Filters['when'] {
  if (text === '' || text === 'tonight' || text === 'weekend') return text || null
  throw new AppError('rest_invalid_param', {
    params: { when: { problem: 'not_one_of', allowed: 'tonight, weekend' } },
  })
}

function readSeries(text: string): number | null {
  if (text === '') return null
  return /^[1-9]\d{0,14}$/.test(text) ? Number(text) : refuse('series', 'not_a_whole_number')
}

function readCollapse(text: string): boolean {
  if (text === '' || text === 'series') return text !== ''
  throw new AppError('rest_invalid_param', { params: { collapse: { problem: 'not_one_of', allowed: 'series' } } })
}

/** A point needs both coordinates. */
function readPoint(lat: string, lng: string): Point | null {
  if (lat === '' && lng === '') return null
  return { lat: readDegrees(lat, 'geoloc_lat', 90), lng: readDegrees(lng, 'geoloc_lng', 180) }
}

function readDegrees(text: string, name: string, most: number): number {
  if (!/^[+-]?\d{1,3}(\.\d{0,20})?$/.test(text)) refuse(name, 'not_a_number')
  if (Math.abs(Number(text)) > most)
    throw new AppError('rest_invalid_param', { params: { [name]: { problem: 'not_between', least: -most, most } } })
  return Number(text)
}

function readPage(text: string): number {
  if (text === '') return 1
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : refuse('page', 'not_a_whole_number')
}

function refuse(name: string, problem: string): never {
  throw new AppError('rest_invalid_param', { params: { [name]: { problem } } })
}

/** Filters as parameters of the REST list, without dates. */
export function restQuery(filters: Filters): Record<string, unknown> {
  const { search, category, tag, featured } = filters
  const linked = LINKED_KINDS.flatMap((kind) => (filters[kind] ? [[kind, [filters[kind].row.id]]] : []))
  return {
    ...(search !== '' && { search, search_mode: 'words' }),
    ...(category && { categories: [category.id] }),
    ...(tag && { tags: [tag.id] }),
    ...Object.fromEntries(linked),
    ...(featured && { featured: true }),
    ...(filters.when && { when: filters.when }),
    ...(filters.free && { free: true }),
    ...(filters.family && { family: true }),
    ...(filters.series !== null && { series: filters.series }),
  }
}

/** Query string for filters, with a question mark; empty without filters. */
export function searchOf(filters: Filters, change: Partial<Filters> = {}): string {
  const all = { ...filters, ...change }
  const { search, category, tag, featured, start, end, page, fixed } = all
  const query = new Query()
  query.add('search', search)
  query.add('category', fixed === 'category' ? '' : category?.slug)
  query.add('tag', fixed === 'tag' ? '' : tag?.slug)
  for (const kind of LINKED_KINDS) query.add(kind, fixed === kind ? '' : all[kind]?.row.slug)
  query.add('featured', featured ? '1' : '')
  for (const [name, value] of quickPairs(all)) query.add(name, value)
  query.add('start_date', start)
  query.add('end_date', end)
  query.add('page', page > 1 ? String(page) : '')
  return query.text
}

/** A query string that is built up. A page has dozens of them: URLSearchParams would take longer than all else of them. */
class Query {
  /** With a question mark; empty without parameters. */
  text = ''

  /** Adds a parameter that has a value. Its name needs no encoding. */
  add(name: string, value: string | null | undefined): void {
    if (value) this.text += `${this.text === '' ? '?' : '&'}${name}=${encoded(value)}`
  }
}

/** A value as forms encode it. Most are slugs and dates, which stay as they are. */
function encoded(value: string): string {
  return /^[\w.*-]*$/.test(value) ? value : new URLSearchParams([['', value]]).toString().slice(1)
}

/** Parameters of quick choices and series. */
export function quickPairs(filters: Filters): [name: string, value: string][] {
  const { when, free, family, near, series, collapse } = filters
  return [
    ['series', series === null ? '' : String(series)],
    ['collapse', collapse ? 'series' : ''],
    ['when', when ?? ''],
    ['free', free ? '1' : ''],
    ['family', family ? '1' : ''],
    ['geoloc_lat', near === null ? '' : String(near.lat)],
    ['geoloc_lng', near === null ? '' : String(near.lng)],
  ]
}

/** Path of the feed for what is shown. Feeds take the parameters of the REST list. */
export function feedOf(path: string, filters: Filters): FeedLink {
  const { category, tag, fixed } = filters
  const query = new Query()
  query.add('search', filters.search)
  if (filters.search !== '') query.add('search_mode', 'words')
  if (fixed !== 'category') query.add('categories', category?.slug)
  if (fixed !== 'tag') query.add('tags', tag?.slug)
  for (const kind of LINKED_KINDS) if (filters[kind] && fixed !== kind) query.add(kind, String(filters[kind].row.id))
  if (filters.featured) query.add('featured', 'true')
  for (const [name, value] of quickPairs(filters)) query.add(name, value)
  return { path, search: query.text }
}

/** Whether filters are set that have no page of their own. */
export function isNarrowed(filters: Filters): boolean {
  const { search, featured, start, end, fixed, series, collapse } = filters
  const own = (['category', 'tag', ...LINKED_KINDS] as const).some((name) => filters[name] && name !== fixed)
  const isDated = start !== null || end !== null
  return search !== '' || featured || isDated || own || isQuick(filters) || series !== null || collapse
}

/** Whether a quick choice is set. */
export function isQuick({ when, free, family, near }: Filters): boolean {
  return when !== null || free || family || near !== null
}

/** Events of a range of days: the first ones of each day, and the number of all. */
export async function eventsOn(
  { call }: Context,
  filters: Filters,
  { from, to }: { readonly from: string; readonly to: string },
  limits: eventDays.DayLimits,
): Promise<eventDays.EventDays> {
  const query = { ...restQuery(filters), ends_after: addDays(from, -1), starts_before: to }
  return eventDays.listDays(call.scope, () => query, limits, call.version)
}
