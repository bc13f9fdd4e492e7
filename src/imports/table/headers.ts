import { fold } from '../../lib/fold.ts'
import { eventFields, NOT_IN_TABLES } from '../../schema/event.ts'
import { byLinkedKind, LINKED_FIELDS, LINKED_KINDS, type LinkedKind } from '../../schema/linked.ts'

/** What the rows of a table are. */
export type TableKind = 'event' | LinkedKind

/**
 * Names of columns that other programs write, by our name of the column, best first: the importer of the WordPress
 * calendar, Google Calendar, Outlook (English, German, French, Spanish) and Eventbrite. Each is written as `keyOf` makes
 * it; `#2` is the second column of that name. Our own names are known as well.
 */
type Aliases = Readonly<Record<string, readonly string[]>>

/** Fields of events that a table can give. */
export const EVENT_FIELDS = Object.keys(eventFields).filter(
  (name) => !(NOT_IN_TABLES as readonly string[]).includes(name),
)

const EVENT: Aliases = {
  ...Object.fromEntries(EVENT_FIELDS.map((name) => [name, []])),
  uid: [],
  id: [],
  title: ['eventname', 'eventtitle', 'subject', 'betreff', 'objet', 'asunto', 'name', 'summary'],
  start_date: [
    ...['eventstartdate', 'eventstart', 'eventstartdatetime', 'startdatetime', 'start', 'eventdate'],
    ...['beginntam', 'debut', 'datededebut', 'fechadecomienzo', 'fechadeinicio'],
  ],
  start_time: ['eventstarttime', 'beginntum', 'debut#2', 'heurededebut', 'comienzo', 'horadecomienzo', 'horadeinicio'],
  end_date: [
    ...['eventenddate', 'eventend', 'eventenddatetime', 'enddatetime', 'end'],
    ...['endetam', 'fin', 'datedefin', 'fechadefinalizacion', 'fechadefin'],
  ],
  end_time: ['eventendtime', 'endetum', 'fin#2', 'heuredefin', 'finalizacion', 'horadefinalizacion', 'horadefin'],
  all_day: ['alldayevent', 'eventallday', 'ganztagigesereignis', 'journeeentiere', 'todoeldia', 'eventodetodoeldia'],
  timezone: ['eventtimezone'],
  description: ['eventdescription', 'beschreibung', 'descripcion'],
  excerpt: ['eventexcerpt', 'eventsummary'],
  cost: ['eventcost'],
  currency_symbol: ['eventcurrencysymbol'],
  currency_position: ['eventcurrencyposition'],
  currency_code: ['isocurrencycode', 'eventisocurrencycode', 'eventcurrencycode'],
  website: ['eventwebsite', 'eventurl', 'eventlink', 'url'],
  image: ['eventfeaturedimage', 'featuredimage', 'eventimage'],
  featured: ['featureevent', 'featuredevent', 'eventfeatured'],
  sticky: ['eventstickyinmonthview', 'stickyinmonthview', 'eventsticky'],
  hide_from_listings: ['hidefromeventlistings', 'hideeventfromeventlistings', 'eventhidefromlistings', 'eventhide'],
  show_map: ['eventshowmap'],
  show_map_link: ['eventshowmaplink'],
  venue: [
    ...['eventvenuename', 'venuename', 'eventvenue', 'eventlocation', 'location', 'locationname'],
    ...['ort', 'emplacement', 'lieu', 'ubicacion', 'lugar'],
  ],
  venue_address: ['venueaddress1', 'eventvenueaddress', 'eventaddress'],
  venue_city: ['eventvenuecity', 'eventcity'],
  venue_region: ['venuestate', 'venuestateprovince', 'venueprovince'],
  venue_zip: ['venuepostalcode', 'venuezipcode'],
  venue_country: ['eventvenuecountry', 'eventcountry'],
  organizer: ['eventorganizername', 'organizername', 'organisername', 'organiser', 'eventorganizer'],
  organizers: ['eventorganizernamesorids', 'eventorganizernames', 'eventorganizers'],
  categories: ['eventcategory', 'eventcategories', 'category', 'kategorien', 'categorias'],
  tags: ['eventtags', 'eventtag', 'tag'],
  private: ['privat', 'prive', 'privado'],
  sensitivity: ['vertraulichkeit', 'criteredediffusion', 'confidencialidad'],
  event_id: [],
  event_status: [],
}

const ownNames = (names: readonly string[]): Aliases => Object.fromEntries(names.map((name) => [name, []]))

/** The same for tables of linked records, as far as other programs write such. */
const OF_OTHERS: Partial<Record<LinkedKind, Aliases>> = {
  venue: {
    address: ['venueaddress', 'venueaddress1'],
    address_2: ['venueaddress2'],
    city: ['venuecity'],
    country: ['venuecountry'],
    region: ['venuestateprovince', 'venuestate', 'venueprovince'],
    zip: ['venuezip', 'venuezipcode', 'venuepostalcode', 'zipcode', 'postalcode'],
    phone: ['venuephone'],
    website: ['venueurl', 'venuewebsite', 'url'],
    description: ['venuedescription'],
    image: ['venuefeaturedimage', 'featuredimage', 'venueimage'],
    geo_lat: ['venuelatitude', 'latitude', 'venuelat'],
    geo_lng: ['venuelongitude', 'longitude', 'venuelng'],
    show_map: ['venueshowmap'],
    show_map_link: ['venueshowmaplink'],
  },
  organizer: {
    organizer: ['organizername', 'organisername', 'organiser'],
    description: ['organizerdescription'],
    email: ['organizeremail'],
    website: ['organizerwebsite', 'organizerurl', 'url'],
    phone: ['organizerphone'],
    image: ['organizerfeaturedimage', 'featuredimage', 'organizerimage'],
  },
}

const LINKED = byLinkedKind(
  (kind): Aliases => ({
    ...ownNames(Object.keys(LINKED_FIELDS[kind])),
    [kind]: [`${kind}name`],
    ...OF_OTHERS[kind],
  }),
)

/** A column of a table: where it is, and by which name it was known. */
export interface Column {
  readonly place: number
  readonly key: string
}

export type Columns = ReadonlyMap<string, Column>

/** Name of a column for comparison: letters and digits, without case and accents. */
export function keyOf(name: string): string {
  return fold(name.slice(0, 200))
    .normalize('NFD')
    .replace(/\p{M}|[^\p{L}\p{N}]/gu, '')
}

/** Places of columns by `keyOf`. The second of two with one name is `name#2`. */
function keysOf(names: readonly string[]): Map<string, number> {
  const keys = new Map<string, number>()
  for (const [place, name] of names.entries()) {
    const key = keyOf(name)
    if (key === '') continue
    if (!keys.has(key)) keys.set(key, place)
    else if (!keys.has(`${key}#2`)) keys.set(`${key}#2`, place)
  }
  return keys
}

function find(keys: ReadonlyMap<string, number>, aliases: Aliases): Map<string, Column> {
  const found = new Map<string, Column>()
  for (const [name, others] of Object.entries(aliases)) {
    const key = [keyOf(name), ...others].find((one) => keys.has(one))
    const place = key === undefined ? undefined : keys.get(key)
    if (key !== undefined && place !== undefined) found.set(name, { place, key })
  }
  // A date and time in one column.
  for (const end of found.has('start_date') ? [] : ['start', 'end']) {
    const both = found.get(`${end}_time`)
    if (both === undefined || found.has(`${end}_date`)) continue
    found.set(`${end}_date`, both)
    found.delete(`${end}_time`)
  }
  return found
}

/** The kind and the columns of a table with these names in its header row; `lacking` are names of columns that it needs. */
export interface Header {
  readonly kind: TableKind
  readonly columns: Columns
  readonly lacking: readonly string[]
}

export function readHeader(names: readonly string[]): Header {
  const keys = keysOf(names)
  const event = find(keys, EVENT)
  const isEvent = event.has('start_date') || (event.has('title') && event.get('title')?.key !== 'name')
  const linked = isEvent ? null : linkedHeader(keys, event.has('title'))
  if (linked !== null) return linked
  const [title, start] = expected(keys)
  const lacking = [...(event.has('title') ? [] : [title]), ...(event.has('start_date') ? [] : [start])]
  return { kind: 'event', columns: event, lacking }
}

/** Fields of events that a column can be said to have by hand. */
export const COLUMN_FIELDS: readonly string[] = [
  'title',
  'start_date',
  'start_time',
  'end_date',
  'end_time',
  'all_day',
  'venue',
  'venue_address',
  'venue_zip',
  'venue_city',
  'venue_country',
  'organizer',
  'description',
  'excerpt',
  'categories',
  'tags',
  'cost',
  'website',
  'image',
  'timezone',
]

/** The header of a table of events whose columns somebody named by hand. */
export function toldHeader(told: Readonly<Record<string, string>>, width: number): Header {
  const columns = new Map<string, Column>()
  for (const [place, field] of Object.entries(told))
    if (COLUMN_FIELDS.includes(field) && Number(place) < width && !columns.has(field))
      columns.set(field, { place: Number(place), key: `told ${field}` })
  return { kind: 'event', columns, lacking: ['title', 'start_date'].filter((name) => !columns.has(name)) }
}

/** The header of a table of venues or organizers: of the kind with more columns, if it names both. */
function linkedHeader(keys: ReadonlyMap<string, number>, hasName: boolean): Header | null {
  const [best] = LINKED_KINDS.map((kind): Header => ({ kind, columns: named(keys, kind, hasName), lacking: [] }))
    .filter(({ kind, columns }) => columns.has(kind))
    .sort((one, other) => other.columns.size - one.columns.size)
  return best ?? null
}

/** A column `name` is enough beside an address, or an e-mail address. */
function named(keys: ReadonlyMap<string, number>, kind: LinkedKind, hasName: boolean): Map<string, Column> {
  const columns = find(keys, LINKED[kind])
  const place = keys.get('name')
  const isSure = kind === 'venue' ? columns.has('address') || columns.has('city') : columns.has('email')
  if (hasName && place !== undefined && isSure && !columns.has(kind)) columns.set(kind, { place, key: 'name' })
  return columns
}

/** Names of the columns that a table needs, in the words of the program that it looks like. */
function expected(keys: ReadonlyMap<string, number>): [title: string, start: string] {
  const names = [...keys.keys()]
  if (names.some((key) => key.startsWith('event') && key !== 'event')) return ['Event Name', 'Event Start Date']
  if (names.some((key) => /^(subject|starttime|endtime|alldayevent)$/.test(key))) return ['Subject', 'Start Date']
  return ['title', 'start_date']
}
