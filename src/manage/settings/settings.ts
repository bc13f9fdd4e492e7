import { update } from '../../domain/settings.ts'
import type { Answer } from '../../http/endpoint.ts'
import { AppError } from '../../lib/errors.ts'
import { html, type Markup } from '../../lib/markup.ts'
import type { SettingField } from '../../schema/settings.ts'
import { button, type FormState, formStart, problemsOf, typedValues } from '../form.ts'
import { SECTIONS, screenPage } from '../layout.ts'
import { done, type Screen, type StaffContext } from '../screen.ts'
import { ownLogo, sentSettings, settingFieldsOf, settingValues } from './fields.ts'

const PATH = '/manage/settings'

/** Groups of fields, with the text of their heading. */
const GROUPS: Readonly<Record<string, readonly SettingField[]>> = {
  calendar: ['site_name', 'language', 'suggest'],
  look: ['logo', 'accent'],
  time: ['timezone', 'week_start', 'clock'],
  data: ['currency', 'date_order', 'tiles'],
}

function page(context: StaffContext, refused: FormState | null = null): Answer {
  const { t } = context
  const values = settingValues(context)
  // A checkbox that is off is not sent.
  const form = refused ?? { values, problems: {} }
  const shown = settingFieldsOf(context, {
    ...form,
    values: { ...values, ...(refused && { suggest: '' }), ...form.values },
  })
  const group = ([name, fields]: [string, readonly SettingField[]]): Markup =>
    html`<section class="box" aria-labelledby="group-${name}"><h2 id="group-${name}">${t(`manage_screens.settings.${name}`)}</h2>${fields.map(shown)}</section>\n`
  const main = html`${formStart(context, PATH, html` class="form" enctype="multipart/form-data"`)}
<div class="staff-columns">
${Object.entries(GROUPS).map(group)}</div>
<div class="buttons">${button('save', t('manage_screens.settings.save'), 'primary')}</div></form>`
  return screenPage(context, {
    section: 'settings',
    title: t('manage_screens.sections.settings'),
    main,
    ...(refused && { status: 400 }),
  })
}

/** Answers a form that was refused with a page that shows why; other errors are thrown. */
export function refusedForm(context: StaffContext, error: unknown): FormState {
  if (!(error instanceof AppError) || error.details.params === undefined) throw error
  return { values: typedValues(context.call.body()), problems: problemsOf(error) }
}

async function save(context: StaffContext): Promise<Answer> {
  const { call } = context
  try {
    const sent = () => ({ suggest: 'no', ...sentSettings(call.body()) })
    await update(call.scope, sent, { ownLogo: ownLogo(context) })
    return done(context, PATH, 'saved')
  } catch (error) {
    return page(context, refusedForm(context, error))
  }
}

export const settingsScreen: Screen = {
  path: '/settings',
  allows: SECTIONS.settings,
  upload: true,
  show: async (context) => page(context),
  actions: { save },
}
