import type { Answer } from '../http/endpoint.ts'
import { html } from '../lib/markup.ts'
import type { Context } from '../pages/context.ts'
import { answer } from '../pages/layout.ts'
import { signInPath } from '../pages/staff-bar.ts'

/** Limit on fields that are shown again. */
const MAX_FIELDS = 500

/**
 * Answers a form whose token is wrong: the session ended, or another began. Nothing was done. All that was typed stands in
 * a form with the right token, which the user can send again.
 */
export function staleForm(context: Context, body: Record<string, unknown>): Answer {
  const { call, t, link } = context
  const { session } = call
  const fields = pairsOf(body)
    .filter(([name]) => name !== 'csrf' && name !== 'password' && name !== 'current_password')
    .slice(0, MAX_FIELDS)
  const shown = fields.filter(([name, value]) => name !== 'do' && value !== '')
  const main = html`<div class="narrow"><h1>${t('stale.title')}</h1>
<p>${session === null ? t('stale.signed_out') : t('stale.text')}</p>
${session === null && html`<p><a class="button" href="${link(signInPath(''))}" target="_blank">${t('sign_in')}</a></p>`}
<form method="post" action="${link(call.path)}">
<input type="hidden" name="csrf" value="${session?.csrf ?? ''}">
${fields.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">\n`)}
<button class="button primary" type="submit">${t('stale.again')}</button></form>
${shown.length > 0 && html`<h2>${t('stale.typed')}</h2><dl class="typed">${shown.map(([name, value]) => html`<dt>${name}</dt><dd dir="auto">${value}</dd>`)}</dl>`}</div>`
  return answer(context, { title: t('stale.title'), path: '/', main, hidden: true, status: 403, secret: true })
}

/** Fields of a form as pairs. Files are left out: a page cannot send them again. */
function pairsOf(value: unknown, name = ''): [string, string][] {
  if (typeof value === 'string') return [[name, value]]
  if (Array.isArray(value)) return value.flatMap((item, at) => pairsOf(item, `${name}[${at}]`))
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return []
  return Object.entries(value).flatMap(([key, item]) => pairsOf(item, name === '' ? key : `${name}[${key}]`))
}
