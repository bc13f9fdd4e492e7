import { type JobView, listAll, remove, retry } from '../domain/job-list.ts'
import type { Answer } from '../http/endpoint.ts'
import { html, type Markup } from '../lib/markup.ts'
import { when } from './date-and-time.ts'
import { button, formStart } from './form.ts'
import { SECTIONS, screenPage } from './layout.ts'
import { done, type Screen, type StaffContext } from './screen.ts'

const PATH = '/manage/jobs'

/** Background jobs: those that have failed first, then those that run, then those that wait. */
async function show(context: StaffContext): Promise<Answer> {
  const { call, t } = context
  const { jobs, total } = await listAll(call.scope)
  const column = (name: string) => html`<th scope="col">${t(`manage_screens.jobs.${name}`)}</th>`
  const main = html`<p class="quiet" role="status">${context.count('manage_screens.jobs.found', total)}</p>
<p class="hint">${t('manage_screens.jobs.lead')}</p>
<table class="table"><caption class="unseen">${t('manage_screens.sections.jobs')}</caption>
<thead><tr>${column('kind')}${column('state')}${column('when')}${column('attempts')}${column('error')}<th scope="col"><span class="unseen">${t('manage_screens.jobs.actions')}</span></th></tr></thead>
<tbody>${jobs.map((job) => line(context, job))}</tbody></table>`
  return screenPage(context, { section: 'jobs', title: t('manage_screens.sections.jobs'), main })
}

function line(context: StaffContext, job: JobView): Markup {
  const { t } = context
  const label = (name: string) => html` data-label="${t(`manage_screens.jobs.${name}`)}"`
  const moment = job.state === 'failed' ? job.ended : job.due
  const known = t(`manage_screens.jobs.kinds.${job.kind}`)
  const name = known.endsWith(`.${job.kind}`) ? job.kind : known
  const mark = job.state === 'failed' ? 'expired' : job.state
  return html`<tr><th scope="row">${name}${job.isRecurring && html` <span class="mark">${t('manage_screens.jobs.recurring')}</span>`}</th>
<td${label('state')}><span class="mark mark-${mark}">${t(`manage_screens.jobs.states.${job.state}`)}</span></td>
<td${label('when')}>${moment === null ? '–' : when(context, moment)}</td>
<td${label('attempts')}>${job.attempts}</td>
<td${label('error')}>${job.error === null ? '–' : html`<bdi>${job.error}</bdi>`}</td>
<td>${buttons(context, job)}</td></tr>
`
}

/** A recurring job stays: it would be added again at the next start. */
function buttons(context: StaffContext, { id, state, isRecurring }: JobView): Markup | null {
  if (state === 'running') return null
  const { t } = context
  return html`${formStart(context, PATH)}<input type="hidden" name="job" value="${id}"><div class="buttons">${button('retry', t('manage_screens.jobs.retry'))}${!isRecurring && button('remove', t('manage_screens.jobs.remove'), 'danger')}</div></form>`
}

/** Runs an action on a job, and comes back to the list. */
function acting(work: typeof retry, notice: string) {
  return async (context: StaffContext): Promise<Answer> => {
    const id = Number(context.call.body().job)
    const isDone = Number.isSafeInteger(id) && (await work(context.call.scope, id))
    return done(context, PATH, isDone ? notice : 'job_gone')
  }
}

export const jobScreen: Screen = {
  path: '/jobs',
  allows: SECTIONS.jobs,
  show,
  actions: { retry: acting(retry, 'job_retried'), remove: acting(remove, 'job_removed') },
}
