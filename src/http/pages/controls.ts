import type { Linked, LinkedKind } from '../../domain/linked-records.ts'
import * as linked from '../../domain/linked-records.ts'
import type { Term } from '../../domain/terms.ts'
import * as terms from '../../domain/terms.ts'
import { html, type Markup, type Part, safe } from '../../lib/markup.ts'
import type { Context } from './context.ts'
import { type Filters, feedOf, isNarrowed, searchOf } from './filters.ts'
import { icon } from './icons.ts'
import type { Feed } from './layout.ts'

export type ViewName = 'list' | 'month' | 'week' | 'day' | 'map'

/** Where the reader is among the views, and the ways from there. */
export interface Place {
  readonly view: ViewName
  /** The day that other views are opened at. */
  readonly day: string
  readonly previous?: Way | undefined
  readonly next?: Way | undefined
  readonly filters: Filters
}

export interface Way {
  readonly path: string
  readonly label: string
}

/** The address of a view around a day. */
export function viewPath(view: ViewName, day: string | null, filters: Filters): string {
  const search = searchOf(filters, { start: null, end: null, page: 1, fixed: null })
  if (view === 'map') return `/events/map/${search}`
  if (view === 'list') return `/events/${searchOf(filters, { start: day, end: null, page: 1, fixed: null })}`
  const dated = day === null ? '' : `${view === 'month' ? day.slice(0, 7) : day}/`
  return `/events/${view}/${dated}${search}`
}

/** Previous, today, next; and the other views. */
export function toolbar(context: Context, { view, day, previous, next, filters }: Place): Markup {
  const { t } = context
  const isNow = day === context.today
  const way = (to: Way | undefined, name: 'back' | 'forward', rel: string) =>
    to !== undefined &&
    html`<a class="button step" href="${context.link(to.path)}" rel="${rel}" title="${to.label}">${icon(name)}<span class="unseen">${to.label}</span></a>`
  const views = (['list', 'month', 'week', 'day', 'map'] as const).map(
    (name) =>
      html`<li><a href="${context.link(viewPath(name, isNow ? null : day, filters))}"${name === view && safe(' aria-current="page"')}>${t(`views.${name}`)}</a></li>`,
  )
  return html`<div class="toolbar">
<nav class="steps" aria-label="${t('navigation.dates')}">${way(previous, 'back', 'prev')}${view !== 'map' && html`<a class="button" href="${context.link(viewPath(view, null, { ...filters, start: null, end: null }))}">${t('today')}</a>`}${way(next, 'forward', 'next')}</nav>
<nav class="views" aria-label="${t('views.label')}"><ul>${views}</ul></nav>
</div>`
}

/** The form of search and filters: it works as an address, so a view of it can be kept and shared. */
export async function filterForm(context: Context, action: string, filters: Filters): Promise<Markup> {
  const { t, call } = context
  const { fixed } = filters
  const options = await choices(context, filters)
  const open = isNarrowed({ ...filters, search: '' })
  return html`<search><form class="filters" method="get" action="${context.link(action)}">
<div class="find">
<label class="unseen" for="search">${t('filters.search')}</label>
${icon('search')}<input id="search" type="search" name="search" value="${filters.search}" placeholder="${t('filters.search')}" maxlength="200" dir="auto">
<button class="button primary" type="submit">${t('filters.find')}</button>
</div>
<details${open && safe(' open')}><summary>${t('filters.more')}</summary>
<div class="fields">
${fixed !== 'category' && select('category', t('category'), t('filters.any'), options.category, filters.category?.slug)}
${fixed !== 'tag' && select('tag', t('tag'), t('filters.any'), options.tag, filters.tag?.slug)}
${fixed !== 'venue' && select('venue', t('venue'), t('filters.any'), options.venue, filters.venue?.row.slug)}
${fixed !== 'organizer' && select('organizer', t('organizer'), t('filters.any'), options.organizer, filters.organizer?.row.slug)}
${dates(context, action, filters)}
<label class="check"><input type="checkbox" name="featured" value="1"${filters.featured && safe(' checked')}> ${t('filters.featured')}</label>
</div></details>
${isNarrowed(filters) && html`<p class="clear"><a href="${context.link(action)}">${t('filters.clear')}</a></p>`}
</form></search>${call.scope.user !== null && html`<p class="note">${t('signed_in', { name: call.scope.user.name })}</p>`}`
}

/** Views of a month, a week or a day have their dates in their address. */
function dates({ t }: Context, action: string, { start, end }: Filters): Part {
  if (/^\/events\/(month|week|day|map)\//.test(action)) return null
  return [
    html`<label>${t('filters.from')} <input type="date" name="start_date" value="${start}"></label>`,
    html`<label>${t('filters.to')} <input type="date" name="end_date" value="${end}"></label>`,
  ]
}

type Choice = readonly [slug: string, name: string]

function select(name: string, label: string, any: string, options: readonly Choice[], chosen = ''): Part {
  if (options.length === 0 && chosen === '') return null
  return html`<label>${label} <select name="${name}"><option value="">${any}</option>${options.map(
    ([slug, words]) => html`<option value="${slug}"${slug === chosen && safe(' selected')}>${words}</option>`,
  )}</select></label>\n`
}

/** What can be chosen: of many, those that are used most or are newest; and what is chosen already. */
async function choices(
  { call, locale }: Context,
  filters: Filters,
): Promise<Record<'category' | 'tag' | LinkedKind, Choice[]>> {
  const { scope } = call
  const inOrder = (found: readonly Choice[], chosen: Choice | null): Choice[] => {
    const all = new Map(chosen === null ? found : [...found, chosen])
    return [...all].sort(([, one], [, other]) => one.localeCompare(other, locale))
  }
  const ofTerm = ({ slug, name }: Term): Choice => [slug, name]
  const ofRecord = (kind: LinkedKind, { row }: Linked): Choice => [row.slug, String(row[kind])]
  const term = async (kind: 'category' | 'tag') => {
    const { rows } = await terms.list(scope, kind, () => ({ per_page: 50, orderby: 'count', order: 'desc' }))
    return inOrder(rows.map(ofTerm), filters[kind] && ofTerm(filters[kind]))
  }
  const record = async (kind: LinkedKind) => {
    const { rows } = await linked.list(scope, kind, () => ({ per_page: 50, only_with_upcoming: true }))
    return inOrder(
      rows.map((row) => ofRecord(kind, row)),
      filters[kind] && ofRecord(kind, filters[kind]),
    )
  }
  return {
    category: await term('category'),
    tag: await term('tag'),
    venue: await record('venue'),
    organizer: await record('organizer'),
  }
}

/** Ways to keep up with what is shown. */
export function subscribe(context: Context, path: string, filters: Filters): Markup {
  return subscribeTo(context, feedOf(path, filters))
}

export function subscribeTo(context: Context, { path, search }: Feed): Markup {
  const { t } = context
  const calendar = context.absolute(`${path}.ics${search}`)
  const webcal = calendar.replace(/^https?:/, 'webcal:')
  const google = `https://calendar.google.com/calendar/r?cid=${encodeURIComponent(webcal)}`
  return html`<details class="menu"><summary class="button">${icon('feed')}${t('subscribe.label')}</summary>
<ul><li><a href="${webcal}">${t('subscribe.calendar')}</a></li>
<li><a href="${google}" rel="noreferrer">Google Calendar</a></li>
<li><a href="${context.link(`${path}.ics${search}`)}">${t('subscribe.file')}</a></li>
<li><a href="${context.link(`${path}.rss${search}`)}">RSS</a></li></ul></details>`
}

/** Links to the pages around one. */
export function pager(context: Context, page: number, pages: number, address: (page: number) => string): Part {
  if (pages <= 1) return null
  const { t } = context
  return html`<nav class="pager" aria-label="${t('navigation.pages')}">
${page > 1 ? html`<a class="button" rel="prev" href="${context.link(address(page - 1))}">${icon('back')}${t('previous')}</a>` : html`<span></span>`}
<span>${t('page_of', { page, pages })}</span>
${page < pages ? html`<a class="button" rel="next" href="${context.link(address(page + 1))}">${t('next')}${icon('forward')}</a>` : html`<span></span>`}
</nav>`
}
