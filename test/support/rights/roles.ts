import type { LightMyRequestResponse } from 'fastify'
import { markOf, SHOWN } from './marks.ts'
import type { Call, Reader } from './readers.ts'
import type { World } from './world.ts'

/** What a role may do where records have neither a state nor an owner, or an owner alone. */
export type RoleMarking = (world: World, reader: Reader) => Promise<string>

/** Whoever is told what is wrong with the request has the right. So nothing is written. */
export function may(response: LightMyRequestResponse): string {
  return response.statusCode < 400 || response.statusCode === 400 ? SHOWN : markOf(response)
}

export const rest =
  (path: string, call: Call = {}): RoleMarking =>
  async (_, reader) =>
    may(await reader.rest(path, call))
/** The status with which a new record begins, and is removed again. */
const created =
  (path: string, json: object): RoleMarking =>
  async (world, reader) => {
    const response = await reader.rest(path, { json })
    if (markOf(response) !== SHOWN) return markOf(response)
    const { id, status } = response.json()
    await world.admin(`${path}/${id}`, { method: 'DELETE', query: { force: true } })
    return status.slice(0, 3)
  }

const EVENT = { title: 'New', start_date: '2034-01-01', end_date: '2034-01-01' }
const LATER = '2099-01-01 12:00:00'
export const creating: Record<string, RoleMarking> = Object.fromEntries(
  (
    [
      ['events', EVENT],
      ['venues', { venue: 'New place' }],
      ['organizers', { organizer: 'New band' }],
    ] as const
  ).flatMap(([plural, json]) => [
    [`${plural}.create`, created(`/${plural}`, json)],
    ...['publish', 'private', 'draft', 'pending'].map(
      (status) => [`${plural}.create =${status}`, created(`/${plural}`, { ...json, status })] as const,
    ),
    [`${plural}.create =future`, created(`/${plural}`, { ...json, status: 'publish', date: LATER })],
    [
      `${plural}.create =another's`,
      async (world, reader) => created(`/${plural}`, { ...json, author: world.ids.someone })(world, reader),
    ] satisfies [string, RoleMarking],
  ]),
)

type TermCase = {
  /** Whether the reader made it, if that role may, or somebody else. */
  readonly own: boolean
  /** Whether an event of somebody else has it. */
  readonly used: boolean
}

/** Makes a category, and does something with it. */
const withCategory =
  ({ own, used }: TermCase, act: (reader: Reader, id: number, other: number) => Promise<LightMyRequestResponse>) =>
  async (world: World, reader: Reader): Promise<string> => {
    const mayMake = own && ['author', 'editor', 'administrator'].includes(reader.name)
    const maker = world.reader(mayMake ? reader.name : 'administrator', 'password')
    const make = async (name: string) => (await maker.rest('/categories', { json: { name } })).json().id
    const [id, other] = [await make('Tried'), await make('Target')]
    const json = { ...EVENT, author: world.ids.someone, categories: [id] }
    const event = used ? (await world.admin('/events', { json })).id : null
    const response = await act(reader, id, other)
    if (event !== null) await world.admin(`/events/${event}`, { method: 'DELETE', query: { force: true } })
    for (const one of [id, other])
      await world.reader('administrator', 'password').rest(`/categories/${one}`, { method: 'DELETE' })
    return response.statusCode === 303 ? SHOWN : may(response)
  }

const TERM_CASES: Readonly<Record<string, TermCase>> = {
  own: { own: true, used: false },
  "own in another's event": { own: true, used: true },
  "another's": { own: false, used: false },
}

/** With a password or token, and of merging with a session. */
export const termRights: Record<string, RoleMarking> = {
  'categories.create': rest('/categories', { json: {} }),
  'tags.create': rest('/tags', { json: {} }),
  'POST /wp-json/wp/v2/tribe_events_cat': async (_, reader) => may(await reader.wordpress('/tribe_events_cat', {})),
  'POST /wp-json/wp/v2/tags': async (_, reader) => may(await reader.wordpress('/tags', {})),
  ...Object.fromEntries(
    Object.entries(TERM_CASES).flatMap(([words, one]) => [
      [
        `categories.update (${words})`,
        withCategory(one, (reader, id) =>
          reader.rest(`/categories/${id}`, { method: 'PATCH', json: { description: 'Changed' } }),
        ),
      ],
      [
        `categories.remove (${words})`,
        withCategory(one, (reader, id) => reader.rest(`/categories/${id}`, { method: 'DELETE' })),
      ],
    ]),
  ),
  'tags.update': async ({ shared }, reader) =>
    may(await reader.rest(`/tags/${shared.tags}`, { method: 'PATCH', json: {} })),
  'tags.remove': async (world, reader) => {
    const { id } = await world.admin('/tags', { json: { name: 'Tried' } })
    const mark = may(await reader.rest(`/tags/${id}`, { method: 'DELETE' }))
    if (mark !== SHOWN) await world.admin(`/tags/${id}`, { method: 'DELETE' })
    return mark
  },
  'categories.get': async ({ shared }, reader) => may(await reader.rest(`/categories/${shared.categories}`)),
  'tags.get': async ({ shared }, reader) => may(await reader.rest(`/tags/${shared.tags}`)),
  'tags.get (count)': async ({ shared }, reader) => String((await reader.rest(`/tags/${shared.tags}`)).json().count),
  'categories.get (count)': async ({ shared }, reader) =>
    String((await reader.rest(`/categories/${shared.categories}`)).json().count),
  'categories.get (hidden)': hidden('categories', 'GET'),
  'tags.get (hidden)': hidden('tags', 'GET'),
  'categories.update (hidden)': hidden('categories', 'PATCH'),
  'tags.update (hidden)': hidden('tags', 'PATCH'),
  'GET /wp-json/wp/v2/tags/:id (hidden)': hidden('tags', 'wordpress'),
  'GET /wp-json/wp/v2/tribe_events_cat/:id (hidden)': hidden('categories', 'wordpress'),
  'events.create =categories (unknown)': async (_, reader) =>
    markOf(await reader.rest('/events', { json: { ...EVENT, dry_run: true, categories: 'Never heard of' } })),
  'events.create =tags (unknown)': async (_, reader) =>
    markOf(await reader.rest('/events', { json: { ...EVENT, dry_run: true, tags: 'Never heard of' } })),
  'events.create =tags (hidden)': async (world, reader) =>
    markOf(await reader.rest('/events', { json: { ...EVENT, dry_run: true, tags: [world.hidden.tags] } })),
  'categories.create =parent (hidden)': async (world, reader) => {
    const json = { name: 'Below a hidden one', parent: world.hidden.categories }
    const response = await reader.rest('/categories', { json })
    if (markOf(response) === SHOWN) await world.admin(`/categories/${response.json().id}`, { method: 'DELETE' })
    return markOf(response)
  },
}

/** With a session, by the screens. */
export const termScreens: Record<string, RoleMarking> = {
  ...Object.fromEntries(
    Object.entries(TERM_CASES).map(([words, one]) => [
      `POST /manage/categories/:id (merge ${words})`,
      withCategory(one, (reader, id, other) =>
        reader.page(`/manage/categories/${id}`, { do: 'merge', into: String(other) }),
      ),
    ]),
  ),
}

function hidden(plural: 'categories' | 'tags', how: 'GET' | 'PATCH' | 'wordpress'): RoleMarking {
  return async (world, reader) => {
    const id = world.hidden[plural]
    if (how === 'wordpress')
      return may(await reader.wordpress(`/${plural === 'tags' ? 'tags' : 'tribe_events_cat'}/${id}`))
    return may(await reader.rest(`/${plural}/${id}`, how === 'GET' ? {} : { method: 'PATCH', json: {} }))
  }
}
