import { createToken, get, listTokens, revokeToken, type Token, update } from '../../domain/own-account.ts'
import { endOthers, list as listSessions } from '../../domain/sessions.ts'
import type { Answer } from '../../http/endpoint.ts'
import { AppError } from '../../lib/errors.ts'
import { html, type Markup } from '../../lib/markup.ts'
import { nameOf } from '../../pages/layout.ts'
import { MIN_PASSWORD } from '../../schema/user.ts'
import { button, type FormState, field, formStart, problemsOf, select, typedValues } from '../form.ts'
import { SECTIONS, screenPage } from '../layout.ts'
import { done, type Screen, type StaffContext } from '../screen.ts'
import { roleName } from '../users/list.ts'
import { sessionBox } from './sessions.ts'
import { tokenBox } from './tokens.ts'

const PATH = '/manage/account'

interface State {
  readonly form?: FormState
  /** A token that was just made. */
  readonly made?: { readonly token: string; readonly row: Token }
  readonly status?: number
  readonly headers?: Record<string, string>
}

async function page(context: StaffContext, { form, made, status, headers }: State = {}): Promise<Answer> {
  const { call, t } = context
  const { scope, session } = call
  const own = await get(scope)
  const { name, email, language } = own
  const values = { name, email, language: language ?? '', ...form?.values }
  const shown: FormState = { values, problems: form?.problems ?? {} }
  const main = html`<div class="staff-columns">
${profileBox(context, shown, roleName(context, own.role))}
${passwordBox(context, shown)}
${tokenBox(context, { form: shown, tokens: await listTokens(scope), made, path: PATH })}
${sessionBox(context, await listSessions(scope, session.user.id), PATH)}
</div>`
  const answered = screenPage(context, {
    section: 'account',
    title: t('manage_screens.sections.account'),
    main,
    ...(status !== undefined && { status }),
  })
  return { ...answered, headers: { ...answered.headers, ...headers } }
}

function profileBox(context: StaffContext, form: FormState, role: string): Markup {
  const { t, call } = context
  const label = (key: string) => t(`manage_screens.account.${key}`)
  const languages = [
    ['', label('browser_language')] as const,
    ...call.scope.site.languages.map((one) => [one, nameOf(one)] as const),
  ]
  return html`<section class="box" aria-labelledby="profile"><h2 id="profile">${label('profile')}</h2>
<p class="quiet">${label('role')}: ${role}</p>
${formStart(context, PATH, html` class="form"`)}
${field(context, form, { name: 'name', label: label('name'), hint: label('name_hint'), required: true, attributes: html` maxlength="60" autocomplete="username"` })}
${field(context, form, { name: 'email', label: label('email'), type: 'email', required: true, attributes: html` maxlength="254" autocomplete="email"` })}
${select(context, form, { name: 'language', label: label('language') }, languages)}
<div class="buttons">${button('save', label('save'), 'primary')}</div></form></section>`
}

function passwordBox(context: StaffContext, form: FormState): Markup {
  const label = (key: string) => context.t(`manage_screens.account.${key}`, { least: MIN_PASSWORD })
  const shown = (name: string, kind: string) =>
    field(context, form, {
      name,
      label: label(name),
      type: 'password',
      required: true,
      ...(name === 'password' && { hint: label('password_hint') }),
      attributes: html` autocomplete="${kind}"${name === 'password' && html` minlength="${MIN_PASSWORD}"`}`,
    })
  return html`<section class="box" aria-labelledby="password"><h2 id="password">${label('change_password')}</h2>
${formStart(context, PATH, html` class="form"`)}
<input type="hidden" value="${context.call.session.user.name}" autocomplete="username">
${shown('current_password', 'current-password')}
${shown('password', 'new-password')}
<div class="buttons">${button('save', label('change_password'), 'primary')}</div></form></section>`
}

type Action = NonNullable<Screen['actions']>[string]

/** Runs an action. If it is refused, the screen shows why beside the fields. */
function refusing(action: Action): Action {
  return async (context) => {
    try {
      return await action(context)
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      const form = { values: typedValues(context.call.body()), problems: problemsOf(error) }
      if (error.code === 'rest_too_many_requests') {
        const problems = { current_password: { problem: 'too_many_attempts' } }
        return page(context, { form: { ...form, problems }, status: 429, headers: error.details.headers ?? {} })
      }
      if (error.details.params === undefined) throw error
      return page(context, { form, status: 400 })
    }
  }
}

async function save(context: StaffContext): Promise<Answer> {
  const { call } = context
  await update(call.scope, call.session, call.body)
  return done(context, PATH, 'saved')
}

async function addToken(context: StaffContext): Promise<Answer> {
  const { call } = context
  return page(context, { made: await createToken(call.scope, call.body) })
}

async function removeToken(context: StaffContext): Promise<Answer> {
  const { call } = context
  await revokeToken(call.scope, Number(call.body().id))
  return done(context, PATH, 'revoked')
}

async function endSessions(context: StaffContext): Promise<Answer> {
  await endOthers(context.call.scope, context.call.session)
  return done(context, PATH, 'sessions_ended')
}

export const accountScreen: Screen = {
  path: '/account',
  allows: SECTIONS.account,
  show: (context) => page(context),
  actions: {
    save: refusing(save),
    create_token: refusing(addToken),
    revoke_token: refusing(removeToken),
    end_sessions: endSessions,
  },
}
