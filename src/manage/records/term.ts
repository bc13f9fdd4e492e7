import { mergeTerms } from '../../domain/merging.ts'
import { eventsOf, type ListedTerm, listTerms } from '../../domain/record-table.ts'
import { readEditableTerms } from '../../domain/term-rights.ts'
import type { Term } from '../../domain/terms.ts'
import * as terms from '../../domain/terms.ts'
import { html, type Markup, type MarkupPart } from '../../lib/markup.ts'
import { termPath } from '../../pages/cards.ts'
import type { TermKind } from '../../schema/term.ts'
import { conflictNotes, takenFields } from '../conflict.ts'
import { button, field, formStart, restoredNote, select, summary, textArea } from '../form.ts'
import { sectionPath } from '../layout.ts'
import type { StaffContext } from '../screen.ts'
import { usesBox } from './cells.ts'
import type { RecordForm, RecordKindEditor } from './editor.ts'
import { likelyWord, MAX_CANDIDATES, mergeForm } from './merge.ts'

export const TERM_SECTION = { category: 'categories', tag: 'tags' } as const

const FIELDS = { category: ['name', 'slug', 'parent', 'description'], tag: ['name', 'slug', 'description'] }

/** The editor of categories or tags. */
export function termEditor(kind: TermKind): RecordKindEditor<Term> {
  const section = TERM_SECTION[kind]
  const base = sectionPath(section)
  return {
    section,
    newTitle: ({ t }) => t(`manage_screens.records.new_${kind}`),
    load: ({ call }) => terms.get(call.scope, kind, call.id),
    idOf: ({ id }) => id,
    titleOf: ({ name }) => name,
    revisionOf: terms.revisionOf,
    valuesOf: (_, term) =>
      term === null
        ? {}
        : {
            name: term.name,
            slug: term.slug,
            description: term.description ?? '',
            ...(kind === 'category' && { parent: String(term.parent) }),
          },
    compared: FIELDS[kind],
    payloadOf(fields) {
      const taken = takenFields(fields)
      const sent = FIELDS[kind].filter((name) => fields[name] !== undefined && !taken.has(name))
      return Object.fromEntries(sent.map((name) => [name, fields[name]]))
    },
    create: (scope, payload) => terms.create(scope, kind, payload),
    update: (scope, id, payload, check) => terms.update(scope, kind, id, payload, check),
    form: (context, form) => formOf(context, kind, form, base),
    actions: {
      async delete({ call }) {
        await terms.remove(call.scope, kind, call.id)
        return { path: base, notice: 'deleted' }
      },
      async merge({ call }) {
        const { id } = await mergeTerms(call.scope, kind, call.id, call.body)
        return { path: `${base}/${id}`, notice: 'merged' }
      },
    },
  }
}

async function formOf(context: StaffContext, kind: TermKind, form: RecordForm<Term>, base: string): Promise<Markup> {
  const { t, call, rights } = context
  const { shown } = form
  if (shown !== null && !(await readEditableTerms(call.scope, kind, [shown.id])).has(shown.id))
    return locked(context, kind, shown)
  const path = shown === null ? `${base}/new` : `${base}/${shown.id}`
  const label = (name: string) => t(`manage_screens.editor.${name}`)
  const keep = shown === null ? `new-${kind}` : `${kind}-${shown.id}`
  return html`<div class="split"><div>${formStart(context, path, html` class="form" data-keep="${keep}" data-revision="${form.revision}"`)}
<input type="hidden" name="revision" value="${form.revision}"><input type="hidden" name="fingerprint" value="${form.fingerprint}">
${restoredNote(context)}${summary(context, form, [...FIELDS[kind], 'into', 'do'])}${conflictNotes(context, form.conflicts)}
${field(context, form, { name: 'name', required: true, class: 'title', attributes: html` maxlength="500" autocomplete="off"` })}
<fieldset><legend>${label('about')}</legend>
${kind === 'category' && (await parentField(context, form))}
${textArea(context, form, { name: 'description', class: 'roomy' }, 4)}
${field(context, form, { name: 'slug', hint: shown === null ? t('manage_screens.records.slug_new') : label('slug_hint') })}</fieldset>
<div class="buttons">${button('save', label('save'), 'primary')}${shown !== null && button('delete', label('delete'), 'danger', html` formnovalidate`)}</div>
${shown !== null && html`<p class="hint">${t(`manage_screens.records.delete_${kind}`)}</p>`}${rights.edit !== 'all' && html`<p class="hint">${t('manage_screens.records.own_categories')}</p>`}</form></div>
<div class="panels">${shown !== null && (await aside(context, kind, form, shown, path))}</div></div>`
}

/** A term that the user may use, but not change. */
async function locked(context: StaffContext, kind: TermKind, term: Term): Promise<Markup> {
  const { t, call } = context
  const events = await eventsOf(call.scope, kind, term.id)
  return html`<div class="split"><div class="panel"><p><strong>${t('manage_screens.records.not_own')}</strong></p><p>${t('manage_screens.records.own_categories')}</p></div>
<div class="panels">${uses(context, kind, term, events)}</div></div>`
}

function uses(context: StaffContext, kind: TermKind, term: Term, events: number): Markup {
  return usesBox(context, events, `/manage/events?${kind}=${term.slug}`, termPath(term))
}

async function aside(
  context: StaffContext,
  kind: TermKind,
  form: RecordForm<Term>,
  shown: Term,
  path: string,
): Promise<MarkupPart> {
  const { call } = context
  const events = await eventsOf(call.scope, kind, shown.id)
  const asked = call.search.get('merge') ?? ''
  const found =
    asked === ''
      ? [...(await find(context, kind, likelyWord(shown.name))), ...(await find(context, kind, ''))]
      : await find(context, kind, asked)
  const others = new Map(found.filter(({ id }) => id !== shown.id).map((one) => [one.id, one]))
  const editable = await readEditableTerms(call.scope, kind, [...others.keys()])
  const candidates = [...others.values()]
    .filter(({ id }) => editable.has(id))
    .slice(0, MAX_CANDIDATES)
    .map((one) => ({ id: one.id, words: `${namePath(one)} (${one.events})` }))
  return html`${uses(context, kind, shown, events)}
${mergeForm(context, form, path, { candidates, name: shown.name, events })}`
}

async function find({ call }: StaffContext, kind: TermKind, search: string) {
  return (await listTerms(call.scope, kind, () => ({ search, per_page: MAX_CANDIDATES }))).rows
}

/** Names from the root of the tree, such as “Music › Jazz”. */
export function namePath({ name, above }: Term): string {
  return [name, ...above.map((one) => one.name)].toReversed().join(' › ')
}

/** The parent of a category. With very many categories, the first ones are offered. */
async function parentField(context: StaffContext, form: RecordForm<Term>): Promise<Markup> {
  const { t, call } = context
  const own = form.shown?.id
  const rows: ListedTerm[] = []
  for (let page = 1; page <= MAX_PAGES; page++) {
    const found = await listTerms(call.scope, 'category', () => ({ page, per_page: MAX_CANDIDATES }))
    rows.push(...found.rows)
    if (page * found.perPage >= found.total) break
  }
  // A category cannot be below itself.
  const open = rows.filter(({ id, above }) => id !== own && above.every((one) => one.id !== own))
  const known = open.map((one) => [String(one.id), `${'– '.repeat(one.depth)}${one.name}`] as const)
  const current = form.values.parent ?? '0'
  const missing = current === '0' || known.some(([id]) => id === current) ? [] : [[current, current] as const]
  const choices = [['0', t('manage_screens.records.no_parent')] as const, ...missing, ...known]
  return select(context, form, { name: 'parent' }, choices)
}

/** Pages of categories that are offered as parents. */
const MAX_PAGES = 10
