import { mayEdit } from '../../domain/access.ts'
import type { Linked, LinkedKind } from '../../domain/linked-records.ts'
import { type ListedTerm, listLinked, listTerms, type RecordTable } from '../../domain/record-table.ts'
import type { Answer } from '../../http/endpoint.ts'
import { AppError } from '../../lib/errors.ts'
import { html, type Markup, type MarkupPart } from '../../lib/markup.ts'
import { recordPath } from '../../pages/cards.ts'
import { pager } from '../../pages/controls.ts'
import { icon } from '../../pages/icons.ts'
import type { TermKind } from '../../schema/term.ts'
import { SECTIONS, type Section, screenPage, sectionPath } from '../layout.ts'
import { MANAGE, type Screen, type StaffContext } from '../screen.ts'
import { statusMark, statusName } from '../status.ts'
import { eventsLink } from './cells.ts'
import { namePath, TERM_SECTION } from './term.ts'

/** A list of records: how its rows are read and shown. */
interface ListedKind<Row> {
  readonly section: Section
  /** Name in texts: `new_<name>`. */
  readonly name: string
  readonly columns: readonly string[]
  readonly hasStatus: boolean
  read(context: StaffContext, query: Record<string, string>): Promise<RecordTable<Row>>
  cells(context: StaffContext, row: Row & { readonly events: number }): Markup
}

const PER_PAGE = 20

/** The list of a kind of record. */
function listScreen<Row>(kind: ListedKind<Row>): Screen {
  return {
    path: sectionPath(kind.section).slice(MANAGE.length),
    allows: SECTIONS[kind.section],
    parameters: ['search', 'status', 'orderby', 'order', 'page'],
    show: (context) => page(context, kind),
  }
}

async function page<Row>(context: StaffContext, kind: ListedKind<Row>): Promise<Answer> {
  const { t, link, count } = context
  const base = sectionPath(kind.section)
  const query = queryOf(context)
  const table = await read(context, kind, query)
  const add = html`<a class="button primary" href="${link(`${base}/new`)}">${icon('plus')}${t(`manage_screens.records.new_${kind.name}`)}</a>`
  const main = html`${kind.hasStatus && tabs(context, base, query)}
<search><form class="table-filters" method="get" action="${link(base)}">${query.status && html`<input type="hidden" name="status" value="${query.status}">`}
<div class="find">${icon('search')}<label class="unseen" for="field-search">${t('manage_screens.records.search')}</label><input id="field-search" type="search" name="search" value="${query.search}" placeholder="${t('manage_screens.records.search')}" dir="auto"><button class="button" type="submit">${t('filters.find')}</button></div></form></search>
<p class="quiet" role="status">${count('manage_screens.records.found', table.total)}</p>
${table.rows.length === 0 ? empty(context, base, query, add) : rows(context, kind, base, query, table)}
${pager(context, table.page, Math.ceil(table.total / table.perPage), (number) => withQuery(base, query, { page: String(number) }))}`
  return screenPage(context, {
    section: kind.section,
    title: t(`manage_screens.sections.${kind.section}`),
    tools: add,
    main,
  })
}

/** A value that is not known, such as a status, shows nothing instead of an error page. */
async function read<Row>(
  context: StaffContext,
  kind: ListedKind<Row>,
  query: Record<string, string>,
): Promise<RecordTable<Row>> {
  try {
    return await kind.read(context, query)
  } catch (error) {
    if (!(error instanceof AppError) || error.status !== 400) throw error
    return { rows: [], total: 0, page: 1, perPage: PER_PAGE }
  }
}

function queryOf({ call }: StaffContext): Record<string, string> {
  const given = [...new URLSearchParams(call.sent)].filter(([name, value]) => value !== '' && name !== 'done')
  return Object.fromEntries(given)
}

/** Address of the list with changed parameters; an empty one is left out. */
function withQuery(base: string, query: Record<string, string>, change: Record<string, string>): string {
  const search = new URLSearchParams(Object.entries({ ...query, ...change }).filter(([, value]) => value !== ''))
  return search.size > 0 ? `${base}?${search}` : base
}

function tabs(context: StaffContext, base: string, query: Record<string, string>): Markup {
  const { t, link } = context
  const statuses = ['', 'draft', 'pending', 'trash'] as const
  const tab = (status: (typeof statuses)[number]) => {
    const words = status === '' ? t('manage_screens.table.all_statuses') : statusName(context, status)
    const isCurrent = (query.status ?? '') === status
    return html`<li><a href="${link(withQuery(base, query, { status, page: '' }))}"${isCurrent && html` aria-current="true"`}>${words}</a></li>`
  }
  return html`<nav aria-label="${t('manage_screens.fields.status')}"><ul class="tabs">${statuses.map(tab)}</ul></nav>`
}

function empty({ t, link }: StaffContext, base: string, query: Record<string, string>, add: Markup): Markup {
  const isFiltered = Object.keys(query).length > 0
  const way = isFiltered ? html`<a class="button" href="${link(base)}">${t('filters.clear')}</a>` : add
  return html`<div class="empty"><p>${t(isFiltered ? 'manage_screens.records.none_found' : 'manage_screens.records.none')}</p><p>${way}</p></div>`
}

function rows<Row>(
  context: StaffContext,
  kind: ListedKind<Row>,
  base: string,
  query: Record<string, string>,
  { rows: all }: RecordTable<Row>,
): Markup {
  const { t } = context
  const head = kind.columns.map((name) => sortable(context, base, query, name))
  return html`<table class="table plain"><caption class="unseen">${t(`manage_screens.sections.${kind.section}`)}</caption>
<thead><tr>${head}</tr></thead>
<tbody>${all.map((row) => html`<tr>${kind.cells(context, row)}</tr>`)}</tbody></table>`
}

const SORTABLE = ['name', 'modified', 'count']

function sortable(context: StaffContext, base: string, query: Record<string, string>, name: string): Markup {
  const { t, link } = context
  const words = t(`manage_screens.records.column_${name}`)
  if (!SORTABLE.includes(name)) return html`<th scope="col">${words}</th>`
  const isSorted = query.orderby === name
  const isDown = query.order === 'desc'
  const next = withQuery(base, query, { orderby: name, order: isSorted && !isDown ? 'desc' : 'asc', page: '' })
  const sorted = isSorted && html` aria-sort="${isDown ? 'descending' : 'ascending'}"`
  return html`<th scope="col"${sorted}><a href="${link(next)}">${words}${isSorted && html`<span aria-hidden="true">${isDown ? ' ↓' : ' ↑'}</span>`}</a></th>`
}

/** A cell with the name of its column, which a phone shows. */
function cell({ t }: StaffContext, column: string, content: MarkupPart): Markup {
  const isShort = column === 'events' || column === 'modified'
  return html`<td${isShort && html` class="short"`} data-label="${t(`manage_screens.records.column_${column}`)}">${content}</td>`
}

export function linkedList(kind: LinkedKind): Screen {
  const section = `${kind}s` as Section
  return listScreen<Linked>({
    section,
    name: kind,
    columns: ['name', 'about', 'events', 'modified'],
    hasStatus: true,
    read: ({ call }, query) => listLinked(call.scope, kind, () => ({ ...query, per_page: PER_PAGE })),
    cells(context, one) {
      const { row, events } = one
      const isEditable = mayEdit(context.call.scope.user, row)
      const path = isEditable ? `${sectionPath(section)}/${row.id}` : recordPath(kind, one)
      const about = [row.address, [row.zip, row.city].filter(Boolean).join(' '), row.email, row.phone].filter(Boolean)
      return html`<th scope="row"><a href="${context.link(path)}" dir="auto">${row[kind]}</a> ${statusMark(context, row.status)}</th>
${cell(context, 'about', html`<span dir="auto">${about.join(', ')}</span>`)}
${cell(context, 'events', eventsLink(context, events, `/manage/events?${kind}=${row.id}`))}
${cell(context, 'modified', dateIn(context, row.modified_utc))}`
    },
  })
}

export function termList(kind: TermKind): Screen {
  const section = TERM_SECTION[kind]
  return listScreen<ListedTerm>({
    section,
    name: kind,
    columns: ['name', 'slug', 'events'],
    hasStatus: false,
    read: ({ call }, query) => listTerms(call.scope, kind, () => ({ ...query, per_page: PER_PAGE })),
    cells(context, term) {
      const { id, name, slug, depth, above, events } = term
      const isTree = depth > 0 || above.length === 0
      return html`<th scope="row"><span class="depth depth-${Math.min(depth, MAX_INDENT)}"><a href="${context.link(`${sectionPath(section)}/${id}`)}" dir="auto">${isTree ? name : namePath(term)}</a>${depth > 0 && html`<span class="unseen"> (${above[0]?.name})</span>`}</span></th>
${cell(context, 'slug', html`<span dir="auto">${decoded(slug)}</span>`)}
${cell(context, 'events', eventsLink(context, events, `/manage/events?${kind}=${slug}`))}`
    },
  })
}

/** Levels of the tree that are indented. */
const MAX_INDENT = 6

function decoded(slug: string): string {
  try {
    return decodeURIComponent(slug)
  } catch {
    return slug
  }
}

function dateIn({ locale, call }: StaffContext, instant: number): string {
  const zone = call.scope.site.timezone
  const options = { dateStyle: 'medium', ...(/^UTC/.test(zone) ? {} : { timeZone: zone }) } as const
  return new Intl.DateTimeFormat(locale, options).format(instant * 1000)
}
