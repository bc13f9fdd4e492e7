import { addDays } from '../calendar/days.ts'
import { LINKED_KINDS, RECORD_KINDS } from '../schema/linked.ts'
import {
  type Address,
  DAY,
  FEATURED,
  feedIn,
  isDate,
  isPast,
  isView,
  ours,
  stepsOf,
  without,
  write,
} from './plugin-names.ts'

/** Address of the calendar for a page, or of another feed, with its filters; null if the page has none. */
export function calendarOf({ path, search }: Address, extension = 'ics'): string | null {
  const set = ours(search)
  // The calendar of a list has all of its events, not those of one page.
  set.delete('page')
  for (const [page, rest] of [
    ['category', 'categories'],
    ['tag', 'tags'],
  ] as const) {
    const value = set.get(page)
    if (value) set.set(rest, value)
    set.delete(page)
  }
  if (/^\d{1,15}$/.test(search.get('p') ?? '')) return `/events.${extension}?include=${search.get('p')}`
  const { steps: asked } = stepsOf(path)
  const { steps } = feedIn(asked) ?? { steps: asked }
  const [first = '', second = ''] = steps
  if (first === 'event') return `/event/${second}.ics`
  const range = (view: readonly string[]) => {
    if (view.includes(FEATURED)) set.set('featured', 'true')
    return narrow(
      set,
      view.filter((step) => step !== FEATURED),
      search,
    )
  }
  if ((RECORD_KINDS as readonly string[]).includes(first) || first === 'tag')
    return write({ path: `/${first}/${second}.${extension}`, search: range(steps.slice(2)) })
  if (first !== 'events' && steps.length > 0) return null
  // Whether the last step is a view or a category is known where categories are.
  if (second === 'category')
    return write({ path: `/${steps.join('/')}.${extension}`, search: range(steps.slice(2).filter(isDate)) })
  if (second === 'tag' && steps.length > 2)
    return write({ path: `/tag/${steps[2]}.${extension}`, search: range(steps.slice(3)) })
  if (second !== '' && second !== FEATURED && !isView(second)) return null
  return write(ofLinked({ path: `/events.${extension}`, search: range(steps.slice(1)) }, extension))
}

/** Bounds the events to the days of the page. Like the page, the calendar has events that began before and are still on. */
function narrow(set: URLSearchParams, view: readonly string[], given: URLSearchParams): URLSearchParams {
  const date = view.find(isDate)
  const named = view.find((step) => !isDate(step)) ?? (date === undefined ? '' : DAY.test(date) ? 'day' : 'month')
  const start = set.get('start_date') ?? ''
  const past = named === 'past' || isPast(given)
  if (past) set.set('ends_before', 'yesterday')
  const [eve, last] = past ? [eveOf(start), ''] : rangeOf(named, date ?? start)
  if (eve === null) return set
  const end = last || set.get('end_date')
  set.delete('start_date')
  set.delete('end_date')
  if (eve !== '') set.set('ends_after', eve)
  if (end) set.set('starts_before', end)
  return set
}

/** The day before a day; empty without one, null if there is no such day. */
function eveOf(day: string): string | null {
  if (day === '') return ''
  return DAY.test(day) && !Number.isNaN(Date.parse(`${day}T00:00:00Z`)) ? addDays(day, -1) : null
}

/** Pages name a venue or organizer by slug, feeds by id: the feed of that record takes the other filters. */
function ofLinked({ path, search }: Address, extension: string): Address {
  const kind = LINKED_KINDS.find((one) => search.has(one) && !/^[\d,\s]*$/.test(search.get(one) ?? ''))
  if (kind === undefined) return { path, search }
  return { path: `/${kind}/${encodeURIComponent(search.get(kind) ?? '')}.${extension}`, search: without(search, kind) }
}

/** The day before the first day of a view, and its last day: in words where only the clock knows them. */
function rangeOf(view: string, date: string): [eve: string | null, last: string] {
  if (view === 'month') {
    if (!isDate(date)) return ['last day of last month', 'last day of this month']
    const month = date.slice(0, 7)
    const days = new Date(Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5)), 0)).getUTCDate()
    return [eveOf(`${month}-01`), `${month}-${days}`]
  }
  if (view === 'week') {
    if (!DAY.test(date)) return ['sunday last week', 'sunday this week']
    const weekday = (new Date(`${date}T00:00:00Z`).getUTCDay() + 6) % 7
    return Number.isNaN(weekday) ? [null, ''] : [addDays(date, -weekday - 1), addDays(date, 6 - weekday)]
  }
  if (view === 'day' || view === 'today') return DAY.test(date) ? [eveOf(date), date] : ['yesterday', 'today']
  return [eveOf(date), '']
}
