/** Names that the WordPress calendar plugin has in its addresses, and the parts of such an address. */

/** Views of the plugin, with the path of our nearest view. */
export const VIEWS: Readonly<Record<string, string>> = {
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

export const MONTH = /^\d{4}-(?:0[1-9]|1[0-2])$/
export const DAY = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/

/** An address below the base address. The path has no slash at its end, but for `/`. */
export interface Address {
  readonly path: string
  readonly search: URLSearchParams
}

export function isPast(search: URLSearchParams): boolean {
  return search.get('eventDisplay') === 'past' || search.get('tribe_event_display') === 'past'
}

export function isDate(step: string): boolean {
  return MONTH.test(step) || DAY.test(step)
}

export function isView(step: string): boolean {
  return Object.hasOwn(VIEWS, step) || isDate(step)
}

/** Splits a path into its steps, without the number of a page at its end. */
export function stepsOf(path: string): { steps: readonly string[]; page: string | null } {
  const steps = path.split('/').filter((step) => step !== '')
  const isPaged = steps.at(-2) === 'page' && /^[1-9]\d{0,8}$/.test(steps.at(-1) ?? '')
  return isPaged ? { steps: steps.slice(0, -2), page: steps.at(-1) ?? null } : { steps, page: null }
}

/** Feeds by the ends of paths, with the extension of ours. WordPress has `feed/` and a format below everything. */
const FEEDS: Readonly<Record<string, string>> = {
  ical: 'ics',
  feed: 'rss',
  'feed/feed': 'rss',
  'feed/rdf': 'rss',
  'feed/rss': 'rss',
  'feed/rss2': 'rss',
  'feed/atom': 'atom',
}

/** Splits steps into those of a page and the extension of the feed that their end asks for; null without one. */
export function feedIn(steps: readonly string[]): { steps: readonly string[]; extension: string } | null {
  for (const length of [2, 1]) {
    const end = steps.slice(-length).join('/')
    if (steps.length >= length && Object.hasOwn(FEEDS, end))
      return { steps: steps.slice(0, -length), extension: FEEDS[end] ?? '' }
  }
  return null
}

/** Step that leaves only featured events, before or after the view. */
export const FEATURED = 'featured'

/** Query parameters by our names. */
export function ours(search: URLSearchParams): URLSearchParams {
  const set = new URLSearchParams()
  for (const [name, value] of search) {
    const known = Object.hasOwn(PARAMETERS, name) ? (PARAMETERS[name] ?? name) : name
    if (!CONSUMED.has(known) && value !== '') set.append(known, value)
  }
  return set
}

export function without(search: URLSearchParams, name: string): URLSearchParams {
  const rest = new URLSearchParams(search)
  rest.delete(name)
  return rest
}

export function write({ path, search }: Address): string {
  return search.size > 0 ? `${path}?${search}` : path
}
