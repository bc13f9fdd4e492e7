import { LINKED_KINDS } from '../schema/linked.ts'
import { addDays } from './context.ts'
import { type Address, DAY, isView, MONTH, ours, stepsOf, without, write } from './plugin-names.ts'

/** Address of the calendar for a page, with its filters; null if the page has none. */
export function calendarOf({ path, search }: Address): string | null {
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
  if (/^\/(events\/category|event|venue|organizer|tag)\//.test(path))
    return write({ path: `${fileBase(path)}.ics`, search: set })
  if (path === '/' || path === '/events') return write(ofLinked({ path: '/events.ics', search: set }))
  if (!path.startsWith('/events/')) return null
  const { steps } = stepsOf(path.slice('/events/'.length))
  const [first = '', second = ''] = steps
  if (first === 'tag' && second !== '') return write({ path: `/tag/${encodeURIComponent(second)}.ics`, search: set })
  if (first === 'featured') set.set('featured', 'true')
  else if (steps.length > 0 && !isView(first)) return null
  const [start, end] = rangeOf(first, second || set.get('start_date') || '')
  if (start !== '') set.set('start_date', start)
  if (end !== '' && !set.has('end_date')) set.set('end_date', end)
  return write(ofLinked({ path: '/events.ics', search: set }))
}

/** Path of a record without the date that the plugin may add to an event. */
function fileBase(path: string): string {
  const [, kind, slug] = path.split('/')
  return kind === 'event' ? `/event/${slug}` : path
}

/** Pages name a venue or organizer by slug, feeds by id: the feed of that record takes the other filters. */
function ofLinked({ path, search }: Address): Address {
  const kind = LINKED_KINDS.find((one) => search.has(one) && !/^[\d,\s]*$/.test(search.get(one) ?? ''))
  if (kind === undefined) return { path, search }
  return { path: `/${kind}/${encodeURIComponent(search.get(kind) ?? '')}.ics`, search: without(search, kind) }
}

/** First and last day of a view, in words where only the clock knows them. */
function rangeOf(view: string, date: string): [start: string, end: string] {
  const at = MONTH.test(view) || DAY.test(view) ? view : date
  const name = MONTH.test(view) ? 'month' : DAY.test(view) ? 'day' : view
  if (name === 'month') {
    if (!MONTH.test(at) && !DAY.test(at)) return ['first day of this month', 'last day of this month']
    const month = at.slice(0, 7)
    const days = new Date(Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5)), 0)).getUTCDate()
    return [`${month}-01`, `${month}-${days}`]
  }
  if (name === 'week') {
    if (!DAY.test(at)) return ['monday this week', 'sunday this week']
    const weekday = (new Date(`${at}T00:00:00Z`).getUTCDay() + 6) % 7
    return Number.isNaN(weekday) ? [at, at] : [addDays(at, -weekday), addDays(at, 6 - weekday)]
  }
  if (name === 'day' || name === 'today') return DAY.test(at) ? [at, at] : ['today', 'today']
  if (name === 'past') return [date || '0001-01-01', 'yesterday']
  return [date, '']
}
