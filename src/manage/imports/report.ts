import type { ImportReport, ListedItem } from '../../imports/import-run.ts'
import { html, type Markup, type MarkupPart } from '../../lib/markup.ts'
import { problemText } from '../../lib/problem-text.ts'
import { say } from '../../pages/dates.ts'
import type { StaffContext } from '../screen.ts'

const COUNTS = ['created', 'updated', 'removed', 'unchanged', 'skipped'] as const

/** Limit on notes that are shown. */
const MAX_NOTES = 100

/** How many records were created, changed and so on. */
export function counts({ t, locale }: StaffContext, report: Pick<ImportReport, (typeof COUNTS)[number]>): Markup {
  const number = new Intl.NumberFormat(locale)
  return html`<dl class="counts">${COUNTS.map((name) => html`<div class="count-${name}"><dt>${t(`manage_screens.imports.${name}`)}</dt><dd>${number.format(report[name] ?? 0)}</dd></div>`)}</dl>`
}

/** What was skipped or read differently, and why. */
export function notes({ t, language, count }: StaffContext, report: Pick<ImportReport, 'notes'>): MarkupPart {
  const all = report.notes ?? []
  if (all.length === 0) return null
  const line = ({ line, uid, problem }: ImportReport['notes'][number]) =>
    html`<li>${line > 0 && html`<span class="quiet">${t('manage_screens.imports.line', { line })}</span> `}${uid !== '' && html`<bdi>${uid}</bdi>: `}${problemText(language, problem)}</li>`
  return html`<section class="box"><h2>${t('manage_screens.imports.notes')}</h2><ul class="lines">${all.slice(0, MAX_NOTES).map(line)}</ul>${all.length > MAX_NOTES && html`<p class="quiet">${count('manage_screens.imports.more', all.length - MAX_NOTES)}</p>`}</section>`
}

/** The first records, with what would become of each. */
export function listed(context: StaffContext, items: readonly ListedItem[]): MarkupPart {
  const { t, language } = context
  if (items.length === 0) return null
  const label = (name: string) => t(`manage_screens.imports.${name}`)
  const row = ({ name, start, outcome }: ListedItem) => {
    const words = typeof outcome === 'string' ? label(`will_be.${outcome}`) : problemText(language, outcome)
    const kind = typeof outcome === 'string' ? outcome : 'skipped'
    return html`<tr><th scope="row" dir="auto">${name}</th><td data-label="${label('start')}">${startText(context, start)}</td><td><span class="mark mark-${kind}">${words}</span></td></tr>`
  }
  return html`<table class="table plain"><caption class="unseen">${label('preview')}</caption><thead><tr><th scope="col">${label('name')}</th><th scope="col">${label('start')}</th><th scope="col">${label('outcome')}</th></tr></thead><tbody>${items.map(row)}</tbody></table>`
}

/** A start as it was read: in words or, if nobody could read it, as it is. */
function startText(context: StaffContext, start: string): string {
  const [, day = '', time] = /^(\d{4}-\d{2}-\d{2})(?:[ T](\d{2}:\d{2}(?::\d{2})?))?$/.exec(start) ?? []
  if (Number.isNaN(Date.parse(day))) return start
  return time === undefined
    ? say(context, `${day} 00:00:00`, 'shortYear')
    : say(context, `${day} ${time.padEnd(8, ':00')}`, 'dayYearTime')
}
