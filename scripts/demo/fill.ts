import { toWallClock } from '../../src/calendar/zone.ts'
import * as events from '../../src/domain/events.ts'
import * as images from '../../src/domain/images.ts'
import type { LinkedKind } from '../../src/domain/linked-records.ts'
import * as linked from '../../src/domain/linked-records.ts'
import type { Scope } from '../../src/domain/scope.ts'
import * as terms from '../../src/domain/terms.ts'
import { CITY, DISTRICTS, type Place, type PlaceKind } from './city.ts'
import type { DemoEvent } from './demo-event.ts'
import { CATEGORIES } from './kinds.ts'
import { ABOUT, ORGANIZERS, type Theme } from './organizers.ts'
import { PLACES } from './places.ts'
import { planYear } from './plan.ts'
import { type Motif, render } from './posters.ts'
import { type Chance, chanceOf } from './random.ts'
import { ticketsOf } from './tickets.ts'

/** How many pictures there are of each motif. */
const VARIANTS = 5
/** How many pictures are made at a time. */
const AT_ONCE = 4

export interface Filling {
  readonly count: number
  /** Told after each step: what is being made, how many there are, of how many. */
  progress(what: string, done: number, total: number): void
}

interface Made {
  readonly places: ReadonlyMap<string, number>
  readonly organizers: ReadonlyMap<string, number>
  readonly categories: ReadonlyMap<string, number>
  readonly pictures: ReadonlyMap<string, number>
}

/** Fills a calendar with a city's year, by the rules that hold for everybody who writes to it. */
export async function fill(scope: Scope, { count, progress }: Filling): Promise<void> {
  const chance = chanceOf('port-lorcan/fill')
  const today = toWallClock(scope.clock(), CITY.timezone).slice(0, 10)
  const groups = planYear(today, count)
  const pictureOf = (event: DemoEvent) => `${event.motif}/${chanceOf(event.title).int(0, VARIANTS - 1)}`
  const pictures = await makePictures(scope, [...new Set(groups.flat().map(pictureOf))].sort(), progress)
  const made: Made = {
    pictures,
    categories: await makeCategories(scope),
    places: await makePlaces(scope, pictures, progress),
    organizers: await makeOrganizers(scope, progress),
  }
  let done = 0
  for (const group of groups) {
    let parent: number | null = null
    for (const event of group) {
      const picture = pictureOf(event)
      const payload = payloadOf(event, made, picture, today, chance.fork(`${event.title} ${event.start}`))
      const { row } = await events.create(scope, () => ({ ...payload, ...(parent !== null && { parent }) }))
      parent ??= row.id
      progress('events', ++done, count)
    }
  }
}

async function makePictures(
  scope: Scope,
  names: string[],
  progress: Filling['progress'],
): Promise<Map<string, number>> {
  const ids = new Map<string, number>()
  const left = [...names]
  const work = async () => {
    for (let name = left.shift(); name !== undefined; name = left.shift()) {
      const [motif = '', variant = ''] = name.split('/')
      const bytes = await render(motif as Motif, Number(variant), chanceOf(`posters/${name}`))
      ids.set(name, (await images.create(scope, async () => bytes)).id)
      progress('pictures', ids.size, names.length)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return ids
}

async function makeCategories(scope: Scope): Promise<Map<string, number>> {
  const ids = new Map<string, number>()
  for (const [name, { about, below }] of Object.entries(CATEGORIES)) {
    const top = await terms.create(scope, 'category', () => ({ name, description: about }))
    ids.set(name, top.id)
    for (const lower of below)
      ids.set(lower, (await terms.create(scope, 'category', () => ({ name: lower, parent: top.id }))).id)
  }
  return ids
}

/** What the picture of a venue shows, if events have that picture too; the others have none. */
const PLACE_MOTIFS: Partial<Record<PlaceKind, Motif>> = {
  concert: 'music',
  theatre: 'stage',
  cinema: 'film',
  gallery: 'art',
  museum: 'houses',
  library: 'books',
  park: 'nature',
  water: 'sea',
  square: 'market',
  workshop: 'craft',
}

async function makePlaces(
  scope: Scope,
  pictures: Made['pictures'],
  progress: Filling['progress'],
): Promise<Map<string, number>> {
  const data = PLACES.map((place, index) => {
    const motif = PLACE_MOTIFS[place.kind]
    const image = pictures.get(`${motif}/1`)
    return { ...address(place, index), ...(image !== undefined && { image }) }
  })
  return makeLinked(scope, 'venue', data, (done) => progress('venues', done, PLACES.length))
}

/** Metres in a degree of latitude. */
const DEGREE = 111_320

function address(place: Place, index: number): Record<string, unknown> & { name: string } {
  const { east, north, zip, spread } = DISTRICTS[place.district]
  const chance = chanceOf(`place/${place.name}`)
  const at = (metres: number) => metres + (chance.next() - 0.5) * 2 * spread
  const lat = CITY.centre.lat + at(north) / DEGREE
  const lng = CITY.centre.lng + at(east) / (DEGREE * Math.cos((CITY.centre.lat * Math.PI) / 180))
  return {
    name: place.name,
    venue: place.name,
    description: `<p>${place.about}</p>\n<p>In ${place.district}.</p>`,
    address: place.street,
    city: CITY.name,
    zip: `${zip} ${'ACDEFHKNPRTVWXY'[index % 15]}${(index * 37) % 10}${(index * 53) % 10}${'FKPTWY'[index % 6]}`,
    country: CITY.country,
    // Numbers that are kept free for plays and films.
    phone: `+353 20 91${index % 10} ${String(1000 + index * 97).slice(-4)}`,
    website: website(place.name),
    geo_lat: Math.round(lat * 1e6) / 1e6,
    geo_lng: Math.round(lng * 1e6) / 1e6,
  }
}

async function makeOrganizers(scope: Scope, progress: Filling['progress']): Promise<Map<string, number>> {
  const named = Object.entries(ORGANIZERS).flatMap(([theme, names]) =>
    names.map((name) => ({ theme: theme as Theme, name })),
  )
  const data = named.map(({ theme, name }, index) => ({
    name,
    organizer: name,
    description: `<p>${ABOUT[theme]}</p>`,
    email: `hello@${host(name)}`,
    website: website(name),
    ...(index % 3 === 0 && { phone: `+353 20 91${index % 10} ${String(5000 + index * 61).slice(-4)}` }),
  }))
  return makeLinked(scope, 'organizer', data, (done) => progress('organizers', done, named.length))
}

async function makeLinked(
  scope: Scope,
  kind: LinkedKind,
  data: readonly (Record<string, unknown> & { name: string })[],
  told: (done: number) => void,
): Promise<Map<string, number>> {
  const ids = new Map<string, number>()
  for (const { name, ...payload } of data) {
    ids.set(name, (await linked.create(scope, kind, () => payload)).row.id)
    told(ids.size)
  }
  return ids
}

/** Below `example.org`, which belongs to nobody. */
const host = (name: string) =>
  `${name
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')}.example.org`
const website = (name: string) => `https://${host(name)}/`

/** What a client would send to make this event. */
function payloadOf(
  event: DemoEvent,
  made: Made,
  picture: string,
  today: string,
  chance: Chance,
): Record<string, unknown> {
  const id = (ids: ReadonlyMap<string, number>, name: string): number => {
    const found = ids.get(name)
    if (found === undefined) throw new Error(`"${event.title}" names "${name}", which there is not`)
    return found
  }
  const published = Temporal.PlainDate.from(event.start.slice(0, 10))
    .subtract({ days: chance.int(14, 80) })
    .toString()
  const latest = Temporal.PlainDate.from(today)
    .subtract({ days: chance.int(1, 30) })
    .toString()
  return {
    title: event.title,
    start_date: event.start,
    end_date: event.end,
    all_day: event.allDay,
    timezone: CITY.timezone,
    date: `${published < latest ? published : latest} ${chance.pick(['08:30', '10:15', '14:40', '17:05'])}:00`,
    description: event.description,
    ...(event.excerpt && { excerpt: event.excerpt }),
    cost: event.cost,
    categories: [id(made.categories, event.category)],
    tags: event.tags,
    venue: id(made.places, event.place),
    organizer: event.organizers.map((name) => id(made.organizers, name)),
    featured: event.featured,
    show_map: true,
    show_map_link: true,
    // A poster is not made for everything.
    ...((event.featured || chance.is(0.85)) && { image: id(made.pictures, picture) }),
    ...(chance.is(0.3) && { website: `${website(event.organizers[0] ?? CITY.name)}${event.start.slice(0, 10)}/` }),
    ...ticketsOf(event, chance),
    ...(event.password && { password: event.password }),
    ...(event.status && { status: event.status }),
  }
}
