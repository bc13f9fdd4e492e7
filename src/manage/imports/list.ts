import type { Answer } from '../../http/endpoint.ts'
import { type Content, contentOf, type ReadingOptions, readingOf } from '../../imports/runs/content.ts'
import { type Feed, INTERVALS, type Interval, listFeeds, schedule, stop } from '../../imports/runs/feeds.ts'
import { preview } from '../../imports/runs/preview.ts'
import * as runs from '../../imports/runs/runs.ts'
import { AppError } from '../../lib/errors.ts'
import { html, type Markup, type MarkupPart } from '../../lib/markup.ts'
import { when } from '../date-and-time.ts'
import {
  button,
  type FormState,
  field,
  formStart,
  frame,
  INVALID,
  messageOf,
  problemsOf,
  summary,
  typedValues,
} from '../form.ts'
import { screenPage } from '../layout.ts'
import { done, type StaffContext } from '../screen.ts'
import { previewPage } from './preview.ts'
import { runLine, undo } from './run.ts'

const PATH = '/manage/imports'
const SHOWN = 20

async function page(context: StaffContext, form: FormState, message: string | null, status?: number): Promise<Answer> {
  const { t, call } = context
  const label = (name: string) => t(`manage_screens.imports.${name}`)
  const last = await runs.list(call.scope, SHOWN)
  const main = html`<div class="stack">${sendForm(context, form, message)}
${await feedBox(context)}
<section class="box"><h2>${label('last')}</h2>${last.length === 0 ? html`<p class="quiet">${label('none')}</p>` : html`<ul class="lines">${last.map((run) => runLine(context, run))}</ul>`}</section></div>`
  const title = t('manage_screens.sections.imports')
  return screenPage(context, { section: 'imports', title, main, ...(status !== undefined && { status }) })
}

function sendForm(context: StaffContext, form: FormState, message: string | null): Markup {
  const label = (name: string) => context.t(`manage_screens.imports.${name}`)
  const { problems } = form
  const file = { name: 'file', label: label('file'), hint: label('file_hint') }
  return html`${formStart(context, PATH, html` class="form" enctype="multipart/form-data"`)}
${message !== null && html`<div class="refused" role="alert" tabindex="-1" autofocus><p>${message}</p></div>`}${summary(context, form, ['file', 'url'])}
<fieldset><legend>${label('new')}</legend><p class="hint">${label('lead')}</p><div class="row">
${frame(context, form, file, html`<div class="picture" data-drop><input id="field-file" type="file" name="file" accept=".ics,.csv,.tsv,.txt,text/calendar,text/csv" aria-describedby="hint-file${problems.file && ' problem-file'}"${problems.file && INVALID}></div>`)}
${field(context, form, { name: 'url', label: label('url'), hint: label('url_hint'), attributes: html` inputmode="url" placeholder="https://" autocapitalize="none"` })}</div>
<div class="buttons">${button('check', label('check'), 'primary')}</div></fieldset></form>`
}

/** Addresses that are imported by schedule, with their last results. */
async function feedBox(context: StaffContext): Promise<MarkupPart> {
  const { t, call } = context
  const feeds = await listFeeds(call.scope)
  if (feeds.length === 0) return null
  const label = (name: string) => t(`manage_screens.imports.${name}`)
  const one = ({
    row,
    interval,
    runs: last,
  }: Feed) => html`<li><bdi class="address">${row.url}</bdi> <span class="mark">${label(interval)}</span>
<br><span class="quiet">${label('next')}: ${when(context, row.next_utc)}</span>
${last.length > 0 && html`<ul class="lines">${last.map((run) => runLine(context, run))}</ul>`}
${formStart(context, PATH)}<input type="hidden" name="feed" value="${row.id}">${button('stop', label('stop'), 'danger')}</form></li>`
  return html`<section class="box"><h2>${label('feeds')}</h2><ul class="lines">${feeds.map(one)}</ul></section>`
}

const NOTHING: FormState = { values: {}, problems: {} }

/** The content of a form: a file, an address, or a file that was checked before. */
async function sentContent(
  context: StaffContext,
): Promise<{ content: Content; options: ReadingOptions; run: runs.ImportRunRow | null }> {
  const { call } = context
  const fields = call.body()
  const options = readingOf(fields)
  const run = fields.import === undefined ? null : await runs.get(call.scope, Number(fields.import))
  const content = run === null ? await contentOf(call.scope, fields) : await runs.contentOfRun(call.scope, run)
  return { content, options, run }
}

/** Runs an action; what is refused is beside its field. */
function orRefuse(work: (context: StaffContext) => Promise<Answer>): (context: StaffContext) => Promise<Answer> {
  return async (context) => {
    try {
      return await work(context)
    } catch (error) {
      if (!(error instanceof AppError) || error.status === 403 || error.status === 404) throw error
      const problems = problemsOf(error)
      const message = Object.keys(problems).length === 0 ? messageOf(context, error) : null
      return page(context, { values: typedValues(context.call.body()), problems }, message, error.status)
    }
  }
}

async function check(context: StaffContext): Promise<Answer> {
  const { call } = context
  const { content, options, run } = await sentContent(context)
  const seen = await preview(call.scope, content, options)
  if (seen.problem !== null && seen.columns === null) {
    const name = content.url === null ? 'file' : 'url'
    throw new AppError('rest_invalid_param', { params: { [name]: seen.problem } })
  }
  const id = run?.id ?? (await runs.keep(call.scope, content, options))
  return previewPage(context, { id, name: content.name, url: content.url }, seen, options)
}

async function run(context: StaffContext): Promise<Answer> {
  const { call } = context
  const { content, options, run: checked } = await sentContent(context)
  const id = checked?.id ?? (await runs.keep(call.scope, content, options))
  await runs.start(call.scope, id, options)
  const { every } = call.body()
  if (content.url !== null && typeof every === 'string' && Object.hasOwn(INTERVALS, every))
    await schedule(call.scope, content.url, every as Interval, options)
  return done(context, `${PATH}/${id}`)
}

async function stopFeed(context: StaffContext): Promise<Answer> {
  await stop(context.call.scope, Number(context.call.body().feed))
  return done(context, PATH, 'changed')
}

export const show = (context: StaffContext): Promise<Answer> => page(context, NOTHING, null)

export const actions = {
  check: orRefuse(check),
  run: orRefuse(run),
  undo: (context: StaffContext): Promise<Answer> => undo(context, Number(context.call.body().import)),
  stop: stopFeed,
}
