import type { Event } from '../../domain/events.ts'
import { html, type Markup, type MarkupPart } from '../../lib/markup.ts'
import type { StaffContext } from '../screen.ts'
import { changedSince, comparable, valuesOf } from './event-values.ts'

/** A field that somebody else changed while the form was open. */
export interface Conflict {
  readonly name: string
  readonly mine: string
  readonly theirs: string
  /** Whether the user of the form changed it, too. */
  readonly isChangedHere: boolean
}

/** Compares what was typed with what is stored now. `opened` is the fingerprint of the values that the form began with. */
export function conflictsOf(
  context: StaffContext,
  event: Event,
  typed: Readonly<Record<string, string>>,
  opened: string,
): readonly Conflict[] {
  const stored = comparable(valuesOf(context, event))
  const mine = comparable({ ...valuesOf(context, event), ...typed })
  const here = changedSince(opened, typed)
  return [...changedSince(opened, stored)]
    .filter((name) => mine[name] !== stored[name])
    .map((name) => ({ name, mine: mine[name] ?? '', theirs: stored[name] ?? '', isChangedHere: here.has(name) }))
}

/** Notes above the form. For each field, the user chooses: theirs, or what stands in the form. */
export function conflictNotes({ t }: StaffContext, conflicts: readonly Conflict[] | null): MarkupPart {
  if (conflicts === null) return null
  const line = ({ name, mine, theirs, isChangedHere }: Conflict): Markup => {
    const choice = (from: 'mine' | 'theirs', value: string) =>
      html`<label><input type="radio" name="take[${name}]" value="${from}"${(from === 'mine') === isChangedHere && html` checked`}> ${t(`manage_screens.conflict.${from}`)}: <q dir="auto">${value || '–'}</q></label>`
    return html`<fieldset class="choice"><legend>${t(`manage_screens.fields.${name}`)}</legend>${choice('theirs', theirs)}${choice('mine', mine)}</fieldset>`
  }
  return html`<div class="refused" role="alert" tabindex="-1" autofocus><h2>${t('manage_screens.conflict.title')}</h2><p>${t('manage_screens.conflict.text')}</p>${conflicts.map(line)}</div>`
}
