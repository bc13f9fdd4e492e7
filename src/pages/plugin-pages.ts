import { addDays } from '../calendar/days.ts'
import { DAY, isDate, isPast, isView, MONTH, ours, stepsOf, VIEWS, write } from './plugin-names.ts'

/** Our nearest page for a view of the plugin, or null if there is no such view. `path` is below `/events/`. */
export function nearestPage(path: string, sent: string, today: string): string | null {
  const { steps, page } = stepsOf(path)
  const given = new URLSearchParams(sent)
  const search = ours(given)
  if (page !== null) search.set('page', page)
  const [first = '', ...rest] = steps
  if (first === 'feed') return '/events.rss'
  if (first === 'ical') return '/events.ics'
  if (first === 'all') return write({ path: '/events/', search })
  if (first === 'featured') {
    search.set('featured', '1')
    return viewPage(rest, search)
  }
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

/** Days that the list of past events goes back. */
const PAST_DAYS = 365

/** Our nearest page for a view of a category; null if the path does not end with a view. */
export function nearestCategoryPage(path: string, sent: string): string | null {
  const { steps, page } = stepsOf(path)
  const at = viewIn(steps)
  if (at === -1 && page === null) return null
  const search = ours(new URLSearchParams(sent))
  if (page !== null) search.set('page', page)
  const category = at === -1 ? steps : steps.slice(0, at)
  const view = at === -1 ? 'list' : (steps[at] ?? '')
  if (VIEWS[view] === '/events/')
    return write({ path: `/events/category/${category.map(encodeURIComponent).join('/')}/`, search })
  search.set('category', category.at(-1) ?? '')
  return viewPage(steps.slice(at), search)
}

/** The path of a category without the view that the plugin may add. */
export function withoutView(path: string): string {
  const { steps } = stepsOf(path)
  const at = viewIn(steps)
  return (at === -1 ? steps : steps.slice(0, at)).join('/')
}

/** Index of the view that follows a category; -1 without one. */
function viewIn(steps: readonly string[]): number {
  const last = steps.length - 1
  if (last < 1 || !isView(steps[last] ?? '')) return -1
  const isDated = !Object.hasOwn(VIEWS, steps[last] ?? '') && Object.hasOwn(VIEWS, steps[last - 1] ?? '')
  return isDated && last > 1 ? last - 1 : last
}

/** Page of a view: its name, its date, or both. */
function viewPage(steps: readonly string[], search: URLSearchParams): string | null {
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
