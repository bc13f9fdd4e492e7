import { type AuditEntry, type AuditPage, get, list } from '../../domain/audit.ts'
import { type NameOf, namesIn } from '../../domain/audit-names.ts'
import type { Answer } from '../../http/endpoint.ts'
import { AppError } from '../../lib/errors.ts'
import { html, type Markup, type MarkupPart } from '../../lib/markup.ts'
import { pager } from '../../pages/controls.ts'
import { icon } from '../../pages/icons.ts'
import { AUDIT_ACTIONS, AUDIT_KINDS, WAYS } from '../../schema/audit.ts'
import { when } from '../date-and-time.ts'
import { field, select } from '../form.ts'
import { SECTIONS, screenPage } from '../layout.ts'
import type { Screen, StaffContext } from '../screen.ts'
import { fieldList, fieldNames, kindName, shortFieldList } from './values.ts'

const PATH = '/manage/audit'
const PER_PAGE = 30
const FILTERS = ['record', 'user', 'way', 'action', 'after', 'before'] as const

type Query = Readonly<Partial<Record<string, string>>>

function queryOf({ call }: StaffContext): Query {
  return Object.fromEntries([...call.search].filter(([, value]) => value !== ''))
}

function withQuery(query: Query, change: Query): string {
  const pairs = Object.entries({ ...query, ...change }).filter((pair): pair is [string, string] => Boolean(pair[1]))
  return `${PATH}?${new URLSearchParams(pairs)}`
}

async function show(context: StaffContext): Promise<Answer> {
  const { t } = context
  const query = queryOf(context)
  const { page, problems } = await readPage(context, query)
  const nameOf = await namesIn(context.call.scope, page.entries)
  const main = html`${filters(context, query, problems)}
<p class="quiet" role="status">${context.count('manage_screens.audit.found', page.total)}</p>
${page.entries.length === 0 ? html`<div class="empty"><p>${t('manage_screens.audit.none')}</p></div>` : table(context, page.entries, nameOf)}
${pager(context, page.page, Math.ceil(page.total / page.perPage), (one) => withQuery(query, { page: String(one) }))}`
  return screenPage(context, { section: 'audit', title: t('manage_screens.sections.audit'), main })
}

/** A filter that is none shows nothing, with its problem. */
async function readPage(
  { call }: StaffContext,
  query: Query,
): Promise<{ page: AuditPage; problems: NonNullable<AppError['details']['params']> }> {
  try {
    return { page: await list(call.scope, () => ({ ...query, per_page: PER_PAGE }), 'short'), problems: {} }
  } catch (error) {
    if (!(error instanceof AppError) || error.status !== 400) throw error
    const page = { entries: [], total: 0, page: 1, perPage: PER_PAGE, next: null, byCursor: false }
    return { page, problems: error.details.params ?? {} }
  }
}

function filters(context: StaffContext, query: Query, problems: AppError['details']['params']): Markup {
  const { t, link } = context
  const form = { values: query as Record<string, string>, problems: problems ?? {} }
  const any = ['', t('filters.any')] as const
  const label = (name: string) => t(`manage_screens.audit.${name}`)
  // One record, as its screen asks for it, stays a choice.
  const one = query.record?.includes(':') ? [[query.record, query.record] as const] : []
  const kinds = AUDIT_KINDS.map((kind) => [kind, kindName(context, kind)] as const)
  const isSet = FILTERS.some((name) => query[name] !== undefined)
  return html`<search><form class="table-filters" method="get" action="${link(PATH)}"><details class="more"${isSet && html` open`}><summary>${icon('filter')}${t('filters.more')}</summary><div class="row">
${select(context, form, { name: 'record', label: label('record') }, [any, ...one, ...kinds])}
${select(context, form, { name: 'action', label: label('action') }, [any, ...AUDIT_ACTIONS.map((name) => [name, label(`actions.${name}`)] as const)])}
${select(context, form, { name: 'way', label: label('way') }, [any, ...WAYS.map((way) => [way, label(`ways.${way}`)] as const)])}
${field(context, form, { name: 'user', label: label('user'), type: 'search' })}
${field(context, form, { name: 'after', label: t('filters.from'), type: 'search', attributes: html` inputmode="numeric" placeholder="2031-06-10"` })}
${field(context, form, { name: 'before', label: t('filters.to'), type: 'search', attributes: html` inputmode="numeric" placeholder="2031-06-30"` })}
<button class="button" type="submit">${t('filters.apply')}</button>${isSet && html` <a class="button" href="${link(PATH)}">${t('filters.clear')}</a>`}</div></details></form></search>`
}

function table(context: StaffContext, entries: readonly AuditEntry[], nameOf: NameOf): Markup {
  const { t } = context
  const column = (name: string) => html`<th scope="col">${t(`manage_screens.audit.${name}`)}</th>`
  return html`<table class="table audit"><caption class="unseen">${t('manage_screens.sections.audit')}</caption>
<thead><tr>${column('record')}${column('action')}${column('user')}${column('time')}</tr></thead>
<tbody>${entries.map((entry) => line(context, entry, nameOf))}</tbody></table>`
}

function line(context: StaffContext, entry: AuditEntry, nameOf: NameOf): Markup {
  const { t } = context
  const label = (name: string) => html` data-label="${t(`manage_screens.audit.${name}`)}"`
  return html`<tr><th scope="row"><span class="quiet">${kindName(context, entry.kind)}</span> ${recordLink(context, entry)}</th>
<td${label('action')}>${actionMark(context, entry)}${details(context, entry, nameOf)}</td>
<td${label('user')}>${writer(context, entry)}</td>
<td${label('time')}><time datetime="${new Date(entry.at_utc * 1000).toISOString()}">${when(context, entry.at_utc)}</time></td></tr>
`
}

/** Screens of records, by kind. */
const SCREENS: Readonly<Record<string, string>> = { category: 'categories', setting: 'settings' }
const WITHOUT_SCREEN = ['series', 'token', 'webhook', 'feed']

function recordLink({ link, t }: StaffContext, { kind, record, title, action }: AuditEntry): MarkupPart {
  const name = title || (kind === 'setting' ? t('manage_screens.sections.settings') : `#${record}`)
  if (WITHOUT_SCREEN.includes(kind) || action === 'removed') return html`<span dir="auto">${name}</span>`
  const section = SCREENS[kind] ?? `${kind}s`
  return html`<a href="${link(`/manage/${section}${record === 0 ? '' : `/${record}`}`)}" dir="auto">${name}</a>`
}

/** What was done, as a mark. */
export function actionMark({ t }: StaffContext, { action }: Pick<AuditEntry, 'action'>): Markup {
  const mark = action === 'changed' ? 'updated' : action
  return html`<span class="mark mark-${mark}">${t(`manage_screens.audit.actions.${action}`)}</span>`
}

/** What an entry of the list has changed, and the way to all of it. */
function details(context: StaffContext, entry: AuditEntry, nameOf: NameOf): MarkupPart {
  const { t, link } = context
  if (entry.names.length === 0) return null
  const isChange = entry.action === 'changed'
  const words = t(`manage_screens.audit.${isChange ? 'compare' : 'content'}`)
  const whole = html`<a href="${link(`${PATH}/${entry.id}`)}">${words}</a>`
  if (!isChange) return html` ${whole}`
  return html`<details class="more"><summary>${fieldNames(context, entry)}</summary>${shortFieldList(context, entry, nameOf)}<p>${whole}</p></details>`
}

/** One entry, with all values before and after. */
async function showOne(context: StaffContext): Promise<Answer> {
  const { call, t } = context
  const entry = await get(call.scope, call.id)
  const nameOf = await namesIn(call.scope, [entry])
  const main = html`<p><span class="quiet">${kindName(context, entry.kind)}</span> ${recordLink(context, entry)} ${actionMark(context, entry)}</p>
<p>${writer(context, entry)}</p>
${fieldList(context, entry, nameOf)}`
  const back = { path: PATH, words: t('manage_screens.sections.audit') }
  return screenPage(context, { section: 'audit', title: when(context, entry.at_utc), back, main })
}

/** Who made a change, and how. */
export function writer(
  { t }: StaffContext,
  { user_name, way, address }: Pick<AuditEntry, 'user_name' | 'way'> & { readonly address?: string | null },
): Markup {
  const how = [t(`manage_screens.audit.ways.${way}`), address].filter(Boolean).join(', ')
  return html`<span dir="auto">${user_name ?? t('manage_screens.audit.nobody')}</span> <span class="quiet">${how}</span>`
}

export const auditScreens: readonly Screen[] = [
  { path: '/audit', allows: SECTIONS.audit, parameters: [...FILTERS, 'page'], show },
  { path: '/audit/:id', allows: SECTIONS.audit, show: showOne },
]
