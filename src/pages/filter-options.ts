import { choicesOf } from '../domain/filter-choices.ts'
import type { Choice, Choices } from '../domain/kept-choices.ts'
import type { Linked, LinkedKind } from '../domain/linked-records.ts'
import type { Term } from '../domain/terms.ts'
import { html, type Markup, type MarkupPart, safe } from '../lib/markup.ts'
import type { Context } from './context.ts'

/** Options of the filters of a page. */
type Options = (kind: keyof Choices, chosen: Choice | null) => Markup | null

export function ofTerm({ slug, name }: Term): Choice {
  return [slug, name]
}

export function ofRecord(kind: LinkedKind, row: Linked['row']): Choice {
  return [row.slug, String(row[kind])]
}

/** Choices as options in the order of a locale, as long as the choices are kept. */
const written = new WeakMap<readonly Choice[], Map<string, string>>()

/** Reads the choices of the filters. The one that is already chosen is always an option. */
export async function optionsOf({ call, locale }: Context): Promise<Options> {
  const choices = await choicesOf(call.scope, call.version)
  return (kind, chosen) => {
    const found = choices[kind]
    if (found.length === 0 && chosen === null) return null
    if (chosen === null) return safe(writtenIn(locale, found))
    const isFound = found.some(([slug]) => slug === chosen[0])
    const options = isFound ? writtenIn(locale, found) : write(locale, [...found, chosen])
    const [plain, selected] = [html`<option value="${chosen[0]}">`, html`<option value="${chosen[0]}" selected>`]
    return safe(options.replace(plain.text, () => selected.text))
  }
}

function writtenIn(locale: string, choices: readonly Choice[]): string {
  const byLocale = written.get(choices) ?? new Map<string, string>()
  const options = byLocale.get(locale) ?? write(locale, choices)
  written.set(choices, byLocale.set(locale, options))
  return options
}

function write(locale: string, choices: readonly Choice[]): string {
  const inOrder = choices.toSorted(([, one], [, other]) => one.localeCompare(other, locale))
  return html`${inOrder.map(([slug, name]) => html`<option value="${slug}">${name}</option>`)}`.text
}

export function select({ t }: Context, kind: keyof Choices, optionsOf: Options, chosen: Choice | null): MarkupPart {
  const options = optionsOf(kind, chosen)
  return (
    options &&
    html`<label>${t(kind)} <select name="${kind}"><option value="">${t('filters.any')}</option>${options}</select></label>\n`
  )
}
