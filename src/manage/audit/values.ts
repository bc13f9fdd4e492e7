import type { AuditEntry } from '../../domain/audit.ts'
import { isReference, type NameOf } from '../../domain/audit-names.ts'
import { html, type Markup, type MarkupPart } from '../../lib/markup.ts'
import { plainLines } from '../../lib/plain-lines.ts'
import { ComparisonBudget, wordDifference } from '../../lib/word-difference.ts'
import { SECRET } from '../../schema/audit.ts'
import { STATUSES, type Status } from '../../schema/record.ts'
import type { StaffContext } from '../screen.ts'
import { statusName } from '../status.ts'

/** Fields of the audit log and of versions, in words. */

/** Fields before and after a change, or of a version and now. */
interface ChangedFields {
  readonly kind: string
  readonly before: Record<string, unknown> | null
  readonly after: Record<string, unknown> | null
}

/** The text of a key, if there is one, else another. */
function textOr({ t }: StaffContext, key: string, other: string): string {
  const text = t(key)
  return text.endsWith(key.slice(key.lastIndexOf('.'))) ? other : text
}

/** Label of a field: as in the form, or its name. */
function fieldName(context: StaffContext, kind: string, name: string): string {
  // A venue has its name in the field in which an event has its venues.
  if (name === kind) return context.t('manage_screens.fields.name')
  const other = textOr(context, `manage_screens.fields.${name}`, name)
  return textOr(context, `manage_screens.audit.fields.${name}`, other)
}

/** Name of a kind of record. */
export function kindName(context: StaffContext, kind: string): string {
  return textOr(context, `manage_screens.audit.kinds.${kind}`, kind)
}

/** A value as text; empty for none. */
function textOf(context: StaffContext, kind: string, name: string, value: unknown, nameOf: NameOf): string {
  const { t } = context
  if (value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0)) return ''
  if (value === SECRET) return t('manage_screens.audit.secret')
  if (typeof value === 'boolean') return t(`manage_screens.audit.${value ? 'yes' : 'no'}`)
  if (name === 'status' && STATUSES.includes(value as Status)) return statusName(context, value as Status)
  if (isReference(kind, name)) {
    const ids = (Array.isArray(value) ? value : [value]).filter((id) => id !== 0)
    return ids.map((id) => nameOf(kind, name, Number(id)) || `#${id}`).join(', ')
  }
  if (Array.isArray(value)) return value.map((item) => itemText(item)).join(', ')
  if (typeof value === 'object') return itemText(value)
  const text = String(value)
  return name === 'description' || name === 'excerpt' ? plainLines(text) : text
}

function itemText(item: unknown): string {
  if (typeof item !== 'object' || item === null) return String(item)
  return Object.values(item)
    .filter((value) => value !== null && value !== '')
    .map(String)
    .join(' ')
}

/** Letters of a text from which only the words that differ are marked. */
const LONG = 40

/** What a field was and is. */
function change({ t }: StaffContext, was: string, is: string): Markup {
  const none = html`<span class="quiet">${t('manage_screens.audit.nothing')}</span>`
  return html`${was === '' ? none : html`<del dir="auto">${was}</del>`} <span aria-hidden="true">→</span><span class="unseen">${t('manage_screens.audit.becomes')}</span> ${is === '' ? none : html`<ins dir="auto">${is}</ins>`}`
}

/** Two texts, compared word by word. */
function comparison(was: string, is: string, budget: ComparisonBudget): Markup {
  const pieces = wordDifference(was, is, budget).map(({ kind, text }) =>
    kind === 'same' ? html`${text}` : kind === 'removed' ? html`<del>${text}</del>` : html`<ins>${text}</ins>`,
  )
  return html`<div class="texts" dir="auto">${pieces}</div>`
}

/** Changed fields as a list. What was created or removed has one side alone. */
export function fieldList(
  context: StaffContext,
  { kind, before, after }: ChangedFields,
  nameOf: NameOf,
  missing: readonly string[] = [],
): MarkupPart {
  const names = Object.keys(after ?? before ?? {})
  if (names.length === 0) return null
  const budget = new ComparisonBudget()
  const show = (name: string, value: unknown) => textOf(context, kind, name, value, nameOf)
  const line = (name: string) => {
    const [was, is] = [show(name, before?.[name]), show(name, after?.[name])]
    const areLong = was.length > LONG && is.length > LONG
    const shown =
      before === null || after === null
        ? html`<span class="texts" dir="auto">${was || is}</span>`
        : areLong
          ? comparison(was, is, budget)
          : change(context, was, is)
    const lost =
      missing.includes(name) && html` <span class="mark mark-trash">${context.t('manage_screens.versions.lost')}</span>`
    return html`<div><dt>${fieldName(context, kind, name)}${lost}</dt><dd>${shown}</dd></div>`
  }
  return html`<dl class="changes">${names.map(line)}</dl>`
}

/** Changed fields of an entry of a list: short values as they were and are, of long texts only the names. */
export function shortFieldList(context: StaffContext, entry: AuditEntry, nameOf: NameOf): MarkupPart {
  const { kind, before, after, names } = entry
  if (names.length === 0) return null
  const line = (name: string) => {
    const was = textOf(context, kind, name, before?.[name], nameOf)
    const is = textOf(context, kind, name, after?.[name], nameOf)
    const isShown = before !== null && after !== null && was.length <= LONG && is.length <= LONG
    return html`<div><dt>${fieldName(context, kind, name)}</dt>${isShown && html`<dd>${change(context, was, is)}</dd>`}</div>`
  }
  return html`<dl class="changes">${names.map(line)}</dl>`
}

/** Names of changed fields in one line. */
export function fieldNames(context: StaffContext, { kind, names }: AuditEntry): string {
  return names.map((name) => fieldName(context, kind, name)).join(', ')
}
