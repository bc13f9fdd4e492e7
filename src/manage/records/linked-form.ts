import { toWallClock } from '../../calendar/zone.ts'
import type { Linked } from '../../domain/linked-records.ts'
import { html, type Markup, type MarkupPart } from '../../lib/markup.ts'
import { recordPath } from '../../pages/cards.ts'
import { icon } from '../../pages/icons.ts'
import type { Fields } from '../../schema/field.ts'
import { byLinkedKind, LINKED_FIELDS, type LinkedKind } from '../../schema/linked.ts'
import { STATUSES, type Status } from '../../schema/record.ts'
import * as types from '../../schema/value-types.ts'
import { conflictNotes } from '../conflict.ts'
import { localInput } from '../events/event-values.ts'
import {
  button,
  checkbox,
  type FieldOptions,
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
import type { RecordForm } from './editor.ts'

/** Fields with a place of their own in the form. */
const PLACED = ['author', 'date', 'date_utc', 'description', 'slug', 'status', 'image']

/** Groups of the other fields, in order of the form. A declared field that is in none of them comes in the last. */
const GROUPS: Record<string, readonly string[]> = {
  place: ['address', 'zip', 'city', 'country', 'stateprovince', 'state', 'province'],
  contact: ['phone', 'email', 'website'],
  map: ['geo_lat', 'geo_lng', 'show_map', 'show_map_link'],
}

/** Names of the declared fields of a kind, by group. */
const GROUPED = byLinkedKind((kind) => {
  const names = Object.keys(LINKED_FIELDS[kind]).filter((name) => name !== kind && !PLACED.includes(name))
  const known = Object.values(GROUPS).flat()
  const groups = Object.entries(GROUPS).map(([group, order]) => [group, order.filter((name) => names.includes(name))])
  return [...groups, ['more', names.filter((name) => !known.includes(name))]] as [string, string[]][]
})

/** Names of all fields of a form. */
export const FORM_FIELDS = byLinkedKind((kind) => [
  kind,
  ...GROUPED[kind].flatMap(([, names]) => names),
  ...PLACED.filter((name) => name !== 'date_utc'),
])

export function isFlag(kind: LinkedKind, name: string): boolean {
  return (LINKED_FIELDS[kind] as Fields)[name]?.kind.type === 'boolean'
}

/** A venue or organizer as the fields of its form. */
export function valuesOf(
  { call, rights }: StaffContext,
  kind: LinkedKind,
  shown: Linked | null,
): Record<string, string> {
  if (shown === null) {
    const flags = FORM_FIELDS[kind].filter((name) => isFlag(kind, name))
    const on = flags.filter((name) => (LINKED_FIELDS[kind] as Fields)[name]?.default === true)
    return { status: rights.publish ? 'publish' : 'pending', ...Object.fromEntries(on.map((name) => [name, '1'])) }
  }
  const { row, image } = shown
  const values = FORM_FIELDS[kind].map((name) => {
    const value = row[name]
    return [name, isFlag(kind, name) ? (value === 1 ? '1' : '') : String(value ?? '')]
  })
  return {
    ...Object.fromEntries(values),
    date: localInput(toWallClock(row.date_utc, call.scope.site.timezone)),
    image: image === null ? '' : String(image.id),
    image_alt: image?.alt ?? '',
    slug: row.restore_slug ?? row.slug,
  }
}

/** The form of a venue or organizer, from the declaration of its fields. */
export function linkedForm(
  context: StaffContext,
  kind: LinkedKind,
  form: RecordForm<Linked>,
  path: string,
  { authors, aside }: { authors: MarkupPart; aside: MarkupPart },
): Markup {
  const label = (name: string) => context.t(`manage_screens.editor.${name}`)
  const groups = GROUPED[kind].filter(([, names]) => names.length > 0)
  const keep = form.shown === null ? `new-${kind}` : String(form.shown.row.id)
  return html`<div class="split"><div>${formStart(context, path, html` id="record" enctype="multipart/form-data" class="form" data-keep="${keep}" data-revision="${form.revision}"`)}
<input type="hidden" name="revision" value="${form.revision}"><input type="hidden" name="fingerprint" value="${form.fingerprint}"><input type="hidden" name="flags" value="1">
${restoredNote(context)}${summary(context, form, [...FORM_FIELDS[kind], 'image_file', 'image_alt', 'into', 'do'])}${conflictNotes(context, form.conflicts)}
${field(context, form, { name: kind, label: context.t('manage_screens.fields.name'), required: true, class: 'title', attributes: html` maxlength="500" autocomplete="off"` })}
${groups.map(([group, names]) => html`<fieldset><legend>${context.t(`manage_screens.records.${group}`)}</legend><div class="row">${names.map((name) => declared(context, kind, form, name))}</div></fieldset>`)}
<fieldset><legend>${label('about')}</legend>
${richText(context, form, 'description', 6)}
${imageField(context, form, form.shown?.image ?? null)}</fieldset></form></div>
<div class="panels">${publishing(context, kind, form, authors)}${aside}</div></div>`
}

/** A field as its declaration says. */
function declared(context: StaffContext, kind: LinkedKind, form: RecordForm<Linked>, name: string): Markup {
  const { kind: type } = (LINKED_FIELDS[kind] as Fields)[name] ?? { kind: types.text }
  if (type.type === 'boolean') return checkbox(context, form, { name })
  if (type === types.richHtml) return textArea(context, form, { name }, 4)
  const input: Partial<FieldOptions> =
    type === types.url
      ? { type: 'url', attributes: html` placeholder="https://"` }
      : type === types.email
        ? { type: 'email' }
        : type.type === 'number'
          ? { attributes: html` inputmode="decimal"` }
          : {}
  return field(context, form, { name, ...input })
}

/** Status, address, author and the buttons. They belong to the form by its id. */
function publishing(context: StaffContext, kind: LinkedKind, form: RecordForm<Linked>, authors: MarkupPart): Markup {
  const { t, link, rights } = context
  const { shown } = form
  const label = (name: string) => t(`manage_screens.editor.${name}`)
  const of = html` form="record"`
  const isTrashed = shown?.row.status === 'trash'
  const open: readonly Status[] = rights.publish
    ? ['draft', 'pending', 'publish', 'future', 'private']
    : ['draft', 'pending']
  const current = (form.values.status ?? 'draft') as Status
  const choices = STATUSES.filter((status) => status !== 'trash' && (open.includes(status) || status === current))
  const named = choices.map((status) => [status, t(`manage_screens.set_status.${status}`)] as const)
  const quick = (action: string, kind = '') => button(action, label(action), kind, html` form="record" formnovalidate`)
  return html`<section class="box form publishing"><h2>${label('publish')}</h2>
${isTrashed ? html`<p>${statusName(context, 'trash')}</p>` : select(context, form, { name: 'status', attributes: of }, named)}
${shown !== null && rights.publish && !isTrashed && field(context, form, { name: 'date', type: 'datetime-local', hint: label('date_hint'), class: 'schedule', attributes: of })}
${authors}
${shown !== null && !isTrashed && field(context, form, { name: 'slug', hint: label('slug_hint'), attributes: of })}
<div class="buttons">${isTrashed ? html`${quick('restore', 'primary')}${quick('delete', 'danger')}` : html`${button('save', label('save'), 'primary', of)}${shown !== null && quick('trash', 'danger')}`}</div>
${shown !== null && !isTrashed && html`<p><a href="${link(recordPath(kind, shown))}">${icon('link')}${label('view')}</a></p>`}</section>`
}
