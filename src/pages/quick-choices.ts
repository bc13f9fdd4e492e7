import { html, type Markup, type MarkupPart, safe } from '../lib/markup.ts'
import type { Context } from './context.ts'
import { type Filters, searchOf } from './filters.ts'
import { icon } from './icons.ts'

/** Filters of each choice that is a link, and those that it replaces. */
const CHOICES = {
  tonight: { when: 'tonight', start: null, end: null },
  weekend: { when: 'weekend', start: null, end: null },
  free: { free: true },
  family: { family: true },
} as const satisfies Record<string, Partial<Filters>>
type Choice = keyof typeof CHOICES
const NAMES = Object.keys(CHOICES) as Choice[]

const NOT_CHOSEN: Record<Choice, Partial<Filters>> = {
  tonight: { when: null },
  weekend: { when: null },
  free: { free: false },
  family: { family: false },
}

function isChosen(filters: Filters, choice: Choice): boolean {
  return choice === 'free' || choice === 'family' ? filters[choice] : filters.when === choice
}

/** Names of the chosen ones, such as “Tonight · Free”; empty if there is none. */
export function chosenNames({ t }: Context, filters: Filters): string {
  const names = NAMES.filter((choice) => isChosen(filters, choice)).map((choice) => t(`quick.${choice}`))
  return [...names, ...(filters.near ? [t('quick.near')] : [])].join(' · ')
}

/**
 * Row of quick choices: links to the list with one more filter, or one less if it is chosen. Others may come first and
 * last. The list by distance needs a script to ask for the location.
 */
export function quickChoices(
  context: Context,
  filters: Filters,
  { first = [], last = null }: { first?: readonly Markup[]; last?: MarkupPart } = {},
): Markup {
  const { t, link } = context
  const links = NAMES.map((choice) => {
    const isOn = isChosen(filters, choice)
    const address = `/events/${searchOf(filters, { ...(isOn ? NOT_CHOSEN : CHOICES)[choice], page: 1, fixed: null })}`
    return item(link(address), t(`quick.${choice}`), isOn)
  })
  return html`<nav class="choices" aria-label="${t('quick.label')}"><ul>${first}${links}${near(context, filters)}${last}</ul><p class="note" role="alert" data-near-failed="${t('quick.no_location')}" hidden></p></nav>`
}

/** One choice. */
export function item(address: string, words: string, isOn = false): Markup {
  return html`<li><a href="${address}"${isOn && safe(' aria-current="true"')}>${words}${isOn && icon('close')}</a></li>`
}

/** Control of a list: of each series only the next event, or all of them again. */
export function collapseChoice({ t, link }: Context, filters: Filters): MarkupPart {
  if (filters.series !== null) return null
  const address = searchOf(filters, { collapse: !filters.collapse, page: 1, fixed: null })
  return item(link(`/events/${address}`), t('series.collapse'), filters.collapse)
}

function near({ t, link }: Context, filters: Filters): MarkupPart {
  const address = link(`/events/${searchOf(filters, { near: null, page: 1, fixed: null })}`)
  if (filters.near) return item(address, t('quick.near'), true)
  return html`<li hidden><button type="button" data-near="${address}">${icon('pin')}${t('quick.near')}</button></li>`
}
