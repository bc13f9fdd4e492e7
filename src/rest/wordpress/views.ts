import { offsetMinutes } from '../../calendar/zone.ts'
import type { Call, Endpoint, Method, View } from '../../http/endpoint.ts'
import { routePattern } from '../routes/namespace.ts'
import { addressOf, WP_NAMESPACE } from './collection.ts'
import { eventViews } from './events.ts'
import { mediaViews } from './media.ts'
import { wordpressRoot } from './root.ts'
import { termViews } from './terms.ts'
import { userViews } from './users.ts'

/**
 * The small part of the general interface of WordPress that writers of events use beside that of the calendar. It exists
 * where a mount lies below `/wp-json/`. Its index lists the endpoints of the calendar too.
 */
export function wordpressViews(mounts: readonly string[], endpoints: readonly Endpoint[]): readonly View[] {
  const byRoot = Map.groupBy(mounts, wordpressRoot)
  return [...byRoot].flatMap(([root, below]) => (root === null ? [] : viewsAt(root, below, endpoints)))
}

function viewsAt(root: string, mounts: readonly string[], endpoints: readonly Endpoint[]): View[] {
  const namespaces = mounts.map((mount) => mount.slice(root.length + 1))
  const own = [...termViews(root), ...mediaViews(root), ...userViews(root), ...eventViews(root)]
  const views = own.map((view): View => ({ ...view, way: 'rest' }))
  const general = views.map(({ path, methods }) => ({
    namespace: WP_NAMESPACE,
    path: path.slice(root.length + WP_NAMESPACE.length + 1).replace(/:id\(.*\)/, ':id'),
    methods,
  }))
  const ofCalendar = namespaces.flatMap((namespace) =>
    endpoints.map(({ path, methods }) => ({ namespace, path, methods })),
  )
  const ofWordpress: Route[] = [{ namespace: WP_NAMESPACE, path: '/', methods: ['GET'] }, ...general]
  const index = (path: string, describe: (call: Call) => object, routes: readonly Route[]): View => ({
    path,
    methods: ['GET'],
    parameters: ['_fields'],
    handle: async (call) => ({ body: { ...describe(call), routes: routesOf(call, root, routes) } }),
  })
  return [
    index(root, (call) => site(call, [...namespaces, WP_NAMESPACE]), [...ofCalendar, ...ofWordpress]),
    index(`${root}/${WP_NAMESPACE}`, () => ({ namespace: WP_NAMESPACE }), ofWordpress),
    ...views,
  ]
}

/** An endpoint of the calendar or a view, below its namespace. */
interface Route {
  readonly namespace: string
  /** With `:id` and `:slug` as variable parts. */
  readonly path: string
  readonly methods: readonly Method[]
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

/** Routes with their methods. The index of the calendar's own namespace also has their parameters. */
function routesOf(call: Call, root: string, routes: readonly Route[]): object {
  const byPath = Map.groupBy(routes, ({ namespace, path }) => `/${namespace}${routePattern(path)}`)
  return Object.fromEntries(
    [...byPath].map(([pattern, group]) => {
      const [{ namespace, path } = { namespace: '', path: '' }] = group
      const methods = group.flatMap((route) => [...route.methods])
      const below = path === '/' ? '' : path.replace(/:(\w+)/, '{$1}')
      return [pattern, { namespace, methods, _links: { self: [{ href: addressOf(call, root, namespace + below) }] } }]
    }),
  )
}
