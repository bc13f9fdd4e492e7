import { offsetMinutes } from '../../calendar/zone.ts'
import type { Call, View } from '../../http/endpoint.ts'
import { addressOf, WP_NAMESPACE } from './collection.ts'
import { eventViews } from './events.ts'
import { mediaViews } from './media.ts'
import { wordpressRoot } from './root.ts'
import { termViews } from './terms.ts'
import { userViews } from './users.ts'

/**
 * The small part of the general interface of WordPress that writers of events use beside that of the calendar. It exists
 * where a mount lies below `/wp-json/`.
 */
export function wordpressViews(mounts: readonly string[]): readonly View[] {
  const byRoot = Map.groupBy(mounts, wordpressRoot)
  return [...byRoot].flatMap(([root, below]) => (root === null ? [] : viewsAt(root, below)))
}

function viewsAt(root: string, mounts: readonly string[]): View[] {
  const namespaces = [...mounts.map((mount) => mount.slice(root.length + 1)), WP_NAMESPACE]
  const views = [...termViews(root), ...mediaViews(root), ...userViews(root), ...eventViews(root)]
  const index = (namespace: string | null): View => ({
    path: namespace === null ? root : `${root}/${namespace}`,
    methods: ['GET'],
    parameters: ['_fields'],
    handle: async (call) => ({
      body: {
        ...(namespace === null ? site(call, namespaces) : { namespace }),
        routes: routesOf(call, root, namespaces, views),
      },
    }),
  })
  return [index(null), index(WP_NAMESPACE), ...views]
}

/** The site, as the root index of WordPress describes it. */
function site({ scope, addresses }: Call, namespaces: readonly string[]): object {
  const { name, timezone } = scope.site
  return {
    name,
    description: '',
    url: addresses.home,
    home: addresses.home,
    gmt_offset: offsetMinutes(scope.clock('day'), timezone) / 60,
    timezone_string: timezone,
    namespaces,
    authentication: {},
  }
}

/** Routes with their methods. The index of the calendar's own namespace has its routes. */
function routesOf(call: Call, root: string, namespaces: readonly string[], views: readonly View[]): object {
  const indexes = namespaces.map((namespace) => ({ path: `${root}/${namespace}`, methods: ['GET'] as const }))
  const byPath = Map.groupBy([...indexes, ...views], ({ path }) => path.slice(root.length))
  return Object.fromEntries(
    [...byPath].map(([path, group]) => {
      const namespace = namespaces.find((one) => path.startsWith(`/${one}`)) ?? ''
      const methods = group.flatMap((view) => [...view.methods])
      const href = addressOf(call, root, path.slice(1).replace(/:id\(.*\)/, '{id}'))
      return [path.replace(/:id\(.*\)/, '(?P<id>[\\d]+)'), { namespace, methods, _links: { self: [{ href }] } }]
    }),
  )
}
