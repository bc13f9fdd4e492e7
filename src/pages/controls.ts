import { feedFormats } from '../feeds/formats.ts'
import { html, type Markup, type MarkupPart, safe } from '../lib/markup.ts'
import { LINKED_KINDS } from '../schema/linked.ts'
import type { Context } from './context.ts'
import { say } from './dates.ts'
import { ofRecord, ofTerm, optionsOf, select } from './filter-options.ts'
import { type Filters, feedOf, isNarrowed, quickPairs, searchOf } from './filters.ts'
import { icon } from './icons.ts'
import type { FeedLink } from './layout.ts'

export type ViewName = 'list' | 'month' | 'week' | 'day' | 'map'

/** Current view, and links to others. */
export interface PageLocation {
  readonly view: ViewName
  /** Day at which other views open. */
  readonly day: string
  readonly previous?: Way | undefined
  readonly next?: Way | undefined
  readonly filters: Filters
}

export interface Way {
  readonly path: string
  readonly label: string
}

/** Address of a view at a day. */
export function viewPath(view: ViewName, day: string | null, filters: Filters): string {
  // Only the list is sorted by distance, and evening and weekend are dates.
  const others = { ...filters, near: null, when: null }
  const search = searchOf(others, { start: null, end: null, page: 1, fixed: null })
  if (view === 'map') return `/events/map/${searchOf({ ...filters, near: null }, { page: 1, fixed: null })}`
  if (view === 'list') return `/events/${searchOf(filters, { start: day, end: null, page: 1, fixed: null })}`
  const dated = day === null ? '' : `${view === 'month' ? day.slice(0, 7) : day}/`
  return `/events/${view}/${dated}${search}`
}

/** Controls of a view: previous, today, next; other views; search and filters; subscribing. */
export async function controls(context: Context, place: PageLocation, action: string): Promise<Markup> {
  return html`<div class="tools">${toolbar(context, place)}${await filterForm(context, action, place.filters)}${subscribe(context, '/events', place.filters)}</div>
${chosen(context, action, place.filters)}${signedIn(context)}`
}

/** Active filters, each with a link that removes it. */
export function chosen(context: Context, action: string, filters: Filters): MarkupPart {
  if (!isNarrowed(filters)) return null
  const { t, link } = context
  const dated = !hasOwnDates(action)
  const { category, tag, start, end, fixed } = filters
  type Item = false | null | '' | readonly [words: string, without: Partial<Filters>]
  const all: Item[] = [
    filters.search !== '' && [filters.search, { search: '' }],
    category && fixed !== 'category' && [category.name, { category: null }],
    tag && fixed !== 'tag' && [tag.name, { tag: null }],
    ...LINKED_KINDS.map(
      (kind): Item => filters[kind] && fixed !== kind && [String(filters[kind].row[kind]), { [kind]: null }],
    ),
    filters.featured && [t('featured'), { featured: false }],
    filters.series !== null && [t('series.one'), { series: null }],
    dated && start && [`${t('filters.from')} ${say(context, start, 'shortYear')}`, { start: null }],
    dated && end && [`${t('filters.to')} ${say(context, end, 'shortYear')}`, { end: null }],
  ]
  const items = all.filter((one) => !!one)
  if (items.length === 0) return null
  return html`<ul class="topics chosen" aria-label="${t('filters.more')}">${items.map(
    ([words, without]) =>
      html`<li><a href="${link(`${action}${searchOf(filters, { ...without, page: 1 })}`)}"><bdi>${words}</bdi>${icon('close')}<span class="unseen">${t('filters.remove')}</span></a></li>`,
  )}${items.length > 1 && html`<li><a class="all" href="${link(action)}">${t('filters.clear')}</a></li>`}</ul>`
}

/** Month, week and day have their dates in the path: only the list and the map have date filters. */
function hasOwnDates(action: string): boolean {
  return /^\/events\/(month|week|day)\//.test(action)
}

/** Note for signed-in readers that they see more than the public. */
function signedIn({ call, t }: Context): MarkupPart {
  return call.scope.user !== null && html`<p class="note">${t('signed_in', { name: call.scope.user.name })}</p>`
}

function toolbar(context: Context, { view, day, previous, next, filters }: PageLocation): Markup {
  const { t } = context
  const isNow = day === context.today
  const way = (to: Way | undefined, name: 'back' | 'forward', rel: string) =>
    to !== undefined &&
    html`<a class="button step" href="${context.link(to.path)}" rel="${rel}" title="${to.label}">${icon(name)}<span class="unseen">${to.label}</span></a>`
  const views = (['list', 'month', 'week', 'day', 'map'] as const).map(
    (name) =>
      html`<li><a href="${context.link(viewPath(name, isNow ? null : day, filters))}"${name === view && safe(' aria-current="page"')}>${t(`views.${name}`)}</a></li>`,
  )
  return html`${view !== 'map' && html`<nav class="steps" aria-label="${t('navigation.dates')}">${way(previous, 'back', 'prev')}<a class="button" href="${context.link(viewPath(view, null, { ...filters, start: null, end: null }))}">${t('today')}</a>${way(next, 'forward', 'next')}</nav>`}
<nav class="views" aria-label="${t('views.label')}"><ul>${views}</ul></nav>`
}

/** Form for search and filters. It uses GET, so that a view can be bookmarked and shared. */
export async function filterForm(context: Context, action: string, filters: Filters): Promise<Markup> {
  const { t } = context
  const { fixed } = filters
  const options = await optionsOf(context)
  return html`<search><form class="filters" method="get" action="${context.link(action)}">
${quickPairs(filters).map(([name, value]) => value !== '' && (name !== 'collapse' || !canCollapse(action)) && html`<input type="hidden" name="${name}" value="${value}">`)}<div class="find">
<label class="unseen" for="search">${t('filters.search')}</label>
${icon('search')}<input id="search" type="search" name="search" value="${filters.search}" placeholder="${t('filters.search')}" maxlength="200" dir="auto">
<button class="button primary" type="submit">${t('filters.find')}</button>
</div>
<details><summary class="button">${icon('filter')}${t('filters.more')}</summary>
<div class="fields">
${fixed !== 'category' && select(context, 'category', options, filters.category && ofTerm(filters.category))}
${fixed !== 'tag' && select(context, 'tag', options, filters.tag && ofTerm(filters.tag))}
${LINKED_KINDS.map((kind) => html`${fixed !== kind && select(context, kind, options, filters[kind] && ofRecord(kind, filters[kind].row))}\n`)}${dates(context, action, filters)}
<label class="check"><input type="checkbox" name="featured" value="1"${filters.featured && safe(' checked')}> ${t('filters.featured')}</label>
${canCollapse(action) && html`<label class="check"><input type="checkbox" name="collapse" value="series"${filters.collapse && safe(' checked')}> ${t('series.collapse')}</label>`}
<div class="ends"><button class="button primary" type="submit">${t('filters.apply')}</button></div>
</div></details>
</form></search>`
}

/** Views of days and the map show each event where it is. */
function canCollapse(action: string): boolean {
  return !/^\/events\/(month|week|day|map)\//.test(action)
}

function dates({ t }: Context, action: string, { start, end }: Filters): MarkupPart {
  if (hasOwnDates(action)) return null
  return [
    html`<label>${t('filters.from')} <input type="date" name="start_date" value="${start}"></label>`,
    html`<label>${t('filters.to')} <input type="date" name="end_date" value="${end}"></label>`,
  ]
}

/** Links to subscribe to what is shown. */
export function subscribe(context: Context, path: string, filters: Filters): Markup {
  return subscribeTo(context, feedOf(path, filters))
}

const MENU_FORMATS = feedFormats('lists').filter(({ inMenu }) => inMenu)

export function subscribeTo(context: Context, { path, search }: FeedLink): Markup {
  const { t } = context
  const calendar = context.absolute(`${path}.ics${search}`)
  const webcal = calendar.replace(/^https?:/, 'webcal:')
  const google = `https://calendar.google.com/calendar/r?cid=${encodeURIComponent(webcal)}`
  return html`<details class="menu"><summary class="button">${icon('feed')}<span>${t('subscribe.label')}</span></summary>
<ul><li><a href="${webcal}">${t('subscribe.calendar')}</a></li>
<li><a href="${google}" rel="noreferrer">Google Calendar</a></li>
<li><a href="${context.link(`${path}.ics${search}`)}">${t('subscribe.file')}</a></li>
${MENU_FORMATS.map(({ extension, label }) => html`<li><a href="${context.link(`${path}.${extension}${search}`)}">${label}</a></li>`)}</ul></details>`
}

/** Pagination links. */
export function pager(context: Context, page: number, pages: number, address: (page: number) => string): MarkupPart {
  if (pages <= 1) return null
  const { t } = context
  return html`<nav class="pager" aria-label="${t('navigation.pages')}">
${page > 1 ? html`<a class="button" rel="prev" href="${context.link(address(page - 1))}">${icon('back')}${t('previous')}</a>` : html`<span></span>`}
<span>${t('page_of', { page, pages })}</span>
${page < pages ? html`<a class="button" rel="next" href="${context.link(address(page + 1))}">${t('next')}${icon('forward')}</a>` : html`<span></span>`}
</nav>`
}
