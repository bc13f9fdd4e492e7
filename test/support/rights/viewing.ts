import { ABSENT, BLANK, each, type Marking, markOf, named, SHOWN } from './marks.ts'
import type { Reader } from './readers.ts'
import { type Entry, type Kind, MONTH, pluralOf, WORDS } from './world.ts'

/** Ways to see records on pages and screens, in feeds, and through an assistant. */

const JULY = `start_date=${MONTH}-01&end_date=${MONTH}-31`
const link = ({ kind, slug }: Entry) => `/${kind}/${slug}/"`
const address = ({ kind, slug }: Entry) => `/${kind}/${slug}/`

/** A page by itself. One that asks for a password shows a form for it. */
const pageOf = (kind: Kind): Marking =>
  each(async (_, reader, { slug }) => {
    const { statusCode, body } = await reader.page(`/${kind}/${slug}/`)
    if (statusCode === 403 && body.includes('name="password"')) return 'pw'
    return statusCode === 200
      ? kind !== 'event' || body.includes(WORDS.description)
        ? SHOWN
        : BLANK
      : String(statusCode)
  })

const feedOf = (kind: Kind, extension: string): Marking =>
  each(async (_, reader, { slug }) => markOf(await reader.page(`/${kind}/${slug}.${extension}`)))

/** A list of several pages. */
async function allPages(reader: Reader, url: string): Promise<string> {
  let text = ''
  for (let page = 1; ; page++) {
    const { statusCode, body } = await reader.page(`${url}${url.includes('?') ? '&' : '?'}page=${page}`)
    if (page === 1 && statusCode !== 200) return String(statusCode)
    text += body
    if (statusCode !== 200 || !body.includes(`page=${page + 1}`)) return text
  }
}

const pagesNaming =
  (url: string, linkOf: (entry: Entry) => string = link): Marking =>
  async (_, reader) => {
    const text = await allPages(reader, url)
    return (entry) => (/^\d{3}$/.test(text) ? text : text.includes(linkOf(entry)) ? SHOWN : ABSENT)
  }

/** Pages that are about some days each. */
const daysNaming =
  (view: 'week' | 'day', days: readonly string[]): Marking =>
  async (_, reader) => {
    let text = ''
    for (const day of days) text += (await reader.page(`/events/${view}/${day}/`)).body
    return (entry) => (text.includes(link(entry)) ? SHOWN : ABSENT)
  }

const weeks = ['01', '08', '15', '22', '29'].map((day) => `${MONTH}-${day}`)
const days = Array.from({ length: 28 }, (_, n) => `${MONTH}-${String(n + 1).padStart(2, '0')}`)

/** A feed, whose lines of iCalendar are joined again. */
const feedNaming =
  (url: string): Marking =>
  async (_, reader) => {
    const response = await reader.page(`${url}?${JULY}`)
    return named(response, address, response.body.replace(/\r\n /g, ''))
  }

const FEEDS = ['ics', 'rss', 'atom', 'json']
/** Paths of what all events have in common, as routes and as they are. */
const SUBJECTS = {
  '/events': '/events',
  '/venue/:slug': '/venue/common-hall',
  '/organizer/:slug': '/organizer/common-guild',
  '/tag/:slug': '/tag/common-label',
  '/events/category/*': '/events/category/family',
}

const call = (reader: Reader, name: string, given: object) =>
  reader.assistant({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given } })

const tool = (name: string, given: (entry: Entry) => object): Marking =>
  each(async (_, reader, entry) => {
    const response = await call(reader, name, given(entry))
    if (markOf(response) !== SHOWN) return markOf(response)
    const { isError, structuredContent: body } = response.json().result
    return isError ? String(body.data.status) : SHOWN
  })

/** The tool that searches, with the days of all events. */
const searching: Marking = async (_, reader) => {
  const given = { search: 'gathering', start_date: `${MONTH}-01`, end_date: `${MONTH}-31`, per_page: 500 }
  const response = await call(reader, 'search_events', given)
  if (markOf(response) !== SHOWN) return () => markOf(response)
  const { events } = response.json().result.structuredContent
  return (entry) => {
    const found = events.find(({ id }: { id: number }) => id === entry.id)
    return found === undefined ? ABSENT : JSON.stringify(found).includes(WORDS.description) ? SHOWN : BLANK
  }
}

const screen = (path: (entry: Entry) => string, fields?: (entry: Entry) => Record<string, string>): Marking =>
  each(async (_, reader, entry) => {
    const { statusCode } = await reader.page(path(entry), fields?.(entry))
    return statusCode === 200 ? SHOWN : String(statusCode)
  })

/** Which the editor may open, and which are only read. */
const ofTable = ({ kind, id, slug }: Entry) => new RegExp(`"(/manage/${pluralOf(kind)}/${id}|/${kind}/${slug}/)"`)
const table =
  (kind: Kind): Marking =>
  async (_, reader) => {
    const text = await allPages(reader, `/manage/${pluralOf(kind)}?${kind === 'event' ? JULY : 'search=juniper'}`)
    return (entry) => (/^\d{0,3}$/.test(text) ? text : ofTable(entry).test(text) ? SHOWN : ABSENT)
  }

const screensOf = (kind: Kind): Record<string, Marking> => ({
  [`GET /manage/${pluralOf(kind)}`]: table(kind),
  [`GET /manage/${pluralOf(kind)}/:id`]: screen(({ id }) => `/manage/${pluralOf(kind)}/${id}`),
  [`GET /manage/${pluralOf(kind)}/:id/versions`]: screen(({ id }) => `/manage/${pluralOf(kind)}/${id}/versions`),
  [`GET /manage/${pluralOf(kind)}/:id/versions/:version`]: screen(
    ({ id, version }) => `/manage/${pluralOf(kind)}/${id}/versions/${version}`,
  ),
  [`POST /manage/${pluralOf(kind)}/:id/versions`]: screen(
    ({ id }) => `/manage/${pluralOf(kind)}/${id}/versions`,
    () => ({ do: 'restore_version', version: '1' }),
  ),
  // A field that is refused: nothing is written.
  [`POST /manage/${pluralOf(kind)}/:id`]: screen(
    ({ id }) => `/manage/${pluralOf(kind)}/${id}`,
    () => ({ do: 'save', [kind === 'event' ? 'title' : kind]: '' }),
  ),
})

/** Pages and screens are read with a session. */
export const pagesOf = (kind: Kind): Record<string, Marking> => ({
  [`GET /${kind}/:slug`]: pageOf(kind),
  ...screensOf(kind),
})

export const eventPages: Record<string, Marking> = {
  ...pagesOf('event'),
  'GET /events': pagesNaming(`/events/?${JULY}`),
  'GET /events ?search=title': pagesNaming(`/events/?${JULY}&search=gathering`),
  'GET /events ?search=description': pagesNaming(`/events/?${JULY}&search=${WORDS.description}`),
  'GET /events ?featured': pagesNaming(`/events/?${JULY}&featured=1`),
  'GET /events/month/:slug': pagesNaming(`/events/month/${MONTH}/`),
  'GET /events/week/:slug': daysNaming('week', weeks),
  'GET /events/day/:slug': daysNaming('day', days),
  'GET /venue/:slug (its events)': pagesNaming(`/venue/common-hall/?${JULY}`),
  'GET /organizer/:slug (its events)': pagesNaming(`/organizer/common-guild/?${JULY}`),
  'GET /tag/:slug (its events)': pagesNaming(`/tag/common-label/?${JULY}`),
  'GET /events/category/* (its events)': pagesNaming(`/events/category/family/?${JULY}`),
  'GET /event/:slug (its parent)': each(async (_, reader, entry) => {
    const { body } = await reader.page(`/event/${entry.beside.slug}/`)
    return body.includes(link(entry)) ? SHOWN : ABSENT
  }),
  'GET /manage/events/:id/picture': screen(({ id }) => `/manage/events/${id}/picture`),
  'POST /manage/events': screen(
    () => '/manage/events',
    ({ id }) => ({ do: 'add_category', 'ids[]': String(id), term: 'Family' }),
  ),
}

/** Feeds are the same for everybody, whatever they send. */
export const feedsOf = (kind: 'event' | 'venue' | 'organizer'): Record<string, Marking> =>
  kind === 'event'
    ? {
        'GET /event/:slug.ics': feedOf('event', 'ics'),
        ...Object.fromEntries(
          Object.entries(SUBJECTS).flatMap(([route, path]) =>
            FEEDS.map((extension) => [`GET ${route}.${extension}`, feedNaming(`${path}.${extension}`)]),
          ),
        ),
        'GET /sitemap/:slug': pagesNaming('/sitemap/events-0.xml', address),
      }
    : {
        [`GET /${kind}/:slug.ics (itself)`]: feedOf(kind, 'ics'),
        [`GET /${kind}/:slug.json (itself)`]: feedOf(kind, 'json'),
        'GET /sitemap/:slug': pagesNaming(`/sitemap/${pluralOf(kind)}-0.xml`, address),
      }

export const linkedPages = (kind: 'venue' | 'organizer'): Record<string, Marking> => ({
  ...pagesOf(kind),
  [`GET /events ?${kind}=it`]: screen(({ slug }) => `/events/?start_date=2033-01-01&${kind}=${slug}`),
  [`GET /event/:slug (with its ${kind})`]: each(async (_, reader, entry) => {
    const { body } = await reader.page(`/event/${entry.beside.slug}/`)
    return body.includes(link(entry)) ? SHOWN : ABSENT
  }),
  ...(kind === 'venue' && {
    'GET /events/map': pagesNaming('/events/map/'),
    'GET /events/day/:slug (with its venue)': pagesNaming(
      '/events/day/2033-06-10/',
      ({ name }) => `Place ${name}, ${WORDS.city}<`,
    ),
  }),
  // Without the other record: who may edit it is told that it is missing.
  [`POST /manage/${kind}s/:id (merge)`]: screen(
    ({ id }) => `/manage/${kind}s/${id}`,
    () => ({ do: 'merge' }),
  ),
})

/** Assistants sign in with a token. */
export const assistants: Record<string, Marking> = {
  'POST /mcp (get_event)': tool('get_event', ({ id }) => ({ id })),
  'POST /mcp (search_events)': searching,
  'POST /mcp (update_event)': tool('update_event', ({ id }) => ({ id, show_map: true, dry_run: true })),
}
export const linkedAssistants = (kind: 'venue' | 'organizer'): Record<string, Marking> => ({
  [`POST /mcp (get_${kind})`]: tool(`get_${kind}`, ({ id }) => ({ id })),
  [`POST /mcp (update_${kind})`]: tool(`update_${kind}`, ({ id }) => ({ id, phone: '4', dry_run: true })),
})
