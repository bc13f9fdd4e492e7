/** @typedef {{ venue?: string, city?: string }} Venue */
/**
 * @typedef {object} Event
 * @property {string} title
 * @property {string} url
 * @property {string} start_date
 * @property {string} end_date
 * @property {string} utc_start_date
 * @property {string} utc_end_date
 * @property {string} timezone_abbr
 * @property {boolean | null} all_day
 * @property {boolean | null} featured
 * @property {string} cost
 * @property {false | { sizes?: { thumbnail?: { url: string } } }} image
 * @property {Venue | Venue[]} venue
 */
/** @typedef {{ events: Event[], total: number, total_pages: number }} Page */

const FIELDS = [
  'title,url,start_date,end_date,utc_start_date,utc_end_date,timezone_abbr,all_day,featured,cost',
  'image.sizes.thumbnail,venue.venue,venue.city',
]
  .join()
  .split(',')
  .map((name) => `events.${name}`)
/** How long an answer may take, in milliseconds. */
const TIMEOUT = 20_000
/** The most events that the service puts on a page. */
export const PER_PAGE = 50
/** The options that filter, and the parameters that they are. */
const FILTERS = { category: 'categories', tag: 'tags', venue: 'venue', organizer: 'organizer', search: 'search' }

/** What the service refused, with its reasons in words. */
export class Refusal extends Error {}

/** Asks for events, as anybody may. @param {HTMLElement} options @param {string} base @param {string} language @param {Record<string, string>} query @param {AbortSignal} signal @returns {Promise<Page>} */
export async function ask(options, base, language, query, signal) {
  const search = new URLSearchParams({ ...query, _fields: ['total', 'total_pages', 'data.params', ...FIELDS].join() })
  for (const [option, name] of Object.entries(FILTERS)) {
    const value = options.getAttribute(option)?.trim()
    if (value) search.set(name, value)
    if (value && name === 'search') search.set('search_mode', 'words')
  }
  if (options.hasAttribute('featured') && options.getAttribute('featured') !== 'false') search.set('featured', 'true')
  const response = await fetch(`${base}calendar/events/v1/events?${search}`, {
    credentials: 'omit',
    referrerPolicy: 'no-referrer',
    headers: { 'accept-language': language },
    signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT)]),
  })
  const body = await response.json()
  if (response.ok) return body
  const reasons = Object.values(body?.data?.params ?? {}).filter((reason) => typeof reason === 'string')
  throw new Refusal(reasons.join(' '))
}
