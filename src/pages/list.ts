import { addDays } from '../calendar/days.ts'
import { weekendOf } from '../domain/event-filter.ts'
import * as eventList from '../domain/event-list.ts'
import type { Event } from '../domain/events.ts'
import { nearestSearch } from '../domain/nearest-search.ts'
import type { Answer, Call, View } from '../http/endpoint.ts'
import { writeValid } from '../http/write-valid.ts'
import { AppError } from '../lib/errors.ts'
import { html, type Markup, type MarkupPart } from '../lib/markup.ts'
import { eventLd, type JsonLd } from '../rest/json-ld.ts'
import { seriesText } from '../rest/present-recurrence.ts'
import { agenda, strip } from './cards.ts'
import { type Context, contextOf, MAX_ABOUT } from './context.ts'
import { chosen, controls, filterForm, type PageLocation, pager, subscribe, type Way } from './controls.ts'
import { say, sayRange } from './dates.ts'
import { emptyList } from './empty.ts'
import {
  type Filters,
  feedOf,
  isNarrowed,
  isQuick,
  LIST_FILTERS,
  PER_PAGE,
  readFilters,
  restQuery,
  searchOf,
} from './filters.ts'
import { foundCount, hitList, spelledAs } from './hits.ts'
import { icon } from './icons.ts'
import { answer, type Page } from './layout.ts'
import { chosenNames, collapseChoice, quickChoices } from './quick-choices.ts'

/** Days that “earlier” goes back from today. */
const EARLIER = 30
/** The same on the page of a venue, organizer or term. */
const YEAR = 365
/** Last supported day. */
const LAST_DAY = '9999-12-31'
/** Limit on ongoing events above the list. */
const MAX_RUNNING = 6

/** Page of upcoming events, or of events in the requested days. */
export async function upcoming(
  { call, today }: Context,
  filters: Filters,
  perPage = PER_PAGE,
): Promise<{ found: readonly Event[]; total: number; pages: number }> {
  const query = { ...listQuery(today, filters), page: filters.page, per_page: perPage }
  const { events: found, total } = await eventList.list(call.scope, () => query, 'sticky')
  const pages = Math.ceil(total / perPage)
  if (filters.page > Math.max(1, pages)) throw new AppError('event-archive-page-not-found', { fill: { pages } })
  return { found, total, pages }
}

/** Radius of a list by distance, in kilometres: half the way around the earth. */
const EVERYWHERE = 20_040

/** The list as parameters of the REST list. Hits of a search may have begun before: they are not listed by day. */
function listQuery(today: string, filters: Filters): Record<string, unknown> {
  const { near, when, start, end, series, collapse } = filters
  const from = start ?? today
  const eve = addDays(from, -1)
  const after = isRanked(filters) ? 'ends_after' : 'starts_after'
  return {
    ...restQuery(filters),
    ...(collapse && { collapse: 'series' }),
    // The first supported day has no day before it. Evening, weekend and series are dates of their own.
    ...((when !== null || series !== null) && start === null
      ? {}
      : eve < from
        ? { [after]: eve }
        : { starts_before: LAST_DAY }),
    ...(end && { starts_before: end }),
    ...(near && { geoloc_lat: near.lat, geoloc_lng: near.lng, geoloc_radius: EVERYWHERE }),
  }
}

/** Whether the list is in another order than that of days. */
function isRanked({ search, near }: Filters): boolean {
  return search !== '' || near !== null
}

/** Ongoing events that began before the shown days; empty for past days. */
export async function running(context: Context, filters: Filters): Promise<Markup | null> {
  return runningStrip(context, await runningEvents(context, filters))
}

async function runningEvents({ call, today }: Context, filters: Filters): Promise<readonly Event[]> {
  const { start, when, series } = filters
  if (series !== null || (start !== null && start < today) || when === 'tonight' || isRanked(filters)) return []
  const eve = addDays(start ?? (when === 'weekend' ? weekendOf(today)[0] : today), -1)
  const query = { ...restQuery({ ...filters, when: null }), starts_before: eve, ends_after: eve, per_page: MAX_RUNNING }
  return filters.page > 1 ? [] : (await eventList.list(call.scope, () => query)).events
}

function runningStrip(context: Context, found: readonly Event[]): Markup | null {
  return found.length === 0 ? null : strip(context, 'running', context.t('still_on'), found)
}

/** Body of list pages: ongoing events, days, and pagination; and its events as JSON-LD. */
async function listing(
  context: Context,
  path: string,
  filters: Filters,
): Promise<{ content: Markup; listed: JsonLd[]; found: readonly Event[] }> {
  const asked = await upcoming(context, filters)
  const corrected = asked.total === 0 && filters.search !== '' ? await correctedList(context, filters) : null
  const { found, pages, total } = corrected ?? asked
  const ongoing = await runningEvents(context, filters)
  const isCounted = filters.search !== '' || isQuick(filters)
  const days = () => (isRanked(filters) ? hitList(context, found) : agenda(context, found, { pictured: true }))
  const content = html`${isCounted && foundCount(context, path, total, filters, corrected?.meant ?? null)}${runningStrip(context, ongoing)}
${found.length > 0 ? days() : await emptyList(context, filters, path)}
${pager(context, filters.page, pages, (page) => `${path}${searchOf(filters, { page, search: corrected?.meant ?? filters.search })}`)}`
  return { content, listed: eventsLd(context, [...ongoing, ...found]), found }
}

/** The list of the search that was probably meant; null if there is none. */
async function correctedList(
  context: Context,
  filters: Filters,
): Promise<(Awaited<ReturnType<typeof upcoming>> & { readonly meant: string }) | null> {
  const meant = await nearestSearch(context.call.scope, () => listQuery(context.today, filters))
  if (meant === null) return null
  const list = await upcoming(context, { ...filters, search: meant, page: 1 })
  return list.total === 0 ? null : { ...list, meant: spelledAs(meant, list.found) }
}

/** Protected events have no JSON-LD: it contains what the password protects. */
function eventsLd({ call: { scope, addresses } }: Context, found: readonly Event[]): JsonLd[] {
  const open = found.filter(({ row }) => row.password_hash === null)
  return writeValid(scope, open, (event) => eventLd(event, addresses, scope.site))
}

async function list(call: Call): Promise<Answer> {
  const context = contextOf(call)
  const filters = await readFilters(context)
  const { t } = context
  const { content, listed, found } = await listing(context, '/events/', filters)
  const title = titleOf(context, filters, found)
  const main = html`<div class="wide">
<h1${filters.series !== null && html` dir="auto"`}>${title}</h1>
${seriesRule(context, filters, found)}${quickChoices(context, filters, { last: collapseChoice(context, filters) })}
${await controls(context, placeOf(context, filters), '/events/')}
${content}
</div>`
  return answer(context, {
    title,
    description: t('list_description', { name: call.scope.site.name }),
    path: `/events/${searchOf(filters)}`,
    main,
    listed,
    at: 'events',
    feed: feedOf('/events', filters),
    hidden: isNarrowed(filters),
  })
}

/** The rule of the series that is shown. */
function seriesRule({ language }: Context, filters: Filters, [first]: readonly Event[]): MarkupPart {
  const series = filters.series === null ? null : (first?.series ?? null)
  return series && html`<p class="recurrence"><span>${icon('repeat')}${seriesText(series, language)}</span></p>\n`
}

function titleOf(context: Context, filters: Filters, [first]: readonly Event[]): string {
  const { start, end, search, series } = filters
  if (series !== null && first !== undefined) return context.t('series.dates_of', { title: first.row.title })
  if (search !== '') return context.t('results', { search })
  const chosen = chosenNames(context, filters)
  if (chosen !== '') return chosen
  if (start !== null && end !== null) return sayRange(context, start, end, 'shortYear')
  if (start !== null) return context.t('from_day', { day: say(context, start, 'shortYear') })
  return context.t('upcoming')
}

/** Previous and next: a range moves by its length; an open list goes back by a month. */
function placeOf(context: Context, filters: Filters): PageLocation {
  const { t, today } = context
  const { start, end } = filters
  const way = (from: string, to: string, label: string): Way => ({
    path: `/events/${searchOf(filters, { start: from, end: to, page: 1 })}`,
    label,
  })
  const first = start ?? today
  const days = start !== null && end !== null ? daysBetween(start, end) : EARLIER
  return {
    view: 'list',
    day: first,
    filters,
    previous: way(addDays(first, -days), addDays(first, -1), t('earlier')),
    next: end === null ? undefined : way(addDays(end, 1), addDays(end, days), t('later')),
  }
}

function daysBetween(start: string, end: string): number {
  return Temporal.PlainDate.from(start).until(end).days + 1
}

/** Page of a record or term, with its events. */
export async function subjectPage(
  context: Context,
  filters: Filters,
  subject: Pick<Page, 'title' | 'path' | 'jsonLd' | 'image'> & {
    about: MarkupPart
    eyebrow: string
    description: string
  },
): Promise<Answer> {
  const { t } = context
  const { title, path, about, eyebrow, description, ...rest } = subject
  const feed = path.replace(/\/$/, '')
  const { content, listed } = await listing(context, path, filters)
  const main = html`<div class="wide">
<div class="heading"><div><p class="eyebrow">${eyebrow}</p><h1 dir="auto">${title}</h1></div>${subscribe(context, feed, filters)}</div>
${about}
<section class="subject-events"><div class="tools"><h2>${t('upcoming')}</h2>${await filterForm(context, path, filters)}</div>
${chosen(context, path, filters)}${content}
${filters.start === null && html`<p class="earlier"><a href="${context.link(`${path}${searchOf(filters, { start: addDays(context.today, -YEAR), end: addDays(context.today, -1), page: 1 })}`)}">${t('earlier')}</a></p>`}</section>
</div>`
  return answer(context, {
    title,
    path: `${path}${searchOf(filters)}`,
    description: description.slice(0, MAX_ABOUT),
    main,
    feed: feedOf(feed, filters),
    hidden: isNarrowed(filters),
    listed,
    ...rest,
  })
}

export const listViews: readonly View[] = [
  { path: '/events', methods: ['GET'], parameters: LIST_FILTERS, handle: list },
]
