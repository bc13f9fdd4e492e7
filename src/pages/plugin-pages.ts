import { addDays } from '../calendar/days.ts'
import { calendarOf } from './plugin-calendars.ts'
import { DAY, FEATURED, feedIn, isDate, isPast, isView, MONTH, ours, stepsOf, VIEWS, write } from './plugin-names.ts'

/** Our nearest page for a view of the plugin, or null if there is no such view. `path` is below `/events/`. */
export function nearestPage(path: string, sent: string, today: string): string | null {
  const { steps, page } = stepsOf(path)
  const given = new URLSearchParams(sent)
  const feed = feedIn(steps)
  if (feed !== null) return feedOf(feed.steps, given, feed.extension)
  const search = ours(given)
  if (page !== null) search.set('page', page)
  const [first = '', ...rest] = steps
  if (first === 'all') return write({ path: '/events/', search })
  if (first === 'tag' && rest[0] !== undefined) {
    if (rest.length === 1) return write({ path: `/tag/${encodeURIComponent(rest[0])}/`, search })
    search.set('tag', rest[0])
    return viewPage(rest.slice(1), search)
  }
  if (first === 'past' || isPast(given)) {
    if (!search.has('end_date')) search.set('end_date', addDays(today, -1))
    if (!search.has('start_date')) search.set('start_date', addDays(today, -PAST_DAYS))
  }
  return viewPage(steps, search)
}

/** Feed of a page by its steps below `/events/`, which the router has decoded. */
function feedOf(steps: readonly string[], search: URLSearchParams, extension: string): string | null {
  return calendarOf({ path: `/${['events', ...steps].map(encodeURIComponent).join('/')}`, search }, extension)
}

/** Days that the list of past events goes back. */
const PAST_DAYS = 365

/** Page of a view: its name, its date, or both, and `featured`. */
export function viewPage(all: readonly string[], search: URLSearchParams): string | null {
  const steps = all.filter((step) => step !== FEATURED)
  if (steps.length < all.length) search.set('featured', '1')
  const [first = 'list', second] = steps
  if (steps.length > 2 || !isView(first)) return null
  const name = MONTH.test(first) ? 'month' : DAY.test(first) ? 'day' : first
  const path = VIEWS[name] ?? '/events/'
  const date = (name === first ? second : first) ?? search.get('start_date')
  if (path === '/events/' || path === '/events/map/') {
    if (second !== undefined && DAY.test(second)) search.set('start_date', second)
    else if (second !== undefined) return null
    return write({ path, search })
  }
  search.delete('start_date')
  if (!date) return write({ path, search })
  if (!isDate(date)) return null
  const at = name === 'month' ? date.slice(0, 7) : MONTH.test(date) ? `${date}-01` : date
  return write({ path: `${path}${at}/`, search })
}
