import { toWallClock, type WallClock } from '../../calendar/zone.ts'
import type { Addresses } from '../../http/addresses.ts'
import { type Endpoint, NAMESPACE } from '../../http/endpoint.ts'
import { refuse } from '../../lib/errors.ts'
import { text } from '../../lib/texts.ts'
import { declare, type Fields, readFields } from '../../schema/field.ts'
import * as types from '../../schema/value-types.ts'

const parameters = declare('index', {
  namespace: { kind: types.oneOf(NAMESPACE), default: NAMESPACE },
  context: { kind: types.oneOf('view', 'embed', 'edit'), default: 'view' as const },
})

/** Namespace index: every path with its methods and arguments, derived from the endpoints. */
export function namespaceEndpoint(endpoints: () => readonly Endpoint[]): Endpoint {
  return {
    name: 'namespace.get',
    answers: 'Index',
    methods: ['GET'],
    path: '/',
    access: 'anyone',
    parameters,
    async handle({ query, addresses, language, scope }) {
      const today = toWallClock(scope.clock('day'), scope.site.timezone)
      refuse(readFields(parameters, query(), { mode: 'query', reading: { today: '' } }).problems)
      const paths = Map.groupBy(endpoints(), (endpoint) => endpoint.path)
      const routes = [...paths].map(([path, group]) => [
        `/${NAMESPACE}${routePattern(path)}`,
        route(path, group, addresses, { language, today }),
      ])
      return { body: { namespace: NAMESPACE, routes: Object.fromEntries(routes) } }
    },
  }
}

/** Language, address and time of the index. */
interface Reader {
  readonly language: string
  readonly today: WallClock
}

function route(path: string, endpoints: readonly Endpoint[], { rest }: Addresses, reader: Reader): object {
  return {
    namespace: NAMESPACE,
    methods: endpoints.flatMap((endpoint) => endpoint.methods),
    endpoints: endpoints.map((endpoint) => ({ methods: endpoint.methods, args: args(endpoint.parameters, reader) })),
    _links: { self: [link(rest, path)] },
  }
}

/** Whether a path has parameters. */
function link(rest: string, path: string): object {
  const href = rest + (path === '/' ? '' : path.replace(/:(\w+)/g, '{$1}'))
  return path.includes(':') ? { href, templated: true } : { href }
}

function args(fields: Fields, { language, today }: Reader): object {
  const entries = Object.entries(fields).map(([name, field]) => [
    name,
    {
      type: field.kind.type,
      required: field.required === true,
      ...(field.default !== undefined && { default: field.default }),
      ...(field.defaultAt !== undefined && { default: field.defaultAt(today) }),
      description: text(language, `fields.${field.text}`),
    },
  ])
  return Object.fromEntries(entries)
}

/** Path below the namespace, with parameters as named groups, as clients expect it. */
export function routePattern(path: string): string {
  const named = path.replace(':id', '(?P<id>\\d+)').replace(/:(slug|delivery|version)/, '(?P<$1>[^/]+)')
  return named === '/' ? '' : named
}
