import type { Answer } from '../../http/endpoint.ts'
import { parseOptions } from '../../imports/runs/content.ts'
import * as runs from '../../imports/runs/runs.ts'
import { undo as undoRun } from '../../imports/runs/undo.ts'
import { AppError, type Problem } from '../../lib/errors.ts'
import { html, type Markup, type MarkupPart } from '../../lib/markup.ts'
import { problemText } from '../../lib/problem-text.ts'
import { when } from '../date-and-time.ts'
import { button, formStart } from '../form.ts'
import { screenPage } from '../layout.ts'
import { done, type StaffContext } from '../screen.ts'
import { counts, notes } from './report.ts'

const PATH = '/manage/imports'
/** Seconds after which the page of a run is asked for again. */
const RELOAD = 2

const IN_PROGRESS: readonly string[] = ['queued', 'running', 'undoing']

function reportOf({ report }: runs.ImportRunRow): Partial<runs.StoredReport> {
  return report === null ? {} : (JSON.parse(report) as Partial<runs.StoredReport>)
}

function errorOf({ language }: StaffContext, { error }: runs.ImportRunRow): string | null {
  return error === null ? null : problemText(language, JSON.parse(error) as Problem)
}

/** A run in one line of a list. */
export function runLine(context: StaffContext, run: runs.ImportRunRow): Markup {
  const { t, link } = context
  const { created = 0, updated = 0, removed = 0, skipped = 0 } = reportOf(run)
  const told =
    run.state === 'done'
      ? t('manage_screens.imports.short', { created, updated, removed, skipped })
      : errorOf(context, run)
  return html`<li><a href="${link(`${PATH}/${run.id}`)}"><bdi>${run.name}</bdi></a> <span class="mark mark-${run.state}">${t(`manage_screens.imports.states.${run.state}`)}</span><br><span class="quiet">${when(context, run.created_utc)}${told && html` · ${told}`}</span></li>`
}

export async function show(context: StaffContext): Promise<Answer> {
  const { call, t } = context
  const run = await runs.get(call.scope, call.id)
  if (run.state === 'checked') return done(context, PATH)
  const isRunning = IN_PROGRESS.includes(run.state)
  const answered = screenPage(context, {
    section: 'imports',
    title: run.name,
    back: { path: PATH, words: t('manage_screens.sections.imports') },
    main: result(context, run, isRunning),
  })
  // Also without scripts.
  return isRunning ? { ...answered, headers: { ...answered.headers, refresh: String(RELOAD) } } : answered
}

function result(context: StaffContext, run: runs.ImportRunRow, isRunning: boolean): Markup {
  const { t, link, count } = context
  const label = (name: string) => t(`manage_screens.imports.${name}`)
  const report = reportOf(run)
  const failed = errorOf(context, run)
  const all = { created: 0, updated: 0, removed: 0, unchanged: 0, skipped: 0, notes: [], ...report }
  const done = all.created + all.updated + all.removed + all.unchanged + all.skipped
  const mayUndo = run.state === 'done' || run.state === 'failed'
  return html`<div class="stack"><p class="notice" role="status">${t(`manage_screens.imports.states.${run.state}`)} · ${when(context, run.ended_utc ?? run.created_utc)}</p>
${isRunning && html`<p><progress class="progress"></progress> ${count('manage_screens.imports.so_far', done)} <a href="${link(`${PATH}/${run.id}`)}">${label('reload')}</a></p>`}
${failed !== null && html`<div class="refused" role="alert"><p>${failed}</p></div>`}
${left(context, run, report)}${counts(context, all)}
${mayUndo && html`${formStart(context, `${PATH}/${run.id}`)}<p class="hint">${label('undo_hint')}</p><div class="buttons">${button('undo', label('undo'), 'danger')}</div></form>`}
${notes(context, all)}</div>`
}

/** After an undo: what was left, because somebody has changed it since. */
function left(
  { t, count }: StaffContext,
  { state }: runs.ImportRunRow,
  report: Partial<runs.StoredReport>,
): MarkupPart {
  if (state !== 'undone') return null
  const kept = report.left ?? []
  return html`<section class="box"><h2>${count('manage_screens.imports.undone', report.undone ?? 0)}</h2>${kept.length > 0 && html`<p>${t('manage_screens.imports.left')}</p><ul class="lines">${kept.map(({ name }) => html`<li dir="auto">${name}</li>`)}</ul>`}</section>`
}

/** Undoes a run. */
export async function undo(context: StaffContext, id: number): Promise<Answer> {
  await undoRun(context.call.scope, id)
  return done(context, `${PATH}/${id}`)
}

/** Runs what was checked, with the columns as they were. */
export async function start(context: StaffContext): Promise<Answer> {
  const { call } = context
  const run = await runs.get(call.scope, call.id)
  if (run.state !== 'checked') throw new AppError('rest_no_route')
  await runs.start(call.scope, run.id, parseOptions(run.options))
  return done(context, `${PATH}/${run.id}`)
}
