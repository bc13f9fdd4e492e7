import type { Answer, Call } from '../http/endpoint.ts'
import type { AppError } from '../lib/errors.ts'
import { html } from '../lib/markup.ts'
import { text } from '../lib/texts.ts'
import { contextOf } from './context.ts'
import { answer } from './layout.ts'
import { signInPath } from './staff-bar.ts'

/** Statuses with their own text; others use that of 500. */
const TOLD = [400, 401, 403, 404, 410, 413, 429, 503]

/** Statuses that a sign-in may change: what is not found may be a draft of the reader. */
const MAY_SIGN_IN = [401, 403, 404]

/** Error page. Whoever is refused may sign in, and comes back. */
export function errorPage(
  error: AppError,
  call: Pick<Call, 'scope' | 'session' | 'addresses' | 'language' | 'path'>,
): Answer {
  const { language, session, path } = call
  const context = contextOf({ ...call, slug: '', search: new URLSearchParams(), sent: '', version: null })
  const { t, link } = context
  const status = TOLD.includes(error.status) ? error.status : 500
  const problems = Object.entries(error.details.params ?? {}).map(
    ([name, { problem, ...fill }]) =>
      html`<li><code>${name}</code>: ${text(language, `problems.${problem}`, fill as Record<string, string>)}</li>`,
  )
  const signIn = session === null && MAY_SIGN_IN.includes(error.status)
  const isRefused = signIn && error.status !== 404
  const ways = [
    html`<a class="${isRefused ? 'button' : 'button primary'}" href="${link('/events/')}">${t('all_events')}</a> `,
    signIn &&
      html`<a class="${isRefused ? 'button primary' : 'button'}" href="${link(signInPath(path))}">${t('sign_in')}</a> `,
  ]
  const main = html`<div class="narrow failure"><p class="eyebrow">${error.status}</p><h1>${t(`failures.${status}.title`)}</h1>
<p>${t(`failures.${status}.text`)}</p>${problems.length > 0 && html`<ul>${problems}</ul>`}
<p>${isRefused ? ways.toReversed() : ways}</p></div>`
  return answer(context, { title: t(`failures.${status}.title`), path: '/', main, hidden: true, status: error.status })
}
