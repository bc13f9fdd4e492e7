import { html, type Markup, type MarkupPart } from '../../lib/markup.ts'
import { icon } from '../../pages/icons.ts'
import { button, type FormState, formStart, select } from '../form.ts'
import type { StaffContext } from '../screen.ts'

/** A record that another one can be merged into. */
export interface Candidate {
  readonly id: number
  readonly words: string
}

/** Limit on candidates. With more records, a search finds the right one. */
export const MAX_CANDIDATES = 100

/** Longest word of a name: duplicates most likely have it, too. */
export function likelyWord(name: string): string {
  const words = name.split(/[^\p{L}\p{N}]+/u)
  return words.reduce((longest, word) => (word.length > longest.length ? word : longest), '')
}

/** The form that merges a record into another one. It is one by itself: it sends no other field. */
export function mergeForm(
  context: StaffContext,
  form: FormState,
  path: string,
  { candidates, name, events }: { candidates: readonly Candidate[]; name: string; events: number },
): Markup {
  const { t, link, call } = context
  const label = (key: string, fill?: Record<string, string>) => t(`manage_screens.merge.${key}`, fill)
  const asked = call.search.get('merge') ?? ''
  const isOpen = asked !== '' || form.problems.into !== undefined
  const choices = [['', label('choose')] as const, ...candidates.map(({ id, words }) => [String(id), words] as const)]
  const given = form.values.into ?? ''
  const missing = given !== '' && !choices.some(([id]) => id === given) ? [[given, given] as const] : []
  return html`<details class="box more merge" id="merge"${isOpen && html` open`}><summary>${label('title')}</summary>
<p class="hint">${label('text', { name })} ${context.count('manage_screens.merge.events', events)}</p>
<search><form class="merge-find" method="get" action="${link(path)}#merge"><div class="find">${icon('search')}<label class="unseen" for="field-merge">${label('find')}</label><input id="field-merge" type="search" name="merge" value="${asked}" placeholder="${label('find')}" dir="auto"><button class="button" type="submit">${t('filters.find')}</button></div></form></search>
${none(candidates, label('none'))}${formStart(context, path, html` class="form"`)}
${select(context, form, { name: 'into', label: label('into') }, [...choices, ...missing])}
<div class="buttons">${button('merge', label('do'), 'danger')}</div></form></details>`
}

function none(candidates: readonly Candidate[], words: string): MarkupPart {
  return candidates.length === 0 && html`<p class="quiet">${words}</p>`
}
