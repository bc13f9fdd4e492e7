import { type Instant, toWallClock } from '../../src/calendar/zone.ts'
import type { Write } from './cache-model-site.ts'
import fc from './property.ts'
import type { Json } from './service.ts'

/** Times at which events begin and windows end: few, so that they meet. Midnight of the site is the same instant in four zones. */
export const MOMENTS = [
  '2031-06-10T11:00:00Z',
  '2031-06-10T16:00:30Z',
  '2031-06-10T22:00:00Z',
  '2031-06-11T03:59:59Z',
  '2031-06-11T04:00:00Z',
  '2031-06-11T10:30:00Z',
  '2031-06-14T15:00:00Z',
  '2031-07-05T12:00:00Z',
] as const
export const ZONES = ['America/New_York', 'Pacific/Kiritimati', 'America/Los_Angeles', 'UTC+5.5'] as const
/** In seconds. Events of more than seven days are looked up in another way. */
const LENGTHS = [0, 3600, 3600, 7 * 3600, 10 * 86_400] as const

const instantOf = (moment: string): Instant => Date.parse(moment) / 1000

export function timesOf(moment: string, zone: string, length: number): object {
  const start = instantOf(moment)
  return {
    start_date: toWallClock(start, zone),
    end_date: toWallClock(start + length, zone),
    timezone: zone,
  }
}

export const TITLES = ['Jazz night', 'Night market', 'Quiet', 'jazz & soul'] as const
const STATUSES = ['publish', 'publish', 'publish', 'draft', 'private', 'pending'] as const

const times = fc
  .tuple(fc.constantFrom(...MOMENTS, ...MOMENTS.slice(3, 6)), fc.constantFrom(...ZONES), fc.constantFrom(...LENGTHS))
  .map(([moment, zone, length]) => timesOf(moment, zone, length))

/** One of the first records of a kind, the first ones more often than others. */
export const ref = (kind: string, count: number): fc.Arbitrary<string> =>
  fc.oneof(fc.nat(count - 1), fc.nat(Math.ceil(count / 2) - 1)).map((n) => `{${kind}:${n}}`)
const refs = (kind: string, count: number) => fc.uniqueArray(ref(kind, count), { maxLength: 2 })
const TICKET = { name: 'Seat', price: '5', currency: 'USD' }
const anyEvent = ref('event', 12)

type Weighted = { readonly arbitrary: fc.Arbitrary<object>; readonly weight: number }
const weighted = (weight: number, arbitrary: fc.Arbitrary<object>): Weighted => ({ weight, arbitrary })

/** Fields of events; often those that decide in which lists an event is. */
const oneField = fc.oneof(
  weighted(6, times),
  weighted(
    3,
    fc.constantFrom(...TITLES).map((title) => ({ title })),
  ),
  weighted(
    4,
    fc.constantFrom(...STATUSES).map((status) => ({ status })),
  ),
  weighted(
    2,
    fc.constantFrom(30, 3600, 86_400).map((later) => ({ status: 'publish', later })),
  ),
  weighted(
    4,
    refs('category', 4).map((categories) => ({ categories })),
  ),
  weighted(
    3,
    refs('tag', 2).map((tags) => ({ tags })),
  ),
  weighted(
    1,
    fc.constantFrom('new', 'Quiet').map((tag) => ({ tags: [tag] })),
  ),
  weighted(
    3,
    refs('venue', 4).map((venue) => ({ venue })),
  ),
  weighted(
    1,
    fc.constantFrom('Loft', 'Tent').map((venue) => ({ venue: { venue, geo_lat: 40.7, geo_lng: -74 } })),
  ),
  weighted(
    2,
    refs('organizer', 2).map((organizer) => ({ organizer })),
  ),
  weighted(
    2,
    fc.oneof(fc.constant(0), anyEvent).map((parent) => ({ parent })),
  ),
  weighted(
    2,
    fc.boolean().map((hide_from_listings) => ({ hide_from_listings })),
  ),
  weighted(
    1,
    fc.boolean().map((featured) => ({ featured })),
  ),
  weighted(
    1,
    fc.boolean().map((sticky) => ({ sticky })),
  ),
  weighted(
    1,
    fc.constantFrom('', '0', '5 - 7').map((cost) => ({ cost })),
  ),
  weighted(
    1,
    fc.constantFrom<Json[]>([], [TICKET]).map((tickets) => ({ tickets })),
  ),
  weighted(
    1,
    fc.constantFrom('{image:0}', false).map((image) => ({ image })),
  ),
  weighted(
    1,
    fc.constantFrom('', 'All that jazz').map((description) => ({ description })),
  ),
  weighted(
    1,
    fc.constantFrom('jazz-night', 'other').map((slug) => ({ slug })),
  ),
  weighted(
    1,
    fc.constantFrom('FREQ=DAILY;COUNT=3', null).map((recurrence) => ({ recurrence })),
  ),
)
const fields = fc.array(oneField, { minLength: 1, maxLength: 3 }).map((some): object => Object.assign({}, ...some))

/** What others than administrators and editors write is often refused. */
const by = fc.oneof(
  { arbitrary: fc.constant<Write['by']>('administrator'), weight: 8 },
  { arbitrary: fc.constantFrom<Write['by'][]>('editor', 'author', 'contributor'), weight: 3 },
)
const scope = fc.oneof(
  { arbitrary: fc.constant(''), weight: 10 },
  {
    arbitrary: fc.constantFrom('?scope=all', '?scope=following', '?dry_run=true', '?scope=all&dry_run=true'),
    weight: 3,
  },
)

/** Two events, late in most lists: one with a protected event is never assembled from cached parts. */
const protectedEvent = fc
  .tuple(fc.constantFrom('{event:4}', '{event:8}'), fc.constantFrom('', 'sesame'))
  .map(([event, password]): Write => {
    const json = { password, status: 'publish' }
    return { by: 'administrator', method: 'PATCH', path: `/events/${event}`, json }
  })

const newEvent = fc
  .tuple(by, times, fc.constantFrom(...TITLES), fields)
  .map(([by, when, title, more]): Write => ({ by, method: 'POST', path: '/events', json: { title, ...when, ...more } }))

export const changedEvent = fc
  .tuple(by, anyEvent, scope, fields)
  .map(([by, event, scope, json]): Write => ({ by, method: 'PATCH', path: `/events/${event}${scope}`, json }))

/** Moves an event to the trash, or removes it for good. */
const goneEvent = fc
  .tuple(by, anyEvent, fc.constantFrom('', '', '?force=true', '?scope=all', '?dry_run=true'))
  .map(([by, event, how]): Write => ({ by, method: 'DELETE', path: `/events/${event}${how}` }))

export const NAMES = ['Hall', 'Barn', 'Jazz'] as const
const EMAILS = ['a@example.org', ''] as const
const venueFields = fc.oneof(
  weighted(
    4,
    fc.constantFrom(...NAMES).map((venue) => ({ venue })),
  ),
  weighted(
    3,
    fc.constantFrom(...STATUSES).map((status) => ({ status })),
  ),
  weighted(
    1,
    fc.constantFrom(40.7, 10, null).map((degrees) => ({ geo_lat: degrees, geo_lng: degrees && -74 })),
  ),
  weighted(
    1,
    fc.constantFrom('{image:0}', false).map((image) => ({ image })),
  ),
  weighted(
    1,
    fc.constantFrom('Oslo', '').map((city) => ({ city })),
  ),
  weighted(1, fc.constant({ status: 'publish', later: 3600 })),
)
const organizerFields = fc.oneof(
  weighted(
    2,
    fc.constantFrom(...NAMES).map((organizer) => ({ organizer })),
  ),
  weighted(
    1,
    fc.constantFrom(...STATUSES).map((status) => ({ status })),
  ),
  weighted(
    1,
    fc.constantFrom(...EMAILS).map((email) => ({ email })),
  ),
)
const termFields = fc.oneof(
  weighted(
    3,
    fc.constantFrom('Music', 'Jazz', 'Loud', 'Film').map((name) => ({ name })),
  ),
  weighted(
    1,
    fc.constantFrom('music', 'jazz', 'film').map((slug) => ({ slug })),
  ),
  weighted(
    1,
    fc.constantFrom('', 'All kinds').map((description) => ({ description })),
  ),
)
const categoryFields = fc.oneof(
  weighted(2, termFields),
  weighted(
    1,
    fc.oneof(fc.constant(0), ref('category', 4)).map((parent) => ({ parent })),
  ),
)

const OTHERS = [
  [3, 'venues', 'venue', 4, venueFields],
  [1, 'organizers', 'organizer', 2, organizerFields],
  [2, 'categories', 'category', 4, categoryFields],
  [1, 'tags', 'tag', 2, termFields],
] as const
/** A write of what events are linked to. */
export const linkedWrite = fc.oneof(
  ...OTHERS.map(([weight, plural, kind, count, fields]) => {
    const path = ref(kind, count).map((id) => `/${plural}/${id}`)
    const method = fc.oneof(
      { arbitrary: fc.constant('PATCH'), weight: 6 },
      { arbitrary: fc.constantFrom('DELETE', 'POST'), weight: 2 },
    )
    const arbitrary = fc.tuple(by, method, path, fields).map(([by, method, path, json]): Write => {
      if (method === 'DELETE') return { by, method, path: `${path}?force=${'city' in json}` }
      if (method === 'PATCH') return { by, method, path, json }
      const name = kind === 'category' || kind === 'tag' ? 'name' : kind
      return { by, method: 'POST', path: `/${plural}`, json: { [name]: 'Jazz', ...json } }
    })
    return { arbitrary, weight }
  }),
)
const image = fc.constantFrom<Write[]>(
  { by: 'editor', method: 'POST', path: '/images' },
  { by: 'editor', method: 'PATCH', path: '/images/{image:0}', json: { title: 'A picture', alt_text: 'Somebody' } },
  { by: 'editor', method: 'DELETE', path: '/images/{image:0}' },
)

export const write: fc.Arbitrary<Write> = fc.oneof(
  { arbitrary: changedEvent, weight: 18 },
  { arbitrary: protectedEvent, weight: 4 },
  { arbitrary: newEvent, weight: 5 },
  { arbitrary: goneEvent, weight: 2 },
  { arbitrary: linkedWrite, weight: 5 },
  { arbitrary: image, weight: 1 },
)
