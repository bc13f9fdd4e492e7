import { listTable } from '../domain/event-table.ts'
import type { Event } from '../domain/events.ts'
import { failedMail } from '../domain/mail.ts'
import { type SuggestionRow, sendersOf } from '../domain/suggestions.ts'
import type { Answer } from '../http/endpoint.ts'
import { listFailed } from '../imports/runs/failed.ts'
import { html, type Markup, type MarkupPart } from '../lib/markup.ts'
import { icon } from '../pages/icons.ts'
import { SECTIONS, screenPage, sectionPath } from './layout.ts'
import { done, type Screen, type StaffContext } from './screen.ts'
import { setupNotice } from './settings/setup.ts'
import { statusMark, whenIn } from './status.ts'

/** Events per box. */
const SHOWN = 5

/** What staff see first: the next events, and all that waits for somebody. */
async function show(context: StaffContext): Promise<Answer> {
  const { t, rights, today } = context
  if (!rights.create) return done(context, sectionPath('account'))
  const box = (name: string, query: Record<string, string>) => eventBox(context, name, query)
  const newest = { orderby: 'modified', order: 'desc' }
  const main = html`${await setupNotice(context)}${await attention(context)}<div class="boxes">
${await box('next', { start_date: today, status: 'publish' })}
${await box('pending', { status: 'pending', ...newest })}
${await box('drafts', { status: 'draft', ...newest })}
${await box('scheduled', { status: 'future' })}
${await box('changed', newest)}
</div>`
  const tools = html`<a class="button primary" href="${context.link('/manage/events/new')}">${icon('plus')}${t('staff.new')}</a>`
  return screenPage(context, { section: 'overview', title: t('manage_screens.sections.overview'), tools, main })
}

/** A list of some events with a link to all of them. An empty one says so in one line. */
async function eventBox(context: StaffContext, name: string, query: Record<string, string>): Promise<Markup> {
  const { call, t, count, link } = context
  const { events, total } = await listTable(call.scope, () => ({ ...query, per_page: SHOWN }))
  const isReview = name === 'pending' && context.rights.edit === 'all'
  const senders = await sendersOf(call.scope, isReview ? events.map(({ row }) => row.id) : [])
  const title = t(`manage_screens.overview.${name}`)
  const rest = html`<p><a href="${link(`/manage/events?${new URLSearchParams(query)}`)}">${count('manage_screens.overview.all', total)}</a></p>`
  return html`<section class="box" aria-labelledby="box-${name}"><h2 id="box-${name}">${title}</h2>
${events.length > 0 ? html`<ul class="lines">${events.map((event) => line(context, event, senders.get(event.row.id)))}</ul>${total > events.length && rest}` : html`<p class="quiet">${t(`manage_screens.overview.no_${name}`)}</p>`}
</section>`
}

function line(context: StaffContext, { row }: Event, sender: SuggestionRow | undefined): Markup {
  const from = sender && [sender.sender_name, sender.sender_email].filter(Boolean).join(', ')
  return html`<li><a href="${context.link(`/manage/events/${row.id}`)}" dir="auto">${row.title}</a> ${statusMark(context, row.status)}<br><span class="quiet">${whenIn(context, row)}${from && html` · <span dir="auto">${context.t('manage_screens.review.from', { name: from })}</span>`}</span></li>`
}

/** Upcoming events that lack something. Nothing is shown if nothing is missing. */
async function attention(context: StaffContext): Promise<MarkupPart> {
  const { call, count, link, today, t } = context
  const items: Markup[] = []
  for (const lacks of ['venue', 'image'] as const) {
    const query = { start_date: today, status: 'publish', lacks }
    const { total } = await listTable(call.scope, () => ({ ...query, per_page: 1 }))
    if (total === 0) continue
    const words = count(`manage_screens.overview.lacks_${lacks}`, total)
    items.push(html`<li><a href="${link(`/manage/events?${new URLSearchParams(query)}`)}">${words}</a></li>`)
  }
  const failed = context.rights.edit === 'all' ? await failedMail(call.scope) : []
  if (failed.length > 0)
    items.push(
      html`<li>${count('manage_screens.overview.failed_mail', failed.length)}: ${failed.slice(0, SHOWN).map(({ to, error }) => html`<br><span class="quiet" dir="auto">${to}: ${error}</span>`)}</li>`,
    )
  for (const run of context.rights.edit === 'all' ? await listFailed(call.scope) : [])
    items.push(
      html`<li><a href="${link(`/manage/imports/${run.id}`)}">${t('manage_screens.overview.failed_import', { name: run.name })}</a></li>`,
    )
  return (
    items.length > 0 &&
    html`<section class="attention" aria-labelledby="attention"><h2 id="attention">${icon('warning')}${t('manage_screens.overview.attention')}</h2><ul>${items}</ul></section>\n`
  )
}

export const overview: Screen = { path: '', allows: SECTIONS.account, show }
