import * as linked from '../../domain/linked-records.ts'
import * as terms from '../../domain/terms.ts'
import * as users from '../../domain/users.ts'
import { html, type Markup, type MarkupPart } from '../../lib/markup.ts'
import { icon } from '../../pages/icons.ts'
import { STATUSES } from '../../schema/record.ts'
import { field, select } from '../form.ts'
import type { StaffContext } from '../screen.ts'
import { statusName } from '../status.ts'

/** Parameters of the table that are set. */
export type TableQuery = Readonly<Partial<Record<string, string>>>

/** Limit on choices of a filter. */
const MAX_CHOICES = 100

const PATH = '/manage/events'

/** Parameters of the address. */
export function tableQuery({ call }: StaffContext): TableQuery {
  return Object.fromEntries(
    [...new URLSearchParams(call.sent)].filter(([name, value]) => value !== '' && name !== 'done'),
  )
}

/** The address of the table with changed parameters; an empty one is left out. */
export function withQuery(query: TableQuery, change: Readonly<Record<string, string>>): string {
  const pairs = Object.entries({ ...query, ...change }).filter((pair): pair is [string, string] => Boolean(pair[1]))
  const search = new URLSearchParams(pairs)
  return search.size > 0 ? `${PATH}?${search}` : PATH
}

/** Quick choices by status, and the form with all filters. */
export async function toolbar(context: StaffContext, query: TableQuery): Promise<Markup> {
  const { t, link, call } = context
  const any = ['', t('filters.any')] as const
  const form = { values: query as Record<string, string>, problems: {} }
  const statuses = ['', ...STATUSES.filter((status) => status !== 'private'), 'mine'] as const
  const isCurrent = (one: string) =>
    one === 'mine' ? query.mine !== undefined : (query.status ?? '') === one && query.mine === undefined
  const tab = (one: (typeof statuses)[number]) => {
    const words =
      one === ''
        ? t('manage_screens.table.all_statuses')
        : one === 'mine'
          ? t('manage_screens.table.mine')
          : statusName(context, one)
    const change = one === 'mine' ? { mine: '1', status: '' } : { mine: '', status: one }
    return html`<li><a href="${link(withQuery(query, { ...change, page: '' }))}"${isCurrent(one) && html` aria-current="true"`}>${words}</a></li>`
  }
  const { rows } = await terms.list(call.scope, 'category', () => ({ hide_empty: false, per_page: MAX_CHOICES }))
  const places = await linked.list(call.scope, 'venue', () => ({ per_page: MAX_CHOICES }))
  return html`<nav aria-label="${t('manage_screens.fields.status')}"><ul class="tabs">${statuses.map(tab)}</ul></nav>
<search><form class="table-filters" method="get" action="${link(PATH)}">
${['status', 'mine', 'organizer', 'series', 'tag', 'orderby', 'order'].map((name) => query[name] && html`<input type="hidden" name="${name}" value="${query[name]}">`)}
<div class="find">${icon('search')}<label class="unseen" for="field-search">${t('filters.search')}</label><input id="field-search" type="search" name="search" value="${query.search}" placeholder="${t('filters.search')}" dir="auto"><button class="button" type="submit">${t('filters.find')}</button></div>
<details class="more"${isFiltered(query) && html` open`}><summary>${icon('filter')}${t('filters.more')}</summary><div class="row">
${field(context, form, { name: 'start_date', label: t('filters.from'), type: 'search', attributes: html` inputmode="numeric" placeholder="2031-06-10"` })}
${field(context, form, { name: 'end_date', label: t('filters.to'), type: 'search', attributes: html` inputmode="numeric" placeholder="2031-06-30"` })}
${select(context, form, { name: 'category', label: t('category') }, [any, ...rows.map(({ slug, name }) => [slug, name] as const)])}
${select(context, form, { name: 'venue', label: t('venue') }, [any, ...places.rows.map(({ row }) => [String(row.id), String(row.venue)] as const)])}
${await authors(context, form)}
<button class="button" type="submit">${t('filters.apply')}</button></div></details>
</form></search>`
}

function isFiltered(query: TableQuery): boolean {
  return ['start_date', 'end_date', 'category', 'venue', 'author'].some((name) => query[name] !== undefined)
}

/** Those who see the events of all may choose one author. */
async function authors(context: StaffContext, form: Parameters<typeof select>[1]): Promise<MarkupPart> {
  const { rights, call, t } = context
  if (rights.edit !== 'all') return null
  const all = (await users.list(call.scope)).slice(0, MAX_CHOICES)
  const choices = all.map(({ id, name }) => [String(id), name] as const)
  return select(context, form, { name: 'author' }, [['', t('filters.any')], ...choices])
}
