import type { SessionRow } from '../../domain/sessions.ts'
import { html, type Markup } from '../../lib/markup.ts'
import { button, formStart } from '../form.ts'
import type { StaffContext } from '../screen.ts'
import { browserName } from './browser-name.ts'
import { whenOf } from './tokens.ts'

/** Browsers in which the user is signed in. */
export function sessionBox(context: StaffContext, sessions: readonly SessionRow[], path: string): Markup {
  const label = (key: string) => context.t(`manage_screens.account.${key}`)
  return html`<section class="box" aria-labelledby="sessions"><h2 id="sessions">${label('sessions')}</h2>
<p class="quiet">${label('sessions_text')}</p>
<ul class="lines">${sessions.map((session) => line(context, session))}</ul>
${sessions.length > 1 ? html`${formStart(context, path, html` class="form"`)}<div class="buttons">${button('end_sessions', label('end_sessions'))}</div></form>` : html`<p class="quiet">${label('only_session')}</p>`}
</section>`
}

function line(context: StaffContext, { id, agent, used_utc }: SessionRow): Markup {
  const { t, call } = context
  const isOwn = id === call.session.id
  const name = browserName(agent) || t('manage_screens.account.unknown_browser')
  return html`<li><strong dir="auto">${name}</strong>${isOwn && html` <span class="mark">${t('manage_screens.account.this_session')}</span>`}<br><span class="quiet">${t('manage_screens.account.last_use', { time: whenOf(context, used_utc) })}</span></li>
`
}
