import { rightsOf } from '../../domain/access.ts'
import type { Call, View } from '../../http/endpoint.ts'
import { slugify } from '../../lib/slug.ts'
import { addressOf, linksOf, requireUser, WP_NAMESPACE } from './collection.ts'

const BASE = `${WP_NAMESPACE}/users`

/** The user of the request. Clients ask for it to check their credentials. */
export function userViews(root: string): View[] {
  return [
    {
      path: `${root}/${BASE}/me`,
      methods: ['GET'],
      parameters: ['context', '_fields'],
      handle: async (call) => ({ body: present(call, addressOf(call, root, BASE)) }),
    },
  ]
}

function present(call: Call, address: string): object {
  const user = requireUser(call)
  const { create, publish, category, edit } = rightsOf(user)
  return {
    id: user.id,
    name: user.name,
    url: '',
    description: '',
    link: `${call.addresses.home}/`,
    slug: slugify(user.name),
    avatar_urls: {},
    meta: [],
    ...(call.search.get('context') === 'edit' && {
      username: user.name,
      roles: [user.role],
      capabilities: {
        read: true,
        upload_files: publish,
        edit_tribe_events: create,
        publish_tribe_events: publish,
        edit_others_tribe_events: edit === 'all',
        manage_categories: category,
      },
    }),
    _links: linksOf(address, user.id),
  }
}
