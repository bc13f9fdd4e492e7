import { toWallClock } from '../../calendar/zone.ts'
import type { Token } from '../../domain/own-account.ts'
import { isExpired } from '../../domain/users.ts'
import { html, type Markup, type MarkupPart } from '../../lib/markup.ts'
import { say } from '../../pages/dates.ts'
import { button, type FormState, field, formStart, secretField, select } from '../form.ts'
import type { StaffContext } from '../screen.ts'

/** Lifetimes that the form offers; empty for none. */
const LIFETIMES = ['30d', '90d', '365d', ''] as const

interface TokenBox {
  readonly form: FormState
  readonly tokens: readonly Token[]
  readonly made: { readonly token: string; readonly row: Token } | undefined
  readonly path: string
}

/** The tokens of the user: passwords for programs. */
export function tokenBox(context: StaffContext, { form, tokens, made, path }: TokenBox): Markup {
  const label = (key: string) => context.t(`manage_screens.account.${key}`)
  const chosen = { ...form, values: { expires: '90d', ...form.values } }
  const lifetimes = LIFETIMES.map((value) => [value, label(`lifetime_${value === '' ? 'none' : value}`)] as const)
  return html`<section class="box" aria-labelledby="tokens"><h2 id="tokens">${label('tokens')}</h2>
<p class="quiet">${label('tokens_text')}</p>
${made && shownOnce(context, made.token)}
${tokens.length > 0 && html`<ul class="lines">${tokens.map((token) => line(context, token, path))}</ul>`}
${formStart(context, path, html` class="form"`)}
${field(context, chosen, { name: 'token_name', label: label('token_name'), hint: label('token_hint'), attributes: html` maxlength="100" autocomplete="off"` })}
${select(context, chosen, { name: 'expires', label: label('expires') }, lifetimes)}
<div class="buttons">${button('create_token', label('create_token'))}</div></form></section>`
}

function shownOnce(context: StaffContext, token: string): Markup {
  const { t } = context
  return html`<div class="notice" role="status"><p>${t('manage_screens.account.token_once')}</p>
${secretField(context, 'made', t('manage_screens.account.token'), token)}</div>`
}

function line(context: StaffContext, token: Token, path: string): Markup {
  const { id, name, created_utc, expires_utc, used_utc } = token
  const { t, now } = context
  const words = (key: string, at: number) => t(`manage_screens.account.${key}`, { time: whenOf(context, at) })
  const end: MarkupPart =
    expires_utc === null
      ? t('manage_screens.account.never_expires')
      : words(isExpired(token, now) ? 'expired' : 'expires_at', expires_utc)
  const used = used_utc === null ? t('manage_screens.account.never_used') : words('used', used_utc)
  const shown = name === '' ? t('manage_screens.account.nameless', { id }) : name
  return html`<li class="token-line"><div><strong dir="auto">${shown}</strong><br><span class="quiet">${words('created', created_utc)} · ${end} · ${used}</span></div>
${formStart(context, path)}<input type="hidden" name="id" value="${id}">${button('revoke_token', t('manage_screens.account.revoke'), 'danger', html` aria-label="${t('manage_screens.account.revoke_named', { name: shown })}"`)}</form></li>
`
}

/** A moment in the time zone of the site. */
export function whenOf(context: StaffContext, instant: number): string {
  return say(context, toWallClock(instant, context.call.scope.site.timezone), 'dayYearTime')
}
