import * as images from '../../src/domain/images.ts'
import * as linked from '../../src/domain/linked-records.ts'
import type { Scope } from '../../src/domain/scope.ts'
import * as terms from '../../src/domain/terms.ts'
import { CATEGORIES, CITY, DISTRICTS, named, ORGANIZERS, VENUE_KINDS, VENUES, type Venue } from './content.ts'
import { render } from './posters.ts'
import { randomOf } from './random.ts'

/** How many pictures are rendered at a time. */
const AT_ONCE = 4
/** Metres in a degree of latitude. */
const DEGREE = 111_320

/** Called after each step: what is being made, how many are done, of how many. */
export type Progress = (what: string, done: number, total: number) => void
export type Ids = ReadonlyMap<string, number>

/** Pictures by name, which is `<motif>/<variant>`. */
export async function createPictures(scope: Scope, names: readonly string[], progress: Progress): Promise<Ids> {
  const ids = new Map<string, number>()
  const left = [...names]
  const work = async () => {
    for (let name = left.shift(); name !== undefined; name = left.shift()) {
      const [motif = '', variant = ''] = name.split('/')
      const bytes = await render(motif, Number(variant))
      ids.set(name, (await images.create(scope, async () => bytes)).id)
      progress('pictures', ids.size, names.length)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return ids
}

export async function createCategories(scope: Scope): Promise<Ids> {
  const ids = new Map<string, number>()
  for (const [name, { about, below }] of Object.entries(CATEGORIES)) {
    const parent = (await terms.create(scope, 'category', () => ({ name, description: about }))).id
    ids.set(name, parent)
    for (const lower of below)
      ids.set(lower, (await terms.create(scope, 'category', () => ({ name: lower, parent }))).id)
  }
  return ids
}

/** Venues. One has a picture if its kind has a motif of which there are pictures. */
export async function createVenues(scope: Scope, pictures: Ids, progress: Progress): Promise<Ids> {
  const ids = new Map<string, number>()
  for (const [index, venue] of VENUES.entries()) {
    const image = pictures.get(`${named(VENUE_KINDS, venue.kind).motif}/1`)
    const payload = { ...venuePayload(venue, index), ...(image !== undefined && { image }) }
    ids.set(venue.name, (await linked.create(scope, 'venue', () => payload)).row.id)
    progress('venues', ids.size, VENUES.length)
  }
  return ids
}

function venuePayload({ name, about, district, street }: Venue, index: number): object {
  const { east, north, zip, spread } = named(DISTRICTS, district)
  const random = randomOf(`place/${name}`)
  const scatter = (metres: number) => metres + (random.next() - 0.5) * 2 * spread
  const { lat, lng } = CITY.centre
  const latitude = lat + scatter(north) / DEGREE
  const longitude = lng + scatter(east) / (DEGREE * Math.cos((lat * Math.PI) / 180))
  return {
    venue: name,
    description: `<p>${about}</p>\n<p>In ${district}.</p>`,
    address: street,
    city: CITY.name,
    zip: `${zip} ${'ACDEFHKNPRTVWXY'[index % 15]}${(index * 37) % 10}${(index * 53) % 10}${'FKPTWY'[index % 6]}`,
    country: CITY.country,
    phone: phone(index, 1000 + index * 97),
    website: websiteOf(name),
    geo_lat: Math.round(latitude * 1e6) / 1e6,
    geo_lng: Math.round(longitude * 1e6) / 1e6,
  }
}

export async function createOrganizers(scope: Scope, progress: Progress): Promise<Ids> {
  const ids = new Map<string, number>()
  const all = Object.values(ORGANIZERS).flatMap(({ about, names }) => names.map((name) => ({ name, about })))
  for (const [index, { name, about }] of all.entries()) {
    const payload = {
      organizer: name,
      description: `<p>${about}</p>`,
      email: `hello@${hostOf(name)}`,
      website: websiteOf(name),
      ...(index % 3 === 0 && { phone: phone(index, 5000 + index * 61) }),
    }
    ids.set(name, (await linked.create(scope, 'organizer', () => payload)).row.id)
    progress('organizers', ids.size, all.length)
  }
  return ids
}

/** Numbers from the range that is reserved for films and plays. */
const phone = (index: number, line: number) => `+353 20 91${index % 10} ${String(line).slice(-4)}`

/** Below `example.org`, which is reserved for examples. */
function hostOf(name: string): string {
  const ascii = name.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
  return `${ascii.replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '')}.example.org`
}

export const websiteOf = (name: string) => `https://${hostOf(name)}/`
