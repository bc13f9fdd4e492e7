import type { Answer } from '../../http/endpoint.ts'
import type { ReadingOptions } from '../../imports/runs/content.ts'
import { INTERVALS } from '../../imports/runs/feeds.ts'
import type { Preview } from '../../imports/runs/preview.ts'
import type { ImportRunRow } from '../../imports/runs/runs.ts'
import type { TableColumns } from '../../imports/table/columns.ts'
import { COLUMN_FIELDS } from '../../imports/table/headers.ts'
import { html, type Markup, type MarkupPart } from '../../lib/markup.ts'
import { problemText } from '../../lib/problem-text.ts'
import { button, formStart, select } from '../form.ts'
import { screenPage } from '../layout.ts'
import type { StaffContext } from '../screen.ts'
import { counts, listed, notes } from './report.ts'

/** What an import would do, with the buttons to do it. Nothing has been saved. */
export function previewPage(
  context: StaffContext,
  run: Pick<ImportRunRow, 'id' | 'name' | 'url'>,
  { report, problem, items, columns }: Preview,
  options: ReadingOptions,
): Answer {
  const { t, language } = context
  const label = (name: string) => t(`manage_screens.imports.${name}`)
  const main = html`<div class="stack">${formStart(context, '/manage/imports', html` class="form"`)}<input type="hidden" name="import" value="${run.id}">
${problem !== null && problemBox(columns?.isLacking && options.columns === null ? label('map_columns') : problemText(language, problem))}
${report !== null && html`<p class="notice" role="status">${label('nothing_saved')}</p>${counts(context, report)}`}
${columns !== null && readingFields(context, columns, options)}
${run.url !== null && report !== null && schedule(context)}
<div class="buttons">${report !== null && button('run', label('run'), 'primary')}${columns !== null && button('check', label('check_again'), report === null ? 'primary' : '')}<a class="button" href="${context.link('/manage/imports')}">${label('cancel')}</a></div></form>
${listed(context, items)}${report !== null && notes(context, report)}</div>`
  return screenPage(context, {
    section: 'imports',
    title: run.name,
    back: { path: '/manage/imports', words: t('manage_screens.sections.imports') },
    main,
  })
}

function problemBox(words: string): Markup {
  return html`<div class="refused" role="alert" tabindex="-1" autofocus><p>${words}</p></div>`
}

/** What the columns of a table mean, and how its dates are written. */
function readingFields(context: StaffContext, { columns, isLacking }: TableColumns, options: ReadingOptions): Markup {
  const { t, call } = context
  const label = (name: string) => t(`manage_screens.imports.${name}`)
  const { dateOrder } = call.scope.site
  const order = options.dates === null ? '' : options.dates === 'day-first' ? 'dmy' : 'mdy'
  const asShown = t('manage_screens.imports.dates_or', { order: label(dateOrder) })
  const dates = select(
    context,
    { values: { date_order: order }, problems: {} },
    { name: 'date_order', label: label('date_order') },
    [
      ['', asShown],
      ['dmy', label('dmy')],
      ['mdy', label('mdy')],
    ],
  )
  const isTold = options.columns !== null
  return html`<fieldset><legend>${label('reading')}</legend>${dates}
<details class="more"${(isLacking || isTold) && html` open`}><summary>${label('columns')}</summary><div class="columns">${columns.map((column, place) => columnField(context, column, place))}</div></details></fieldset>`
}

function columnField(
  { t }: StaffContext,
  { name, samples, field }: TableColumns['columns'][number],
  place: number,
): Markup {
  const option = (value: string): MarkupPart =>
    html`<option value="${value}"${value === field && html` selected`}>${t(`manage_screens.imports.fields.${value || 'none'}`)}</option>`
  return html`<div class="field"><label for="column-${place}"><bdi>${name || place + 1}</bdi></label><select id="column-${place}" name="column[${place}]">${['', ...COLUMN_FIELDS].map(option)}</select><p class="hint" dir="auto">${samples.join(' · ')}</p></div>`
}

/** An address may be imported again and again. */
function schedule(context: StaffContext): Markup {
  const { t } = context
  const label = (name: string) => t(`manage_screens.imports.${name}`)
  const choices = Object.keys(INTERVALS).map((name) => [name, label(name)] as const)
  return select(context, { values: {}, problems: {} }, { name: 'every', label: label('every') }, [
    ['', label('once')],
    ...choices,
  ])
}
