import { addDays } from '../calendar/days.ts'
import * as eventDays from '../domain/event-days.ts'
import { html, type Markup, type MarkupPart } from '../lib/markup.ts'
import type { Context } from './context.ts'
import { lastDay, say, startDay } from './dates.ts'
import { type Filters, isNarrowed, restQuery, searchOf } from './filters.ts'
import { reachOf } from './reach.ts'

/** Notes of views without events: why they are empty, and a link to where there are events. */

/** Number of earlier events of which the one that ends last is chosen. */
const CANDIDATES = 50

type RangeView = 'month' | 'week' | 'day'

interface EmptyRange {
  readonly from: string
  readonly to: string
  /** View that the link to the nearest events opens. */
  readonly view: RangeView
  readonly words: string
  /** Path without filters. */
  readonly path: string
}

/** Note of a range of days without events. */
export async function emptyRange(context: Context, filters: Filters, range: EmptyRange): Promise<Markup> {
  const day = await nearestDay(context, filters, range)
  return note(range.words, [
    day !== null && nearestLink(context, filters, range.view, day),
    isNarrowed(filters) && clearLink(context, range.path),
  ])
}

/** Note of a list without events. */
export async function emptyList(context: Context, filters: Filters, path: string): Promise<Markup> {
  const { t, today } = context
  if (isNarrowed(filters)) return note(t('empty.filtered'), [clearLink(context, path)])
  return emptyRange(context, filters, {
    from: today,
    to: reachOf(context).last,
    view: 'month',
    words: t('empty.upcoming'),
    path,
  })
}

/** Note of a map without places. */
export async function emptyMap(context: Context, filters: Filters): Promise<Markup> {
  const { call, t, link, today } = context
  const soon = { starts_after: addDays(today, -1) }
  const isNone = (await eventDays.listTimes(call.scope, () => soon, 'first', 1)).length === 0
  if (isNone || isNarrowed(filters)) return emptyList(context, filters, '/events/map/')
  return note(t('empty.map'), [html`<a class="button" href="${link('/events/')}">${t('all_events')}</a>`])
}

function note(words: string, links: readonly MarkupPart[]): Markup {
  return html`<div class="empty"><p>${words}</p>${links.map((one) => one && html`<p>${one}</p>`)}</div>`
}

function clearLink({ t, link }: Context, path: string): Markup {
  return html`<a href="${link(path)}">${t('filters.clear')}</a>`
}

function nearestLink(context: Context, filters: Filters, view: RangeView, day: string): Markup {
  const search = searchOf(filters, { start: null, end: null, page: 1, fixed: null })
  const path = `/events/${view}/${view === 'month' ? day.slice(0, 7) : day}/${search}`
  const when = say(context, day, view === 'month' ? 'month' : 'dayYear')
  return html`<a class="button" href="${context.link(path)}">${context.t('empty.nearest', { when })}</a>`
}

/** The nearest day with events outside a range that has none; of two that are equally near, the later one. */
async function nearestDay(
  context: Context,
  filters: Filters,
  { from, to, view }: Pick<EmptyRange, 'from' | 'to' | 'view'>,
): Promise<string | null> {
  const { scope } = context.call
  const { first, last } = reachOf(context)
  const query = restQuery(filters)
  const before = { ...query, starts_after: addDays(first, -1), starts_before: addDays(from, -1) }
  const after = { ...query, starts_after: to, starts_before: last }
  const earlier = from > first ? await eventDays.listTimes(scope, () => before, 'last', CANDIDATES) : []
  const later = to < last ? await eventDays.listTimes(scope, () => after, 'first', 1) : []
  // A list of upcoming events may be empty while an event still runs: that one leads to the present month.
  const ended = earlier.map((times) => (lastDay(times) < from ? lastDay(times) : from))
  const [next] = later.map(startDay)
  const previous = ended.reduce((latest, day) => (day > latest ? day : latest), '')
  if (next === undefined || previous === '') return next ?? (previous || null)
  return distance(view, previous, from) < distance(view, to, next) ? previous : next
}

/** In months for the month view, as it shows whole months; else in days. */
function distance(view: RangeView, one: string, other: string): number {
  if (view !== 'month') return Temporal.PlainDate.from(one).until(other).days
  const months = (day: string) => Number(day.slice(0, 4)) * 12 + Number(day.slice(5, 7))
  return months(other) - months(one)
}
