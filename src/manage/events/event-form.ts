import type { Event } from '../../domain/events.ts'
import type { SuggestionRow } from '../../domain/suggestions.ts'
import { MAIN_MOUNT } from '../../http/endpoint.ts'
import { html, type Markup, type MarkupPart } from '../../lib/markup.ts'
import { eventPath } from '../../pages/cards.ts'
import { icon } from '../../pages/icons.ts'
import { STATUSES, type Status } from '../../schema/record.ts'
import { type Conflict, conflictNotes } from '../conflict.ts'
import {
  button,
  checkbox,
  type FieldOptions,
  type FormState,
  field,
  formStart,
  restoredNote,
  select,
  summary,
  textArea,
} from '../form.ts'
import { imageField } from '../image-field.ts'
import { richText } from '../rich-text.ts'
import type { StaffContext } from '../screen.ts'
import { statusName } from '../status.ts'
import type { TICKET_FIELDS } from './event-values.ts'
import { repeatField, scopeField } from './repeat-field.ts'
import { REPEAT_FIELDS } from './repeat-values.ts'
import { suggestionBox } from './suggestion.ts'

/** What the form of an event shows. */
export interface EventForm extends FormState {
  /** Null for a new event. */
  readonly event: Event | null
  /** Revision and values that the form was opened with, for the next save. */
  readonly revision: string
  readonly fingerprint: string
  /** Fields that somebody else changed meanwhile; null if there was no conflict. */
  readonly conflicts: readonly Conflict[] | null
  /** Who suggested it; null if nobody did, or the user reviews nothing. */
  readonly suggestion?: SuggestionRow | null
}

const FIELDS = [
  'title',
  'start_date',
  'end_date',
  'timezone',
  ...REPEAT_FIELDS,
  'scope',
  'venue',
  'organizer',
  'description',
  'excerpt',
  'image',
  'image_file',
  'image_alt',
  'categories',
  'tags',
  'cost',
  'tickets',
  'website',
  'status',
  'date',
  'password',
  'slug',
]

/** Path of the screen of an event. */
export function editorPath(event: Event | null): string {
  return `/manage/events/${event === null ? 'new' : event.row.id}`
}

/** The form of an event, in one page: what visitors see on the left, how it is published on the right. */
export function eventForm(context: StaffContext, form: EventForm): Markup {
  const { t } = context
  const label = (name: string) => t(`manage_screens.editor.${name}`)
  return html`${formStart(context, editorPath(form.event), html` enctype="multipart/form-data" class="form editor" data-keep="${form.event?.row.id ?? 'new'}" data-rest="${context.link(MAIN_MOUNT)}"`)}
<input type="hidden" name="revision" value="${form.revision}"><input type="hidden" name="fingerprint" value="${form.fingerprint}"><input type="hidden" name="flags" value="1">
${restoredNote(context)}${summary(context, form, FIELDS)}${conflictNotes(context, form.conflicts)}
<div class="split"><div>
${field(context, form, { name: 'title', required: true, class: 'title', attributes: html` maxlength="500" autocomplete="off"` })}
<fieldset><legend>${label('when')}</legend>
<div class="row">${field(context, form, { name: 'start_date', type: 'datetime-local', required: true })}${field(context, form, { name: 'end_date', type: 'datetime-local', required: true })}</div>
<div class="row">${checkbox(context, form, { name: 'all_day' })}${field(context, form, { name: 'timezone', attributes: html` list="zones" autocomplete="off" spellcheck="false"` })}</div>${zones()}</fieldset>
${repeatField(context, form)}
<fieldset><legend>${label('where')}</legend>
${venueFields(context, form)}
${checkbox(context, form, { name: 'is_virtual' })}</fieldset>
<fieldset><legend>${label('about')}</legend>
${richText(context, form, 'description', 8)}
${textArea(context, form, { name: 'excerpt', hint: label('excerpt_hint') }, 2)}
${imageField(context, form, form.event?.image ?? null)}</fieldset>
<fieldset><legend>${label('who')}</legend>
${names(context, form, { name: 'organizer', hint: label('commas_hint') }, 'organizers')}</fieldset>
<fieldset><legend>${label('price')}</legend>
<div class="row">${field(context, form, { name: 'cost', attributes: html` maxlength="200"` })}${field(context, form, { name: 'website', type: 'url', attributes: html` placeholder="https://"` })}</div>
${tickets(context, form)}</fieldset>
${form.event?.row.status !== 'trash' && html`<div class="buttons">${button('save', label('save'), 'primary')}</div>`}
</div><div class="panels">
${publishing(context, form)}
${suggestionBox(context, form.suggestion ?? null)}
<section class="box"><h2>${label('topics')}</h2>
${names(context, form, { name: 'categories', hint: label('commas_hint') }, 'categories')}
${names(context, form, { name: 'tags', hint: label('commas_hint') }, 'tags')}</section>
<section class="box"><h2>${label('lists')}</h2>
${['featured', 'sticky', 'hide_from_listings', 'show_map', 'show_map_link'].map((name) => checkbox(context, form, { name }))}
${form.event !== null && field(context, form, { name: 'slug', hint: label('slug_hint') })}</section>
</div></div></form>`
}

/** The venue, and the address of one that is new. */
function venueFields(context: StaffContext, form: EventForm): Markup {
  const { t } = context
  const part = (name: string) => ({ name: `new_venue[${name}]`, label: t(`manage_screens.fields.${name}`) })
  return html`${names(context, form, { name: 'venue', hint: t('manage_screens.editor.venue_hint') }, 'venues')}
<details class="more" data-new="venue"><summary>${t('manage_screens.editor.new_venue')}</summary>
${field(context, form, part('address'))}<div class="row">${field(context, form, part('zip'))}${field(context, form, part('city'))}${field(context, form, part('country'))}</div></details>`
}

/** Names, which a script completes. */
function names(context: StaffContext, form: EventForm, options: FieldOptions, from: string): Markup {
  return field(context, form, { ...options, attributes: html` data-complete="${from}" autocomplete="off"` })
}

/** Status and the buttons. Only the choices that the user has are offered; the domain decides all the same. */
function publishing(context: StaffContext, form: EventForm): Markup {
  const { t, link, rights } = context
  const { event } = form
  const label = (name: string) => t(`manage_screens.editor.${name}`)
  const open: readonly Status[] = rights.publish
    ? ['draft', 'pending', 'publish', 'future', 'private']
    : ['draft', 'pending']
  const current = (form.values.status ?? 'draft') as Status
  const choices = STATUSES.filter((status) => status !== 'trash' && (open.includes(status) || status === current))
  const isTrashed = event?.row.status === 'trash'
  return html`<section class="box publishing"><h2>${label('publish')}</h2>
${
  isTrashed
    ? html`<p>${statusName(context, 'trash')}</p>`
    : select(
        context,
        form,
        { name: 'status' },
        choices.map((status) => [status, t(`manage_screens.set_status.${status}`)] as const),
      )
}
${!isTrashed && rights.publish && field(context, form, { name: 'date', type: 'datetime-local', hint: label('date_hint'), class: 'schedule' })}
${field(context, form, { name: 'password', attributes: html` autocomplete="off"`, hint: event?.row.password_hash ? label('password_kept') : label('password_hint') })}
${event?.row.password_hash && checkbox(context, form, { name: 'remove_password' })}
${event?.series && scopeField(context, form)}
<div class="buttons">${isTrashed ? html`${button('restore', label('restore'), 'primary')}${button('delete', label('delete'), 'danger')}` : buttons(context, form)}</div>
${event !== null && !isTrashed && html`<p><a href="${link(eventPath(event))}">${icon('link')}${label('view')}</a></p>`}</section>`
}

function buttons({ t, rights }: StaffContext, { event }: EventForm): MarkupPart {
  const label = (name: string) => t(`manage_screens.editor.${name}`)
  const isReview = event?.row.status === 'pending' && rights.publish
  return html`${button('save', label('save'), 'primary')}${button('preview', label('preview'), '', html` formtarget="_blank" formnovalidate`)}
${isReview && html`${button('approve', label('approve'))}<details class="more"><summary>${label('reject')}</summary><label>${label('reason')} <textarea name="reason" rows="2" dir="auto"></textarea></label>${button('reject', label('reject'), 'danger', html` formnovalidate`)}</details>`}
${event !== null && html`${button('duplicate', label('duplicate'), '', html` formnovalidate`)}${button('trash', label('trash'), 'danger', html` formnovalidate`)}`}`
}

/** Rows of tickets, with an empty one for the next. */
function tickets(context: StaffContext, form: EventForm): Markup {
  const { t } = context
  const used = Object.keys(form.values).flatMap((name) => /^tickets\[(\d+)\]/.exec(name)?.[1] ?? [])
  const count = used.length === 0 ? 0 : Math.max(...used.map(Number)) + 1
  const row = (at: number) => {
    const input = (name: (typeof TICKET_FIELDS)[number], type: FieldOptions['type'] = 'text') =>
      field(context, form, { name: `tickets[${at}][${name}]`, label: t(`manage_screens.tickets.${name}`), type })
    return html`<div class="ticket">${input('name')}${input('price')}${input('currency')}${input('url', 'url')}${input('capacity', 'number')}${input('available_from', 'datetime-local')}${input('available_until', 'datetime-local')}<input type="hidden" name="tickets[${at}][id]" value="${form.values[`tickets[${at}][id]`] ?? ''}"></div>`
  }
  const problem = form.problems.tickets
  return html`<details class="more"${(count > 0 || problem) && html` open`}><summary id="field-tickets">${t('manage_screens.fields.tickets')}</summary>
<div class="tickets-form" data-repeat>${Array.from({ length: count + 1 }, (_, at) => row(at))}</div></details>`
}

/** Zones that the browser offers while one is typed. */
let zoneList: Markup | null = null
function zones(): Markup {
  zoneList ??= html`<datalist id="zones">${Intl.supportedValuesOf('timeZone').map((zone) => html`<option value="${zone}">`)}</datalist>`
  return zoneList
}
