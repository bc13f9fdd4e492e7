import { invite } from '../../domain/accounts.ts'
import type { Answer } from '../../http/endpoint.ts'
import { AppError } from '../../lib/errors.ts'
import { html, type Markup } from '../../lib/markup.ts'
import { icon } from '../../pages/icons.ts'
import { ROLES } from '../../schema/user.ts'
import { button, type FormState, field, formStart, problemsOf, secretField, select, typedValues } from '../form.ts'
import { SECTIONS, screenPage } from '../layout.ts'
import type { Screen, StaffContext } from '../screen.ts'
import { PATH, roleName } from './list.ts'

const EMPTY: FormState = { values: { role: 'author' }, problems: {} }

/** Way back to the list. */
export function backToUsers({ t }: StaffContext): { path: string; words: string } {
  return { path: PATH, words: t('manage_screens.sections.users') }
}

function page(context: StaffContext, form: FormState): Answer {
  const { t } = context
  const label = (name: string) => t(`manage_screens.users.${name}`)
  const main = html`<div class="panel form-panel"><p class="quiet">${label('invite_text')}</p>
${formStart(context, `${PATH}/new`, html` class="form"`)}
${field(context, form, { name: 'name', label: label('name'), hint: label('name_hint'), required: true, attributes: html` maxlength="60" autocomplete="off"` })}
${field(context, form, { name: 'email', label: label('email'), type: 'email', required: true, attributes: html` maxlength="254" autocomplete="off"` })}
${roleField(context, form)}
<div class="buttons">${button('invite', label('make_link'), 'primary')}</div>
</form></div>`
  return screenPage(context, {
    section: 'users',
    back: backToUsers(context),
    title: label('invite'),
    main,
    ...(form !== EMPTY && { status: 400 }),
  })
}

/** Choice of a role, with what each may do. */
export function roleField(context: StaffContext, form: FormState): Markup {
  const { t } = context
  const choices = ROLES.map(
    (role) => [role, `${roleName(context, role)}: ${t(`manage_screens.role_rights.${role}`)}`] as const,
  )
  return select(context, form, { name: 'role', label: t('manage_screens.users.role') }, choices)
}

async function create(context: StaffContext): Promise<Answer> {
  const { call } = context
  try {
    const { account, secret } = await invite(call.scope, call.body)
    return linkPage(context, account, secret)
  } catch (error) {
    if (!(error instanceof AppError) || error.details.params === undefined) throw error
    return page(context, { values: typedValues(call.body()), problems: problemsOf(error) })
  }
}

/** Shows the link of an invitation, once. */
export function linkPage(context: StaffContext, { id, name }: { id: number; name: string }, secret: string): Answer {
  const { t, link, call } = context
  const address = `${call.addresses.home}/invite/${secret}`
  const main = html`<div class="panel form-panel"><p role="status">${icon('check')}${t('manage_screens.users.link_text')}${call.scope.mail !== null && ` ${t('manage_screens.users.link_mailed')}`}</p>
${secretField(context, 'link', t('manage_screens.users.link'), address)}
<p class="buttons"><a class="button primary" href="${link(PATH)}">${t('manage_screens.sections.users')}</a><a class="button" href="${link(`${PATH}/${id}`)}" dir="auto">${name}</a></p></div>`
  return screenPage(context, {
    section: 'users',
    back: backToUsers(context),
    title: t('manage_screens.users.invited', { name }),
    main,
  })
}

export const userInvite: Screen = {
  path: '/users/new',
  allows: SECTIONS.users,
  show: async (context) => page(context, EMPTY),
  actions: { invite: create },
}
