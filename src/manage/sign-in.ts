import { signOut as endSession, isCsrf, signIn as openSession } from '../domain/sessions.ts'
import type { Answer, Call, View } from '../http/endpoint.ts'
import { sessionCookie } from '../http/session-cookie.ts'
import { AppError } from '../lib/errors.ts'
import { html, type Markup } from '../lib/markup.ts'
import { type Context, contextOf } from '../pages/context.ts'
import { answer } from '../pages/layout.ts'
import { redirectTo } from '../pages/redirect.ts'
import { MANAGE } from './screen.ts'
import { staleForm } from './stale-form.ts'

/** Longest name, password and next address that are looked at. */
const MAX_LENGTH = 2000

/** Any origin: `next` is a path below it, or is not ours. */
const NOWHERE = 'http://kalends.invalid'

/** A path of this service that sign-in may lead to; that of the screens for everything else. */
export function ownPath(next: unknown, home: string): string {
  const given = typeof next === 'string' ? next : ''
  const path = given.startsWith(`${home}/`) ? given.slice(home.length) : given
  const url = path.startsWith('/') ? URL.parse(path, NOWHERE) : null
  if (url === null || url.origin !== NOWHERE || url.pathname.startsWith('//')) return MANAGE
  return `${url.pathname}${url.search}${url.hash}`
}

async function signIn(call: Call): Promise<Answer> {
  const context = contextOf(call)
  const { home } = call.addresses
  if (call.method !== 'POST') {
    const next = call.search.get('next') ?? ''
    if (call.session !== null) return redirectTo(context.link(ownPath(next, home)), 303)
    return signInPage(context, { next, user: '', fault: null })
  }
  const { user, password, next } = call.body()
  const typed = {
    next: String(next ?? '').slice(0, MAX_LENGTH),
    user: typeof user === 'string' ? user.slice(0, MAX_LENGTH) : '',
  }
  try {
    const given = { name: typed.user, password: typeof password === 'string' ? password.slice(0, MAX_LENGTH) : '' }
    const secret = await openSession(call.scope, given, call.header('user-agent') ?? '')
    // A session that this browser had before ends: nobody else may go on with it.
    if (call.session !== null) await endSession(call.scope, call.session)
    return withCookie(redirectTo(context.link(ownPath(next, home)), 303), sessionCookie(home, secret))
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    if (error.code === 'incorrect_password') return signInPage(context, { ...typed, fault: 'wrong' })
    if (error.code !== 'rest_too_many_requests') throw error
    return signInPage(context, { ...typed, fault: 'too_many' }, error.details.headers)
  }
}

async function signOut(call: Call): Promise<Answer> {
  const context = contextOf(call)
  const { session } = call
  if (session !== null) {
    if (!isCsrf(session, call.body().csrf)) return staleForm(context, call.body())
    await endSession(call.scope, session)
  }
  return withCookie(redirectTo(context.link('/'), 303), sessionCookie(call.addresses.home, null))
}

function withCookie(answered: Answer, cookie: string): Answer {
  return { ...answered, headers: { ...answered.headers, 'set-cookie': cookie } }
}

interface Typed {
  readonly next: string
  readonly user: string
  readonly fault: 'wrong' | 'too_many' | null
}

function signInPage(context: Context, { next, user, fault }: Typed, headers: Record<string, string> = {}): Answer {
  const { t, link, call } = context
  const marked = fault !== null && html` aria-invalid="true" aria-describedby="wrong"`
  const main: Markup = html`<div class="narrow">
<h1>${t('sign_in')}</h1>
<form class="panel password sign-in" method="post" action="${link('/sign-in')}">
${fault !== null && html`<p class="problem" id="wrong" role="alert">${t(`sign_in_form.${fault}`)}</p>`}
<label for="user">${t('sign_in_form.user')}</label>
<input id="user" name="user" value="${user}" required autocomplete="username" autocapitalize="none" spellcheck="false" maxlength="${MAX_LENGTH}"${marked}${user === '' && html` autofocus`}>
<label for="password">${t('sign_in_form.password')}</label>
<input id="password" type="password" name="password" required autocomplete="current-password" maxlength="${MAX_LENGTH}"${marked}${user !== '' && html` autofocus`}>
<input type="hidden" name="next" value="${ownPath(next, call.addresses.home)}">
<button class="button primary" type="submit">${t('sign_in')}</button>
</form></div>`
  const status = fault === null ? 200 : fault === 'wrong' ? 400 : 429
  const page = answer(context, { title: t('sign_in'), path: '/sign-in', main, hidden: true, status, secret: true })
  return { ...page, headers: { ...page.headers, ...headers } }
}

export const signInViews: readonly View[] = [
  { path: '/sign-in', methods: ['GET', 'POST'], parameters: ['next'], session: true, handle: signIn },
  { path: '/sign-out', methods: ['POST'], session: true, handle: signOut },
]
