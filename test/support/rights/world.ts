import assert from 'node:assert/strict'
import type { LightMyRequestResponse } from 'fastify'
import sharp from 'sharp'
import * as users from '../../../src/domain/users.ts'
import { clock } from '../calendar.ts'
import { basic, type Json, PASSWORD as LOGIN, type Service, startService } from '../service.ts'
import { type Call, type Reader, readerOf, signsOf, type Way } from './readers.ts'
import { PROTECTED, READERS, type ReaderName, STATES } from './table.ts'

/** A calendar with a record of every kind in every state, of every user; and readers who look at it. */

export type Kind = 'event' | 'venue' | 'organizer'
export type Owner = Exclude<ReaderName, 'anyone'> | 'someone'

/** A record of the calendar. */
export interface Entry {
  readonly kind: Kind
  readonly owner: Owner
  readonly state: string
  /** Unique, and part of the names of all that belongs to it. */
  readonly name: string
  /** The day on which it is. */
  readonly day: string
  id: number
  slug: string
  /** A version of it that is not the present one. */
  version: number
  /** A published event that has it as parent, venue or organizer. */
  beside: { readonly id: number; readonly slug: string }
}

export interface World {
  readonly service: Service
  readonly entries: readonly Entry[]
  /** Ids of what all events have in common. */
  readonly shared: Readonly<Record<'venue' | 'organizer' | 'categories' | 'tags' | 'parent', number>>
  /** Ids of a category and a tag that only a draft has. */
  readonly hidden: Readonly<Record<'categories' | 'tags', number>>
  /** Tokens of /changes from before there were any records. */
  readonly since: ReadonlyMap<ReaderName, string>
  readonly ids: Readonly<Record<Owner, number>>
  reader(name: ReaderName, way: Way): Reader
  /** Makes a record what it was before somebody changed it. */
  reset(entry: Entry): Promise<void>
  admin(path: string, call?: Call): Promise<Json>
  /** Uploads an image that there is not yet. */
  picture(name: ReaderName): Promise<LightMyRequestResponse>
}

export const WORDS = { description: 'wintergreen', excerpt: 'snowdrop', city: 'Juniper', password: 'open sesame' }
export const PLACE = { geo_lat: 40, geo_lng: -74 }
/** The month in which the events are. */
export const MONTH = '2031-07'
export const MOUNT = '/wp-json/tribe/events/v1'
const LATER = '2099-01-01 12:00:00'

const PLURAL = { event: 'events', venue: 'venues', organizer: 'organizers' } as const
export const pathOf = ({ kind, id }: Pick<Entry, 'kind' | 'id'>) => `/${PLURAL[kind]}/${id}`
export const pluralOf = (kind: Kind) => PLURAL[kind]

export async function makeWorld(): Promise<World> {
  const service = await startService({ clock, settings: { maxPerPage: '500', mounts: MOUNT } })
  const store = { db: service.db, clock }
  await users.create(store, { name: 'someone', email: 'someone@example.org', role: 'author', password: LOGIN })
  const [{ id: someone } = { id: 0 }] = (await users.list(store)).filter(({ name }) => name === 'someone')
  const ids = { ...service.ids, someone }
  const signs = await signsOf(service)
  const reader = (name: ReaderName, way: Way) => readerOf(service, name, way, signs)
  const admin = async (path: string, call: Call = {}) => {
    const response = await reader('administrator', 'password').rest(path, call)
    assert.ok(response.statusCode < 300, `${path}: ${response.body}`)
    return response.json() as Json
  }
  const since = new Map<ReaderName, string>()
  for (const name of READERS) since.set(name, (await reader(name, 'password').rest('/changes')).json().next)
  const shared = await makeShared(admin)
  const whispered = { title: 'Whispered', start_date: '2034-01-01', end_date: '2034-01-01', status: 'draft' }
  const { categories, tags } = await admin('/events', {
    json: { ...whispered, categories: 'Whispered kind', tags: 'Whispered label' },
  })
  const hidden = { categories: categories[0].id, tags: tags[0].id }
  const entries = plan()
  await makeEntries({ admin, shared, ids }, entries)
  let pictures = 0
  const picture = async (name: ReaderName) => {
    const background = { r: 0, g: 0, b: ++pictures }
    const payload = await sharp({ create: { width: 4, height: 4, channels: 3, background } })
      .png()
      .toBuffer()
    const headers = { 'content-type': 'image/png', ...(name !== 'anyone' && { authorization: basic(name) }) }
    return service.inject({ method: 'POST', url: '/calendar/events/v1/images', headers, payload })
  }
  return {
    service,
    entries,
    shared,
    hidden,
    since,
    ids,
    reader,
    admin,
    picture,
    reset: (entry) => reset({ admin, shared, ids }, entry, reader('administrator', 'password')),
  }
}

/** Every state of every kind for every owner; events with and without a password, three on each day of a month. */
function plan(): Entry[] {
  const owners: readonly Owner[] = ['subscriber', 'contributor', 'author', 'editor', 'administrator', 'someone']
  const entries: Entry[] = []
  for (const kind of Object.keys(PLURAL) as Kind[]) {
    const states = kind === 'event' ? [...STATES, ...STATES.map((state) => state + PROTECTED)] : STATES
    for (const state of states)
      for (const owner of owners) {
        const name = `${owner} ${state.replace('→', ' ').replace(PROTECTED, ' protected')}`
        const day = `${MONTH}-${String(1 + Math.floor(entries.length / 3)).padStart(2, '0')}`
        entries.push({ kind, owner, state, name, day, id: 0, slug: '', version: 0, beside: { id: 0, slug: '' } })
      }
  }
  return entries
}

type Admin = World['admin']
type Maker = { readonly admin: Admin; readonly shared: World['shared']; readonly ids: World['ids'] }

async function makeShared(admin: Admin): Promise<World['shared']> {
  const post = async (path: string, json: object): Promise<number> => (await admin(path, { json })).id
  return {
    venue: await post('/venues', { venue: 'Common Hall', ...PLACE }),
    organizer: await post('/organizers', { organizer: 'Common Guild' }),
    categories: await post('/categories', { name: 'Family' }),
    tags: await post('/tags', { name: 'Common label' }),
    parent: await post('/events', { title: 'Festival', start_date: `${MONTH}-01`, end_date: `${MONTH}-31` }),
  }
}

/** What its status was before the trash, without the mark of a password. */
const statusOf = ({ state }: Entry) => state.replace(PROTECTED, '').replace('→trash', '')
const isTrash = ({ state }: Entry) => state.includes('→trash')

/** The fields with which a record is made. */
function fieldsOf(entry: Entry, { shared, ids }: Omit<Maker, 'admin'>): Record<string, unknown> {
  const { kind, name, day, owner } = entry
  const status = statusOf(entry)
  const own = { author: ids[owner], status, ...(status === 'future' && { date: LATER }) }
  if (kind === 'venue') return { venue: `Place ${name}`, city: WORDS.city, ...PLACE, ...own }
  if (kind === 'organizer') return { organizer: `Band ${name}`, email: 'juniper@example.org', ...own }
  return {
    ...own,
    title: `Gathering ${name}`,
    start_date: `${day} 19:00`,
    end_date: `${day} 20:00`,
    description: WORDS.description,
    excerpt: WORDS.excerpt,
    featured: true,
    sticky: true,
    is_virtual: true,
    cost: '0',
    tickets: [{ name: 'Seat', price: '0' }],
    venue: [shared.venue, { venue: `Hall ${name}`, status: 'publish' }],
    organizer: [shared.organizer, { organizer: `Guild ${name}`, status: 'publish' }],
    categories: [shared.categories, `Kind ${name}`],
    tags: [shared.tags, `Label ${name}`],
    parent: shared.parent,
    ...(entry.state.endsWith(PROTECTED) && { password: WORDS.password }),
  }
}

/** A published event of somebody else that has the record as parent, venue or organizer. */
function besideOf({ kind, owner, name, id }: Entry, ids: World['ids']): Record<string, unknown> {
  const author = owner === 'someone' ? ids.administrator : ids.someone
  const dates = { start_date: '2033-06-10', end_date: '2033-06-10' }
  return { title: `Beside ${kind} ${name}`, ...dates, author, [kind === 'event' ? 'parent' : kind]: id }
}

/** Sends requests in batches of a hundred. */
async function many(admin: Admin, requests: readonly object[]): Promise<Json[]> {
  const answers: Json[] = []
  for (let from = 0; from < requests.length; from += 100) {
    const { responses } = await admin('/batch', { json: { requests: requests.slice(from, from + 100) } })
    for (const { status, body } of responses) assert.ok(status < 300, JSON.stringify(body))
    answers.push(...responses.map(({ body }: Json) => body))
  }
  return answers
}

/** Asks something for each record, and takes its answer over. */
async function forEach(
  admin: Admin,
  entries: readonly Entry[],
  ask: (entry: Entry) => object,
  taken: (body: Json) => Partial<Entry>,
): Promise<void> {
  const answers = await many(admin, entries.map(ask))
  for (const [n, entry] of entries.entries()) Object.assign(entry, taken(answers[n]))
}

async function makeEntries(maker: Maker, entries: readonly Entry[]): Promise<void> {
  const { admin, ids } = maker
  const made = ({ id, slug }: Json) => ({ id, slug })
  const create = (plural: string, body: object) => ({ method: 'POST', path: `/${plural}`, body })
  await forEach(admin, entries, (entry) => create(pluralOf(entry.kind), fieldsOf(entry, maker)), made)
  await forEach(
    admin,
    entries,
    (entry) => create('events', besideOf(entry, ids)),
    (beside) => ({ beside: made(beside) }),
  )
  await forEach(admin, entries.filter(isTrash), (entry) => ({ method: 'DELETE', path: pathOf(entry) }), made)
  await forEach(
    admin,
    entries,
    (entry) => ({ method: 'GET', path: `${pathOf(entry)}/versions?_fields=versions.version` }),
    ({ versions }) => ({ version: versions.at(-1).version }),
  )
}

/** By changes, or anew if it is gone. */
async function reset(maker: Maker, entry: Entry, { rest }: Reader): Promise<void> {
  const { admin, ids } = maker
  const status = statusOf(entry)
  const json = { status, author: ids[entry.owner], ...(status === 'future' && { date: LATER }) }
  const changed = await rest(pathOf(entry), { method: 'PATCH', json })
  if (changed.statusCode === 404) return makeEntries(maker, [entry])
  assert.equal(changed.statusCode, 200, changed.body)
  entry.slug = (isTrash(entry) ? await admin(pathOf(entry), { method: 'DELETE' }) : changed.json()).slug
}
