import { addDays } from '../calendar/days.ts'
import * as eventList from '../domain/event-list.ts'
import type { Event } from '../domain/events.ts'
import type { Answer, Call, View } from '../http/endpoint.ts'
import { writeValid } from '../http/write-valid.ts'
import { AppError } from '../lib/errors.ts'
import { html, type Markup, type MarkupPart } from '../lib/markup.ts'
import { eventLd, type JsonLd } from '../rest/json-ld.ts'
import { agenda, strip } from './cards.ts'
import { type Context, contextOf, MAX_ABOUT } from './context.ts'
import { chosen, controls, filterForm, type PageLocation, pager, subscribe, type Way } from './controls.ts'
import { say, sayRange } from './dates.ts'
import { emptyList } from './empty.ts'
import {
  type Filters,
  feedOf,
  isNarrowed,
  LIST_FILTERS,
  PER_PAGE,
  readFilters,
  restQuery,
  searchOf,
} from './filters.ts'
import { answer, type Page } from './layout.ts'

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
  const from = filters.start ?? today
  const eve = addDays(from, -1)
  const query = {
    ...restQuery(filters),
    // The first supported day has no day before it.
    ...(eve < from ? { starts_after: eve } : { starts_before: LAST_DAY }),
    ...(filters.end && { starts_before: filters.end }),
    page: filters.page,
    per_page: perPage,
  }
  const { events: found, total } = await eventList.list(call.scope, () => query, 'sticky')
  const pages = Math.ceil(total / perPage)
  if (filters.page > Math.max(1, pages)) throw new AppError('event-archive-page-not-found', { fill: { pages } })
  return { found, total, pages }
}

/** Ongoing events that began before the shown days; empty for past days. */
export async function running(context: Context, filters: Filters): Promise<Markup | null> {
  return runningStrip(context, await runningEvents(context, filters))
}

async function runningEvents({ call, today }: Context, filters: Filters): Promise<readonly Event[]> {
  if (filters.start !== null && filters.start < today) return []
  const eve = addDays(filters.start ?? today, -1)
  const query = { ...restQuery(filters), starts_before: eve, ends_after: eve, per_page: MAX_RUNNING }
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
): Promise<{ content: Markup; listed: JsonLd[] }> {
  const { found, pages } = await upcoming(context, filters)
  const ongoing = await runningEvents(context, filters)
  const content = html`${runningStrip(context, ongoing)}
${found.length > 0 ? agenda(context, found, { pictured: true }) : await emptyList(context, filters, path)}
${pager(context, filters.page, pages, (page) => `${path}${searchOf(filters, { page })}`)}`
  return { content, listed: eventsLd(context, [...ongoing, ...found]) }
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
  const { content, listed } = await listing(context, '/events/', filters)
  const title = titleOf(context, filters)
  const main = html`<div class="wide">
<h1>${title}</h1>
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

function titleOf(context: Context, { start, end, search }: Filters): string {
  if (search !== '') return context.t('results', { search })
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
