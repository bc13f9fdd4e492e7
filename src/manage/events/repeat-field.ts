import { addDays } from '../../calendar/days.ts'
import { SERIES_SCOPES, type SeriesScope } from '../../domain/series-reach.ts'
import { html, type Markup } from '../../lib/markup.ts'
import { problemText } from '../../lib/problem-text.ts'
import { say, weekStart } from '../../pages/dates.ts'
import { type FormState, field, select, textArea } from '../form.ts'
import type { StaffContext } from '../screen.ts'
import { ENDS, MONTHLY, REPEATS, WEEKDAYS } from './repeat-values.ts'

/** Path of the screen that says which dates the fields mean. */
export const PREVIEW_PATH = '/manage/events/recurrence-preview'

/** How an event repeats. All fields are there without a script, which shows only those that matter and a calendar. */
export function repeatField(context: StaffContext, form: FormState): Markup {
  const { t, link } = context
  const words = (name: string) => t(`manage_screens.repeat.${name}`)
  const choices = <Name extends string>(group: string, names: readonly Name[]) =>
    names.map((name) => [name, words(`${group}.${name}`)] as const)
  return html`<fieldset class="recurrence" data-recurrence="${link(PREVIEW_PATH)}" data-words="${calendarWords(context)}"><legend>${words('title')}</legend>
<div class="row">${select(context, form, { name: 'repeat' }, choices('kinds', REPEATS))}
${field(context, form, { name: 'repeat_interval', type: 'number', hint: words('interval_hint'), class: 'for-daily for-weekly for-monthly for-yearly', attributes: html` min="1" max="999" placeholder="1"` })}</div>
${weekdays(context, form)}
${select(context, form, { name: 'repeat_monthly', class: 'for-monthly' }, choices('monthly', MONTHLY))}
${textArea(context, form, { name: 'recurrence', hint: words('custom_hint'), class: 'for-custom', attributes: html` spellcheck="false" placeholder="FREQ=MONTHLY;BYDAY=-1FR"` }, 2)}
<div class="row for-daily for-weekly for-monthly for-yearly">${select(context, form, { name: 'repeat_end' }, choices('ends', ENDS))}
${field(context, form, { name: 'repeat_until', type: 'date', class: 'for-until' })}
${field(context, form, { name: 'repeat_count', type: 'number', class: 'for-count', attributes: html` min="1" max="5000"` })}</div>
${dates(context, form)}
</fieldset>`
}

function weekdays(context: StaffContext, form: FormState): Markup {
  const { t, today } = context
  const chosen = (form.values.repeat_days ?? '').split(/[,\s]+/)
  const first = weekStart(context, today)
  const days = Array.from({ length: 7 }, (_, at) => addDays(first, at))
  const box = (day: string) => {
    const name = WEEKDAYS[Temporal.PlainDate.from(day).dayOfWeek - 1] ?? 'MO'
    return html`<label><input type="checkbox" name="repeat_days[]" value="${name}"${chosen.includes(name) && html` checked`}> ${say(context, day, 'weekday')}</label>`
  }
  return html`<fieldset class="choice days for-weekly" id="field-repeat_days"><legend>${t('manage_screens.fields.repeat_days')}</legend>${days.map(box)}</fieldset>`
}

/** Further dates and exceptions, as texts. A script adds a calendar to click them on. */
function dates(context: StaffContext, form: FormState): Markup {
  const { t } = context
  const words = (name: string) => t(`manage_screens.repeat.${name}`)
  const isUsed = Boolean(form.values.repeat_dates || form.values.repeat_except || form.values.repeat === 'dates')
  const list = (name: string, hint?: string) =>
    textArea(context, form, { name, ...(hint !== undefined && { hint }), attributes: html` spellcheck="false"` }, 3)
  return html`<details class="more for-daily for-weekly for-monthly for-yearly for-dates for-custom"${isUsed && html` open`}><summary>${words('dates')}</summary>
<div class="row">${list('repeat_dates', words('dates_hint'))}${list('repeat_except')}</div></details>`
}

/** Texts that the script needs, as JSON. */
function calendarWords({ t, locale }: StaffContext): string {
  const names = ['next_dates', 'ends', 'goes_on', 'no_dates', 'calendar', 'calendar_hint', 'previous', 'next']
  const states = ['occurs', 'added', 'left_out', 'free']
  return JSON.stringify({
    locale,
    ...Object.fromEntries(names.map((name) => [name, t(`manage_screens.repeat.script.${name}`)])),
    states: Object.fromEntries(states.map((name) => [name, t(`manage_screens.repeat.states.${name}`)])),
  })
}

/** How far an action on an event of a series reaches. */
export function scopeField({ t, language }: StaffContext, { values, problems }: FormState): Markup {
  const chosen = SERIES_SCOPES.find((scope) => scope === values.scope) ?? 'this'
  const problem = problems.scope
  const choice = (scope: SeriesScope) =>
    html`<label><input type="radio" name="scope" value="${scope}"${scope === chosen && html` checked`}> ${t(`manage_screens.repeat.scopes.${scope}`)}</label>`
  return html`<fieldset class="choice scope" id="field-scope"><legend>${t('manage_screens.fields.scope')}</legend>${SERIES_SCOPES.map(choice)}${problem && html`<p class="problem" id="problem-scope">${problemText(language, problem)}</p>`}</fieldset>`
}
