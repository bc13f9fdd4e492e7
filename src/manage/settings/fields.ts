import type { Site } from '../../domain/scope.ts'
import { html, type Markup } from '../../lib/markup.ts'
import { Upload } from '../../lib/upload.ts'
import { assetPath } from '../../pages/assets.ts'
import { nameOf } from '../../pages/layout.ts'
import { CLOCKS, DATE_ORDERS, type SettingField, WEEKDAYS } from '../../schema/settings.ts'
import { checkbox, type FieldOptions, type FormState, field, select } from '../form.ts'
import type { StaffContext } from '../screen.ts'

/** What stands in the fields of the settings as they are. */
export function settingValues(context: StaffContext): Record<string, string> {
  const { site } = context.call.scope
  const { design, clock, weekStart } = site
  return {
    site_name: site.name,
    language: site.languages[0] ?? '',
    logo: ownLogo(context) || design.logo,
    accent: design.accent,
    timezone: site.timezone,
    week_start: weekStart === null ? '' : (WEEKDAYS[weekStart - 1] ?? ''),
    clock: clock === null ? '' : String(clock),
    currency: site.currency,
    date_order: site.dateOrder,
    tiles: design.tiles,
    suggest: site.suggest ? '1' : '',
  }
}

/** Address of a logo that was uploaded; empty for any other. */
export function ownLogo({ assets, call }: StaffContext): string {
  const { logoFile } = call.scope.site.design
  const name = logoFile === null ? undefined : [...assets.keys()].find((key) => key.startsWith('logo.'))
  return name === undefined ? '' : new URL(assetPath(assets, name), call.addresses.home).href
}

/** Fields of a sent form: a file wins over the address of a logo. */
export function sentSettings(body: Record<string, unknown>): Record<string, unknown> {
  const { logo_file: file, ...fields } = body
  return file instanceof Upload ? { ...fields, logo: file } : fields
}

/** Renders the fields of settings by name. One that a variable or flag decides is disabled, and names it. */
export function settingFieldsOf(context: StaffContext, form: FormState): (name: SettingField) => Markup {
  const { t, call } = context
  const { site } = call.scope
  const label = (key: string) => t(`manage_screens.settings.${key}`)
  const options = (name: SettingField, more: Partial<FieldOptions> = {}): FieldOptions => {
    const source = site.fixed[name]
    const hint = source === undefined ? more.hint : t('manage_screens.settings.fixed', { source })
    return {
      ...more,
      name,
      label: label(name),
      ...(hint !== undefined && { hint }),
      attributes: html`${more.attributes}${source !== undefined && html` disabled`}`,
    }
  }
  const choose = (name: SettingField, values: readonly string[], words: (value: string) => string, hint?: string) =>
    select(
      context,
      form,
      options(name, hint === undefined ? {} : { hint }),
      values.map((value) => [value, words(value)] as const),
    )
  const byLanguage = label('by_language')
  return (name) => {
    switch (name) {
      case 'language':
        return choose(name, site.languages, nameOf, label('language_hint'))
      case 'week_start':
        return choose(name, ['', ...WEEKDAYS], (day) => (day === '' ? byLanguage : weekday(context, day)))
      case 'clock':
        return choose(name, ['', ...CLOCKS], (hours) => (hours === '' ? byLanguage : label(`clock_${hours}`)))
      case 'date_order':
        return choose(name, DATE_ORDERS, (order) => label(`order_${order}`))
      case 'suggest':
        return checkbox(context, form, options(name, { hint: label('suggest_hint') }))
      case 'accent':
        return field(context, form, options(name, { type: 'color', hint: label('accent_hint') }))
      case 'logo':
        return logoField(
          context,
          form,
          options(name, { hint: label('logo_hint'), attributes: html` maxlength="2000"` }),
          site,
        )
      case 'timezone':
        return html`${field(context, form, options(name, { attributes: html` list="zones" autocomplete="off" spellcheck="false"` }))}${zones()}`
      case 'tiles':
        return field(context, form, options(name, { hint: label('tiles_hint'), attributes: html` maxlength="2000"` }))
      case 'currency':
        return field(context, form, options(name, { hint: label('currency_hint'), attributes: html` maxlength="5"` }))
      case 'site_name':
        return field(context, form, options(name, { attributes: html` maxlength="100"` }))
    }
  }
}

/** The address of a logo, and a file in its place. */
function logoField(context: StaffContext, form: FormState, options: FieldOptions, { fixed }: Site): Markup {
  const file = html`<input id="field-logo_file" type="file" name="logo_file" accept=".svg,.png,.jpg,.jpeg,.webp" aria-label="${context.t('manage_screens.settings.logo_file')}">`
  return html`${field(context, form, options)}${fixed.logo === undefined && html`<div class="field">${file}</div>`}`
}

function zones(): Markup {
  const names = ['UTC', ...Intl.supportedValuesOf('timeZone')]
  return html`<datalist id="zones">${names.map((name) => html`<option value="${name}"></option>`)}</datalist>`
}

/** Name of a weekday, such as “Monday”: 2024-01-01 was one. */
function weekday({ locale }: StaffContext, day: string): string {
  const at = Date.UTC(2024, 0, 1 + (WEEKDAYS as readonly string[]).indexOf(day))
  return new Intl.DateTimeFormat(locale, { weekday: 'long', timeZone: 'UTC' }).format(at)
}
