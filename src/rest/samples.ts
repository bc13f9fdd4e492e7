import type { Account } from '../domain/accounts.ts'
import type { Event, EventRow } from '../domain/events.ts'
import type { Image } from '../domain/images.ts'
import type { Linked } from '../domain/linked-records.ts'
import type { Site } from '../domain/scope.ts'
import type { Term } from '../domain/terms.ts'
import type { Addresses } from '../http/addresses.ts'
import type { Call } from '../http/endpoint.ts'
import { slugify } from '../lib/slug.ts'
import { eventFields } from '../schema/event.ts'
import { type Columns, type Fields, storedEntries } from '../schema/field.ts'
import { imageFields } from '../schema/image.ts'
import {
  type ByLinkedPlural,
  byLinkedKind,
  byLinkedPlural,
  LINKED_FIELDS,
  LINKED_KINDS,
  type LinkedKind,
} from '../schema/linked.ts'
import { responseName } from '../schema/responses.ts'
import { listAnswer } from './list-response.ts'
import { image, singleLinkedRecord, term } from './present.ts'
import { singleEvent } from './present-event.ts'
import { account, ownAccount, token } from './present-user.ts'

/** Sample records for the documentation, rendered by the real presenters. */

const HASH = 'b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9'
const file = (size: string, width: number, height: number, filesize: number) => ({
  file: `${HASH}-${size}.jpg`,
  width,
  height,
  filesize,
})

const picture: Image = {
  id: 12,
  author: 1,
  hash: HASH,
  extension: 'jpg',
  mime: 'image/jpeg',
  width: 1600,
  height: 1067,
  filesize: 214_532,
  date_utc: 1_900_000_000,
  file: `${HASH}.jpg`,
  alt: String(imageFields.alt.sample),
  name: 'harbour.jpg',
  search: '',
  sizes: {
    thumbnail: file('150x150', 150, 150, 6_101),
    medium: file('300x200', 300, 200, 14_809),
    large: file('1024x683', 1024, 683, 98_230),
  },
}

const head = {
  author: 1,
  status: 'publish',
  trashed_from: null,
  restore_slug: null,
  date_utc: 1_900_000_000,
  modified_utc: 1_900_003_600,
  image: null,
  search: '',
  revision: 1,
} as const

/** Columns of stored fields with samples or defaults. */
function sampleColumns<F extends Fields>(fields: F): Columns<F> {
  const values = storedEntries(fields).map(([name, { sample, default: preset }]) => {
    const value = sample ?? preset ?? null
    return [name, typeof value === 'boolean' ? Number(value) : value]
  })
  return Object.fromEntries(values)
}

const DESCRIPTIONS: Partial<Record<LinkedKind, string>> = { venue: '<p>Open to the sea.</p>' }
const FIRST_LINKED = 7

const linked = byLinkedKind((kind): Linked => {
  const columns: Record<string, string | number | null> = sampleColumns<Fields>(LINKED_FIELDS[kind])
  const id = FIRST_LINKED + LINKED_KINDS.indexOf(kind)
  const description = DESCRIPTIONS[kind] ?? null
  return { row: { ...head, ...columns, id, slug: slugify(String(columns[kind])), description }, image: null }
})
const category: Term = {
  id: 3,
  kind: 'category',
  name: 'Music',
  name_key: 'music',
  slug: 'music',
  description: 'Concerts and gigs',
  parent: 0,
  count: 4,
  published: 1,
  modified_utc: 0,
  author: null,
  path: 'music',
  above: [],
}
const tag: Term = {
  id: 5,
  kind: 'tag',
  name: 'open air',
  name_key: 'open air',
  slug: 'open-air',
  description: null,
  parent: 0,
  count: 2,
  published: 1,
  modified_utc: 0,
  author: null,
  path: 'open-air',
  above: [],
}

const event: Event = {
  row: {
    ...head,
    id: 42,
    slug: 'harbour-concert',
    ...sampleColumns(eventFields),
    title_search: '',
    description: '<p>Doors at six.</p>',
    timezone: 'Europe/Paris',
    start_local: '2031-06-10 19:00:00',
    end_local: '2031-06-10 22:00:00',
    start_utc: 1_938_877_200,
    end_utc: 1_938_888_000,
    parent: null,
    password_hash: null,
    sequence: 0,
    series: null,
    original_start: null,
    own_fields: null,
  } satisfies EventRow,
  image: picture,
  ...byLinkedPlural((kind) => [linked[kind]]),
  categories: [category],
  tags: [tag],
  distance: null,
  parent: null,
  series: null,
  whole: true,
  tickets: [
    {
      id: 1,
      event: 42,
      position: 0,
      name: 'Standing',
      price: '10',
      currency: 'EUR',
      url: null,
      capacity: 300,
      available_from: null,
      available_until: null,
    },
  ],
}

const mara: Account = {
  id: 4,
  name: 'mara',
  email: 'mara@example.org',
  role: 'editor',
  isDisabled: false,
  invitedUntil: null,
  hasPassword: false,
}
const website = { id: 2, name: 'Website', created_utc: 1_900_000_000, expires_utc: 1_907_776_000, used_utc: null }

/** Samples of users and tokens. */
function userSamples({ home }: Addresses): Record<string, object> {
  return {
    OwnAccount: ownAccount({ ...mara, language: null }),
    User: account(mara),
    Invitation: { ...account(mara), invitation_url: `${home}/invite/${'k'.repeat(43)}` },
    Token: token(website),
    Tokens: { tokens: [token(website)] },
    NewToken: { ...token(website), token: `kal_${'k'.repeat(43)}` },
  }
}

/** Sample body of each named response. */
export function responseSamples(addresses: Addresses, site: Site): Record<string, object> {
  const one: Record<string, object> = {
    Event: singleEvent(event, addresses, site),
    ...Object.fromEntries(
      LINKED_KINDS.map((kind) => [
        responseName(kind),
        singleLinkedRecord(kind, linked[kind], addresses, site.timezone),
      ]),
    ),
    Category: term(category, addresses),
    Tag: term(tag, addresses),
    Image: image(picture, addresses.home),
    ...userSamples(addresses),
  }
  const plural = {
    Event: 'events',
    ...Object.fromEntries(LINKED_KINDS.map((kind) => [responseName(kind), `${kind}s`])),
    Category: 'categories',
    Tag: 'tags',
    Image: 'images',
    User: 'users',
  }
  const call = { addresses, search: new URLSearchParams() } as Call
  const lists = Object.entries(plural).map(([name, list]) => {
    const answer = listAnswer(call, [one[name] ?? {}], {
      name: list,
      total: 1,
      page: 1,
      perPage: 10,
      pastEnd: 'rest_no_route',
    })
    return [`${name}List`, answer.body]
  })
  return { ...one, ...Object.fromEntries(lists) }
}

/** Request body that creates a record, for each kind. A test sends them. */
export const REQUEST_SAMPLES: ByLinkedPlural<object> & Record<string, object> = {
  events: {
    title: 'Harbour Concert',
    start_date: '2031-06-10 19:00',
    end_date: '2031-06-10 22:00',
    timezone: 'Europe/Paris',
    cost: '10 - 20 €',
    venue: { venue: 'Old Harbour', city: 'Marseille' },
    organizer: [{ organizer: 'Jazz Guild' }],
    categories: ['Music'],
    tags: ['open air'],
  },
  venues: { venue: 'Old Harbour', address: '1 Quai du Port', city: 'Marseille', country: 'France' },
  organizers: { organizer: 'Jazz Guild', email: 'info@guild.example.org' },
  categories: { name: 'Music', description: 'Concerts and gigs' },
  tags: { name: 'open air' },
  users: { name: 'mara', email: 'mara@example.org', role: 'editor' },
}
