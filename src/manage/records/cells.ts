import { html, type Markup } from '../../lib/markup.ts'
import { icon } from '../../pages/icons.ts'
import type { StaffContext } from '../screen.ts'

/** Number of events, with a link to them. */
export function eventsLink({ link, count }: StaffContext, events: number, path: string): Markup {
  const words = count('manage_screens.table.found', events)
  return events === 0 ? html`<span class="quiet">${words}</span>` : html`<a href="${link(path)}">${words}</a>`
}

/** Where a record is used, and its page, beside its form. */
export function usesBox(context: StaffContext, events: number, path: string, page: string | null): Markup {
  const { t, link } = context
  const view =
    page !== null && html`<p><a href="${link(page)}">${icon('link')}${t('manage_screens.editor.view')}</a></p>`
  return html`<section class="box"><h2>${t('manage_screens.records.used')}</h2><p>${icon('calendar')} ${eventsLink(context, events, path)}</p>${view}</section>`
}
