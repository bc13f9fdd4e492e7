import { rightsOf } from '../domain/access.ts'
import { html, type Markup, safe } from '../lib/markup.ts'
import type { Context } from './context.ts'
import { icon } from './icons.ts'

/** Path of the sign-in form, which leads back to a path. */
export function signInPath(next: string): string {
  return next === '' || next === '/' ? '/sign-in' : `/sign-in?${new URLSearchParams({ next })}`
}

/** Bar above the pages for readers who signed in: what they may do from here. */
export function staffBar(context: Context, edit?: string): Markup {
  const { call, t, link } = context
  const { session } = call
  if (session === null) return safe('')
  const item = (path: string, words: string) => html`<li><a href="${link(path)}">${words}</a></li>`
  const { create } = rightsOf(session.user)
  return html`<nav class="staff" aria-label="${t('staff.label')}"><div class="wide"><ul>
${item('/manage', t('manage'))}
${edit !== undefined && html`<li><a href="${link(edit)}">${icon('edit')}${t('staff.edit')}</a></li>`}
${create && html`${item('/manage/events/new', t('staff.new'))}${item('/manage/events?status=draft', t('staff.drafts'))}`}
</ul>${signOutForm(context)}</div></nav>
`
}

/** Signing out changes something, so it is a form. */
export function signOutForm({ call: { session }, t, link }: Context): Markup {
  return html`<form method="post" action="${link('/sign-out')}"><input type="hidden" name="csrf" value="${session?.csrf}"><span class="who" dir="auto">${session?.user.name}</span><button type="submit">${t('staff.sign_out')}</button></form>`
}
