import { feedFormats } from '../feeds/formats.ts'
import { LINKED_KINDS, RECORD_KINDS } from '../schema/linked.ts'
import { calendarOf } from './plugin-calendars.ts'
import { type Address, isPast, ours, VIEWS, without, write } from './plugin-names.ts'

/**
 * Addresses of the WordPress calendar plugin. Calendars, bookmarks and links of a site that moved here keep working: a
 * view leads to our nearest one, and `?ical=1` on a page answers its calendar.
 */

/** Whether a query string has a parameter of the plugin. All other requests cost no more than this. */
const OF_PLUGIN = /(?:^|&)(?:(?:outlook-)?ical|post_type|tribe[-_]|event(?:Date|Display)=|paged=)/

/** Our own pages that the plugin has at the same address. */
const SHARED = new RegExp(
  `^/(?:events(?:/(?:month|week|day|map)|/category/.+)?|(?:${[...LINKED_KINDS, 'tag'].join('|')})/[^/]+)$`,
)

/** A feed stays what it is. */
const FEED = new RegExp(
  `\\.(?:${feedFormats('lists')
    .map(({ extension }) => extension)
    .join('|')})$`,
)

/**
 * Rewrites an address of the plugin that is answered at another one: a page with `ical=1`, the query form that sites
 * without readable addresses use (`/?post_type=tribe_events`), and one of our pages with parameters of the plugin. Returns
 * null for all others.
 */
export function rewritePluginAddress(path: string, search: string): string | null {
  if (!OF_PLUGIN.test(search) || FEED.test(path)) return null
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

function wantsCalendar(search: URLSearchParams): boolean {
  return ['ical', 'outlook-ical'].some((name) => search.has(name) && !/^(0|false|no)$/i.test(search.get(name) ?? ''))
}

/** Finds the page of an address without a path, such as `/?tribe_events=concert`. */
function byQuery({ path, search }: Address): Address {
  const view = search.get('eventDisplay') ?? 'list'
  if (path === '/events' && Object.hasOwn(VIEWS, view) && VIEWS[view] !== '/events/')
    return { path: `/events/${view}`, search }
  if (path !== '/' && path !== '/index.php') return { path, search }
  for (const kind of RECORD_KINDS) {
    const name = kind === 'event' ? 'tribe_events' : `tribe_${kind}`
    const slug = search.get(name)
    if (slug) return { path: `/${kind}/${encodeURIComponent(slug)}`, search: without(search, name) }
  }
  const isCalendar = search.get('post_type') === 'tribe_events' || search.has('tribe_events_cat')
  if (!isCalendar) return { path, search }
  const name = search.get('name')
  if (name) return { path: `/event/${encodeURIComponent(name)}`, search: without(search, 'name') }
  return { path: `/events/${Object.hasOwn(VIEWS, view) ? view : 'list'}`, search }
}
