import { machineZone } from '../../calendar/machine-zone.ts'
import { listTable } from '../../domain/event-table.ts'
import { dismissSetup, update } from '../../domain/settings.ts'
import type { Answer } from '../../http/endpoint.ts'
import { html, type MarkupPart } from '../../lib/markup.ts'
import type { SettingField } from '../../schema/settings.ts'
import { button, type FormState, formStart } from '../form.ts'
import { SECTIONS, screenPage } from '../layout.ts'
import { done, MANAGE, type Screen, type StaffContext } from '../screen.ts'
import { ownLogo, sentSettings, settingFieldsOf, settingValues } from './fields.ts'
import { refusedForm } from './settings.ts'

const PATH = '/manage/setup'
const FIELDS: readonly SettingField[] = ['site_name', 'timezone', 'language', 'accent', 'logo']

/** What the form proposes: the zone of the machine and the language of the administrator, where none was chosen. */
function proposed(context: StaffContext): Record<string, string> {
  const { language, call } = context
  const { site } = call.scope
  return {
    ...settingValues(context),
    ...(!site.isNamed && { site_name: '' }),
    ...(site.timezone === 'UTC' && site.fixed.timezone === undefined && { timezone: machineZone() }),
    ...(site.languages.includes(language) && site.fixed.language === undefined && { language }),
  }
}

function page(context: StaffContext, refused: FormState | null = null): Answer {
  const { t } = context
  const label = (key: string) => t(`manage_screens.setup.${key}`)
  const form = { values: { ...proposed(context), ...refused?.values }, problems: refused?.problems ?? {} }
  const main = html`<div class="panel form-panel"><p>${label('text')}</p>
${formStart(context, PATH, html` class="form" enctype="multipart/form-data"`)}
${FIELDS.map(settingFieldsOf(context, form))}
<div class="buttons">${button('save', label('save'), 'primary')}${button('dismiss', label('dismiss'))}</div></form></div>`
  return screenPage(context, { section: 'settings', title: label('title'), main, ...(refused && { status: 400 }) })
}

async function save(context: StaffContext): Promise<Answer> {
  const { call } = context
  try {
    const sent = () => {
      const fields = sentSettings(call.body())
      return Object.fromEntries(Object.entries(fields).filter(([name]) => FIELDS.includes(name as SettingField)))
    }
    await update(call.scope, sent, { ownLogo: ownLogo(context), isSetUp: true })
    return done(context, `${MANAGE}/events/new`, 'set_up')
  } catch (error) {
    return page(context, refusedForm(context, error))
  }
}

async function dismiss(context: StaffContext): Promise<Answer> {
  await dismissSetup(context.call.scope)
  return done(context, MANAGE)
}

/** Offers the set-up to the administrator of an empty calendar, until it was done or dismissed. */
export async function setupNotice(context: StaffContext): Promise<MarkupPart> {
  const { call, rights, t, link } = context
  if (!rights.administer || call.scope.site.isSetUp) return null
  const { total } = await listTable(call.scope, () => ({ per_page: 1 }))
  if (total > 0) return null
  return html`<section class="box welcome" aria-labelledby="welcome"><h2 id="welcome">${t('manage_screens.setup.welcome')}</h2><p>${t('manage_screens.setup.offer')}</p>
${formStart(context, PATH)}<div class="buttons"><a class="button primary" href="${link(PATH)}">${t('manage_screens.setup.begin')}</a>${button('dismiss', t('manage_screens.setup.dismiss'))}</div></form></section>
`
}

export const setupScreen: Screen = {
  path: '/setup',
  allows: SECTIONS.settings,
  upload: true,
  show: async (context) => page(context),
  actions: { save, dismiss },
}
