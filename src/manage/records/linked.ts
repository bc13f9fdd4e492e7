import { mayEdit } from '../../domain/access.ts'
import type { Linked, LinkedKind } from '../../domain/linked-records.ts'
import * as linked from '../../domain/linked-records.ts'
import { mergeLinked } from '../../domain/merging.ts'
import { eventsOf, listLinked } from '../../domain/record-table.ts'
import * as users from '../../domain/users.ts'
import { AppError } from '../../lib/errors.ts'
import type { Markup, MarkupPart } from '../../lib/markup.ts'
import { html } from '../../lib/markup.ts'
import { versionsLink } from '../audit/versions.ts'
import { takenFields } from '../conflict.ts'
import { select } from '../form.ts'
import { imagePayload } from '../image-field.ts'
import { type Section, sectionPath } from '../layout.ts'
import type { StaffContext } from '../screen.ts'
import { usesBox } from './cells.ts'
import type { RecordForm, RecordKindEditor } from './editor.ts'
import { FORM_FIELDS, isFlag, linkedForm, valuesOf } from './linked-form.ts'
import { type Candidate, likelyWord, MAX_CANDIDATES, mergeForm } from './merge.ts'

/** The editor of venues or organizers. */
export function linkedEditor(kind: LinkedKind): RecordKindEditor<Linked> {
  const section = `${kind}s` as Section
  const base = sectionPath(section)
  return {
    section,
    newTitle: ({ t }) => t(`manage_screens.records.new_${kind}`),
    async load({ call }) {
      const shown = await linked.get(call.scope, kind, { id: call.id })
      if (!mayEdit(call.scope.user, shown.row)) throw new AppError('rest_forbidden')
      return shown
    },
    idOf: ({ row }) => row.id,
    titleOf: ({ row }) => String(row[kind]),
    revisionOf: ({ row }) => String(row.revision),
    valuesOf: (context, shown) => valuesOf(context, kind, shown),
    compared: FORM_FIELDS[kind].filter((name) => name !== 'date'),
    payloadOf: (fields, before) => payloadOf(kind, fields, before),
    create: (scope, payload) => linked.create(scope, kind, payload),
    update: (scope, id, payload, check) => linked.update(scope, kind, { id }, payload, check),
    form: (context, form) => formOf(context, kind, form, base),
    tools: (context, { row }) => versionsLink(context, kind, row.id),
    actions: {
      async trash({ call }) {
        await linked.remove(call.scope, kind, { id: call.id }, () => ({}))
        return { path: base, notice: 'trashed' }
      },
      async restore({ call }, { row }) {
        if (row.status === 'trash')
          await linked.update(call.scope, kind, { id: row.id }, () => ({ status: row.trashed_from ?? 'draft' }))
        return { path: `${base}/${row.id}`, notice: 'restored' }
      },
      async delete({ call }, { row }) {
        await linked.remove(call.scope, kind, { id: call.id }, () => ({ force: true }))
        return { path: row.status === 'trash' ? `${base}?status=trash` : base, notice: 'deleted' }
      },
      async merge({ call }) {
        const { row } = await mergeLinked(call.scope, kind, call.id, call.body)
        return { path: `${base}/${row.id}`, notice: 'merged' }
      },
    },
  }
}

/** Fields of the form as a request to the domain, which reads and checks them like those of the REST interface. */
function payloadOf(
  kind: LinkedKind,
  fields: Readonly<Record<string, unknown>>,
  before: Linked | null,
): Record<string, unknown> {
  const taken = takenFields(fields)
  const payload: Record<string, unknown> = {}
  for (const name of FORM_FIELDS[kind]) {
    if (taken.has(name) || name === 'image' || name === 'date') continue
    // A form without the field `flags` names only what it changes: absent checkboxes say nothing.
    if (isFlag(kind, name) && fields.flags !== undefined) payload[name] = fields[name] !== undefined
    else if (fields[name] !== undefined) payload[name] = fields[name]
  }
  if (fields.status === 'future' && !taken.has('status')) payload.date = fields.date
  const image = imagePayload(fields, before?.image ?? null)
  if (image !== undefined && !taken.has('image')) payload.image = image
  return payload
}

async function formOf(
  context: StaffContext,
  kind: LinkedKind,
  form: RecordForm<Linked>,
  base: string,
): Promise<Markup> {
  const { shown } = form
  if (shown === null) return linkedForm(context, kind, form, `${base}/new`, { authors: null, aside: null })
  const path = `${base}/${shown.row.id}`
  const name = String(shown.row[kind])
  const events = await eventsOf(context.call.scope, kind, shown.row.id)
  const merging =
    shown.row.status !== 'trash' &&
    mergeForm(context, form, path, {
      candidates: await candidatesOf(context, kind, shown),
      name,
      events,
    })
  const aside = html`${usesBox(context, events, `/manage/events?${kind}=${shown.row.id}`, null)}${merging}`
  return linkedForm(context, kind, form, path, { authors: await authorField(context, form), aside })
}

async function find({ call }: StaffContext, kind: LinkedKind, query: Record<string, unknown>) {
  return (await listLinked(call.scope, kind, () => ({ ...query, per_page: MAX_CANDIDATES }))).rows
}

/** Records that are most likely the same, and others by name. A search replaces both. */
async function candidatesOf(context: StaffContext, kind: LinkedKind, shown: Linked): Promise<Candidate[]> {
  const { call } = context
  const asked = call.search.get('merge') ?? ''
  const found =
    asked === ''
      ? [
          ...(await find(context, kind, { search: likelyWord(String(shown.row[kind])) })),
          ...(await find(context, kind, {})),
        ]
      : await find(context, kind, { search: asked })
  const others = found.filter(({ row }) => row.id !== shown.row.id && mayEdit(call.scope.user, row))
  const byId = new Map(others.map((one) => [one.row.id, one]))
  return [...byId.values()].slice(0, MAX_CANDIDATES).map(({ row, events }) => ({
    id: row.id,
    words: `${[row[kind], row.city].filter(Boolean).join(', ')} (${events})`,
  }))
}

/** Editors may give a record to somebody else. */
async function authorField(context: StaffContext, form: RecordForm<Linked>): Promise<MarkupPart> {
  const { rights, call } = context
  if (rights.edit !== 'all') return null
  const all = (await users.list(call.scope)).slice(0, MAX_CANDIDATES)
  const choices = all.map(({ id, name }) => [String(id), name] as const)
  const current = form.values.author ?? ''
  const missing = choices.some(([id]) => id === current) ? [] : [[current, current] as const]
  return select(context, form, { name: 'author', attributes: html` form="record"` }, [...missing, ...choices])
}
