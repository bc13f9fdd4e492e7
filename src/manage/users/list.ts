import { type Account, list } from '../../domain/accounts.ts'
import type { Answer } from '../../http/endpoint.ts'
import { html, type Markup } from '../../lib/markup.ts'
import { icon } from '../../pages/icons.ts'
import { SECTIONS, screenPage } from '../layout.ts'
import type { Screen, StaffContext } from '../screen.ts'

export const PATH = '/manage/users'

async function show(context: StaffContext): Promise<Answer> {
  const { call, t, link } = context
  const accounts = await list(call.scope)
  const tools = html`<a class="button primary" href="${link(`${PATH}/new`)}">${icon('plus')}${t('manage_screens.users.invite')}</a>`
  const column = (name: string) => html`<th scope="col">${t(`manage_screens.users.${name}`)}</th>`
  const main = html`<p class="quiet" role="status">${context.count('manage_screens.users.found', accounts.length)}</p>
<table class="table"><caption class="unseen">${t('manage_screens.sections.users')}</caption>
<thead><tr>${column('name')}${column('email')}${column('role')}${column('state')}</tr></thead>
<tbody>${accounts.map((account) => line(context, account))}</tbody></table>`
  return screenPage(context, { section: 'users', title: t('manage_screens.sections.users'), tools, main })
}

function line(context: StaffContext, account: Account): Markup {
  const { link, t, call } = context
  const label = (name: string) => html` data-label="${t(`manage_screens.users.${name}`)}"`
  const own = account.id === call.session.user.id && html` <span class="mark">${t('manage_screens.users.you')}</span>`
  return html`<tr><th scope="row"><a href="${link(`${PATH}/${account.id}`)}" dir="auto">${account.name}</a>${own}</th>
<td${label('email')}><span dir="ltr">${account.email}</span></td>
<td${label('role')}>${roleName(context, account.role)}</td>
<td${label('state')}>${stateOf(context, account)}</td></tr>
`
}

/** Name of a role in the language of the reader. */
export function roleName({ t }: StaffContext, role: string): string {
  return t(`manage_screens.roles.${role}`)
}

/** Whether a user can sign in, in words. */
export function stateOf({ t }: StaffContext, { isDisabled, hasPassword, invitedUntil }: Account): Markup {
  const state = isDisabled ? 'disabled' : hasPassword ? 'active' : invitedUntil === null ? 'expired' : 'invited'
  const words = t(`manage_screens.users.states.${state}`)
  return state === 'active' ? html`${words}` : html`<span class="mark mark-${state}">${words}</span>`
}

export const userList: Screen = { path: '/users', allows: SECTIONS.users, show }
