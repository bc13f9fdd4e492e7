import { mayEdit } from '../../domain/access.ts'
import { BULK_ACTIONS, type BulkAction, changeMany } from '../../domain/event-editing.ts'
import { type EventTable, listTable, type TABLE_ORDERS } from '../../domain/event-table.ts'
import type { Event } from '../../domain/events.ts'
import type { Answer } from '../../http/endpoint.ts'
import { AppError, type Problems } from '../../lib/errors.ts'
import { html, type Markup, type MarkupPart } from '../../lib/markup.ts'
import { pager } from '../../pages/controls.ts'
import { icon } from '../../pages/icons.ts'
import { seriesText } from '../../rest/present-recurrence.ts'
import { button, formStart, messageOf } from '../form.ts'
import { SECTIONS, screenPage } from '../layout.ts'
import { done, type Screen, type StaffContext } from '../screen.ts'
import { statusMark, whenIn } from '../status.ts'
import { type TableQuery, tableQuery, toolbar, withQuery } from './table-filters.ts'

const PATH = '/manage/events'
const PER_PAGE = 20

async function show(context: StaffContext): Promise<Answer> {
  return page(context)
}

async function page(context: StaffContext, failure: AppError | null = null): Promise<Answer> {
  const { t, link } = context
  const query = tableQuery(context)
  const table = await readTable(context, query)
  const tools = html`<a class="button primary" href="${link('/manage/events/new')}">${icon('plus')}${t('staff.new')}</a>`
  const main = html`${await toolbar(context, query)}
${failure && html`<div class="refused" role="alert"><p>${messageOf(context, failure)}</p></div>`}
${query.series && html`<p class="series-only">${icon('repeat')}${t('manage_screens.table.series')} <a href="${link(withQuery(query, { series: '', page: '' }))}">${t('filters.clear')}</a></p>`}
<p class="quiet" role="status">${context.count('manage_screens.table.found', table.total)}</p>
${table.events.length === 0 ? empty(context, query) : rows(context, query, table)}
${pager(context, table.page, Math.ceil(table.total / table.perPage), (page) => withQuery(query, { page: String(page) }))}`
  return screenPage(context, {
    section: 'events',
    title: t('manage_screens.sections.events'),
    tools,
    main,
    ...(failure && { status: failure.status === 403 ? 403 : 400 }),
  })
}

/** A filter that is no longer true, such as one by a removed venue, shows nothing instead of an error page. */
async function readTable({ call }: StaffContext, query: TableQuery): Promise<EventTable> {
  try {
    return await listTable(call.scope, () => ({
      ...query,
      categories: query.category ?? '',
      tags: query.tag ?? '',
      per_page: PER_PAGE,
    }))
  } catch (error) {
    if (!(error instanceof AppError) || error.status !== 400) throw error
    return { events: [], total: 0, page: 1, perPage: PER_PAGE }
  }
}

function empty({ t, link }: StaffContext, query: TableQuery): Markup {
  const isFiltered = Object.keys(query).length > 0
  return html`<div class="empty"><p>${t(isFiltered ? 'manage_screens.table.none_found' : 'manage_screens.table.none')}</p><p>${isFiltered ? html`<a class="button" href="${link(PATH)}">${t('filters.clear')}</a>` : html`<a class="button primary" href="${link('/manage/events/new')}">${t('staff.new')}</a>`}</p></div>`
}

/** The table, in a form for what is done with many events at once. */
function rows(context: StaffContext, query: TableQuery, { events }: EventTable): Markup {
  const { t, call } = context
  const head = (name: keyof typeof TABLE_ORDERS) => sortable(context, query, name)
  return html`${formStart(context, withQuery(query, {}), html` class="bulk"`)}
<table class="table"><caption class="unseen">${t('manage_screens.sections.events')}</caption>
<thead><tr><th scope="col"><input type="checkbox" data-all aria-label="${t('manage_screens.table.all')}" hidden></th>${head('title')}${head('start_date')}<th scope="col">${t('venue')}</th><th scope="col">${t('manage_screens.fields.categories')}</th>${head('modified')}</tr></thead>
<tbody>${events.map((event) => line(context, event, mayEdit(call.scope.user, event.row)))}</tbody></table>
${bulkTools(context, query)}</form>`
}

function sortable({ t, link }: StaffContext, query: TableQuery, name: keyof typeof TABLE_ORDERS): Markup {
  const isSorted = (query.orderby ?? 'start_date') === name
  const isDown = query.order === 'desc'
  const next = withQuery(query, { orderby: name, order: isSorted && !isDown ? 'desc' : 'asc', page: '' })
  const sorted = isSorted && html` aria-sort="${isDown ? 'descending' : 'ascending'}"`
  return html`<th scope="col"${sorted}><a href="${link(next)}">${t(`manage_screens.table.${name}`)}${isSorted && html`<span aria-hidden="true">${isDown ? ' ↓' : ' ↑'}</span>`}</a></th>`
}

function line(context: StaffContext, event: Event, isEditable: boolean): Markup {
  const { link, t } = context
  const { row, venues, categories } = event
  const label = (name: string) => html` data-label="${t(`manage_screens.table.${name}`)}"`
  const title = isEditable
    ? html`<a href="${link(`/manage/events/${row.id}`)}" dir="auto">${row.title}</a>`
    : html`<a href="${link(`/event/${row.slug}/`)}" dir="auto">${row.title}</a>`
  const names = (list: readonly string[]): MarkupPart => html`<span dir="auto">${list.join(', ')}</span>`
  return html`<tr><td class="pick">${isEditable && html`<input type="checkbox" name="ids[]" value="${row.id}" aria-label="${row.title}">`}</td>
<th scope="row">${title} ${statusMark(context, row.status)}</th>
<td${label('start_date')}>${whenIn(context, row)}${event.series && html`<br><a class="series" href="${link(withQuery({}, { series: String(event.series.id) }))}">${icon('repeat')}${seriesText(event.series, context.language)}</a>`}</td>
<td${label('venue')}>${names(venues.map((venue) => String(venue.row.venue)))}</td>
<td${label('categories')}>${names(categories.map(({ name }) => name))}</td>
<td class="less"${label('modified')}>${modified(context, row.modified_utc)}</td></tr>`
}

function modified({ locale, call }: StaffContext, instant: number): string {
  const zone = call.scope.site.timezone
  return new Intl.DateTimeFormat(locale, {
    dateStyle: 'medium',
    ...(/^UTC/.test(zone) ? {} : { timeZone: zone }),
  }).format(instant * 1000)
}

function bulkTools({ t, rights }: StaffContext, { status }: TableQuery): Markup {
  const label = (name: string) => t(`manage_screens.bulk.${name}`)
  const inTrash = status === 'trash'
  const terms = rights.tag
    ? ['add_category', 'remove_category', 'add_tag', 'remove_tag']
    : ['add_category', 'remove_category']
  return html`<div class="bulk-tools"><span>${label('selected')}</span>
${inTrash ? button('restore', label('restore')) : html`${rights.publish && button('publish', label('publish'))}${button('draft', label('draft'))}${button('trash', label('trash'), 'danger')}`}
${!inTrash && html`<details class="more"><summary>${label('terms')}</summary><label>${label('term')} <input name="term" dir="auto" data-complete="categories" autocomplete="off"></label><div class="buttons">${terms.map((action) => button(action, label(action)))}</div></details>`}</div>`
}

/** Changes the chosen events: all of them, or none. */
function bulk(action: BulkAction): NonNullable<Screen['actions']>[string] {
  return async (context) => {
    const { call } = context
    const { ids = [], term = '' } = call.body()
    const chosen = (Array.isArray(ids) ? ids : String(ids).split(',')).map(Number).filter(Number.isSafeInteger)
    try {
      const problems: Problems = {}
      if (chosen.length === 0) problems.ids = { problem: 'missing' }
      if (action.includes('_') && String(term).trim() === '') problems.term = { problem: 'missing' }
      if (Object.keys(problems).length > 0) throw new AppError('rest_missing_callback_param', { params: problems })
      await changeMany(call.scope, chosen, action, String(term).trim())
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      return page(context, error)
    }
    return done(context, withQuery(tableQuery(context), {}), 'changed')
  }
}

export const eventTable: Screen = {
  path: '/events',
  allows: SECTIONS.events,
  parameters: [
    'search',
    'status',
    'category',
    'venue',
    'organizer',
    'series',
    'tag',
    'author',
    'mine',
    'lacks',
    'start_date',
    'end_date',
    'orderby',
    'order',
    'page',
  ],
  show,
  actions: Object.fromEntries(BULK_ACTIONS.map((action) => [action, bulk(action)])),
}
