import { SHOWN } from './marks.ts'
import type { Reader } from './readers.ts'
import { may, type RoleMarking, rest } from './roles.ts'
import type { World } from './world.ts'

/** Endpoints and screens of the service itself: users, tokens, webhooks, images, imports, settings. */

type Made = { readonly hook: number; readonly delivery: string; readonly image: number }
const made = new WeakMap<World, Promise<Made>>()

/** A webhook with a delivery, and an image of an editor. */
function makeOnce(world: World): Promise<Made> {
  const found = made.get(world) ?? make(world)
  made.set(world, found)
  return found
}

async function make(world: World): Promise<Made> {
  const { id: hook } = await world.admin('/webhooks', { json: { url: 'https://example.org/hook' } })
  await world.admin('/tags', { json: { name: 'Delivered' } })
  const { deliveries } = await world.admin(`/webhooks/${hook}/deliveries`)
  const response = await world.picture('editor')
  return { hook, delivery: deliveries[0].id, image: response.json().id }
}

const at =
  (path: (made: Made, world: World) => string, call: Parameters<Reader['rest']>[1] = {}): RoleMarking =>
  async (world, reader) =>
    may(await reader.rest(path(await makeOnce(world), world), call))

export const services: Record<string, RoleMarking> = {
  'namespace.get': rest('/'),
  'documentation.get': rest('/doc'),
  'GET /wp-json': async (_, reader) => may(await reader.page('/wp-json')),
  'GET /wp-json/wp/v2': async (_, reader) => may(await reader.page('/wp-json/wp/v2')),
  'GET /wp-json/wp/v2/users/me': async (_, reader) => may(await reader.page('/wp-json/wp/v2/users/me')),
  'webhooks.list': rest('/webhooks'),
  'webhooks.create': rest('/webhooks', { json: {} }),
  'webhooks.get': at(({ hook }) => `/webhooks/${hook}`),
  'webhooks.update': at(({ hook }) => `/webhooks/${hook}`, { method: 'PATCH', json: { payload: 'nothing' } }),
  'webhooks.remove': async (world, reader) => {
    const { id } = await world.admin('/webhooks', { json: { url: 'https://example.org/gone' } })
    return may(await reader.rest(`/webhooks/${id}`, { method: 'DELETE' }))
  },
  'webhooks.rotate': at(({ hook }) => `/webhooks/${hook}/rotate`, { method: 'POST' }),
  'webhooks.deliveries': at(({ hook }) => `/webhooks/${hook}/deliveries`),
  'webhooks.resend': at(({ hook, delivery }) => `/webhooks/${hook}/deliveries/${delivery}/resend`, { method: 'POST' }),
  'audit.list': rest('/audit'),
  'audit.list ?record': async (world, reader) =>
    may(await reader.rest('/audit', { query: { record: `event:${world.shared.parent}` } })),
  'events.import': rest('/import', { json: {} }),
  'batch.run': rest('/batch', { json: {} }),
  'users.me': rest('/users/me'),
  'users.list': rest('/users'),
  'users.create': rest('/users', { json: { name: '', email: 'no address', role: 'editor' } }),
  'users.get': at((_, { ids }) => `/users/${ids.someone}`),
  'users.get (oneself)': async (world, reader) =>
    may(await reader.rest(`/users/${reader.role === null ? world.ids.someone : world.ids[reader.role]}`)),
  'users.update =email': at((_, { ids }) => `/users/${ids.someone}`, {
    method: 'PATCH',
    json: { email: 'no address' },
  }),
  'users.update =role': at((_, { ids }) => `/users/${ids.someone}`, { method: 'PATCH', json: { role: 'nobody' } }),
  'users.update =role (own)': async (world, reader) => {
    const id = reader.role === null ? world.ids.someone : world.ids[reader.role]
    return may(await reader.rest(`/users/${id}`, { method: 'PATCH', json: { role: 'nobody' } }))
  },
  // Somebody has to get the records.
  'users.remove': at((_, { ids }) => `/users/${ids.someone}`, { method: 'DELETE' }),
  'tokens.list': rest('/users/me/tokens'),
  'tokens.create': rest('/users/me/tokens', { json: { expires: 'never' } }),
  "tokens.remove (another's)": rest('/users/me/tokens/999999', { method: 'DELETE' }),
  'images.list': rest('/images'),
  'images.get': at(({ image }) => `/images/${image}`),
  'images.create': rest('/images', { json: {} }),
  "images.update (another's)": at(({ image }) => `/images/${image}`, { method: 'PATCH', json: {} }),
  'images.update (own)': async (world, reader) => {
    const picture = await world.picture(reader.name)
    if (picture.statusCode >= 400) return may(picture)
    return may(await reader.rest(`/images/${picture.json().id}`, { method: 'PATCH', json: { alt: 'Words' } }))
  },
  "images.remove (another's)": async (world, reader) => {
    const { id } = (await world.picture('administrator')).json()
    return may(await reader.rest(`/images/${id}`, { method: 'DELETE' }))
  },
  'images.remove (own)': async (world, reader) => {
    const picture = await world.picture(reader.name)
    if (picture.statusCode >= 400) return may(picture)
    return may(await reader.rest(`/images/${picture.json().id}`, { method: 'DELETE' }))
  },
  'GET /wp-json/wp/v2/media': async (_, reader) => may(await reader.page('/wp-json/wp/v2/media')),
  'GET /wp-json/wp/v2/media/:id': async (world, reader) =>
    may(await reader.page(`/wp-json/wp/v2/media/${(await makeOnce(world)).image}`)),
  'POST /wp-json/wp/v2/media': async (_, reader) => may(await reader.wordpress('/media', {})),
  "POST /wp-json/wp/v2/media/:id (another's)": async (world, reader) =>
    may(await reader.wordpress(`/media/${(await makeOnce(world)).image}`, {})),
  'GET /mcp': async (_, reader) => String((await reader.page('/mcp')).statusCode),
  'POST /mcp': async (_, reader) => may(await reader.assistant({ jsonrpc: '2.0', id: 1, method: 'tools/list' })),
}

/** Screens of every role, with a session: who is not signed in is sent to the form for that. */
const SCREENS: readonly (readonly [path: string, address?: (made: Made, world: World) => string, isRead?: 'read'])[] = [
  ['', () => '', 'read'],
  ['/events/new'],
  ['/events/recurrence-preview', () => '/events/recurrence-preview', 'read'],
  ['/venues/new'],
  ['/organizers/new'],
  ['/images'],
  ['/images/new'],
  ['/images/:id', ({ image }) => `/images/${image}`],
  ['/categories', () => '/categories', 'read'],
  ['/categories/new'],
  ['/categories/:id', (_, { shared }) => `/categories/${shared.categories}`],
  ['/tags', () => '/tags', 'read'],
  ['/tags/new'],
  ['/tags/:id', (_, { shared }) => `/tags/${shared.tags}`],
  ['/imports'],
  ['/imports/new'],
  ['/imports/:id', () => '/imports/1'],
  ['/users'],
  ['/users/new'],
  ['/users/:id', (_, { ids }) => `/users/${ids.someone}`],
  ['/audit', () => '/audit', 'read'],
  ['/audit/:id', () => '/audit/1', 'read'],
  ['/jobs'],
  ['/settings'],
  ['/setup'],
  ['/account'],
]

/** A screen, and an action on it that there is not: whoever may do others is told so. */
export const screens: Record<string, RoleMarking> = Object.fromEntries(
  SCREENS.flatMap(([path, address = () => path, isRead]) =>
    [undefined, ...(isRead ? [] : [{ do: 'nothing' }])].map((fields): [string, RoleMarking] => [
      `${fields === undefined ? 'GET' : 'POST'} /manage${path}`,
      async (world, reader) => {
        const { statusCode } = await reader.page(`/manage${address(await makeOnce(world), world)}`, fields)
        return statusCode === 200 || statusCode === 400 ? SHOWN : String(statusCode)
      },
    ]),
  ),
)
