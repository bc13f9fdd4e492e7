import { ABSENT, each, listed, type Marking, markOf, markOfRecord, named, SHOWN } from './marks.ts'
import type { Reader } from './readers.ts'
import { STATES } from './table.ts'
import { type Entry, type Kind, MONTH, PLACE, pathOf, pluralOf, WORDS, type World } from './world.ts'

/** Ways to read records through the REST interface. */

type Query = Record<string, unknown>

const STATUSES = 'publish,future,draft,pending,private,trash'
const JULY = { start_date: `${MONTH}-01`, end_date: `${MONTH}-31` }
const ALL = { per_page: 500, hide_empty: 0 }

/** All statuses that a reader may ask for. */
const asked = ({ name }: Reader): Record<string, string> =>
  name === 'anyone' || name === 'subscriber' ? {} : { status: STATUSES }

/** A list, in every status that the reader may ask for, with a filter. */
export function filtered(kind: Kind, filter: (world: World) => Query): Marking {
  return async (world, reader) => {
    const query = { ...(kind === 'event' && JULY), ...ALL, ...asked(reader), ...filter(world) }
    return listed(await reader.rest(`/${pluralOf(kind)}`, { query }), pluralOf(kind))
  }
}

/** A list as it is, with nothing but its dates. */
function plain(kind: Kind, query: Query = {}): Marking {
  return async (_, reader) =>
    listed(
      await reader.rest(`/${pluralOf(kind)}`, { query: { ...(kind === 'event' && JULY), ...ALL, ...query } }),
      pluralOf(kind),
    )
}

/** The lists of each status, and of a record that of its own. */
function byStatus(kind: Kind): Marking {
  return async (world, reader) => {
    const found = new Map<string, Awaited<ReturnType<Marking>>>()
    for (const status of STATUSES.split(',')) found.set(status, await plain(kind, { status })(world, reader))
    return (entry) => found.get(statusOf(entry))?.(entry) ?? 'no list'
  }
}

function statusOf({ state }: Entry): string {
  if (state.includes('→trash')) return 'trash'
  return STATES.find((one) => state.startsWith(one)) ?? ''
}

const ofKind = (world: World, kind: Kind) => world.entries.filter((entry) => entry.kind === kind)
const idsOf = (world: World, kind: Kind) =>
  ofKind(world, kind)
    .map(({ id }) => id)
    .join(',')

/** What the events beside records show of these. */
function beside(kind: Kind, isShown: (event: Record<string, unknown>, entry: Entry) => boolean): Marking {
  return async (world, reader) => {
    const include = ofKind(world, kind)
      .map((entry) => entry.beside.id)
      .join(',')
    const { events } = (await reader.rest('/events', { query: { include, ...ALL } })).json()
    return (entry) => {
      const event = events.find(({ id }: { id: number }) => id === entry.beside.id)
      return isShown(event, entry) ? SHOWN : ABSENT
    }
  }
}

/** Which of the events beside records a filter finds. */
function besideFound(query: Query): Marking {
  return async (_, reader) => {
    const all = { start_date: '2033-06-10', end_date: '2033-06-10', ...ALL, ...query }
    const response = await reader.rest('/events', { query: all })
    const mark = markOf(response)
    const ids = mark === SHOWN ? response.json().events.map(({ id }: { id: number }) => id) : []
    return (entry) => (mark !== SHOWN ? mark : ids.includes(entry.beside.id) ? SHOWN : ABSENT)
  }
}

/** The list of what an event has. */
function ofEvent(plural: string, parameter = 'event'): Marking {
  return each(async (_, reader, { id, name }) => {
    const response = await reader.rest(`/${plural}`, { query: { [parameter]: id, per_page: 50 } })
    if (markOf(response) !== SHOWN) return markOf(response)
    return response.body.includes(name) ? SHOWN : ABSENT
  })
}

/** Everything of a list of terms, by the names of those that the records have. */
function termsOf(plural: 'categories' | 'tags', query: Query = {}): Marking {
  const label = plural === 'tags' ? 'Label' : 'Kind'
  return async (_, reader) =>
    named(await reader.rest(`/${plural}`, { query: { ...ALL, ...query } }), ({ name }) => `"${label} ${name}"`)
}

/** The terms of a record, found by name. */
function byTerm(plural: 'categories' | 'tags'): Marking {
  const label = plural === 'tags' ? 'Label' : 'Kind'
  return each(async (world, reader, entry) =>
    (await filtered('event', () => ({ [plural]: `${label} ${entry.name}` }))(world, reader))(entry),
  )
}

type Told = readonly { readonly type: string; readonly id: number; readonly action: string; readonly record?: object }[]

/** What a reader is told, read once for all kinds. */
const told = new WeakMap<World, Map<string, Promise<Told>>>()

function changes(isSinceBefore: boolean): Marking {
  return async (world, reader) => {
    const known = told.get(world) ?? new Map<string, Promise<Told>>()
    told.set(world, known)
    const key = `${reader.name} ${isSinceBefore}`
    const all = known.get(key) ?? readChanges(reader, isSinceBefore ? world.since.get(reader.name) : undefined)
    known.set(key, all)
    const found = await all
    return ({ kind, id }) => {
      const change = found.find((one) => one.type === kind && one.id === id)
      if (change === undefined) return ABSENT
      return change.action === 'removed' ? '−' : change.record === undefined ? 'no record' : SHOWN
    }
  }
}

async function readChanges(reader: Reader, from: string | undefined): Promise<Told> {
  const query = { per_page: 500, include: 'record', types: 'event,venue,organizer' }
  const all: Told[number][] = []
  for (let since = from; ; ) {
    const response = await reader.rest('/changes', { query: { ...query, ...(since !== undefined && { since }) } })
    const { changes: some, next, more } = response.json()
    all.push(...some)
    if (!more) return all
    since = next
  }
}

const get = (kind: Kind): Record<string, Marking> => ({
  [`${pluralOf(kind)}.get`]: each(async (_, reader, entry) => markOfRecord(await reader.rest(pathOf(entry)), entry)),
  [`${pluralOf(kind)}.get-by-slug`]: each(async (_, reader, entry) =>
    markOfRecord(await reader.rest(`/${pluralOf(kind)}/by-slug/${entry.slug}`), entry),
  ),
})

const versions = (kind: Kind): Record<string, Marking> => ({
  [`${pluralOf(kind)}.versions`]: each(async (_, reader, entry) =>
    markOf(await reader.rest(`${pathOf(entry)}/versions`)),
  ),
  [`${pluralOf(kind)}.version`]: each(async (_, reader, entry) =>
    markOf(await reader.rest(`${pathOf(entry)}/versions/${entry.version}`)),
  ),
})

const lists = (kind: Kind): Record<string, Marking> => {
  const plural = pluralOf(kind)
  const ways: Record<string, Marking> = {
    '': plain(kind),
    ' ?status=any': plain(kind, { status: 'any' }),
    ' ?status': byStatus(kind),
    ' ?slug': filtered(kind, (world) => ({ slug: ofKind(world, kind).map(({ slug }) => slug) })),
    ' ?modified_after': filtered(kind, () => ({ modified_after: '2001-01-01' })),
  }
  return Object.fromEntries(Object.entries(ways).map(([name, way]) => [`${plural}.list${name}`, way]))
}

const eventFilters: Record<string, (world: World) => Query> = {
  include: (world) => ({ include: idsOf(world, 'event') }),
  exclude: ({ shared }) => ({ exclude: shared.parent }),
  author: ({ ids }) => ({ author: Object.values(ids).join(',') }),
  starts_after: () => ({ starts_after: '2031-06-30' }),
  orderby: () => ({ orderby: 'title' }),
  'search=title': () => ({ search: 'gathering' }),
  'search_mode=words title': () => ({ search: 'gathering', search_mode: 'words' }),
  venue: ({ shared }) => ({ venue: shared.venue }),
  organizer: ({ shared }) => ({ organizer: shared.organizer }),
  categories: ({ shared }) => ({ categories: shared.categories }),
  tags: ({ shared }) => ({ tags: shared.tags }),
  post_parent: ({ shared }) => ({ post_parent: shared.parent }),
  featured: () => ({ featured: true }),
  is_virtual: () => ({ is_virtual: true }),
  ticketed: () => ({ ticketed: true }),
  free: () => ({ free: true }),
  family: () => ({ family: true }),
  geoloc: () => ({ geoloc: true }),
  geoloc_lat: () => ({ geoloc_lat: PLACE.geo_lat, geoloc_lng: PLACE.geo_lng }),
  'search=description': () => ({ search: WORDS.description }),
  'search_mode=words description': () => ({ search: WORDS.description, search_mode: 'words' }),
  'search_mode=words excerpt': () => ({ search: WORDS.excerpt, search_mode: 'words' }),
  'search_mode=words venue': () => ({ search: 'common hall', search_mode: 'words' }),
  'search_mode=words organizer': () => ({ search: 'guild', search_mode: 'words' }),
  'search_mode=words tag': () => ({ search: 'common label', search_mode: 'words' }),
}

export const readingEvents: Record<string, Marking> = {
  ...get('event'),
  'events.get ?password': each(async (_, reader, entry) =>
    markOfRecord(await reader.rest(pathOf(entry), { query: { password: WORDS.password } }), entry),
  ),
  'events.get-by-slug ?password': each(async (_, reader, entry) =>
    markOfRecord(await reader.rest(`/events/by-slug/${entry.slug}`, { query: { password: WORDS.password } }), entry),
  ),
  ...lists('event'),
  ...Object.fromEntries(
    Object.entries(eventFilters).map(([name, filter]) => [`events.list ?${name}`, filtered('event', filter)]),
  ),
  'events.list ?tags=its own': byTerm('tags'),
  'events.list ?categories=its own': byTerm('categories'),
  'events.list ?post_parent=it': each(async (_, reader, { id }) =>
    markOf(await reader.rest('/events', { query: { post_parent: id, start_date: '2033-01-01' } })),
  ),
  'events.list (as the parent of another)': beside('event', ({ parent }, { id }) => parent === id),
  'venues.list ?event=it': ofEvent('venues'),
  'organizers.list ?event=it': ofEvent('organizers'),
  'categories.list ?event=it': ofEvent('categories'),
  'tags.list ?event=it': ofEvent('tags'),
  'tags.list ?post=it': ofEvent('tags', 'post'),
  'venues.list ?has_events': async (_, reader) =>
    named(await reader.rest('/venues', { query: { ...ALL, has_events: true } }), ({ name }) => `"Hall ${name}"`),
  'venues.list ?only_with_upcoming': async (_, reader) =>
    named(
      await reader.rest('/venues', { query: { ...ALL, only_with_upcoming: true } }),
      ({ name }) => `"Hall ${name}"`,
    ),
  'organizers.list ?has_events': async (_, reader) =>
    named(await reader.rest('/organizers', { query: { ...ALL, has_events: true } }), ({ name }) => `"Guild ${name}"`),
  'GET /wp-json/wp/v2/tags': async (_, reader) =>
    named(await reader.page('/wp-json/wp/v2/tags?per_page=500'), ({ name }) => `"Label ${name}"`),
  'GET /wp-json/wp/v2/tribe_events_cat': async (_, reader) =>
    named(await reader.page('/wp-json/wp/v2/tribe_events_cat?per_page=500'), ({ name }) => `"Kind ${name}"`),
  'tags.list (its own)': termsOf('tags'),
  'categories.list (its own)': termsOf('categories'),
  'tags.list ?hide_empty (its own)': termsOf('tags', { hide_empty: 1 }),
  'categories.list ?hide_empty (its own)': termsOf('categories', { hide_empty: 1 }),
  ...versions('event'),
  'changes.list': changes(false),
  'changes.list ?since': changes(true),
  'GET /wp-json/wp/v2/tribe_events': async (_, reader) =>
    listed(await reader.page(`/wp-json/wp/v2/tribe_events?per_page=500&${new URLSearchParams(asked(reader))}`), ''),
  'GET /wp-json/wp/v2/tribe_events/:id': each(async (_, reader, entry) =>
    markOfRecord(await reader.page(`/wp-json/wp/v2/tribe_events/${entry.id}`), entry),
  ),
}

export function readingLinked(kind: 'venue' | 'organizer'): Record<string, Marking> {
  const plural = pluralOf(kind)
  return {
    ...get(kind),
    ...lists(kind),
    [`${plural}.list ?search`]: filtered(kind, () => ({ search: 'juniper' })),
    [`events.list ?${kind}=it`]: each(async (_, reader, { id }) =>
      markOf(await reader.rest('/events', { query: { [kind]: id, start_date: '2033-01-01' } })),
    ),
    [`events.list (with its ${kind})`]: beside(kind, (event, { name }) => JSON.stringify(event[kind]).includes(name)),
    [`events.list ?search_mode=words (with its ${kind})`]: besideFound({
      search: kind === 'venue' ? 'place' : 'band',
      search_mode: 'words',
    }),
    ...versions(kind),
    [`changes.list (${kind})`]: changes(false),
    [`changes.list ?since (${kind})`]: changes(true),
  }
}

export const readingVenues: Record<string, Marking> = {
  ...readingLinked('venue'),
  'events.list ?geoloc (at its place)': besideFound({ geoloc: true }),
  'events.list ?geoloc=false (at its place)': besideFound({ geoloc: false }),
  'events.list ?geoloc_lat (at its place)': besideFound({
    geoloc_lat: PLACE.geo_lat,
    geoloc_lng: PLACE.geo_lng,
  }),
}
