import { API } from './answers.ts'
import { MOUNT, type Reader } from './cache-model-site.ts'
import { MOMENTS, ref } from './cache-model-writes.ts'
import fc from './property.ts'

/** An address that is read after each step. `{venue:1}` in it is the id of the second venue that is known. */
export interface Read {
  readonly reader: Reader
  readonly path: string
  /** Whether the page after it is read, too, by its cursor. */
  readonly follows?: boolean
}

const one = (...texts: string[]) => fc.constantFrom(...texts)

/** A moment as a day, as an exact time, and with an offset far away. */
const written = (...moments: readonly string[]) =>
  fc.tuple(one(...moments), fc.constantFrom('day', 'instant', 'instant', 'offset')).map(([moment, form]) => {
    if (form === 'day') return moment.slice(0, 10)
    if (form === 'instant') return moment
    const far = new Date(Date.parse(moment) + 14 * 3_600_000).toISOString()
    return encodeURIComponent(far.replace('.000Z', '+14:00'))
  })
const early = written(...MOMENTS.slice(0, 5))
const late = written(...MOMENTS.slice(3))

/** The window of a list, as parameters. */
const window = fc.oneof(
  fc.constant([]),
  fc.tuple(one('start_date', 'starts_after', 'ends_after'), early).map(([name, at]) => [`${name}=${at}`]),
  fc.tuple(one('end_date', 'starts_before', 'ends_before'), late).map(([name, at]) => [`${name}=${at}`]),
  fc.tuple(early, late).map(([first, last]) => [`start_date=${first}`, `end_date=${last}`]),
  fc.tuple(early, late).map(([first, last]) => [`start_date=${first}`, `end_date=${last}`]),
  fc.oneof(
    early.map((at) => ['include_running=true', `start_date=${at}`]),
    one('when=tonight', 'when=weekend', 'modified_after=2031-06-10').map((text) => [text]),
  ),
)
const windowOrStrict = fc
  .tuple(window, fc.constantFrom(true, true, false))
  .map(([parts, isStrict]) => (isStrict && parts.length > 0 ? [...parts, 'strict_dates=true'] : parts))

/** A condition of a list of events. */
const filter = fc.oneof(
  ref('category', 4).map((id) => `categories=${id}`),
  one('categories=music', 'categories=jazz', 'tags=new', 'tags=loud', 'categories=music&tags=loud'),
  ref('tag', 2).map((id) => `tags=${id}`),
  ref('venue', 4).map((id) => `venue=${id}`),
  ref('organizer', 2).map((id) => `organizer=${id}`),
  one(
    'search=jazz',
    'search=a',
    'search=jazz%20night',
    'search=night&search_mode=words',
    'search=daily',
    'search=all%20that',
  ),
  one('featured=true', 'featured=false', 'ticketed=true', 'free=true', 'geoloc=true', 'collapse=series'),
  one('geoloc_lat=40.7&geoloc_lng=-74', 'geoloc_lat=40.7&geoloc_lng=-74&geoloc_radius=9000'),
  one('status=draft', 'status=any', 'status=trash', 'title=Quiet', 'slug=jazz-night,quiet'),
  fc.tuple(ref('event', 12), ref('event', 12)).map(([one, other]) => `include=${one},${other}`),
  ref('event', 12).map((id) => `exclude=${id}`),
  ref('event', 12).map((id) => `post_parent=${id}`),
)
/** A second page is often none. */
const page = one('', '', 'per_page=2', 'per_page=2', 'per_page=3', 'per_page=50', 'per_page=2&page=2')
const order = fc.oneof(
  { arbitrary: fc.constant(''), weight: 5 },
  {
    arbitrary: one(
      'orderby=title',
      'orderby=modified&order=desc',
      'order=desc',
      '_fields=events.id,events.venue,total',
    ),
    weight: 1,
  },
)

const joined = (path: string, parts: readonly string[]) => {
  const given = parts.filter((part) => part !== '')
  return given.length === 0 ? path : `${path}?${given.join('&')}`
}

const reader = fc.constantFrom<Reader[]>(
  ...Array.from({ length: 9 }, () => 'anonymous' as const),
  ...(['contributor', 'contributor', 'editor', 'editor', 'in French', 'compressed', 'session', 'by HEAD'] as const),
)
const prefix = one('', '', '', '', '', '', '', '/de')

/** What differs between two addresses that are read in turn: a key that forgets it gives the second what the first has. */
const difference = one('nothing', 'cursor', 'reader', 'strict', 'strict', 'filter', 'language', 'mount')

/** A list of events, alone or with one that differs in one thing. */
const lists = fc
  .record({
    prefix,
    reader,
    window: windowOrStrict,
    // Lists of two conditions are often empty.
    filters: fc.oneof(
      fc.constant([]),
      filter.map((one) => [one]),
      fc.uniqueArray(filter, { maxLength: 2 }),
    ),
    page,
    order,
    difference,
    other: filter,
  })
  .map(({ prefix, reader, window, filters, page, order, difference, other }): Read[] => {
    const parts = [...window, ...filters, order, page]
    const read: Read = { reader, path: joined(`${prefix}${API}/events`, parts) }
    if (difference === 'nothing') return [read]
    if (difference === 'cursor') return [{ ...read, follows: true }]
    if (difference === 'reader')
      return [read, { ...read, reader: reader === 'anonymous' ? 'contributor' : 'anonymous' }]
    if (difference === 'language') return [read, { ...read, path: joined(`/fr${API}/events`, parts) }]
    if (difference === 'mount') return [read, { ...read, path: joined(`${MOUNT}/events`, parts) }]
    const without = parts.filter((part) => part !== 'strict_dates=true')
    const more =
      difference === 'filter'
        ? [...parts, other]
        : without.length < parts.length
          ? without
          : [...parts, 'strict_dates=true']
    return [read, { ...read, path: joined(`${prefix}${API}/events`, more) }]
  })

const SLUGS = ['jazz-night', 'night-market', 'quiet', 'other', 'jazz-night-2', 'weekly', 'secret'] as const
const slug = one(...SLUGS)
const subject = one(
  '/venue/hall',
  '/venue/barn',
  '/organizer/guild',
  '/events/category/music',
  '/events/category/music/jazz',
  '/events/category/jazz',
  '/tag/loud',
)

const record = fc.oneof(
  { arbitrary: ref('event', 12).map((id) => `/events/${id}`), weight: 4 },
  { arbitrary: slug.map((slug) => `/events/by-slug/${slug}`), weight: 2 },
  {
    arbitrary: fc.oneof(
      ref('venue', 4).map((id) => `/venues/${id}`),
      ref('organizer', 2).map((id) => `/organizers/${id}`),
      ref('category', 4).map((id) => `/categories/${id}`),
      ref('tag', 2).map((id) => `/tags/${id}`),
      one('/venues/by-slug/hall', '/images/{image:0}'),
    ),
    weight: 2,
  },
)
const listOfRecords = fc
  .tuple(
    one('/venues', '/organizers', '/venues', '/categories', '/tags', '/images'),
    one(
      '',
      'search=a',
      'has_events=true',
      'only_with_upcoming=true',
      'orderby=count&order=desc',
      'hide_empty=false',
      'event={event:0}',
    ),
    one('', 'per_page=2'),
  )
  .map(([path, ...parts]) => joined(path, parts))

const pageFilter = one(
  'search=jazz',
  'category=music',
  'tag=loud',
  'venue=hall',
  'organizer=guild',
  'featured=1',
  'free=1',
  'when=weekend',
  'collapse=series',
  'geoloc_lat=40.7&geoloc_lng=-74',
  'start_date=2031-06-11',
)
const view = fc.oneof(
  one('/', '/events/', '/events/', '/events/map/', '/events/month/', '/events/week/', '/events/day/', '/sitemap.xml'),
  one('/events/month/2031-06/', '/events/month/2031-07/', '/events/week/2031-06-10/', '/events/day/2031-06-11/'),
  subject.map((path) => `${path}/`),
  slug.map((slug) => `/event/${slug}/`),
)
const feed = fc
  .tuple(
    fc.oneof(
      one('/events', '/events', '/events'),
      subject,
      slug.map((slug) => `/event/${slug}`),
    ),
    one('ics', 'rss', 'atom', 'json', 'csv'),
  )
  .map(([path, extension]) => (path.startsWith('/event/') ? `${path}.ics` : `${path}.${extension}`))

/** Another address, alone or also for another reader. */
const single = fc
  .tuple(
    prefix,
    fc.oneof(
      { arbitrary: record.map((path) => API + path), weight: 3 },
      { arbitrary: listOfRecords.map((path) => API + path), weight: 3 },
      { arbitrary: view, weight: 5 },
      { arbitrary: fc.tuple(view, pageFilter).map(([path, filter]) => joined(path, [filter])), weight: 2 },
      { arbitrary: feed, weight: 3 },
      { arbitrary: fc.tuple(feed, filter).map(([path, filter]) => joined(path, [filter])), weight: 2 },
    ),
    reader,
    fc.oneof(fc.constant(null), fc.constant(null), reader),
  )
  .map(([prefix, path, reader, other]): Read[] => {
    const read = { reader, path: prefix + path }
    return other === null || other === reader ? [read] : [read, { reader: other, path: read.path }]
  })

/** One address, or two that differ in one thing. */
export const reads: fc.Arbitrary<readonly Read[]> = fc.oneof(
  { arbitrary: lists, weight: 5 },
  // What a write does not concern stays in the cache, but for the counts of terms.
  { arbitrary: fc.tuple(reader, record).map(([reader, path]) => [{ reader, path: API + path }]), weight: 2 },
  { arbitrary: single, weight: 3 },
)

/** What is read in every round, besides. */
export const ALWAYS: readonly Read[] = ['/events/', `${API}/events`].map((path) => ({ reader: 'anonymous', path }))
