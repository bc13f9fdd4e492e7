import { accept, find } from '../../domain/invitations.ts'
import { signOut as endSession, open } from '../../domain/sessions.ts'
import type { Answer, Call, View } from '../../http/endpoint.ts'
import { sessionCookie } from '../../http/session-cookie.ts'
import { AppError, type Problem } from '../../lib/errors.ts'
import { html } from '../../lib/markup.ts'
import { problemText } from '../../lib/problem-text.ts'
import { type Context, contextOf } from '../../pages/context.ts'
import { answer } from '../../pages/layout.ts'
import { redirectTo } from '../../pages/redirect.ts'
import { MIN_PASSWORD } from '../../schema/user.ts'
import { MANAGE } from '../screen.ts'

/** The page of an invitation: its user chooses a password, and is signed in. */
async function handle(call: Call): Promise<Answer> {
  const context = contextOf(call)
  const invited = await find(call.scope, call.slug)
  if (invited === null) return endedPage(context)
  if (call.method !== 'POST') return passwordPage(context, invited.name)
  try {
    const id = await accept(call.scope, call.slug, call.body)
    // The session of whoever used this browser before ends, as at every sign-in.
    if (call.session !== null) await endSession(call.scope, call.session)
    const secret = await open(call.scope, id, call.header('user-agent') ?? '')
    const next = redirectTo(context.link(MANAGE), 303)
    return { ...next, headers: { ...next.headers, 'set-cookie': sessionCookie(call.addresses.home, secret) } }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    if (error.code === 'user-not-found') return endedPage(context)
    const problem = error.details.params?.password
    if (problem === undefined) throw error
    return passwordPage(context, invited.name, problem)
  }
}

/** Other sites do not learn the address by a link: it is a secret. Without any referrer, browsers would send no origin either. */
const HEADERS = { 'referrer-policy': 'same-origin' }

function passwordPage(context: Context, name: string, problem: Problem | null = null): Answer {
  const { t, link, call, language } = context
  const marked = problem !== null && html` aria-invalid="true"`
  const main = html`<div class="narrow"><h1>${t('invitation.title')}</h1>
<form class="panel password sign-in" method="post" action="${link(`/invite/${call.slug}`)}">
<p>${t('invitation.text', { name })}</p>
<input type="hidden" name="user" value="${name}" autocomplete="username">
${problem !== null && html`<p class="problem" id="wrong" role="alert">${problemText(language, problem)}</p>`}
<label for="password">${t('invitation.password')}</label>
<input id="password" type="password" name="password" required minlength="${MIN_PASSWORD}" autocomplete="new-password" autofocus aria-describedby="${problem !== null && 'wrong '}password-hint"${marked}>
<p class="hint" id="password-hint">${t('invitation.hint', { least: MIN_PASSWORD })}</p>
<button class="button primary" type="submit">${t('invitation.set')}</button>
</form></div>`
  const status = problem === null ? 200 : 400
  const page = answer(context, { title: t('invitation.title'), path: '/', main, hidden: true, status, secret: true })
  return { ...page, headers: { ...page.headers, ...HEADERS } }
}

function endedPage(context: Context): Answer {
  const { t, link } = context
  const main = html`<div class="narrow failure"><h1>${t('invitation.ended')}</h1>
<p>${t('invitation.ended_text')}</p>
<p><a class="button primary" href="${link('/sign-in')}">${t('sign_in')}</a></p></div>`
  const page = answer(context, {
    title: t('invitation.ended'),
    path: '/',
    main,
    hidden: true,
    status: 404,
    secret: true,
  })
  return { ...page, headers: { ...page.headers, ...HEADERS } }
}

export const invitationView: View = { path: '/invite/:slug', methods: ['GET', 'POST'], session: true, handle }
