import { hash } from 'node:crypto'
import { html, type Markup, type MarkupPart } from '../lib/markup.ts'
import type { StaffContext } from './screen.ts'

/** Two people edit the same record: the second to save sees what the first changed, and chooses. */

/** Values of a form that two editors may both have changed. */
export type Compared = Readonly<Record<string, string>>

/** A field that somebody else changed while the form was open. */
export interface Conflict {
  readonly name: string
  readonly mine: string
  readonly theirs: string
  /** Whether the user of the form changed it, too. */
  readonly isChangedHere: boolean
}

/** Compares what was typed with what is stored now. `opened` is the fingerprint of the values that the form began with. */
export function conflictsBetween(stored: Compared, typed: Compared, opened: string): readonly Conflict[] {
  const mine = { ...stored, ...typed }
  const here = changedSince(opened, typed)
  return [...changedSince(opened, stored)]
    .filter((name) => mine[name] !== stored[name])
    .map((name) => ({ name, mine: mine[name] ?? '', theirs: stored[name] ?? '', isChangedHere: here.has(name) }))
}

/** Short hashes of values, to see later which of them were changed. */
export function fingerprintOf(values: Compared): string {
  return Object.entries(values)
    .map(([name, value]) => `${name}:${shortHash(value)}`)
    .join(' ')
}

function shortHash(text: string): string {
  return hash('sha256', text, 'base64url').slice(0, 8)
}

/** Whether a value is the one that a form was opened with. */
export function isAsOpened(print: string, name: string, value: string): boolean {
  return ` ${print} `.includes(` ${name}:${shortHash(value)} `)
}

/** Names of the values that differ from those of a fingerprint. */
function changedSince(print: string, values: Compared): Set<string> {
  const before = new Map(print.split(' ').map((pair) => pair.split(':') as [string, string]))
  const now = Object.entries(values)
  return new Set(now.filter(([name, value]) => before.get(name) !== shortHash(value)).map(([name]) => name))
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

/** Names of the fields for which what is stored was chosen. */
export function takenFields(fields: Readonly<Record<string, unknown>>): ReadonlySet<string> {
  const { take } = fields
  if (typeof take !== 'object' || take === null || Array.isArray(take)) return new Set()
  return new Set(Object.entries(take).flatMap(([name, from]) => (from === 'theirs' ? name : [])))
}
