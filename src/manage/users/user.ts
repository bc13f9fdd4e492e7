import { type Account, get, inviteAgain, list, remove, update } from '../../domain/accounts.ts'
import type { Answer } from '../../http/endpoint.ts'
import { AppError, type Problems } from '../../lib/errors.ts'
import { html, type Markup } from '../../lib/markup.ts'
import { problemText } from '../../lib/problem-text.ts'
import { button, type FormState, field, formStart, problemsOf, select, typedValues } from '../form.ts'
import { SECTIONS, screenPage } from '../layout.ts'
import { done, type Screen, type StaffContext } from '../screen.ts'
import { backToUsers, linkPage, roleField } from './invite.ts'
import { PATH, stateOf } from './list.ts'

type Shown = Awaited<ReturnType<typeof get>>

async function page(context: StaffContext, refused: FormState | null = null): Promise<Answer> {
  const { call } = context
  const shown = await get(call.scope, call.id)
  const { account } = shown
  const { name, email, role } = account
  const form = refused ?? { values: { name, email, role }, problems: {} }
  const main = html`${general(context, form.problems)}
<div class="staff-columns">
${profile(context, shown, { ...form, values: { name, email, role, ...form.values } })}
${access(context, shown)}
${await removal(context, shown, form)}
</div>`
  return screenPage(context, {
    section: 'users',
    back: backToUsers(context),
    title: name,
    tools: stateOf(context, account),
    main,
    ...(refused && { status: 400 }),
  })
}

/** Problems of no field. */
function general({ language }: StaffContext, problems: Problems): Markup {
  const { id, disabled } = problems
  const found = [id, disabled].filter((problem) => problem !== undefined)
  return found.length === 0
    ? html``
    : html`<div class="refused" role="alert">${found.map((problem) => html`<p>${problemText(language, problem)}</p>`)}</div>`
}

const pathOf = ({ id }: Account) => `${PATH}/${id}`

function profile(context: StaffContext, { account, isLast }: Shown, form: FormState): Markup {
  const label = (name: string) => context.t(`manage_screens.users.${name}`)
  return html`<section class="box" aria-labelledby="profile"><h2 id="profile">${label('profile')}</h2>
${formStart(context, pathOf(account), html` class="form"`)}
${field(context, form, { name: 'name', label: label('name'), required: true, attributes: html` maxlength="60" autocomplete="off"` })}
${field(context, form, { name: 'email', label: label('email'), type: 'email', required: true, attributes: html` maxlength="254" autocomplete="off"` })}
${roleField(context, form)}
${isLast && html`<p class="hint">${label('last')}</p>`}
<div class="buttons">${button('save', label('save'), 'primary')}</div></form></section>`
}

/** The link to set a password, and whether the user may sign in. */
function access(context: StaffContext, { account, isLast }: Shown): Markup {
  const { isDisabled, hasPassword } = account
  const label = (name: string) => context.t(`manage_screens.users.${name}`)
  const text = isDisabled ? 'disabled_text' : hasPassword ? 'password_text' : 'waiting_text'
  return html`<section class="box" aria-labelledby="access"><h2 id="access">${label('access')}</h2>
<p>${label(text)}</p>
${formStart(context, pathOf(account), html` class="form"`)}<div class="buttons">
${isDisabled ? button('enable', label('enable'), 'primary') : button('invite', label(hasPassword ? 'password_link' : 'make_link'))}
${!isDisabled && !isLast && button('disable', label('disable'), 'danger')}
</div></form></section>`
}

async function removal(context: StaffContext, { account, records, isLast }: Shown, form: FormState): Promise<Markup> {
  const label = (name: string) => context.t(`manage_screens.users.${name}`)
  const others = (await list(context.call.scope)).filter(({ id }) => id !== account.id)
  const choices = [['', label('nobody')] as const, ...others.map(({ id, name }) => [String(id), name] as const)]
  const reassign = {
    name: 'reassign',
    label: label('reassign'),
  }
  const isRefused = form.problems.reassign !== undefined
  if (isLast && !isRefused)
    return html`<section class="box" aria-labelledby="removal"><h2 id="removal">${label('removal')}</h2><p>${label('last')}</p></section>`
  return html`<section class="box" aria-labelledby="removal"><h2 id="removal">${label('removal')}</h2>
<p>${records === 0 ? label('no_records') : context.count('manage_screens.users.records', records)}</p>
${formStart(context, pathOf(account), html` class="form"`)}
${(records > 0 || isRefused) && select(context, form, reassign, choices)}
<div class="buttons">${button('remove', label('remove'), 'danger')}</div></form></section>`
}

type Action = NonNullable<Screen['actions']>[string]

/** Runs an action. If it is refused, the screen shows why, beside the fields and with what was typed. */
function refusing(action: Action): Action {
  return async (context) => {
    try {
      return await action(context)
    } catch (error) {
      if (!(error instanceof AppError) || error.details.params === undefined) throw error
      return page(context, { values: typedValues(context.call.body()), problems: problemsOf(error) })
    }
  }
}

/** Only the fields of the form: a name of another action changes nothing. */
async function save(context: StaffContext): Promise<Answer> {
  const { call } = context
  await update(call.scope, call.id, () => {
    const { disabled: _, ...fields } = call.body()
    return fields
  })
  return done(context, `${PATH}/${call.id}`, 'saved')
}

function setDisabled(disabled: boolean): Action {
  return async (context) => {
    const { call } = context
    await update(call.scope, call.id, () => ({ disabled }))
    return done(context, `${PATH}/${call.id}`, disabled ? 'disabled' : 'enabled')
  }
}

async function removeUser(context: StaffContext): Promise<Answer> {
  const { call } = context
  await remove(call.scope, call.id, call.body)
  return done(context, PATH, 'user_removed')
}

async function renew(context: StaffContext): Promise<Answer> {
  const { call } = context
  const { account } = await get(call.scope, call.id)
  const { secret } = await inviteAgain(call.scope, call.id)
  return linkPage(context, account, secret)
}

export const userScreen: Screen = {
  path: '/users/:id',
  allows: SECTIONS.users,
  show: (context) => page(context),
  actions: {
    save: refusing(save),
    invite: refusing(renew),
    disable: refusing(setDisabled(true)),
    enable: refusing(setDisabled(false)),
    remove: refusing(removeUser),
  },
}
