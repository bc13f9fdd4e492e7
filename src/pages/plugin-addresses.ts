import { LINKED_KINDS, RECORD_KINDS } from '../schema/linked.ts'
import { addDays } from './context.ts'

/**
 * Addresses of the WordPress calendar plugin. Calendars, bookmarks and links of a site that moved here keep working: a
 * view leads to our nearest one, and `?ical=1` on a page answers its calendar.
 */

/** Views of the plugin, with the path of our nearest view. */
const VIEWS: Readonly<Record<string, string>> = {
  list: '/events/',
  upcoming: '/events/',
  past: '/events/',
  photo: '/events/',
  summary: '/events/',
  map: '/events/map/',
  month: '/events/month/',
  week: '/events/week/',
  day: '/events/day/',
  today: '/events/day/',
}

/** Its query parameters, with ours. */
const PARAMETERS: Readonly<Record<string, string>> = {
  'tribe-bar-date': 'start_date',
  'tribe_event-date': 'start_date',
  eventDate: 'start_date',
  'tribe-bar-search': 'search',
  s: 'search',
  paged: 'page',
  tribe_paged: 'page',
  tribe_events_cat: 'category',
}

/** Parameters that choose a view or a format, or that say nothing here. */
const CONSUMED = new Set([
  'ical',
  'outlook-ical',
  'post_type',
  'eventDisplay',
  'tribe_event_display',
  'hide_subsequent_recurrences',
])

const MONTH = /^\d{4}-\d{2}$/
const DAY = /^\d{4}-\d{2}-\d{2}$/

/** An address below the base address. The path has no slash at its end, but for `/`. */
interface Address {
  readonly path: string
  readonly search: URLSearchParams
}

/** Whether a query string has a parameter of the plugin. All other requests cost no more than this. */
const OF_PLUGIN = /(?:^|&)(?:(?:outlook-)?ical|post_type|tribe[-_]|event(?:Date|Display)=|paged=)/

/** Our own pages that the plugin has at the same address. */
const SHARED = /^\/(?:events(?:\/(?:month|week|day|map)|\/category\/.+)?|(?:venue|organizer|tag)\/[^/]+)$/

/**
 * Rewrites an address of the plugin that is answered at another one: a page with `ical=1`, the query form that sites
 * without readable addresses use (`/?post_type=tribe_events`), and one of our pages with parameters of the plugin. Returns
 * null for all others.
 */
export function rewritePluginAddress(path: string, search: string): string | null {
  if (!OF_PLUGIN.test(search)) return null
  const given = new URLSearchParams(search)
  const asked = path.replace(/(?<=.)\/$/, '')
  const page = byQuery({ path: asked, search: given })
  if (wantsCalendar(given)) return calendarOf(page)
  if (SHARED.test(page.path)) return write(ownPage(page))
  return page.path === asked ? null : write(page)
}

/** One of our pages, with parameters by our names. */
function ownPage({ path, search }: Address): Address {
  if (path === '/events' && isPast(search)) return { path: '/events/past', search }
  const set = ours(search)
  const view = /^\/events\/(month|week|day)$/.exec(path)?.[1]
  const date = set.get('start_date')
  if (view === undefined || !date) return { path, search: set }
  return { path: `${path}/${view === 'month' ? date.slice(0, 7) : date}`, search: without(set, 'start_date') }
}

function isPast(search: URLSearchParams): boolean {
  return search.get('eventDisplay') === 'past' || search.get('tribe_event_display') === 'past'
}

function wantsCalendar(search: URLSearchParams): boolean {
  return ['ical', 'outlook-ical'].some((name) => search.has(name) && !/^(0|false|no)$/i.test(search.get(name) ?? ''))
}

/** Finds the page of an address without a path, such as `/?tribe_events=concert`. */
function byQuery({ path, search }: Address): Address {
  if (path !== '/' && path !== '/index.php') return { path, search }
  for (const kind of RECORD_KINDS) {
    const name = kind === 'event' ? 'tribe_events' : `tribe_${kind}`
    const slug = search.get(name)
    if (slug) return { path: `/${kind}/${encodeURIComponent(slug)}`, search: without(search, name) }
  }
  const isCalendar = search.get('post_type') === 'tribe_events' || search.has('tribe_events_cat')
  if (!isCalendar) return { path, search }
  const view = search.get('eventDisplay') ?? 'list'
  return { path: `/events/${Object.hasOwn(VIEWS, view) ? view : 'list'}`, search }
}

/** Our nearest page for a view of the plugin, or null if there is no such view. `path` is below `/events/`. */
export function nearestPage(path: string, sent: string, today: string): string | null {
  const { steps, page } = stepsOf(path)
  const given = new URLSearchParams(sent)
  const search = ours(given)
  if (page !== null) search.set('page', page)
  const [first = '', ...rest] = steps
  if (first === 'feed') return '/events.rss'
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

function isView(step: string): boolean {
  return Object.hasOwn(VIEWS, step) || MONTH.test(step) || DAY.test(step)
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
  if (!MONTH.test(date) && !DAY.test(date)) return null
  const at = name === 'month' ? date.slice(0, 7) : MONTH.test(date) ? `${date}-01` : date
  return write({ path: `${path}${at}/`, search })
}

/** Address of the calendar for a page, with its filters; null if the page has none. */
function calendarOf({ path, search }: Address): string | null {
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

/** Splits a path into its steps, without the number of a page at its end. */
function stepsOf(path: string): { steps: readonly string[]; page: string | null } {
  const steps = path.split('/').filter((step) => step !== '')
  const isPaged = steps.at(-2) === 'page' && /^[1-9]\d{0,8}$/.test(steps.at(-1) ?? '')
  return isPaged ? { steps: steps.slice(0, -2), page: steps.at(-1) ?? null } : { steps, page: null }
}

/** Query parameters by our names. */
function ours(search: URLSearchParams): URLSearchParams {
  const set = new URLSearchParams()
  for (const [name, value] of search) {
    const known = Object.hasOwn(PARAMETERS, name) ? (PARAMETERS[name] ?? name) : name
    if (!CONSUMED.has(known) && value !== '') set.append(known, value)
  }
  return set
}

function without(search: URLSearchParams, name: string): URLSearchParams {
  const rest = new URLSearchParams(search)
  rest.delete(name)
  return rest
}

function write({ path, search }: Address): string {
  return search.size > 0 ? `${path}?${search}` : path
}
