import type { AuditEntry } from '../../domain/audit.ts'
import { type NameOf, namesIn } from '../../domain/audit-names.ts'
import { getWithPlan, restoreEvent, restoreLinked } from '../../domain/version-restoring.ts'
import { list, ORIGINAL } from '../../domain/versions.ts'
import type { Answer } from '../../http/endpoint.ts'
import { AppError } from '../../lib/errors.ts'
import { html, type Markup, type MarkupPart } from '../../lib/markup.ts'
import { pager } from '../../pages/controls.ts'
import { readVersion } from '../../schema/audit.ts'
import { isLinkedKind, RECORD_KINDS, type RecordKind } from '../../schema/linked.ts'
import { when } from '../date-and-time.ts'
import { button, formStart, messageOf } from '../form.ts'
import { SECTIONS, type Section, screenPage } from '../layout.ts'
import { done, type Screen, type StaffContext } from '../screen.ts'
import { actionMark, writer } from './log.ts'
import { fieldList, shortFieldList } from './values.ts'

/** Versions of a record: what each changed, how it differs from now, and the way back to it. */

const PER_PAGE = 20

function pathOf(kind: RecordKind, { call }: StaffContext): string {
  return `/manage/${kind}s/${call.id}`
}

async function showList(kind: RecordKind, context: StaffContext, failure: AppError | null = null): Promise<Answer> {
  const { call, t } = context
  const page = call.search.get('page') || '1'
  const found = await list(call.scope, kind, { id: call.id }, () => ({ page, per_page: PER_PAGE }), 'short')
  const nameOf = await namesIn(call.scope, found.entries)
  const path = `${pathOf(kind, context)}/versions`
  const isFirst = (n: number) => found.page === 1 && n === 0
  const items = found.entries.map((entry, n) => item(context, kind, entry, nameOf, isFirst(n)))
  const original = found.hasOriginal && originalItem(context, kind, found.total === 1)
  const main = html`<p class="hint">${t('manage_screens.versions.lead')}</p>
${failure && html`<div class="refused" role="alert"><p>${messageOf(context, failure)}</p></div>`}
<p class="quiet" role="status">${context.count('manage_screens.versions.found', found.total)}</p>
<ol class="versions" reversed>${items}${original}</ol>
${pager(context, found.page, found.pages, (one) => `${path}?page=${one}`)}`
  return screenPage(context, {
    section: `${kind}s` as Section,
    title: t('manage_screens.versions.title'),
    back: backTo(context, kind, titleOf(kind, found.row)),
    main,
    ...(failure && { status: failure.status }),
  })
}

function titleOf(kind: RecordKind, row: Readonly<Record<string, string | number | null>>): string {
  return String(row[kind === 'event' ? 'title' : kind] ?? '')
}

function backTo(context: StaffContext, kind: RecordKind, words: string) {
  return { path: pathOf(kind, context), words }
}

function item(context: StaffContext, kind: RecordKind, entry: AuditEntry, nameOf: NameOf, isNow: boolean): Markup {
  const head = html`<h2><time datetime="${new Date(entry.at_utc * 1000).toISOString()}">${when(context, entry.at_utc)}</time> ${actionMark(context, entry)}</h2>
<p>${writer(context, { user_name: entry.user_name, way: entry.way })}</p>`
  const shown = entry.action === 'created' ? null : shortFieldList(context, entry, nameOf)
  return html`<li>${head}${shown}${tools(context, kind, entry.id, isNow)}</li>
`
}

function originalItem(context: StaffContext, kind: RecordKind, isNow: boolean): Markup {
  const { t } = context
  return html`<li><h2>${t('manage_screens.versions.original')}</h2><p class="quiet">${t('manage_screens.versions.original_hint')}</p>${tools(context, kind, ORIGINAL, isNow)}</li>
`
}

/** The version that is there now needs no way back. */
function tools(context: StaffContext, kind: RecordKind, version: number, isNow: boolean): Markup {
  const { t, link } = context
  if (isNow) return html`<p class="quiet">${t('manage_screens.versions.current')}</p>`
  return html`<div class="buttons"><a class="button" href="${link(`${pathOf(kind, context)}/versions/${version}`)}">${t('manage_screens.versions.compare')}</a></div>`
}

/** A version beside what is there now, with the button that brings it back. */
async function showOne(kind: RecordKind, context: StaffContext): Promise<Answer> {
  const { call, t } = context
  const version = readVersion(call.slug)
  const { found, missing } = await getWithPlan(call.scope, kind, { id: call.id }, version)
  const { entry, fields, now, row } = found
  const then = Object.fromEntries(Object.keys(now).map((name) => [name, fields[name]]))
  const changed = { kind, before: now, after: then }
  const nameOf = await namesIn(call.scope, [changed])
  const time = entry === null ? t('manage_screens.versions.original') : when(context, entry.at_utc)
  const isSame = Object.keys(now).length === 0
  const list: MarkupPart = isSame
    ? html`<div class="empty"><p>${t('manage_screens.versions.same')}</p></div>`
    : html`<p class="hint">${t('manage_screens.versions.compare_hint')}</p>${fieldList(context, changed, nameOf, missing)}`
  const lost = missing.length > 0 && html`<p class="hint">${t('manage_screens.versions.lost_hint')}</p>`
  const form = html`${formStart(context, `${pathOf(kind, context)}/versions`)}<input type="hidden" name="version" value="${version}"><div class="buttons">${button('restore_version', t('manage_screens.versions.restore'), 'primary')}</div></form>`
  return screenPage(context, {
    section: `${kind}s` as Section,
    title: t('manage_screens.versions.of', { time }),
    back: {
      path: `${pathOf(kind, context)}/versions`,
      words: `${t('manage_screens.versions.title')}: ${titleOf(kind, row)}`,
    },
    main: html`${entry && html`<p>${writer(context, { user_name: entry.user_name, way: entry.way })}</p>`}
${list}${lost}${!isSame && form}`,
  })
}

async function restore(kind: RecordKind, context: StaffContext): Promise<Answer> {
  const { call } = context
  const version = readVersion(call.body().version)
  const ref = { id: call.id }
  try {
    const { missing } = isLinkedKind(kind)
      ? await restoreLinked(call.scope, kind, ref, version)
      : await restoreEvent(call.scope, ref, version)
    return done(context, pathOf(kind, context), missing.length === 0 ? 'version_restored' : 'version_partly')
  } catch (error) {
    if (!(error instanceof AppError) || error.status === 403) throw error
    return showList(kind, context, error)
  }
}

function screensOf(kind: RecordKind): Screen[] {
  const allows = SECTIONS[`${kind}s` as Section]
  return [
    {
      path: `/${kind}s/:id/versions`,
      allows,
      parameters: ['page'],
      show: (context) => showList(kind, context),
      actions: { restore_version: (context) => restore(kind, context) },
    },
    { path: `/${kind}s/:id/versions/:version`, allows, show: (context) => showOne(kind, context) },
  ]
}

/** Link to the versions of a record, for its editor. */
export function versionsLink({ t, link }: StaffContext, kind: RecordKind, id: number): Markup {
  return html`<a class="button" href="${link(`/manage/${kind}s/${id}/versions`)}">${t('manage_screens.versions.title')}</a>`
}

export const versionScreens: readonly Screen[] = RECORD_KINDS.flatMap(screensOf)
